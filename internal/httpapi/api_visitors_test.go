package httpapi_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

const holds = "/v1/holds"

// visitor returns a client with a key that may stand in a web page.
func (c client) visitor(t testingT) client {
	t.Helper()
	website, _ := c.withScopes(t, "catalog", "hold")
	return website
}

func holdPath(id uuid.UUID) string { return holds + "/" + id.String() }

var ada = object{"name": "Ada Lovelace", "email": "ada@example.com"}

// visitsAt makes a hold of a date as a visitor.
func (c client) visitsAt(t testingT, service uuid.UUID, day int, with ...object) answer {
	t.Helper()
	body := object{"service_id": service.String(), "date": future(day).String()}
	for _, w := range with {
		maps.Copy(body, w)
	}
	a := c.post(t, holds, body)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	return a
}

// hold fields are all that a visitor may see of a hold. A new field must be thought about.
var holdFields = []string{
	"id", "code", "service_id", "resource_id", "status", "date", "starts_at", "ends_at", "time_zone", "party_size",
	"hold_expires_at",
	"price", "deposit", "paid", "due", "currency", "items", "version", "confirmed_at", "cancellation_policy",
	"confirm_on_deposit",
}

// requireVisible requires that a body has no fields but some.
func requireVisible(t testingT, a answer, fields []string) {
	t.Helper()
	var body object
	a.read(t, &body)
	for name := range body {
		require.Contains(t, fields, name, a.body)
	}
}

func TestPublishableKey_EveryOtherOperation_IsForbidden(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	samples, needed, website := f.samples(t), f.scopes(t), f.visitor(t)
	before := f.tables(t)
	forbidden := 0
	for _, op := range f.operations(t) {
		if scope := needed[op.id]; scope == "catalog" || scope == "hold" {
			continue
		}
		path, body := op.path, any(nil)
		if s, ok := samples[op.id]; ok {
			path = s.path
			if s.body != nil {
				body = s.body
			}
		}
		for prefix, id := range f.ids() {
			path = strings.Replace(path, prefix+"{id}", prefix+id.String(), 1)
		}
		if op.id == "unsubscribe" || !strings.HasPrefix(path, "/v1/") && !strings.HasPrefix(path, "/admin/") {
			continue
		}
		requireProblem(t, website.send(t, op.method, path, body), http.StatusForbidden, problem.Forbidden)
		forbidden++
	}
	require.Greater(t, forbidden, 100)
	require.Equal(t, before, f.tables(t))
}

