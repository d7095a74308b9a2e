package payment_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// bookingProcess has the booking use cases of one server process.
type bookingProcess struct {
	*booking.Service
	catalog *catalog.Service
	store   *db.DB
}

func (b *testBundle) bookingProcess(t testing.TB) bookingProcess {
	t.Helper()
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 4})
	return bookingProcess{booking.NewService(s), catalog.NewService(s), s}
}

// expireHolds handles the hold expiries that are due, and returns how many holds it marked as expired.
func (s bookingProcess) expireHolds(t testing.TB) int {
	t.Helper()
	var marked atomic.Int64
	event.NewWorker(s.store, event.Config{Observers: []event.Observer{func(n event.Notice) {
		switch n.What {
		case event.NoticeCompleted:
			marked.Add(1)
		case event.NoticeFailed, event.NoticeDead:
			t.Errorf("expire a hold: %v", n.Err)
		}
	}}}, s.HoldExpiry()).RunUntilIdle(t.Context())
	return int(marked.Load())
}

// book books a free date, as a hold of five minutes if held is true.
func (b *testBundle) book(t testing.TB, s bookingProcess, date civil.Date, held bool) uuid.UUID {
	t.Helper()
	n := booking.CreateRequest{
		ServiceID: b.serviceID, When: timetable.When{Date: &date}, PartySize: 1,
		Customer: &customer.Customer{Email: "grace@example.com", Name: "Grace"},
	}
	if minutes := 5; held {
		n.HoldMinutes = &minutes
	}
	resp, err := s.Create(t.Context(), b.owner, request(t, newKey(), ""), n)
	require.NoError(t, err)
	return bodyOf[booking.BookingBody](t, resp).ID
}

func (b *testBundle) change(t testing.TB, s bookingProcess, id uuid.UUID, c booking.Transition) error {
	t.Helper()
	_, err := s.Transition(t.Context(), b.owner, request(t, newKey(), ""), id, c, "")
	return err
}

// expireHold sets a hold's expiry to now.
func (b *testBundle) expireHold(t testing.TB, id uuid.UUID) {
	t.Helper()
	b.expireHoldIn(t, id, 0)
}

// expireHoldIn moves a hold's expiry, and the event of it, to a moment from now.
func (b *testBundle) expireHoldIn(t testing.TB, id uuid.UUID, d time.Duration) {
	t.Helper()
	b.exec(t, `
		WITH hold AS (
			UPDATE bookings SET hold_expires_at = now() + $2 * interval '1 millisecond' WHERE booking_id = $1
				AND status = 'held'
			RETURNING tenant_id, booking_id, hold_expires_at), claim AS (
			UPDATE claims c SET expires_at = h.hold_expires_at FROM hold h WHERE c.tenant_id = h.tenant_id AND c.owner_id = h.booking_id)
		UPDATE scheduled_events e SET due_at = h.hold_expires_at
		FROM hold h WHERE e.subject_id = h.booking_id AND e.kind = 'booking.hold_expiry'`, id, d.Milliseconds())
}

// holdEnds are the ways in which a hold with a paid deposit ends. Each returns the booking's status afterwards.
var holdEnds = map[string]func(t *testing.T, b *testBundle, s bookingProcess, id uuid.UUID,
	date civil.Date) booking.Status{
	"another booking takes the date": func(t *testing.T, b *testBundle, s bookingProcess, id uuid.UUID,
		date civil.Date) booking.Status {
		t.Helper()
		b.expireHold(t, id)
		b.book(t, s, date, false)
		return booking.Expired
	},
	"expired by the worker": func(t *testing.T, b *testBundle, s bookingProcess, id uuid.UUID,
		_ civil.Date) booking.Status {
		t.Helper()
		b.expireHold(t, id)
		require.Equal(t, 1, s.expireHolds(t))
		return booking.Expired
	},
	"cancelled": func(t *testing.T, b *testBundle, s bookingProcess, id uuid.UUID, _ civil.Date) booking.Status {
		t.Helper()
		require.NoError(t, b.change(t, s, id, booking.Cancel))
		return booking.Cancelled
	},
}

