package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
)

// requireDue checks that a booking's due is the same when it is read, when it is listed, and in its balance.
func (c client) requireDue(t testingT, booking uuid.UUID, want int) {
	t.Helper()
	path := "/v1/bookings/" + booking.String()
	read := c.get(t, path)
	require.EqualValues(t, want, read.field(t, "due"), "read")
	require.EqualValues(t, want, c.get(t, path+"/balance").field(t, "due"), "balance")
	var listed struct {
		Data []struct {
			ID  uuid.UUID
			Due int
		}
	}
	c.get(t, "/v1/bookings").read(t, &listed)
	for _, b := range listed.Data {
		if b.ID == booking {
			require.Equal(t, want, b.Due, "listed")
			return
		}
	}
	require.Fail(t, "the booking isn't listed")
}

func TestDue_OfAHoldWithADeposit_IsTheSameWhereverItIsRead(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", object{"price": 1000, "deposit": 300}, c.newResource(t, 9))
	held := c.book(t, service, at(future(0), 10, 0), object{"hold_minutes": 5}).id(t)
	c.requireDue(t, held, 1000)
	c.created(t, c.pay(t, held, object{"kind": "deposit", "payment_method": "pm_ok"}))
	c.requireDue(t, held, 700)
	lapse := func(id uuid.UUID) {
		_, err := c.sql.Exec(t.Context(),
			"UPDATE bookings SET hold_expires_at = clock_timestamp() WHERE booking_id = $1", id)
		require.NoError(t, err)
		_, err = c.sql.Exec(t.Context(), dbtest.SyncClaims)
		require.NoError(t, err)
	}
	lapse(held)
	c.requireDue(t, held, 0)

	cancelled := c.book(t, service, at(future(1), 10, 0), object{"hold_minutes": 5}).id(t)
	a := c.post(t, "/v1/bookings/"+cancelled.String()+"/cancel", nil)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.EqualValues(t, 0, a.field(t, "due"))
	c.requireDue(t, cancelled, 0)

	confirmed := c.book(t, service, at(future(2), 10, 0), object{"hold_minutes": 5}).id(t)
	c.created(t, c.pay(t, confirmed, object{"kind": "deposit", "payment_method": "pm_ok"}))
	a = c.post(t, "/v1/bookings/"+confirmed.String()+"/confirm", nil)
	require.EqualValues(t, 700, a.field(t, "due"))
	lapse(confirmed)
	c.requireDue(t, confirmed, 700)
}
