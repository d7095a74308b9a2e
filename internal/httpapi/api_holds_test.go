package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
)

// holdWithoutCustomer makes a hold of half an hour whose customer is not known.
func (c client) holdWithoutCustomer(t testingT, service uuid.UUID, when any) uuid.UUID {
	t.Helper()
	body := bookingOf(service, when, object{"hold_minutes": 30})
	delete(body, "customer")
	return c.created(t, c.post(t, "/v1/bookings", body))
}

func TestHoldWithoutCustomer_EverythingThatReadsIt_ShowsNoCustomer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 1))
	confirmed := bookingOf(service, future(0))
	delete(confirmed, "customer")
	requireProblem(t, c.post(t, "/v1/bookings", confirmed), http.StatusUnprocessableEntity, problem.ValidationFailed)

	id := c.holdWithoutCustomer(t, service, future(0))
	path := "/v1/bookings/" + id.String()
	c.allEvents(t, 1, "subject="+id.String())
	for _, p := range []string{path, "/v1/bookings", path + "/history", "/v1/events?subject=" + id.String()} {
		a := c.get(t, p)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Contains(t, a.body, id.String(), p)
		require.NotContains(t, a.body, `"customer`, p)
	}
	paid := c.pay(t, id, object{"kind": "deposit", "payment_method": "pm_ok"})
	require.Equal(t, http.StatusCreated, paid.status, paid.body)
	receipt := c.get(t, "/v1/payments/"+paid.id(t).String()+"/receipt")
	require.Equal(t, http.StatusOK, receipt.status, receipt.body)
	require.NotContains(t, receipt.body, `"customer"`)
	require.Equal(t, http.StatusOK, c.get(t, "/v1/payments/"+paid.id(t).String()+"/receipt.pdf").status)
	require.Equal(t, http.StatusOK, c.get(t, path+"/balance").status)
	require.Equal(t, http.StatusOK, c.get(t, path+"/cancellation-quote").status)
	preview := c.post(t, "/v1/tenant/email-preview", object{"template": "booking.held", "booking_id": id.String()})
	require.Equal(t, http.StatusOK, preview.status, preview.body)
	require.Equal(t, http.StatusOK, c.post(t, path+"/cancel", nil).status)
}

func TestConfirm_WithACustomer_IsMatchedVersionedAndReplayed(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	id := c.holdWithoutCustomer(t, service, future(0))
	path := "/v1/bookings/" + id.String() + "/confirm"
	for name, body := range map[string]any{"no body": nil, "an empty body": object{},
		"only a flag": object{"if_still_free": true}} {
		d := requireProblem(t, c.post(t, path, body), http.StatusUnprocessableEntity, problem.ValidationFailed)
		require.Equal(t, "customer", d.Errors[0].Field, name)
	}
	customer := object{"customer": object{"name": "Ada", "email": "Ada@Example.com", "birthday": "1990-12-10"}}
	unknown := requireProblem(t, c.post(t, path, object{"customer_id": uuid.NewString()}), http.StatusNotFound,
		problem.NotFound)
	require.NotEmpty(t, unknown.Detail)
	requireProblem(t, c.post(t, path, customer, "If-Match", `"2"`), http.StatusPreconditionFailed,
		problem.VersionMismatch)
	both := object{"customer": customer["customer"], "customer_id": uuid.NewString()}
	require.Equal(t, "customer_id",
		requireProblem(t, c.post(t, path, both), http.StatusUnprocessableEntity,
			problem.ValidationFailed).Errors[0].Field)

	key := uuid.NewString()
	a := c.post(t, path, customer, "If-Match", `"1"`, "Idempotency-Key", key)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, `"2"`, a.header.Get("ETag"))
	require.Equal(t, "ada@example.com", a.field(t, "customer").(object)["email"])
	again := c.post(t, path, customer, "If-Match", `"1"`, "Idempotency-Key", key)
	require.Equal(t, a.body, again.body)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	requireProblem(t, c.post(t, path, object{}, "Idempotency-Key", key), http.StatusUnprocessableEntity,
		problem.IdempotencyKeyReused)
	require.Equal(t, a.body, c.get(t, "/v1/bookings/"+id.String()).body)
	require.Len(t, c.history(t, "/v1/bookings/"+id.String()), 2)
}

func TestConfirm_IfStillFree_HoldThatExpired_IsConfirmedUnlessTheTimeIsTaken(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	id := c.created(t, c.book(t, service, future(0), object{"hold_minutes": 5}))
	_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = clock_timestamp()")
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), dbtest.SyncClaims)
	require.NoError(t, err)
	path, key := "/v1/bookings/"+id.String()+"/confirm", uuid.NewString()
	requireProblem(t, c.post(t, path, object{}), http.StatusConflict, problem.HoldExpired)
	rival := c.created(t, c.book(t, service, future(0)))
	requireProblem(t, c.post(t, path, object{"if_still_free": false}), http.StatusConflict, problem.HoldExpired)
	requireProblem(t, c.post(t, path, object{"if_still_free": true}, "Idempotency-Key", key), http.StatusConflict,
		problem.SlotUnavailable)
	require.Equal(t, http.StatusOK, c.post(t, "/v1/bookings/"+rival.String()+"/cancel", nil).status)
	a := c.post(t, path, object{"if_still_free": true}, "Idempotency-Key", key)
	require.Equal(t, http.StatusOK, a.status, "the refusal left the key free: %s", a.body)
	require.Equal(t, "confirmed", a.field(t, "status"))
	var actions []string
	for _, e := range c.history(t, "/v1/bookings/"+id.String()) {
		actions = append(actions, e.Action)
	}
	require.Equal(t, []string{"booking.held", "booking.expired", "booking.confirmed"}, actions)
}

func TestConfirmOnDeposit_ServiceThatSaysSo_DepositConfirmsAndTellsTheCustomer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/tenant", object{
		"reminders": []any{object{"before_minutes": 60}},
		"email":     object{"from": object{"name": "Harbour", "email": "booking@harbour.example"}},
	}).status)
	service := c.newService(t, "slot", object{"price": 4500, "deposit": 1000, "confirm_on_deposit": true},
		c.newResource(t, 3))
	require.Equal(t, true, c.get(t, "/v1/services/"+service.String()).field(t, "confirm_on_deposit"))
	hold := c.book(t, service, at(future(0), 10, 0), object{"hold_minutes": 30})
	require.Equal(t, true, hold.field(t, "confirm_on_deposit"))
	id := hold.id(t)
	c.created(t, c.pay(t, id, object{"kind": "deposit", "payment_method": "pm_ok"}))
	read := c.get(t, "/v1/bookings/"+id.String())
	require.Equal(t, "confirmed", read.field(t, "status"))
	require.Equal(t, `"3"`, read.header.Get("ETag"))
	require.Equal(t, []upcoming{inBerlin("booking.reminder", at(future(0), 9, 0))},
		c.upcoming(t, "subject="+id.String()))
	c.planMessages(t)
	require.Equal(t, 1, c.count(t,
		`SELECT count(*) FROM scheduled_events WHERE subject_id = $1 AND occurrence = 'booking.confirmed/3'`, id))

	changed := c.patch(t, "/v1/services/"+service.String(), object{"confirm_on_deposit": false})
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	require.Equal(t, false, changed.field(t, "confirm_on_deposit"))
	other := c.book(t, service, at(future(0), 10, 0), object{"hold_minutes": 30})
	c.created(t, c.pay(t, other.id(t), object{"kind": "deposit", "payment_method": "pm_ok"}))
	require.Equal(t, "held", c.get(t, "/v1/bookings/"+other.id(t).String()).field(t, "status"))
}