func TestHolds_VisitorHoldsPaysAndConfirms(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000, "metadata": object{"secret": 1}},
		c.newResource(t, 1))
	website := c.visitor(t)
	key := uuid.NewString()
	body := object{"service_id": service.String(), "date": future(0).String(), "hold_minutes": 20}
	made := website.post(t, holds, body, "Idempotency-Key", key)
	id := website.created(t, made)
	require.Equal(t, holdPath(id), made.header.Get("Location"))
	require.Equal(t, `"1"`, made.header.Get("ETag"))
	requireVisible(t, made, holdFields)
	again := website.post(t, holds, body, "Idempotency-Key", key)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.Equal(t, made.body, again.body)
	require.Equal(t, made.header.Get("Location"), again.header.Get("Location"))
	require.Equal(t, made.body, website.get(t, holdPath(id)).body, "what is read is what was answered")
	require.Equal(t, "slot_unavailable", website.post(t, holds, body).text(t, "code"))

	d := requireProblem(t, website.post(t, holdPath(id)+"/confirm", object{"customer": ada}), http.StatusConflict,
		problem.DepositDue)
	require.Contains(t, d.Detail, "Pay it first")
	require.Equal(t, "held", website.get(t, holdPath(id)).text(t, "status"))
	payKey := uuid.NewString()
	order := object{"kind": "deposit", "payment_method": "pm_ok"}
	paid := website.post(t, holdPath(id)+"/payments", order, "Idempotency-Key", payKey)
	require.Equal(t, http.StatusCreated, paid.status, paid.body)
	requireVisible(t, paid, []string{"id", "kind", "status", "amount", "currency", "created_at"})
	require.Equal(t, holdPath(id)+"/payments/"+paid.text(t, "id"), paid.header.Get("Location"))
	require.Equal(t, paid.body, website.post(t, holdPath(id)+"/payments", order, "Idempotency-Key", payKey).body)
	require.Equal(t, paid.body, website.get(t, paid.header.Get("Location")).body)

	require.Equal(t, "required",
		requireProblem(t, website.post(t, holdPath(id)+"/confirm", nil), http.StatusUnprocessableEntity,
			problem.ValidationFailed).
			field("customer"))
	confirmed := website.post(t, holdPath(id)+"/confirm", object{"customer": ada})
	require.Equal(t, http.StatusOK, confirmed.status, confirmed.body)
	require.Equal(t, "confirmed", confirmed.text(t, "status"))
	requireVisible(t, confirmed, holdFields)
	require.Equal(t, confirmed.body, website.get(t, holdPath(id)).body)
	require.NotContains(t, confirmed.body, "ada@")

	booked := c.get(t, "/v1/bookings/"+id.String())
	require.Equal(t, "ada@example.com", booked.field(t, "customer").(object)["email"])
	require.EqualValues(t, 1000, booked.field(t, "paid"))
	requireProblem(t, website.get(t, "/v1/bookings/"+id.String()), http.StatusForbidden, problem.Forbidden)
}

func TestHolds_HoldLastsFifteenMinutesUnlessSaid_AndAnHourAtMost(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service, website := c.newService(t, "date", nil, c.newResource(t, 5)), c.visitor(t)
	id := website.visitsAt(t, service, 0).id(t)
	require.Equal(t, 15*60,
		c.count(t, "SELECT extract(epoch FROM hold_expires_at - created_at)::int FROM bookings WHERE booking_id = $1",
			id))
	for field, body := range map[string]object{
		"hold_minutes": {"hold_minutes": 61}, "customer_id": {"customer_id": uuid.NewString()},
		"metadata":  {"metadata": object{"a": 1}},
		"reference": {"reference": "x"}, "external_reference": {"external_reference": "x"},
		"id":              {"id": uuid.NewString()},
		"update_customer": {"update_customer": true}, "customer.birthday": {"customer": object{
			"name": "Ada", "email": "a@example.com", "birthday": "1990-12-10",
		}},
	} {
		body["service_id"], body["date"] = service.String(), future(0).String()
		d := requireProblem(t, website.post(t, holds, body), http.StatusUnprocessableEntity, problem.ValidationFailed)
		require.NotEmpty(t, d.field(field), "%s: %+v", field, d.Errors)
	}
	for field, value := range map[string]any{"wallet_id": uuid.NewString(), "amount": 1} {
		order := object{"kind": "balance", "payment_method": "pm_ok", field: value}
		d := requireProblem(t, website.post(t, holdPath(id)+"/payments", order), http.StatusUnprocessableEntity,
			problem.ValidationFailed)
		require.Equal(t, "unknown_field", d.field(field))
	}
}

func TestHolds_WithoutADeposit_AreConfirmedAtOnce(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	id := website.visitsAt(t, c.newService(t, "date", object{"price": 4500}, c.newResource(t, 1)), 0,
		object{"customer": ada}).id(t)
	require.Equal(t, "confirmed", website.post(t, holdPath(id)+"/confirm", nil).text(t, "status"),
		"the customer was given before")
	paid := website.post(t, holdPath(id)+"/payments", object{"kind": "balance", "payment_method": "pm_ok"})
	require.Equal(t, http.StatusCreated, paid.status, paid.body)
	require.EqualValues(t, 4500, paid.field(t, "amount"))
}