func TestEndedBooking_HoldWithDeposit_RefundsOnce(t *testing.T) {
	t.Parallel()
	for name, end := range holdEnds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			payments, bookings := b.process(t), b.bookingProcess(t)
			date := testtime.Date(0)
			id := b.book(t, bookings, date, true)
			b.mustPay(t, payments, id, payment.PayRequest{Kind: payment.Deposit, Method: "pm_ok"})
			status := end(t, b, bookings, id, date)
			b.resolveAll(t, payments, b.process(t)) // one process took the payment, the other didn't
			got, err := bookings.Get(t.Context(), b.owner, id)
			require.NoError(t, err)
			require.Equal(t, status, got.Status)
			require.Equal(t, transferTotals{captures: 1, captured: deposit, refunds: 1, refunded: deposit},
				b.transferTotals(t))
			require.Equal(t, payment.BalanceSummary{Total: price, Deposit: deposit, Paid: deposit, Refunded: deposit,
				Currency: "EUR"},
				b.balanceSummary(t, payments, id))
			require.Zero(t, got.Due)
			list, err := bookings.List(t.Context(), b.owner, booking.Filter{Status: &status, Limit: 200})
			require.NoError(t, err)
			require.Len(t, list, map[booking.Status]int{booking.Expired: 1, booking.Cancelled: 2}[status],
				"the template is cancelled too")
			require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payments WHERE automatic`))
		})
	}
}

func TestEndedBooking_HoldWithoutPayment_DoesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bookings := b.bookingProcess(t)
	b.expireHold(t, b.book(t, bookings, testtime.Date(0), true))
	require.Equal(t, 1, bookings.expireHolds(t))
	require.Zero(t, b.count(t, `SELECT count(*) FROM ended_bookings`))
}

func TestEndedBooking_PartlyRefundedHold_RefundsTheRest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), true)
	paid := b.mustPay(t, payments, id, balance("pm_ok"))
	_, err := b.refund(t, payments, newKey(), paid, 1_000)
	require.NoError(t, err)
	require.NoError(t, b.change(t, bookings, id, booking.Cancel))
	b.resolveAll(t, payments)
	require.Equal(t, transferTotals{captures: 1, captured: price, refunds: 2, refunded: price}, b.transferTotals(t))
}

// How much is to be refunded isn't known while a refund that somebody asked for is open.
func TestEndedBooking_RequestedRefundIsOpen_WaitsForItsOutcome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	f.refund = func(context.Context, payment.RefundOrder) (payment.Outcome, error) {
		return payment.Outcome{}, errors.New("no outcome, and nothing was sent")
	}
	payments, bookings := b.process(t, withInterceptor(f)), b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), true)
	paid := b.mustPay(t, payments, id, balance("pm_ok"))
	r, err := b.refund(t, payments, newKey(), paid, 1_000)
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Answer().Status, "%s", r.Body)
	require.NoError(t, b.change(t, bookings, id, booking.Cancel))
	event.NewWorker(b.events, event.Config{Poll: maxWait}, payments.EndedBooking()).RunUntilIdle(t.Context())
	require.Zero(t, b.count(t, `SELECT count(*) FROM payments WHERE automatic`))
	f.refund = nil
	// it never arrived
	b.exec(t, `UPDATE payments SET last_sent_at = now() - interval '1 hour' WHERE status = 'unknown'`)
	b.endLeases(t)
	b.work(t, payments)
	b.exec(t, `UPDATE scheduled_events SET due_at = now() WHERE kind = 'payment.ended_booking' AND status = 'pending'`)
	b.resolveAll(t, payments)
	require.Equal(t, transferTotals{captures: 1, captured: price, refunds: 1, refunded: price}, b.transferTotals(t))
}

func TestEndedBooking_CancelledConfirmedBooking_KeepsCapturedPayments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), true)
	paid := b.mustPay(t, payments, id, payment.PayRequest{Kind: payment.Deposit, Method: "pm_ok"})
	require.NoError(t, b.change(t, bookings, id, booking.Confirm))
	require.NoError(t, b.change(t, bookings, id, booking.Cancel))
	b.resolveAll(t, payments)
	require.Equal(t, transferTotals{captures: 1, captured: deposit}, b.transferTotals(t))
	_, err := b.refund(t, payments, newKey(), paid, 0)
	require.NoError(t, err)
	require.Equal(t, transferTotals{captures: 1, captured: deposit, refunds: 1, refunded: deposit}, b.transferTotals(t))
}

func TestEndedBooking_OpenPayment_IsCancelledAtTheProvider(t *testing.T) {
	t.Parallel()
	for _, confirmed := range []bool{false, true} {
		t.Run(fmt.Sprintf("confirmed %t", confirmed), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			payments, bookings := b.process(t), b.bookingProcess(t)
			id := b.book(t, bookings, testtime.Date(0), true)
			key := newKey()
			b.mustPay(t, payments, id, part(100, "pm_ok"))
			open := b.payWithAction(t, payments, key, id)
			if confirmed {
				require.NoError(t, b.change(t, bookings, id, booking.Confirm))
			}
			require.NoError(t, b.change(t, bookings, id, booking.Cancel))
			b.resolveAll(t, payments, b.process(t))
			again, err := b.pay(t, payments, key, id, balance("pm_requires_action"))
			require.NoError(t, err)
			require.Equal(t, http.StatusPaymentRequired, again.Answer().Status)
			require.Equal(t, payment.Cancelled, decode(t, again).DeclineCode)
			o, err := b.provider.FindCharge(t.Context(), payment.Reference{TenantID: b.tenant, ID: open.ID}, "")
			require.NoError(t, err)
			require.Equal(t, payment.Declined, o.Result, "the charge must be cancelled at the provider")
			want := transferTotals{captures: 1, captured: 100, refunds: 1, refunded: 100}
			if confirmed {
				want = transferTotals{captures: 1, captured: 100} // the tenant decides about the refund
			}
			require.Equal(t, want, b.transferTotals(t))
		})
	}
}

// A worker claims the booking and dies.
func TestEndedBooking_WorkerDies_AnotherTakesOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), true)
	b.mustPay(t, payments, id, balance("pm_ok"))
	require.NoError(t, b.change(t, bookings, id, booking.Cancel))
	dead := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1})
	claimed, err := event.LeaseDue(t.Context(), dead, uuid.New(),
		event.LeaseQuery{Kind: event.KindEndedBooking, Limit: 20, LeaseTime: maxWait})
	require.NoError(t, err)
	require.Len(t, claimed[0].Events, 1)
	require.Equal(t, id, claimed[0].Events[0].SubjectID)
	b.work(t, payments)
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM ended_bookings WHERE refund`), "the lease is still valid")
	b.exec(t, `UPDATE scheduled_events SET leased_until = now() WHERE status = 'processing'`)
	rescued, err := event.Rescue(t.Context(), b.events, 0, 20,
		map[string]event.RescueRule{event.KindEndedBooking: {}})
	require.NoError(t, err)
	require.Len(t, rescued, 1)
	b.resolveAll(t, payments)
	require.Equal(t, transferTotals{captures: 1, captured: price, refunds: 1, refunded: price}, b.transferTotals(t))
}

