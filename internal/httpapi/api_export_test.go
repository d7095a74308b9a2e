package httpapi_test

import (
	"net/http"
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
		"greetings": object{"birthday": true},
		"email":     object{"from": object{"name": "Harbour", "email": "booking@harbour.example"}},
	}).status)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	tomorrow := testtime.Tomorrow()
	tomorrow.Year = 1988 // a leap year
	person := object{"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+49 30 1",
		"birthday": tomorrow.String()}
	made, ada := c.bookFor(t, service, 3, person,
		object{"metadata": object{"note": "by the window"}, "reference": "party"})
	paid := c.payWith(t, made, "pm_ok", 1000).id(t)
	refund := c.created(t, c.refund(t, paid, object{"amount": 300}))
	wallet := c.created(t, c.post(t, "/v1/wallets", object{"customer_id": ada.String(), "currency": "EUR"}))
	require.Equal(t, http.StatusCreated,
		c.post(t, walletPath(wallet)+"/credits", object{"amount": 500, "reason": "goodwill"}).status)
	_, twin := c.bookFor(t, service, 4,
		object{"name": "A. L.", "email": "twin@example.com", "birthday": tomorrow.String()})
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
