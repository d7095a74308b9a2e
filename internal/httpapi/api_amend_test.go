package httpapi_test

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// A PATCH needs no Idempotency-Key: If-Match makes it safe to repeat.
func TestAmend_AllAtOnce_IsOneCommitWithAVersionForEachEvent(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", object{"price": 4500}, c.newResource(t, 5))
	dear := c.newService(t, "slot", object{"price": 6000}, c.newResource(t, 5))
	path := "/v1/bookings/" + c.holdWithoutCustomer(t, service, at(future(0), 10, 0)).String()
	starts := at(future(1), 12, 0)
	all := object{
		"starts_at": starts.Format(time.RFC3339), "service_id": dear.String(), "any_resource": true, "party_size": 3,
		"price":    "quote",
		"metadata": object{"table": 7}, "reference": "Wedding", "external_reference": "shop-1", "hold_minutes": 60,
		"customer": object{"name": "Grace", "email": "grace@example.com"}, "status": "confirmed",
	}
	before := c.tables(t)
	stale := c.send(t, http.MethodPatch, path, all, "If-Match", `"2"`)
	requireProblem(t, stale, http.StatusPreconditionFailed, problem.VersionMismatch)
	require.Equal(t, `"1"`, stale.header.Get("ETag"))
	require.Equal(t, before, c.tables(t))

	got := c.send(t, http.MethodPatch, path, all, "If-Match", `"1"`)
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.Equal(t, `"4"`, got.header.Get("ETag"))
	require.Equal(t, got.body, c.get(t, path).body)
	got.requireFields(t, `{"status":"confirmed","party_size":3,"price":6000,"service_id":"`+dear.String()+`","reference":"Wedding",
		"external_reference":"shop-1","metadata":{"table":7},"date":"`+future(1).String()+`"}`)
	require.Equal(t, "grace@example.com", got.field(t, "customer").(object)["email"])

	var types []string
	for _, e := range c.allEvents(t, 4, "subject="+got.id(t).String()) {
		types = append(types, e.Type)
	}
	require.Equal(t, []string{"booking.held", "booking.rescheduled", "booking.updated", "booking.confirmed"}, types)
	history := c.history(t, path)
	require.Len(t, history, 4)
	require.Nil(t, history[1].After["customer"], "the customer comes with the confirmation")

	requireProblem(t, c.send(t, http.MethodPatch, path, all, "If-Match", `"1"`), http.StatusPreconditionFailed,
		problem.VersionMismatch)
	requireProblem(t, c.send(t, http.MethodPatch, path, all), conflict, problem.InvalidState)
	delete(all, "status")
	delete(all, "hold_minutes")
	require.Equal(t, got.body, c.send(t, http.MethodPatch, path, all).body, "what is already so keeps the version")
}

func TestAmend_OnePartIsRefused_WritesNothing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 2)
	service := c.newService(t, "slot", object{"price": 4500}, resource)
	cheap := c.newService(t, "slot", object{"price": 100}, resource)
	c.book(t, service, at(future(3), 10, 0), object{"party_size": 2})
	c.book(t, service, at(future(4), 10, 0), object{"reference": "taken"})
	require.Equal(t, http.StatusOK, c.send(t, http.MethodPatch, "/v1/tenant", object{"unique_references": true}).status)
	hold := c.book(t, service, at(future(0), 10, 0), object{"hold_minutes": 60}).id(t)
	booked := c.book(t, service, at(future(0), 10, 0)).id(t)
	c.processing(t, booked)
	slot := func(day int) string { return at(future(day), 10, 0).Format(time.RFC3339) }
	good := object{"starts_at": slot(1), "metadata": object{"a": 1}, "external_reference": "new",
		"customer": object{"name": "Grace", "email": "grace@example.com"}}
	before := c.tables(t)
	for name, refused := range map[string]struct {
		id     uuid.UUID
		with   object
		status int
		code   problem.Code
	}{
		"a time that is taken": {hold, object{"starts_at": slot(3)}, conflict, problem.SlotUnavailable},
		"a time that is over": {hold, object{"starts_at": "2001-01-01T10:00:00Z"},
			unprocessable, problem.OutsideBookingWindow},
		"a time of another kind": {hold, object{"date": future(1).String()},
			unprocessable, problem.ValidationFailed},
		"another's resource": {hold, object{"resource_id": uuid.NewString()}, http.StatusNotFound, problem.NotFound},
		"no such service":    {hold, object{"service_id": uuid.NewString()}, http.StatusNotFound, problem.NotFound},
		"too many":           {hold, object{"party_size": 3}, unprocessable, problem.ValidationFailed},
		"no such customer": {hold, object{"customer_id": uuid.NewString()},
			http.StatusNotFound, problem.NotFound},
		"a taken reference": {hold, object{"reference": "taken"}, conflict, problem.AlreadyExists},
		"too long a hold": {hold, object{"hold_minutes": 10080}, unprocessable,
			problem.ValidationFailed},
		"a confirmed booking's extension":    {booked, object{"hold_minutes": 60}, conflict, problem.InvalidState},
		"a confirmed booking's confirmation": {booked, object{"status": "confirmed"}, conflict, problem.InvalidState},
		"a lower price while a payment is open": {booked, object{"service_id": cheap.String(), "price": "quote"},
			conflict,
			problem.PaymentInProgress},
		"another status":  {hold, object{"status": "cancelled"}, unprocessable, problem.ValidationFailed},
		"a null status":   {hold, object{"status": nil}, unprocessable, problem.ValidationFailed},
		"a null service":  {hold, object{"service_id": nil}, unprocessable, problem.ValidationFailed},
		"a null party":    {hold, object{"party": nil}, unprocessable, problem.ValidationFailed},
		"a null price":    {hold, object{"price": nil}, unprocessable, problem.ValidationFailed},
		"what is unknown": {hold, object{"answers": object{}}, unprocessable, problem.ValidationFailed},
		"if_still_free":   {hold, object{"if_still_free": true}, unprocessable, problem.ValidationFailed},
	} {
		body := maps.Clone(good)
		maps.Copy(body, refused.with)
		if name == "no such customer" {
			delete(body, "customer")
		}
		if name == "a time of another kind" {
			delete(body, "starts_at")
		}
		requireProblem(t, c.send(t, http.MethodPatch, "/v1/bookings/"+refused.id.String(), body), refused.status,
			refused.code)
		require.Equal(t, before, c.tables(t), name)
	}
	require.Equal(t, http.StatusOK, c.send(t, http.MethodPatch, "/v1/bookings/"+hold.String(), good).status)
}

