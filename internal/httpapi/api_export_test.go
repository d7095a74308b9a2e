package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func TestExport_Customer_HoldsAllThatIsStoredOfItAndNothingOfOthers(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/tenant", object{
		"greetings": object{"birthday": true}, "email": object{"from": object{"name": "Harbour", "email": "booking@harbour.example"}},
	}).status)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	tomorrow := testtime.Tomorrow()
	tomorrow.Year = 1988 // a leap year
	person := object{"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+49 30 1", "birthday": tomorrow.String()}
	made, ada := c.bookFor(t, service, 3, person, object{"metadata": object{"note": "by the window"}, "reference": "party"})
	paid := c.payWith(t, made, "pm_ok", 1000).id(t)
	refund := c.created(t, c.refund(t, paid, object{"amount": 300}))
	wallet := c.created(t, c.post(t, "/v1/wallets", object{"customer_id": ada.String(), "currency": "EUR"}))
	require.Equal(t, http.StatusCreated, c.post(t, walletPath(wallet)+"/credits", object{"amount": 500, "reason": "goodwill"}).status)
	_, twin := c.bookFor(t, service, 4, object{"name": "A. L.", "email": "twin@example.com", "birthday": tomorrow.String()})
	c.planMessages(t)
	require.Equal(t, http.StatusOK, c.merge(t, twin, ada).status)
	c.planMessages(t)
	c.bookFor(t, service, 3, object{"name": "Grace Hopper", "email": "grace@example.com"})
	other := c.newTenant(t, "Europe/Berlin")
	_, theirs := other.bookFor(t, other.newService(t, "date", nil, other.newResource(t, 9)), 3,
		object{"name": "Grace of another tenant", "email": "ada@example.com"})

	a := c.get(t, customerPath(ada)+"/export")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, `attachment; filename="customer-`+ada.String()+`.json"`, a.header.Get("Content-Disposition"))
	var e struct {
		Customer        object   `json:"customer"`
		Bookings        []object `json:"bookings"`
		Payments        []object `json:"payments"`
		Wallets         []object `json:"wallets"`
		ScheduledEvents []object `json:"scheduled_events"`
		History         []object `json:"history"`
	}
	a.read(t, &e)
	require.Equal(t, "ada@example.com", e.Customer["email"])
	require.Len(t, e.Bookings, 2)
	require.Equal(t, c.get(t, "/v1/bookings/"+made.String()).field(t, "metadata"), e.Bookings[0]["metadata"])
	require.Equal(t, "party", e.Bookings[0]["reference"])
	require.Len(t, e.Payments, 2)
	require.Equal(t, []any{paid.String(), refund.String()}, []any{e.Payments[0]["id"], e.Payments[1]["id"]})
	require.InEpsilon(t, 300, e.Payments[1]["amount"], 0)
	require.Len(t, e.Wallets, 1)
	entries := e.Wallets[0]["entries"].([]any)
	require.Len(t, entries, 2)
	require.Equal(t, "goodwill", entries[1].(object)["reason"])
	kinds, which := map[any]int{}, ""
	for _, s := range e.ScheduledEvents {
		kinds[s["kind"]]++
		occurrence, _ := s["occurrence"].(string)
		which += occurrence + " "
	}
	require.Equal(t, 2, kinds["customer.birthday"], "of the customer and of the one merged into it")
	require.Equal(t, 2, kinds["message.email"], kinds)
	require.Equal(t, 4, kinds["message.plan"], "of two customers and two bookings")
	require.Contains(t, which, "confirm")
	subjects := map[any]int{}
	for _, h := range e.History {
		subjects[h["subject_id"]]++
	}
	require.Len(t, subjects, 4, "the customer, the one merged into it, and two bookings")
	require.Equal(t, 2, subjects[twin.String()])
	for _, other := range []string{"Grace", "idempotency", "client_secret", `"more"`} {
		require.NotContains(t, a.body, other)
	}
	for _, missing := range []uuid.UUID{uuid.New(), theirs} {
		requireProblem(t, c.get(t, customerPath(missing)+"/export"), http.StatusNotFound, problem.NotFound)
	}

	require.Equal(t, http.StatusOK, c.post(t, customerPath(ada)+"/erase", nil).status)
	after := c.get(t, customerPath(ada)+"/export")
	require.Equal(t, http.StatusOK, after.status, after.body)
	for _, word := range []string{"Lovelace", "ada@example.com", "window", "goodwill", "party\"", "twin@"} {
		require.Contains(t, a.body, word)
		require.NotContains(t, after.body, word)
	}
	require.Contains(t, after.body, refund.String())
}

func TestExport_LongList_IsCutAndNamed(t *testing.T) {
	t.Parallel()
	c := setup(t)
	ada := c.created(t, c.post(t, "/v1/customers", object{"name": "Ada", "email": "ada@example.com"}))
	_, err := c.sql.Exec(t.Context(), `INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice,
		occurred_at, data)
		SELECT tenant_id, gen_random_uuid(), 'customer.updated', subject_type, subject_id, n, false, occurred_at + n * interval '1 second',
			'{}'
		FROM changes, generate_series(2, 1001) n WHERE subject_id = $1`, ada)
	require.NoError(t, err)
	a := c.get(t, customerPath(ada)+"/export")
	require.Equal(t, []any{"history"}, a.field(t, "more"))
	require.Equal(t, 1000, strings.Count(a.body, `"subject_type":"customer"`))
}