func TestHolds_ServiceConfirmsByDeposit_NothingIsLeftToConfirm(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000, "confirm_on_deposit": true},
		c.newResource(t, 1))
	id := website.visitsAt(t, service, 0, object{"customer": ada}).id(t)
	require.Equal(t, http.StatusCreated,
		website.post(t, holdPath(id)+"/payments", object{"kind": "deposit", "payment_method": "pm_ok"}).status)
	require.Equal(t, "confirmed", website.get(t, holdPath(id)).text(t, "status"))
}

func TestHolds_DeclinedPayment_IsReadAtItsLocation(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 1))
	id := website.visitsAt(t, service, 0).id(t)
	a := website.post(t, holdPath(id)+"/payments", object{"kind": "deposit", "payment_method": "pm_declined"})
	requireProblem(t, a, http.StatusPaymentRequired, problem.PaymentDeclined)
	location := a.header.Get("Location")
	require.Equal(t, holdPath(id)+"/payments/"+a.text(t, "payment_id"), location)
	require.Equal(t, "declined", website.get(t, location).text(t, "status"))

	// A visitor who has to act gets what that takes.
	open := website.post(t, holdPath(id)+"/payments", object{"kind": "deposit", "payment_method": "pm_requires_action"})
	require.Equal(t, http.StatusAccepted, open.status, open.body)
	requireVisible(t, open,
		[]string{"id", "kind", "status", "amount", "currency", "action_url", "client_secret", "cancel_at",
			"created_at"})
	require.NotEmpty(t, open.text(t, "action_url"))
	d := requireProblem(t, website.post(t, holdPath(id)+"/confirm", object{"customer": ada}), http.StatusConflict,
		problem.DepositDue)
	require.NotEmpty(t, d.Detail)
	// A payment is read at its own hold.
	other := website.visitsAt(t, service, 1).id(t)
	payments := holdPath(other) + "/payments/"
	requireSame(t, website.get(t, payments+uuid.NewString()), website.get(t, payments+open.text(t, "id")))
}

func TestHolds_Release_FreesTheTimeOfAHoldAndOfNothingElse(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	id := website.visitsAt(t, service, 0).id(t)
	released := website.post(t, holdPath(id)+"/release", nil)
	require.Equal(t, http.StatusOK, released.status, released.body)
	require.Equal(t, "cancelled", released.text(t, "status"))
	requireVisible(t, released, holdFields)
	require.Equal(t, "cancelled", c.get(t, "/v1/bookings/"+id.String()).text(t, "status"))
	history := c.history(t, "/v1/bookings/"+id.String())
	require.Equal(t, "booking.cancelled", history[len(history)-1].Action)

	next := website.visitsAt(t, service, 0, object{"customer": ada}).id(t)
	require.Equal(t, http.StatusOK, website.post(t, holdPath(next)+"/confirm", nil).status)
	requireProblem(t, website.post(t, holdPath(next)+"/release", nil), http.StatusConflict, problem.InvalidState)
	require.Equal(t, "confirmed", c.get(t, "/v1/bookings/"+next.String()).text(t, "status"))
}

