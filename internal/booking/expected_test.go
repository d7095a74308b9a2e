package booking_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// TestExpectedPrice_ThatChangesUnderTheLock_RefusesAndChangesNothing has the price change after the request came and
// before it has the locks. What was expected then is refused, with the amount of now; what is so now is done.
func TestExpectedPrice_ThatChangesUnderTheLock_RefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, catalog.ServiceSpec{
		Name: "Boat", Terms: catalog.Terms{CancellationPolicy: catalog.CancellationPolicy{
			Steps: []catalog.CancellationStep{{
				FromMinutes: 60 * 24 * 365, CancellationFee: catalog.CancellationFee{Percent: new(100)},
			}},
		}},
		Spec: timetable.Spec{
			Kind: timetable.KindDate, Price: 1000, ResourceIDs: []uuid.UUID{b.newResource(t, 1, timetable.Hours{})},
		},
	})
	hold := func(days int) uuid.UUID { return b.hold(t, service, onDate(future(days))).ID }
	confirmed := func(days int) uuid.UUID { return b.booked(t, service, onDate(future(days))).ID }
	for i, test := range []struct {
		name   string
		status booking.Status
		made   func(days int) uuid.UUID
		act    func(id uuid.UUID, expected int64) error
	}{
		{"confirm", booking.Held, hold, func(id uuid.UUID, expected int64) error {
			_, err := confirmWith(t, b.service, b.tenant, id,
				booking.AmendRequest{AtPrice: booking.AtPrice{ExpectPrice: &expected}})
			return err
		}},
		{"amend", booking.Confirmed, confirmed, func(id uuid.UUID, expected int64) error {
			a := booking.AmendRequest{Details: details(`{"reference": "x"}`),
				AtPrice: booking.AtPrice{ExpectPrice: &expected}}
			_, err := b.service.Amend(t.Context(), b.tenant, id, a, "")
			return err
		}},
		{"move", booking.Confirmed, confirmed, func(id uuid.UUID, expected int64) error {
			req := booking.RescheduleRequest{
				Move: to(onDate(future(20))), AtPrice: booking.AtPrice{ExpectPrice: &expected},
			}
			_, err := b.service.Reschedule(t.Context(), b.tenant, request(t, newKey()), id, req, "")
			return err
		}},
		{"cancel", booking.Confirmed, confirmed, func(id uuid.UUID, expected int64) error {
			end := booking.CancelRequest{ExpectFee: &expected}
			_, err := b.service.End(t.Context(), b.tenant, request(t, newKey()), id, booking.Cancel, end, "")
			return err
		}},
	} {
		id := test.made(i)
		before := int64(b.count(t, "SELECT price FROM bookings WHERE booking_id = $1", id))
		version := b.count(t, "SELECT version FROM bookings WHERE booking_id = $1", id)
		release := b.blockDate(t, lock.Date(future(i)))
		refused := make(chan error, 1)
		go func() { refused <- test.act(id, before) }()
		require.Eventually(t, func() bool { return b.lockWaiters(t) == 1 }, longestWait, time.Millisecond, test.name)
		_, err := b.sql.Exec(t.Context(), "UPDATE bookings SET price = price + 100 WHERE booking_id = $1", id)
		require.NoError(t, err)
		release()
		err = <-refused
		require.True(t, problem.Is(err, problem.PriceChanged), "%s: %v", test.name, err)
		document, now := problem.DocumentOf(err), before+100
		if test.name == "cancel" {
			require.Equal(t, &now, document.Fee)
			require.Nil(t, document.Price)
		} else {
			require.Equal(t, &now, document.Price, test.name)
			require.Nil(t, document.Fee)
		}
		require.Equal(t, version, b.count(t, "SELECT version FROM bookings WHERE booking_id = $1", id), test.name)
		require.Equal(t, 1,
			b.count(t, "SELECT count(*) FROM bookings WHERE booking_id = $1 AND status = $2", id, test.status))
		require.NoError(t, test.act(id, now), test.name)
	}
}

func TestExpectedPrice_ThatNoBookingCanHave_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.booked(t, b.newDateService(t, 1), onDate(future(0)))
	for _, amount := range []int64{-1, 1 << 62} {
		_, err := b.service.Amend(t.Context(), b.tenant, made.ID,
			booking.AmendRequest{AtPrice: booking.AtPrice{ExpectPrice: &amount}}, "")
		require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
		end := booking.CancelRequest{ExpectFee: &amount}
		_, err = b.service.End(t.Context(), b.tenant, request(t, newKey()), made.ID, booking.Cancel, end, "")
		require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
		req := booking.RescheduleRequest{Move: to(onDate(future(1))), AtPrice: booking.AtPrice{ExpectPrice: &amount}}
		_, err = b.service.Reschedule(t.Context(), b.tenant, request(t, newKey()), made.ID, req, "")
		require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	}
}
