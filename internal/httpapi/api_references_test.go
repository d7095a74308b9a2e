package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// requireTaken requires the refusal of a booking that asks for a name that is in use.
func requireTaken(t testingT, a answer, field string) {
	t.Helper()
	require.Equal(t, "taken", requireProblem(t, a, conflict, problem.AlreadyExists).field(field), a.body)
}

func TestCreateBooking_ChosenID_IsTheBookings(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	id, key := "6F9619FF-8B86-4D01-B42D-00C04FC964FF", uuid.NewString()
	body := bookingOf(service, at(future(0), 10, 0), object{"id": id})
	made := c.post(t, "/v1/bookings", body, "Idempotency-Key", key)
	require.Equal(t, strings.ToLower(id), c.created(t, made).String())
	require.Equal(t, "/v1/bookings/"+strings.ToLower(id), made.header.Get("Location"))
	require.Equal(t, made.body, c.get(t, made.header.Get("Location")).ok(t).body)

	replayed := c.post(t, "/v1/bookings", body, "Idempotency-Key", key)
	require.Equal(t, "true", replayed.header.Get("Idempotent-Replayed"))
	require.Equal(t, made.body, replayed.body)
}

func TestCreateBooking_ChosenIDInUse_IsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	theirs, f := newFixture(t, s.newTenant(t, "Europe/Berlin")), newFixture(t, s.newTenant(t, "Europe/Berlin"))
	book := func(id uuid.UUID, hour int) answer {
		return f.post(t, "/v1/bookings", bookingOf(f.slots, at(future(3), hour, 0), object{"id": id.String()}))
	}
	chosen := uuid.New()
	f.created(t, book(chosen, 10))
	closure := f.newClosure(t, nil, future(8), future(9))
	before := s.tables(t)
	requireTaken(t, book(chosen, 10), "id") // an equal request with another key
	requireTaken(t, book(chosen, 11), "id")
	for _, id := range []uuid.UUID{f.booking, f.customer, f.resource, f.slots, closure} {
		requireTaken(t, book(id, 11), "id")
	}
	require.Equal(t, before, s.tables(t))
	// What another tenant has doesn't matter.
	for i, id := range []uuid.UUID{theirs.booking, theirs.customer, theirs.slots} {
		require.Equal(t, id, f.created(t, book(id, 12+i)))
	}
}

// race sends requests through two servers at once.
func race(t *testing.T, c client, bodies []object) []answer {
	t.Helper()
	servers := []client{c, {apiServer: c.another(t), key: c.key, tenant: c.tenant}}
	answers := make([]answer, len(bodies))
	var wg sync.WaitGroup
	for i, body := range bodies {
		wg.Go(func() { answers[i] = servers[i%2].post(t, "/v1/bookings", body) })
	}
	wg.Wait()
	return answers
}

// requireOneWon requires that one of the requests made a booking and that the others were refused for the field.
func requireOneWon(t *testing.T, answers []answer, field string) {
	t.Helper()
	won := 0
	for _, a := range answers {
		if a.status == http.StatusCreated {
			won++
			continue
		}
		d := requireProblem(t, a, conflict, problem.AlreadyExists)
		if len(d.Errors) > 0 {
			require.Equal(t, "taken", d.field(field), a.body)
		}
	}
	require.Equal(t, 1, won)
}

func TestCreateBooking_OneIDAtOnce_OneWins(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 100))
	for round := range testtime.Rounds(2) {
		id := uuid.NewString()
		bodies := make([]object, 16)
		for i := range bodies {
			// Half of them want one date, the others a date each.
			day := future(round * 20)
			if i%2 == 0 {
				day = day.AddDays(i)
			}
			bodies[i] = bookingOf(service, at(day, 10, 0), object{"id": id})
		}
		requireOneWon(t, race(t, c, bodies), "id")
		require.Equal(t, 1, c.count(t, "SELECT count(*) FROM bookings WHERE booking_id = $1", id))
		require.Equal(t, 1, c.count(t, "SELECT count(*) FROM changes WHERE subject_id = $1", id))
		require.Equal(t, 1, c.count(t, "SELECT count(*) FROM changes WHERE subject_id = $1", id))
	}
}