// exportedHistory returns a customer's export, and the versions of a booking in its history.
func (c client) exportedHistory(t testingT, customer, booking uuid.UUID) (body string, versions []int) {
	t.Helper()
	a := c.get(t, customerPath(customer)+"/export")
	require.Equal(t, http.StatusOK, a.status, a.body)
	var e struct {
		History []struct {
			Subject uuid.UUID `json:"subject_id"`
			Version int       `json:"version"`
		} `json:"history"`
	}
	a.read(t, &e)
	for _, h := range e.History {
		if h.Subject == booking {
			versions = append(versions, h.Version)
		}
	}
	return a.body, versions
}

func TestExport_BookingThatGoesFromOneCustomerToAnother_TellsEachItsOwnTime(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 9))
	booking, ada := c.bookFor(t, service, 3, object{"name": "Ada", "email": "ada@example.com"},
		object{"metadata": object{"note": "allergic to nuts"}})
	_, grace := c.bookFor(t, service, 3, object{"name": "Grace", "email": "grace@example.com"})
	change := func(body object) {
		require.Equal(t, http.StatusOK, c.patch(t, "/v1/bookings/"+booking.String(), body).status)
	}
	change(object{"customer_id": grace.String(), "metadata": object{"note": "by the window"}})
	change(object{"metadata": object{"note": "with a dog"}})

	body, versions := c.exportedHistory(t, ada, booking)
	require.Equal(t, []int{1, 2}, versions)
	require.Contains(t, body, "nuts")
	for _, word := range []string{"window", "dog", grace.String()} {
		require.NotContains(t, body, word)
	}
	body, versions = c.exportedHistory(t, grace, booking)
	require.Equal(t, []int{2, 3}, versions)
	require.Contains(t, body, "window")
	for _, word := range []string{"nuts", ada.String()} {
		require.NotContains(t, body, word)
	}

	change(object{"customer_id": ada.String(), "metadata": object{"note": "on her own"}})
	_, versions = c.exportedHistory(t, ada, booking)
	require.Equal(t, []int{1, 2, 4}, versions)
	body, versions = c.exportedHistory(t, grace, booking)
	require.Equal(t, []int{2, 3, 4}, versions)
	require.NotContains(t, body, "her own")

	_, linus := c.bookFor(t, service, 3, object{"name": "Linus", "email": "linus@example.com"})
	change(object{"customer_id": linus.String(), "metadata": object{"note": "after dinner"}})
	body, versions = c.exportedHistory(t, ada, booking)
	require.Equal(t, []int{1, 2, 4, 5}, versions, "the booking was Ada's twice")
	require.Contains(t, body, "nuts")
	require.Contains(t, body, "her own")
	for _, word := range []string{"window", "dog", "dinner", grace.String(), linus.String()} {
		require.NotContains(t, body, word)
	}
	body, versions = c.exportedHistory(t, grace, booking)
	require.Equal(t, []int{2, 3, 4}, versions)
	for _, word := range []string{"nuts", "her own", "dinner", ada.String(), linus.String()} {
		require.NotContains(t, body, word)
	}
	body, versions = c.exportedHistory(t, linus, booking)
	require.Equal(t, []int{5}, versions)
	for _, word := range []string{"nuts", "window", "dog", "her own"} {
		require.NotContains(t, body, word)
	}

	change(object{"customer_id": ada.String()})
	require.Equal(t, http.StatusOK, c.merge(t, grace, ada).status)
	_, versions = c.exportedHistory(t, ada, booking)
	require.Equal(t, []int{1, 2, 3, 4, 5, 6}, versions, "both were one person")
	_, versions = c.exportedHistory(t, linus, booking)
	require.Equal(t, []int{5, 6}, versions)
}

func TestExport_LargeRows_EndTheirLists(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 9))
	var ada uuid.UUID
	for day := range 3 {
		_, ada = c.bookFor(t, service, 3+day, object{"name": "Ada", "email": "ada@example.com"})
	}
	const large = 3 << 20 // of which two are more than the limit
	_, err := c.sql.Exec(t.Context(), `
		UPDATE bookings SET details = json_build_object('metadata', json_build_object('note', repeat('x', $1)))`, large)
	require.NoError(t, err)
	var export struct {
		More              []string
		Bookings, History []json.RawMessage
	}
	c.get(t, customerPath(ada)+"/export").read(t, &export)
	require.Equal(t, []string{"bookings"}, export.More, "the history is that of the bookings shown")
	require.Len(t, export.Bookings, 2)
	require.Len(t, export.History, 3)

	_, err = c.sql.Exec(t.Context(), "UPDATE changes SET data = json_build_object('note', repeat('x', $1)) WHERE subject_type = 'booking'",
		2*large)
	require.NoError(t, err)
	c.get(t, customerPath(ada)+"/export").read(t, &export)
	require.Equal(t, []string{"bookings", "history"}, export.More)
	require.Len(t, export.History, 2)
}
