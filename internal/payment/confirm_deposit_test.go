package payment_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/mergepatch"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

func depositBy(method string) payment.PayRequest {
	return payment.PayRequest{Kind: payment.Deposit, Method: method}
}

// confirmOnDeposit has the service's new holds confirmed by their deposit.
func (b *testBundle) confirmOnDeposit(t testing.TB, s bookingProcess) {
	t.Helper()
	o, err := s.catalog.ChangeService(t.Context(), b.owner, b.serviceID,
		mergepatch.Of[catalog.ServiceSpec](`{"confirm_on_deposit": true}`),
		"")
	require.NoError(t, err)
	require.True(t, o.ConfirmOnDeposit)
}

// holdFor holds a date for an hour, for no customer if email is empty.
func (b *testBundle) holdFor(t testing.TB, s bookingProcess, date civil.Date, email string) uuid.UUID {
	t.Helper()
	minutes := 60
	n := booking.CreateRequest{ServiceID: b.serviceID, When: timetable.When{Date: &date}, PartySize: 1,
		HoldMinutes: &minutes}
	if email != "" {
		n.Customer = &customer.Customer{Email: email, Name: "Grace"}
	}
	resp, err := s.Create(t.Context(), b.owner, request(t, newKey(), ""), n)
	require.NoError(t, err)
	return bodyOf[booking.BookingBody](t, resp).ID
}

// told lists the types of a booking's changes in the order of the feed, and requires that each version from 1 on has
// one.
func (b *testBundle) told(t testing.TB, id uuid.UUID) []string {
	t.Helper()
	list := func(sql string) []string {
		rows, err := b.sql.Query(t.Context(), sql, id)
		require.NoError(t, err)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return all
	}
	events := list(`SELECT version || ' ' || type FROM changes WHERE subject_id = $1 ORDER BY transaction_id, change_id`)
	for i, e := range events {
		var version int
		_, err := fmt.Sscanf(e, "%d %s", &version, &events[i])
		require.NoError(t, err)
		require.Equal(t, i+1, version)
	}
	return events
}