// heldCharge makes a process wait at the gate before it sends a charge.
func heldCharge(t testing.TB) (*interceptedProvider, *gate) {
	t.Helper()
	f, g := &interceptedProvider{}, newGate(t)
	hold := sync.OnceFunc(g.hold)
	f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		hold()
		return f.Provider.Charge(ctx, o)
	}
	return f, g
}

// begin pays in the background. The channel gets the request's response, or its error.
func (b *testBundle) begin(t testing.TB, s *payment.Service, id uuid.UUID, o payment.PayRequest) <-chan result {
	t.Helper()
	done := make(chan result, 1)
	go func() {
		r, err := b.pay(t, s, newKey(), id, o)
		done <- result{r, err}
	}()
	return done
}

type result struct {
	idempotency.Outcome
	err error
}

// The provider captures a deposit after its hold has ended, in each of the ways. Holds that ended before take no
// payment.
func TestEndedBooking_DepositDuringExpiry_IsRefunded(t *testing.T) {
	t.Parallel()
	for name, end := range holdEnds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			f, g := heldCharge(t)
			payments, bookings := b.process(t, withLongCallTimeout, withInterceptor(f)), b.bookingProcess(t)
			date := testtime.Date(0)
			id := b.book(t, bookings, date, true)
			paid := b.begin(t, payments, id, depositBy("pm_ok"))
			within(t, g.reached)
			status := end(t, b, bookings, id, date)
			g.open()
			r := within(t, paid)
			require.NoError(t, r.err)
			require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
			b.resolveAll(t, payments, b.process(t))
			require.Equal(t, transferTotals{captures: 1, captured: deposit, refunds: 1, refunded: deposit},
				b.transferTotals(t))
			got, err := bookings.Get(t.Context(), b.owner, id)
			require.NoError(t, err)
			require.Equal(t, status, got.Status)
			_, err = b.pay(t, payments, newKey(), id, depositBy("pm_ok"))
			require.Contains(t, []problem.Code{problem.HoldExpired, problem.InvalidState}, problem.CodeOf(err), "%v",
				err)
		})
	}
}