func TestUniqueReferences_Off_BookingsShareThem(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.Equal(t, false, c.get(t, "/v1/tenant").field(t, "unique_references"))
	service := c.newService(t, "slot", nil, c.newResource(t, 5))
	var ids []string
	for hour := range 3 {
		made := c.book(t, service, at(future(hour), 10, 0),
			object{"reference": "Wedding", "external_reference": "shop-1"})
		require.Equal(t, "Wedding", made.text(t, "reference"))
		require.Equal(t, "shop-1", made.text(t, "external_reference"))
		ids = append(ids, made.id(t).String())
	}
	other := c.book(t, service, at(future(0), 12, 0))
	require.Nil(t, other.field(t, "reference"))
	require.Nil(t, other.field(t, "external_reference"))
	require.Equal(t, ids, c.listAll(t, "/v1/bookings", url.Values{"reference": {"Wedding"}, "limit": {"2"}}))
	require.Equal(t, ids[1:],
		c.listAll(t, "/v1/bookings", url.Values{"external_reference": {"shop-1"}, "from": {future(1).String()}}))
	require.Empty(t, c.listAll(t, "/v1/bookings", url.Values{"reference": {"wedding"}}))
}

func TestUniqueReferences_On_EachIsTakenOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c, other := s.newTenant(t, "Europe/Berlin"), s.newTenant(t, "Europe/Berlin")
	for _, x := range []client{c, other} {
		x.patch(t, "/v1/tenant", object{"unique_references": true}).ok(t)
	}
	c.patch(t, "/v1/tenant", object{"unique_references": false}).ok(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 9))
	book := func(hour int, with object) answer {
		return c.post(t, "/v1/bookings", bookingOf(service, at(future(0), hour, 0), with))
	}
	old := c.created(t, book(8, object{"reference": "old"}))
	c.created(t, book(8, object{"reference": "old"}))
	changed := c.patch(t, "/v1/tenant", object{"unique_references": true}).ok(t)
	require.Equal(t, true, changed.field(t, "unique_references"))

	first := c.created(t, book(9, object{"reference": "A", "external_reference": "B"}))
	before := c.tables(t)
	requireTaken(t, book(10, object{"reference": "A"}), "reference")
	requireTaken(t, book(10, object{"external_reference": "B"}), "external_reference")
	requireTaken(t, book(10, object{"reference": "old"}), "reference")
	require.Equal(t, before, c.tables(t))
	c.created(t, book(10, object{"reference": "B", "external_reference": "A"}))
	c.created(t, book(10, object{"reference": "a"}))
	c.created(t, book(10, nil))
	c.created(t, book(10, nil))
	c.post(t, "/v1/bookings/"+first.String()+"/cancel", nil).ok(t)
	requireTaken(t, book(11, object{"reference": "A"}), "reference") // of a cancelled booking too
	theirs := other.newService(t, "slot", nil, other.newResource(t, 1))
	other.book(t, theirs, at(future(0), 10, 0), object{"reference": "A", "external_reference": "B"})
	c.post(t, "/v1/bookings/"+old.String()+"/cancel", nil).ok(t) // bookings that share one stay usable
}

func TestUniqueReferences_OnWhileBookingsShareOne_TheOtherOneCanChange(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 9))
	for field, shared := range map[string]string{"reference": "external_reference", "external_reference": "reference"} {
		c.patch(t, "/v1/tenant", object{"unique_references": false}).ok(t)
		first := "/v1/bookings/" + c.book(t, service, at(future(0), 9, 0), object{shared: "shared"}).id(t).String()
		second := "/v1/bookings/" + c.book(t, service, at(future(0), 10, 0), object{shared: "shared"}).id(t).String()
		c.patch(t, "/v1/tenant", object{"unique_references": true}).ok(t)

		c.patch(t, first, object{field: "first"}).ok(t)
		c.patch(t, second, object{field: "second"}).ok(t)
		requireTaken(t, c.patch(t, second, object{field: "first"}), field)
		require.Equal(t, "shared", c.get(t, second).text(t, shared))
		requireTaken(t, c.post(t, "/v1/bookings", bookingOf(service, at(future(0), 11, 0), object{shared: "shared"})),
			shared)
		c.patch(t, second, object{shared: "own"}).ok(t)
		requireTaken(t, c.patch(t, first, object{shared: "own"}), shared)
		c.patch(t, first, object{shared: nil}).ok(t)
		c.patch(t, second, object{shared: nil}).ok(t)
	}
}

func TestUniqueReferences_OneReferenceAtOnce_OneWins(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.patch(t, "/v1/tenant", object{"unique_references": true}).ok(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 100))
	for _, field := range []string{"reference", "external_reference"} {
		for round := range testtime.Rounds(2) {
			text := fmt.Sprintf("%s-%d", field, round)
			bodies := make([]object, 16)
			for i := range bodies {
				bodies[i] = bookingOf(service, at(future(20*round+i/2), 10, 0), object{field: text})
			}
			requireOneWon(t, race(t, c, bodies), field)
			require.Equal(t, 1, c.count(t, "SELECT count(*) FROM bookings WHERE tenant_id = $1 AND "+field+" = $2",
				c.tenant, text))
		}
	}
}