func TestConfirmOnDeposit_DepositPaid_ConfirmsInTheCommitOfThePayment(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		payments int // that succeed
		pay      func(t *testing.T, b *testBundle, s *payment.Service, id uuid.UUID)
	}{
		"by the request": {1, func(t *testing.T, b *testBundle, s *payment.Service, id uuid.UUID) {
			t.Helper()
			b.mustPay(t, s, id, depositBy("pm_ok"))
		}},
		"by the resolver": {1, func(t *testing.T, b *testBundle, s *payment.Service, id uuid.UUID) {
			t.Helper()
			open := b.payWithAction(t, s, newKey(), id)
			require.True(t, completeAction(t, open.ActionURL))
			b.dueNow(t)
			b.exec(t, "UPDATE payments SET resolve_at = now()")
			b.work(t, s)
		}},
		"by a webhook": {1, func(t *testing.T, b *testBundle, s *payment.Service, id uuid.UUID) {
			t.Helper()
			in := b.receiveWebhooks(t)
			open := b.payWithAction(t, s, newKey(), id)
			require.True(t, completeAction(t, open.ActionURL))
			for range 2 {
				require.NoError(t, deliver(t, s, in.wait(t, 1)[0]))
			}
		}},
		"by a wallet alone": {1, func(t *testing.T, b *testBundle, s *payment.Service, id uuid.UUID) {
			t.Helper()
			o, key := fromWallet(b.newWallet(t, price), ""), newKey()
			o.Kind = payment.Deposit
			r, err := b.pay(t, s, key, id, o)
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, r.Answer().Status)
			again, err := b.pay(t, s, key, id, o)
			require.NoError(t, err)
			require.Equal(t, r.Body, again.Body)
		}},
		"offline": {1, func(t *testing.T, b *testBundle, s *payment.Service, id uuid.UUID) {
			t.Helper()
			o, key := received(deposit, payment.Cash), newKey()
			r, err := b.pay(t, s, key, id, o)
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, r.Answer().Status)
			again, err := b.pay(t, s, key, id, o)
			require.NoError(t, err)
			require.Equal(t, r.Body, again.Body)
		}},
		"by a wallet and a card": {2, func(t *testing.T, b *testBundle, s *payment.Service, id uuid.UUID) {
			t.Helper()
			o := fromWallet(b.newWallet(t, 1_000), "pm_ok")
			o.Kind = payment.Deposit
			b.mustPay(t, s, id, o)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			payments, bookings := b.process(t), b.bookingProcess(t)
			b.confirmOnDeposit(t, bookings)
			id := b.holdFor(t, bookings, testtime.Date(0), "grace@example.com")
			c.pay(t, b, payments, id)
			got, err := bookings.Get(t.Context(), b.owner, id)
			require.NoError(t, err)
			require.Equal(t, booking.Confirmed, got.Status)
			require.NotNil(t, got.ConfirmedAt)
			require.True(t, got.ConfirmedAt.Equal(got.UpdatedAt))
			require.Equal(t, got.Body().ConfirmedAt.Format(time.RFC3339Nano), b.text(t,
				`SELECT data ->> 'confirmed_at' FROM changes WHERE subject_id = $1 AND type = 'booking.confirmed'`, id))
			require.True(t, got.ConfirmOnDeposit)
			want := append([]string{"booking.held"}, slices.Repeat([]string{"payment.succeeded"}, c.payments)...)
			require.Equal(t, append(want, "booking.confirmed"), b.told(t, id))
			require.EqualValues(t, len(want)+1, got.Version)
			require.Equal(t, 1,
				b.count(t, `SELECT count(DISTINCT transaction_id) FROM changes WHERE subject_id = $1 AND type <> 'booking.held'`, id))
			require.Equal(t, 1,
				b.count(t, `SELECT count(*) FROM scheduled_events WHERE subject_id = $1 AND kind = 'booking.hold_expiry'
					AND status = 'cancelled'`, id))
			require.Equal(t, "held",
				b.text(t, `SELECT data ->> 'status' FROM changes WHERE subject_id = $1 AND version = 2`, id))
			b.expireHoldIn(t, id, -1)
			require.Zero(t, bookings.expireHolds(t))
			b.resolveAll(t, payments)
			require.Zero(t, b.balanceSummary(t, payments, id).Refunded)
			b.requireWalletsMatch(t)
		})
	}
}

// The claim of a hold expires with it. That of a booking doesn't, so the time isn't free when the hold would have
// ended.
func TestConfirmOnDeposit_TheHoldWouldHaveEnded_TimeStaysTaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	b.confirmOnDeposit(t, bookings)
	id := b.holdFor(t, bookings, testtime.Date(0), "grace@example.com")
	b.mustPay(t, payments, id, depositBy("pm_ok"))
	b.exec(t, "UPDATE bookings SET hold_expires_at = now() - interval '1 second' WHERE booking_id = $1", id)
	b.exec(t, "UPDATE claims SET expires_at = now() - interval '1 second' WHERE owner_id = $1 AND expires_at IS NOT NULL", id)
	date := testtime.Date(0)
	_, err := bookings.Create(t.Context(), b.owner, request(t, newKey(), ""), booking.CreateRequest{
		ServiceID: b.serviceID, When: timetable.When{Date: &date}, PartySize: 1,
		Customer: &customer.Customer{Email: "ada@example.com", Name: "Ada"},
	})
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
}

func (b *testBundle) text(t testing.TB, sql string, args ...any) (text string) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), sql, args...).Scan(&text))
	return text
}