// The hold's time passes while the order is at the provider. The capture is recorded before anything marks the hold as
// expired.
func TestEndedBooking_DepositRecordedBeforeTheHoldIsMarked_IsRefundedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, g := heldCharge(t)
	payments, bookings := b.process(t, withLongCallTimeout, withInterceptor(f)), b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), true)
	paid := b.begin(t, payments, id, depositBy("pm_ok"))
	within(t, g.reached)
	b.expireHold(t, id)
	g.open()
	require.NoError(t, within(t, paid).err)
	require.Equal(t, 1, bookings.expireHolds(t))
	b.resolveAll(t, payments)
	require.Equal(t, transferTotals{captures: 1, captured: deposit, refunds: 1, refunded: deposit}, b.transferTotals(t))
}

// Holds end, are marked as expired and are sold again while their deposits are paid, in whatever order. A captured
// deposit belongs to a confirmed booking or is refunded.
func TestEndedBooking_DepositsExpiriesAndRivalsAtOnce_AllIsRefunded(t *testing.T) {
	t.Parallel()
	holds := testtime.Rounds(8)
	b := setup(t)
	payments := []*payment.Service{b.process(t, withLongCallTimeout), b.process(t, withLongCallTimeout)}
	bookings := []bookingProcess{b.bookingProcess(t), b.bookingProcess(t)}
	ids := make([]uuid.UUID, holds)
	for i := range ids {
		ids[i] = b.book(t, bookings[0], testtime.Date(i), true)
	}
	codes := runConcurrently(3*holds, func(i int) error {
		n := i / 3
		switch i % 3 {
		case 0:
			_, err := b.pay(t, payments[n%2], newKey(), ids[n], depositBy("pm_ok"))
			return err
		case 1:
			b.expireHold(t, ids[n])
			bookings[n%2].expireHolds(t)
			return nil
		}
		return b.bookAsRival(t, bookings[(n+1)%2], testtime.Date(n))
	})
	for code := range codes {
		require.Contains(t, []problem.Code{"", problem.HoldExpired, problem.InvalidState, problem.SlotUnavailable},
			code, "%v", codes)
	}
	bookings[0].expireHolds(t) // holds whose rival came before they expired
	b.resolveAll(t, payments...)
	m := b.transferTotals(t)
	require.Equal(t, m.captures, m.refunds)
	require.Equal(t, m.captured, m.refunded)
	require.Equal(t, holds, b.count(t, `SELECT count(*) FROM bookings WHERE status = 'expired'`))
	require.Zero(t, b.count(t, `
		SELECT count(*) FROM payments p WHERE refund_of IS NULL AND status = 'succeeded' AND amount <>
			(SELECT coalesce(sum(amount), 0) FROM payments r WHERE r.refund_of = p.payment_id AND r.status = 'succeeded')`))
}