// TestHolds_OtherBookings_AreNotThere has bookings that no visitor may see: those that the tenant made, and those that
// were confirmed, or ended, longer ago.
func TestHolds_OtherBookings_AreNotThere(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 100))
	pay := object{"kind": "deposit", "payment_method": "pm_ok"}
	own := c.created(t, c.book(t, service, future(0), object{"hold_minutes": 30}))
	booked := c.created(t, c.book(t, service, future(0)))
	visited := func(change string) uuid.UUID {
		id := website.visitsAt(t, service, 0, object{"customer": ada}).id(t)
		require.Equal(t, http.StatusCreated, website.post(t, holdPath(id)+"/payments", pay).status)
		require.Equal(t, http.StatusOK, website.post(t, holdPath(id)+"/confirm", nil).status)
		_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET "+change+" WHERE booking_id = $1", id)
		require.NoError(t, err)
		return id
	}
	recent := visited("confirmed_at = clock_timestamp() - interval '59 minutes'")
	require.Equal(t, http.StatusOK, website.get(t, holdPath(recent)).status)
	old := visited("confirmed_at = clock_timestamp() - interval '61 minutes'")
	lapsed := website.visitsAt(t, service, 0).id(t)
	_, err := c.sql.Exec(t.Context(),
		"UPDATE bookings SET hold_expires_at = clock_timestamp() - interval '61 minutes' WHERE booking_id = $1", lapsed)
	require.NoError(t, err)
	paidBy := c.pay(t, own, pay)

	before := c.tables(t)
	for name, request := range map[string]func(id string) answer{
		"read":    func(id string) answer { return website.get(t, holds+"/"+id) },
		"confirm": func(id string) answer { return website.post(t, holds+"/"+id+"/confirm", object{"customer": ada}) },
		"release": func(id string) answer { return website.post(t, holds+"/"+id+"/release", nil) },
		"pay":     func(id string) answer { return website.post(t, holds+"/"+id+"/payments", pay) },
		"pay at a version": func(id string) answer {
			return website.post(t, holds+"/"+id+"/payments", pay, "If-Match", `"99"`)
		},
		"payment": func(id string) answer { return website.get(t, holds+"/"+id+"/payments/"+paidBy.text(t, "id")) },
	} {
		want := request(uuid.NewString())
		requireProblem(t, want, http.StatusNotFound, problem.NotFound)
		for _, id := range []uuid.UUID{own, booked, old, lapsed} {
			requireSame(t, want, request(id.String()))
		}
		require.Equal(t, before, c.tables(t), name)
	}
}

func TestHolds_CustomerWhoIsKnown_StaysAsKnownAndIsNotTold(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	service := c.newService(t, "date", nil, c.newResource(t, 10))
	known := c.created(t, c.post(t, "/v1/customers", ada))
	before := c.get(t, "/v1/customers/"+known.String()).body
	visit := func(email string) (made, confirmed answer) {
		given := object{"name": "Mallory", "email": email, "phone": "+49 1", "time_zone": "Asia/Tokyo"}
		made = website.visitsAt(t, service, 0, object{"customer": given})
		confirmed = website.post(t, holdPath(made.id(t))+"/confirm", object{"customer": given})
		require.Equal(t, http.StatusOK, confirmed.status, confirmed.body)
		return made, confirmed
	}
	made, confirmed := visit("ADA@example.com")
	otherMade, otherConfirmed := visit("nobody@example.com")
	for _, pair := range [][2]answer{{made, otherMade}, {confirmed, otherConfirmed}} {
		var a, b object
		pair[0].read(t, &a)
		pair[1].read(t, &b)
		for _, differs := range []string{"id", "code", "hold_expires_at", "confirmed_at"} {
			delete(a, differs)
			delete(b, differs)
		}
		require.Equal(t, a, b, "the answers don't tell whether the email is known")
		require.Equal(t, pair[0].header.Get("ETag"), pair[1].header.Get("ETag"))
	}
	booked := c.get(t, "/v1/bookings/"+made.text(t, "id")).field(t, "customer").(object)
	require.Equal(t, known.String(), booked["id"])
	require.Equal(t, "Mallory", booked["name"], "the booking keeps what was given for it")
	require.Equal(t, "+49 1", booked["phone"])
	require.Equal(t, before, c.get(t, "/v1/customers/"+known.String()).body,
		"nothing of the customer was changed or filled in")
}