func TestConfirmOnDeposit_SomethingIsMissing_HoldStaysHeld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	first := testtime.Date(0)
	plain := b.holdFor(t, bookings, first, "grace@example.com")
	b.confirmOnDeposit(t, bookings)
	b.mustPay(t, payments, plain, depositBy("pm_ok"))
	require.Equal(t, []string{"booking.held", "payment.succeeded"}, b.told(t, plain),
		"the service said so later than the hold was made")

	inParts := b.holdFor(t, bookings, first.AddDays(2), "grace@example.com")
	b.mustPay(t, payments, inParts, part(deposit-1, "pm_ok"))
	r := b.payKnown(t, payments, newKey(), inParts, part(1, "pm_declined"))
	require.Equal(t, http.StatusPaymentRequired, r.Answer().Status)
	require.Equal(t, []string{"booking.held", "payment.succeeded", "payment.declined"}, b.told(t, inParts))
	b.mustPay(t, payments, inParts, part(1, "pm_ok"))
	require.Equal(t, []string{"booking.held", "payment.succeeded", "payment.declined", "payment.succeeded",
		"booking.confirmed"},
		b.told(t, inParts))

	nobody := b.holdFor(t, bookings, first.AddDays(4), "")
	b.mustPay(t, payments, nobody, depositBy("pm_ok"))
	require.Equal(t, []string{"booking.held", "payment.succeeded"}, b.told(t, nobody), "a booking has a customer")
	_, err := bookings.Confirm(t.Context(), b.owner, request(t, newKey(), ""), nobody, booking.AmendRequest{
		CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Email: "ada@example.com", Name: "Ada"}},
	}, "")
	require.NoError(t, err)
	require.EqualValues(t, deposit, b.balanceSummary(t, payments, nobody).Paid)
}

func TestConfirmOnDeposit_HoldLapsesBeforeThePaymentIsRecorded_IsRefunded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	b.confirmOnDeposit(t, bookings)
	id := b.holdFor(t, bookings, testtime.Date(0), "grace@example.com")
	open := b.payWithAction(t, payments, newKey(), id)
	b.expireHold(t, id)
	require.True(t, completeAction(t, open.ActionURL))
	b.dueNow(t)
	b.exec(t, "UPDATE payments SET resolve_at = now()")
	b.resolveAll(t, payments)
	require.Equal(t, 1, bookings.expireHolds(t))
	b.resolveAll(t, payments)
	require.Equal(t, transferTotals{captures: 1, captured: price, refunds: 1, refunded: price}, b.transferTotals(t))
	require.Equal(t, "expired", b.text(t, "SELECT status FROM bookings WHERE booking_id = $1", id))
}

// What was paid on a hold that expired is kept if the hold is confirmed before its refund is begun, and refunded once
// if it isn't.
func TestConfirm_IfStillFree_PaidHoldMarkedAsExpired_KeepsWhatIsNotRefundedYet(t *testing.T) {
	t.Parallel()
	for name, refundedFirst := range map[string]bool{"before the refund": false, "after the refund": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			payments, bookings := b.process(t), b.bookingProcess(t)
			id := b.holdFor(t, bookings, testtime.Date(0), "grace@example.com")
			b.mustPay(t, payments, id, depositBy("pm_ok"))
			b.expireHold(t, id)
			require.Equal(t, 1, bookings.expireHolds(t))
			if refundedFirst {
				b.resolveAll(t, payments)
			}
			_, err := bookings.Confirm(t.Context(), b.owner, request(t, newKey(), ""), id,
				booking.AmendRequest{IfStillFree: true}, "")
			require.NoError(t, err)
			b.resolveAll(t, payments)
			want := transferTotals{captures: 1, captured: deposit}
			if refundedFirst {
				want.refunds, want.refunded = 1, deposit
			}
			require.Equal(t, want, b.transferTotals(t))
			m := b.balanceSummary(t, payments, id)
			require.Equal(t, price-(want.captured-want.refunded), m.Due)

			// It may end once more. Its payments are then worked on once more.
			open := b.payWithAction(t, payments, newKey(), id)
			require.NoError(t, b.change(t, bookings, id, booking.Cancel))
			b.resolveAll(t, payments)
			b.requireCancelled(t, payments, open.ID)
			require.Equal(t, want, b.transferTotals(t),
				"the tenant decides about a confirmed booking that is cancelled")
		})
	}
}