// bookAsRival books a date that somebody else may hold.
func (b *testBundle) bookAsRival(t testing.TB, s bookingProcess, date civil.Date) error {
	t.Helper()
	_, err := s.Create(t.Context(), b.owner, request(t, newKey(), ""), booking.CreateRequest{
		ServiceID: b.serviceID, When: timetable.When{Date: &date}, PartySize: 1,
		Customer: &customer.Customer{Email: "rival@example.com", Name: "Rival"},
	})
	return err
}

func TestReconcile_DeclinedRefundOfExpiredHold_IsReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), true)
	paid := b.mustPay(t, payments, id, balance("pm_refund_fails"))
	require.NoError(t, b.change(t, bookings, id, booking.Cancel))
	b.resolveAll(t, payments)
	found, err := payments.Reconcile(t.Context(), testtime.Now().Add(-time.Hour), testtime.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Len(t, found.Differences, 1)
	require.Equal(t, payment.DiffKept, found.Differences[0].Kind)
	require.Equal(t, paid, found.Differences[0].Reference.ID)
}

func TestEnded_MoreWasPaidThanThePriceIsNow_IsRefundedBeyondTheFee(t *testing.T) {
	t.Parallel()
	for _, change := range []booking.Transition{booking.Cancel, booking.MarkNoShow} {
		b := setup(t)
		s, pay, whole := b.bookingProcess(t), b.process(t), 100
		resp, err := s.catalog.CreateService(t.Context(), b.owner, request(t, newKey(), ""), catalog.ServiceSpec{
			Name: "Day", Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: b.resources(t),
				BookingWindowDays: new(3650),
				Price:             10000}, Metadata: catalog.Metadata(`{}`),
			Terms: catalog.Terms{CancellationPolicy: catalog.CancellationPolicy{
				Steps: []catalog.CancellationStep{{CancellationFee: catalog.CancellationFee{Percent: &whole}}},
			}},
		})
		require.NoError(t, err)
		service := bodyOf[catalog.ServiceBody](t, resp).ID
		date := testtime.Date(0)
		resp, err = s.Create(t.Context(), b.owner, request(t, newKey(), ""), booking.CreateRequest{
			ServiceID: service, When: timetable.When{Date: &date}, PartySize: 1,
			Customer: &customer.Customer{Email: "grace@example.com", Name: "Grace"},
		})
		require.NoError(t, err)
		id, lower := bodyOf[booking.BookingBody](t, resp).ID, int64(5000)
		b.mustPay(t, pay, id, part(10000, "pm_ok"))
		_, err = s.catalog.ChangeService(t.Context(), b.owner, service,
			mergepatch.Of[catalog.ServiceSpec](fmt.Sprintf(`{"price": %d}`, lower)), "")
		require.NoError(t, err)
		_, err = s.Reschedule(
			t.Context(),
			b.owner,
			request(t, newKey(), ""),
			id,
			booking.RescheduleRequest{Move: booking.Move{Price: booking.PriceQuoted}},
			"",
		)
		require.NoError(t, err)
		b.moveIntoThePast(t, id, 0)
		_, err = s.Transition(t.Context(), b.owner, request(t, newKey(), ""), id, change, "")
		require.NoError(t, err)
		b.resolveAll(t, pay)
		require.EqualValues(t, 5000, b.transferTotals(t).refunded, change)
	}
}

// moveIntoThePast moves a booking of testtime.Date(last), or of an earlier date, by whole days. That date then begins
// within the last day.
func (b *testBundle) moveIntoThePast(t testing.TB, id uuid.UUID, last int) {
	t.Helper()
	days := int(testtime.At(last, 0, 0, b.owner.Location).Sub(testtime.Now())/(24*time.Hour)) + 1
	b.exec(t, dbtest.MoveBookings(-days, "booking_id = $1"), id)
	b.exec(t, dbtest.SyncClaims)
}