func TestAmend_PriceThatIsKept_MovesNothing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	made := c.book(t, service, future(0))
	path := "/v1/bookings/" + made.id(t).String()
	require.Equal(t, http.StatusOK, c.post(t, path+"/cancel", nil).status)
	patched := c.send(t, http.MethodPatch, path,
		object{"price": "keep", "any_resource": false, "metadata": object{"a": 1}})
	require.Equal(t, http.StatusOK, patched.status, "the metadata of each booking can be changed: %s", patched.body)
	c.send(t, http.MethodPatch, path, object{"metadata": nil, "reference": nil}).requireFields(t,
		`{"metadata":{},"reference":null}`)
	requireProblem(t, c.send(t, http.MethodPatch, path, object{"price": "quote"}), conflict, problem.InvalidState)
}

func TestConfirm_WithALastChange_IsOneCommitAndReplayed(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 2))
	path := "/v1/bookings/" + c.holdWithoutCustomer(t, service, future(0)).String()
	c.book(t, service, future(1), object{"party_size": 2})
	body := object{"date": future(1).String(), "metadata": object{"a": 1},
		"customer": object{"name": "Grace", "email": "grace@example.com"}}
	before := c.tables(t)
	requireProblem(t, c.post(t, path+"/confirm", body), conflict, problem.SlotUnavailable)
	require.Equal(t, before, c.tables(t))

	body["date"] = future(2).String()
	key := uuid.NewString()
	confirmed := c.post(t, path+"/confirm", body, "Idempotency-Key", key, "If-Match", `"1"`)
	require.Equal(t, http.StatusOK, confirmed.status, confirmed.body)
	confirmed.requireFields(t, `{"status":"confirmed","date":"`+future(2).String()+`","metadata":{"a":1},"version":4}`)
	require.Equal(t, confirmed.body, c.get(t, path).body)
	replayed := c.post(t, path+"/confirm", body, "Idempotency-Key", key)
	require.Equal(t, confirmed.body, replayed.body)
	require.Equal(t, "true", replayed.header.Get("Idempotent-Replayed"))
	requireProblem(t, c.post(t, path+"/confirm", object{"status": "confirmed"}), unprocessable,
		problem.ValidationFailed)
}

func TestAmend_LowerPriceThatWasPaid_IsToldOfAsOverpaid(t *testing.T) {
	t.Parallel()
	c, booking, cheap := resold(t)
	c.created(t, c.payWith(t, booking, "pm_ok", 4500))
	path := "/v1/bookings/" + booking.String()
	got := c.send(t, http.MethodPatch, path,
		object{"date": cheap.String(), "price": "quote", "metadata": object{"a": 1}})
	require.Equal(t, http.StatusOK, got.status, got.body)
	got.requireFields(t, `{"price":50,"due":0,"overpaid":4450,"version":5}`)
	require.Equal(t, got.body, c.get(t, path).body)
	events := c.allEvents(t, 5, "&subject="+booking.String())
	for i, want := range []string{"booking.rescheduled", "booking.overpaid", "booking.updated"} {
		require.Equal(t, want, events[2+i].Type)
		require.EqualValues(t, 3+i, events[2+i].Sequence)
	}
	require.JSONEq(t, got.body, string(events[4].Data))
}

// The event of the move still tells of the former customer.
func TestAmend_FormerCustomerIsErased_IsNowhereInTheEvents(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	const word = "lovelacia"
	booking, former := c.bookFor(t, service, 0, object{"name": "Ada " + word, "email": word + "@example.com"})
	require.Equal(t, http.StatusOK, c.send(t, http.MethodPatch, "/v1/bookings/"+booking.String(), object{
		"date": future(1).String(), "customer": object{"name": "Grace", "email": "grace@example.com"},
		"metadata": object{"a": 1},
	}).status)
	require.Equal(t, 2, c.count(t,
		"SELECT count(*) FROM changes WHERE subject_id = $1 AND data::text LIKE '%' || $2 || '%'", booking,
		word))
	c.erased(t, former)
	require.Empty(t, c.holding(t, word))
	require.Contains(t, c.get(t, "/v1/bookings/"+booking.String()).body, "grace@example.com")
}