// Payments by card and from wallets, confirmations, cancellations, expiries and rivals' bookings want the same balances
// and dates. No two of them deadlock, and every captured payment belongs to a booking that takes place, or is refunded.
func TestConfirmOnDeposit_PaymentsCancelsAndCreatesAtOnce_NoDeadlock(t *testing.T) {
	t.Parallel()
	const dates = 6
	holds := testtime.Rounds(16)
	b := setup(t)
	payments := []*payment.Service{b.process(t, withLongCallTimeout), b.process(t, withLongCallTimeout)}
	bookings := []bookingProcess{b.bookingProcess(t), b.bookingProcess(t)}
	b.confirmOnDeposit(t, bookings[0])
	b.exec(t, "UPDATE resources SET capacity = 1000")
	b.exec(t, "UPDATE tenants SET catalog_version = catalog_version + 1")
	first := testtime.Date(0)
	credit := b.newWallet(t, 1_000_000)
	ids := make([]uuid.UUID, holds)
	for i := range ids {
		ids[i] = b.holdFor(t, bookings[0], first.AddDays(i%dates), "grace@example.com")
	}
	codes := runConcurrently(6*holds, func(i int) error {
		n := i / 6
		p, s := payments[i%2], bookings[n%2]
		switch i % 6 {
		case 0:
			_, err := b.pay(t, p, newKey(), ids[n], depositBy("pm_ok"))
			return err
		case 1:
			o := fromWallet(credit, "")
			o.Kind = payment.Deposit
			_, err := b.pay(t, p, newKey(), ids[n], o)
			return err
		case 2:
			if n%3 != 0 {
				return nil
			}
			return b.change(t, s, ids[n], booking.Cancel)
		case 3:
			if n%4 != 0 {
				return nil
			}
			_, err := s.Confirm(t.Context(), b.owner, request(t, newKey(), ""), ids[n],
				booking.AmendRequest{IfStillFree: true}, "")
			return err
		case 4:
			if n%8 == 7 {
				b.expireHold(t, ids[n])
			}
			return nil
		}
		b.book(t, s, first.AddDays(n%dates), false)
		return nil
	})
	for code := range codes {
		require.Contains(t, []problem.Code{
			"", problem.PaymentInProgress, problem.Overpayment, problem.HoldExpired, problem.InvalidState,
		}, code, "%v", codes)
	}
	for i, id := range ids {
		if i%8 == 7 {
			b.expireHold(t, id)
		}
	}
	bookings[0].expireHolds(t)
	b.resolveAll(t, payments...)
	require.Zero(t, b.count(t, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
	require.Zero(t, b.count(t, `SELECT count(*) FROM bookings b WHERE (b.terms->>'confirm_on_deposit')::boolean
		AND b.status = 'held' AND b.deposit <=
		(SELECT coalesce(sum(CASE WHEN p.refund_of IS NULL THEN p.amount ELSE -p.amount END), 0) FROM payments p
			WHERE p.booking_id = b.booking_id AND p.status = 'succeeded')`),
		"no hold with a paid deposit is left")
	require.Positive(t, b.count(t,
		`SELECT count(*) FROM bookings WHERE status = 'confirmed' AND hold_expires_at IS NOT NULL`))
	require.Zero(t, b.count(t, `SELECT count(*) FROM bookings b WHERE b.status = 'expired' AND 0 <
		(SELECT coalesce(sum(CASE WHEN p.refund_of IS NULL THEN p.amount ELSE -p.amount END), 0) FROM payments p
			WHERE p.booking_id = b.booking_id AND p.status = 'succeeded')`),
		"what was paid on an expired hold is refunded")
	for _, id := range ids {
		b.told(t, id)
	}
	b.requireWalletsMatch(t)
}

// A deposit is paid, its hold ends, and a rival wants the date, in each order in which it matters. The date is sold
// once, and a captured deposit belongs to a confirmed booking or is refunded.
func TestConfirmOnDeposit_PaymentExpiryAndRivalInEachOrder_DateIsSoldOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		endsAtProvider, endsInQueue bool // when the hold ends, if it does
		rivalFirst                  bool // in the queue for the date
	}{
		"ends while the order is at the provider":                {endsAtProvider: true},
		"ends while the payment waits for the date":              {endsInQueue: true},
		"ends while the payment waits for the date, rival first": {endsInQueue: true, rivalFirst: true},
		"doesn't end":              {},
		"doesn't end, rival first": {rivalFirst: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			f, g := heldCharge(t)
			payments, bookings := b.process(t, withLongCallTimeout, withInterceptor(f)), b.bookingProcess(t)
			b.confirmOnDeposit(t, bookings)
			date, rival := testtime.Date(0), make(chan error, 1)
			id := b.holdFor(t, bookings, date, "grace@example.com")
			paid := b.begin(t, payments, id, depositBy("pm_ok"))
			within(t, g.reached)
			unlock := b.lockDate(t, date)
			waiters := 0
			awaitDate := func() {
				waiters++
				eventually(t, func() bool { return b.waitingForDate(t, date) == waiters })
			}
			pay := func() {
				g.open()
				if !c.endsAtProvider { // otherwise it confirms nothing, and waits for no date
					awaitDate()
				}
			}
			if c.endsAtProvider {
				b.expireHold(t, id)
			}
			if !c.rivalFirst {
				pay()
			}
			go func() { rival <- b.bookAsRival(t, b.bookingProcess(t), date) }()
			awaitDate()
			if c.rivalFirst {
				pay()
			}
			if c.endsInQueue {
				b.expireHold(t, id)
			}
			unlock()
			require.NoError(t, within(t, paid).err)
			err := within(t, rival)
			bookings.expireHolds(t)
			b.resolveAll(t, payments)
			want, status := transferTotals{captures: 1, captured: deposit}, "confirmed"
			if c.endsAtProvider || c.endsInQueue {
				require.NoError(t, err, "the rival gets the date")
				want.refunds, want.refunded, status = 1, deposit, "expired"
			} else {
				require.Equal(t, problem.SlotUnavailable, problem.CodeOf(err), "%v", err)
			}
			require.Equal(t, want, b.transferTotals(t))
			require.Equal(t, status, b.text(t, "SELECT status FROM bookings WHERE booking_id = $1", id))
			require.Equal(t, 1, b.count(t, `SELECT count(*) FROM bookings WHERE status = 'confirmed'`))
		})
	}
}