func TestBookingCode_FindsTheBooking_HoweverItIsWritten(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c, other := s.newTenant(t, "Europe/Berlin"), s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "slot", nil, c.newResource(t, 5))
	made := c.book(t, service, at(future(1), 10, 0))
	c.book(t, service, at(future(1), 10, 0))
	code, id := made.text(t, "code"), []string{made.id(t).String()}
	require.Regexp(t, "^[2-9BCDFGHJKMNPQRSTVWXZ]{8}$", code)
	for _, text := range []string{code, strings.ToLower(code), code[:4] + "-" + code[4:],
		" " + code[:3] + " " + code[3:] + "\u00a0",
		code[:4] + "–" + code[4:]} {
		require.Equal(t, id, c.listAll(t, "/v1/bookings", url.Values{"code": {text}}), text)
	}
	customer := made.field(t, "customer").(object)
	for name, value := range map[string]string{
		"from": future(1).String(), "to": future(1).String(), "status": "confirmed", "service_id": service.String(),
		"email":       customer["email"].(string),
		"customer_id": customer["id"].(string), "resource_id": made.text(t, "resource_id"),
	} {
		require.Equal(t, id, c.listAll(t, "/v1/bookings", url.Values{"code": {code}, name: {value}}), name)
	}
	for name, value := range map[string]string{
		"from": future(2).String(), "to": future(0).String(), "status": "held", "service_id": uuid.NewString(),
		"email":       "nobody@example.com",
		"customer_id": uuid.NewString(), "resource_id": uuid.NewString(), "reference": "x", "external_reference": "x",
		"payment_state": "refunded",
	} {
		require.Empty(t, c.listAll(t, "/v1/bookings", url.Values{"code": {code}, name: {value}}), name)
	}
	for _, text := range []string{"K7MX2PQ", "00000000", "AAAAAAAA", code + "2", "😀"} {
		require.Empty(t, c.listAll(t, "/v1/bookings", url.Values{"code": {text}}), text)
	}
	require.Empty(t, other.listAll(t, "/v1/bookings", url.Values{"code": {code}}))
}

func TestListBookings_TextsNoBookingCanHave_AreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for _, name := range []string{"email", "reference", "external_reference", "code"} {
		for _, text := range []string{"\x00", "a\nb", " "} {
			a := c.get(t, "/v1/bookings?"+url.Values{name: {text}}.Encode())
			require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, a.status, a.body)
		}
	}
}

func TestListBookings_EmailAndPaymentState_ListWhatTheyName(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	free := c.newService(t, "slot", nil, c.newResource(t, 9))
	book := func(day int, email string, payments ...object) string {
		id := c.book(t, service, at(future(day), 10, 0),
			object{"customer": object{"name": "Ada", "email": email}}).id(t)
		for _, p := range payments {
			p["payment_method"] = "pm_ok"
			c.created(t, c.pay(t, id, p))
		}
		return id.String()
	}
	unpaid := book(0, "ada@example.com")
	partly := book(1, "ada@example.com", object{"kind": "amount", "amount": 999})
	deposit := book(2, "grace@example.com", object{"kind": "deposit"})
	paid := book(3, "ada@example.com", object{"kind": "deposit"}, object{"kind": "balance"})
	refunded := book(4, "grace@example.com", object{"kind": "balance"})
	costless := c.book(t, free, at(future(5), 10, 0)).id(t).String()
	payments := c.list(t, "/v1/bookings/"+refunded+"/payments")
	require.Len(t, payments.Data, 1)
	c.created(t, c.post(t, "/v1/payments/"+payments.Data[0]["id"].(string)+"/refunds", object{}))

	for state, want := range map[string][]string{
		"unpaid": {unpaid}, "partly_paid": {partly}, "deposit_paid": {deposit}, "paid": {paid, costless},
		"refunded": {refunded},
	} {
		require.Equal(t, want, c.listAll(t, "/v1/bookings", url.Values{"payment_state": {state}, "limit": {"1"}}),
			state)
	}
	require.Equal(t, []string{paid},
		c.listAll(t, "/v1/bookings", url.Values{"payment_state": {"paid"}, "email": {"ada@example.com"}}))
	require.Equal(t, []string{unpaid, partly, paid},
		c.listAll(t, "/v1/bookings", url.Values{"email": {" ADA@Example.com"}, "limit": {"2"}}))
	require.Equal(t, []string{partly},
		c.listAll(t, "/v1/bookings",
			url.Values{"email": {"ada@example.com"}, "from": {future(1).String()}, "to": {future(2).String()}}))
	require.Empty(t, c.listAll(t, "/v1/bookings", url.Values{"email": {"nobody@example.com"}}))
}