func TestHolds_StaleVersion_ShowsWhatAVisitorMaySee(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	id := website.visitsAt(t, c.newService(t, "date", nil, c.newResource(t, 1)), 0, object{"customer": ada}).id(t)
	require.Equal(t, http.StatusOK,
		c.patch(t, "/v1/bookings/"+id.String(), object{"metadata": object{"vip": true}}).status)
	for _, change := range []string{"/confirm", "/release"} {
		a := website.post(t, holdPath(id)+change, nil, "If-Match", `"1"`)
		requireProblem(t, a, http.StatusPreconditionFailed, problem.VersionMismatch)
		current := a.field(t, "current").(object)
		for name := range current {
			require.Contains(t, holdFields, name)
		}
	}
}

func TestHolds_TheirIdempotencyKeys_AreNoneOfTheTenants(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	service, key := c.newService(t, "date", nil, c.newResource(t, 10)), "order-4711-of-the-shop"
	body := object{"service_id": service.String(), "date": future(0).String()}
	made := website.post(t, holds, body, "Idempotency-Key", key)
	id := website.created(t, made)
	order := bookingOf(service, future(0))
	require.Equal(t, http.StatusCreated, c.post(t, "/v1/bookings", order, "Idempotency-Key", key).status,
		"the tenant's application has the key for itself")
	require.Equal(t, "true", c.post(t, "/v1/bookings", order, "Idempotency-Key", key).header.Get("Idempotent-Replayed"))
	// Another server doesn't know the key: the transaction finds it.
	for _, s := range []*apiServer{c.apiServer, c.another(t)} {
		guessing := client{apiServer: s, key: website.key, tenant: c.tenant}
		a := guessing.post(t, holds, object{"service_id": service.String(), "date": future(1).String()},
			"Idempotency-Key", key)
		requireProblem(t, a, http.StatusUnprocessableEntity, problem.IdempotencyKeyReused)
		require.NotContains(t, a.body, id.String(), "whoever guesses a key doesn't learn the hold")
	}
	requireProblem(t, website.post(t, holds, body, "Idempotency-Key", "0123456789abcde"), http.StatusBadRequest,
		problem.IdempotencyKeyInvalid)
}

// TestHolds_TheirIDs_AreInNoAnswerOfTheCatalog reads all that a publishable key can read beside holds.
func TestHolds_TheirIDs_AreInNoAnswerOfTheCatalog(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	resource := c.newResource(t, 2)
	service := c.newService(t, "date", object{"occupies": "whole"}, resource)
	session := c.newService(t, "slot", object{"occupies": "session"}, c.newResource(t, 3))
	id := website.visitsAt(t, service, 0).id(t)
	seat := website.created(t,
		website.post(t, holds, object{"service_id": session.String(), "starts_at": at(future(0), 10, 0)}))
	dates := "from=" + future(0).String() + "&to=" + future(1).String()
	asked := []string{}
	for name, a := range map[string]answer{
		"get-availability": website.get(t, "/v1/services/"+session.String()+"/availability?"+dates),
		"get-services-availability": website.get(t,
			"/v1/availability?service_ids="+service.String()+","+session.String()+"&"+dates),
		"get-resource":     website.get(t, "/v1/resources/"+resource.String()),
		"get-service":      website.get(t, "/v1/services/"+service.String()),
		"list-resources":   website.get(t, "/v1/resources"),
		"list-services":    website.get(t, "/v1/services"),
		"get-tenant-hours": website.get(t, "/v1/tenant/hours"),
		"quote-booking": website.post(t, "/v1/quotes", object{
			"service_id": service.String(), "date": future(0).String(),
		}),
	} {
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.NotContains(t, a.body, id.String(), name)
		require.NotContains(t, a.body, seat.String(), name)
		asked = append(asked, name)
	}
	taken := website.post(t, holds, object{"service_id": service.String(), "date": future(0).String()})
	requireProblem(t, taken, http.StatusConflict, problem.SlotUnavailable)
	require.NotContains(t, taken.body, id.String())
	for operation, scope := range c.scopes(t) {
		require.Equal(t, scope == "catalog", slices.Contains(asked, operation), operation)
	}
}