// The same in whatever order, and from wallets too.
func TestConfirmOnDeposit_PaymentsExpiriesAndRivalsAtOnce_DatesAreSoldOnce(t *testing.T) {
	t.Parallel()
	holds := testtime.Rounds(12)
	b := setup(t)
	payments := []*payment.Service{b.process(t, withLongCallTimeout), b.process(t, withLongCallTimeout)}
	bookings := []bookingProcess{b.bookingProcess(t), b.bookingProcess(t)}
	b.confirmOnDeposit(t, bookings[0])
	credit := b.newWallet(t, 1_000_000)
	ids := make([]uuid.UUID, holds)
	for i := range ids {
		ids[i] = b.holdFor(t, bookings[0], testtime.Date(i), "grace@example.com")
	}
	runConcurrently(3*holds, func(i int) error {
		n := i / 3
		switch i % 3 {
		case 0:
			o := depositBy("pm_ok")
			if n%2 == 0 {
				o = fromWallet(credit, "")
				o.Kind = payment.Deposit
			}
			_, err := b.pay(t, payments[n%2], newKey(), ids[n], o)
			return err
		case 1:
			b.expireHold(t, ids[n])
			return nil
		}
		return b.bookAsRival(t, bookings[n%2], testtime.Date(n))
	})
	for _, id := range ids {
		b.expireHold(t, id)
	}
	bookings[0].expireHolds(t)
	b.resolveAll(t, payments...)
	confirmed := b.count(t, `SELECT count(*) FROM bookings
		WHERE status = 'confirmed' AND (terms->>'confirm_on_deposit')::boolean AND hold_expires_at IS NOT NULL`)
	t.Logf("confirmed %d of %d", confirmed, holds)
	require.Zero(t, b.count(t,
		`SELECT count(*) FROM (SELECT date FROM bookings WHERE status = 'confirmed' GROUP BY date HAVING count(*) > 1) AS d`))
	require.Equal(t, confirmed*deposit,
		b.count(t, `SELECT coalesce(sum(CASE WHEN refund_of IS NULL THEN amount ELSE -amount END), 0) FROM payments
			WHERE status = 'succeeded'`))
	require.Equal(t, confirmed*deposit, b.count(t, `SELECT coalesce(sum(CASE WHEN p.refund_of IS NULL THEN p.amount ELSE -p.amount END), 0)
		FROM payments p JOIN bookings b USING (tenant_id, booking_id) WHERE p.status = 'succeeded' AND b.status = 'confirmed'`))
	require.Zero(t, b.count(t, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
	b.requireWalletsMatch(t)
}
