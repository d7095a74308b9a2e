package payment_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

const (
	// cancelledBookings is how many bookings are cancelled. See testtime.Rounds.
	cancelledBookings = 60
	// cancelledDates is how many dates the bookings are on.
	cancelledDates = 20
)

// Many bookings are paid by card and from wallets, refunded in part, and cancelled at random times before their start,
// through two processes that die at times, with a provider that fails at times. Some payments are captured after the
// cancellation. At the end the provider, our payments and the quote from before the cancellation must agree to the
// minor unit.
func TestCancellation_RandomBookings_ProviderPaymentsAndQuoteAgree(t *testing.T) {
	t.Parallel()
	seed := testtime.Seed(t)
	c := newCancellations(t, seed)
	runRandomly(t, seed, testtime.Rounds(cancelledBookings), c.cancelOne)
	c.stopFaults(t)
	c.requireConsistent(t)
	quoted, late, charged := 0, 0, 0
	for _, e := range c.ended {
		q, l := c.requireAgrees(t, e)
		quoted, late = quoted+q, late+l
		if e.quote.Fee > 0 {
			charged++
		}
	}
	m := c.transferTotals(t)
	t.Logf("%d bookings, %d with a fee, %d refunded as quoted, %d with a capture that became known later: %d captures, %d refunds",
		len(c.ended), charged, quoted, late, m.captures, m.refunds)
	require.Positive(t, quoted)
	require.Positive(t, charged)
}

// cancellations makes bookings of services with random prices and policies.
type cancellations struct {
	*faultInjection
	bookings []bookingProcess
	offered  []uuid.UUID

	mu    sync.Mutex
	ended []endedByChange
}

// endedByChange is a booking that was cancelled, or whose customer didn't come.
type endedByChange struct {
	id     uuid.UUID
	change booking.Transition
	quote  payment.CancellationQuote
	hold   bool
	policy bool
	// due is what the booking owed after the change.
	due int64
	// quiet: no payment or refund was open at the change, and none was begun after it.
	quiet bool
}

func newCancellations(t *testing.T, seed uint64) *cancellations {
	t.Helper()
	c := &cancellations{faultInjection: newFaultInjection(t, seed)}
	random := rand.New(rand.NewPCG(seed, 1))
	for range 2 {
		c.bookings = append(c.bookings, c.bookingProcess(t))
	}
	var resources []uuid.UUID
	for range 2 {
		resp, err := c.bookings[0].catalog.CreateResource(t.Context(), c.owner, request(t, newKey(), ""),
			catalog.Resource{Name: "Boat", Capacity: 1000})
		require.NoError(t, err)
		resources = append(resources, bodyOf[catalog.ResourceBody](t, resp).ID)
	}
	for i := range 12 {
		s := catalog.ServiceSpec{
			Name: "Day", Spec: timetable.Spec{
				Kind: timetable.KindDate, ResourceIDs: resources, BookingWindowDays: new(3650), Price: 1 +
					random.Int64N(2*price),
				Pricing: timetable.Pricing{DepositPercent: random.IntN(101)},
			}, Metadata: catalog.Metadata(`{}`),
		}
		if random.IntN(2) == 0 {
			s.PricePer = timetable.PerUnit
		}
		if i > 1 { // the first two have no policy
			s.CancellationPolicy = randomPolicy(random)
		}
		resp, err := c.bookings[0].catalog.CreateService(t.Context(), c.owner, request(t, newKey(), ""), s)
		require.NoError(t, err)
		c.offered = append(c.offered, bodyOf[catalog.ServiceBody](t, resp).ID)
	}
	return c
}

func randomPolicy(random *rand.Rand) catalog.CancellationPolicy {
	fee := func() (f catalog.CancellationFee) {
		if percent := random.IntN(101); random.IntN(2) == 0 {
			f.Percent = &percent
			return f
		}
		amount := random.Int64N(3 * price)
		f.Amount = &amount
		return f
	}
	p := catalog.CancellationPolicy{Steps: []catalog.CancellationStep{}}
	ahead := int(testtime.At(0, 0, 0, time.UTC).Sub(testtime.Now()).Minutes())
	for from, n := ahead+cancelledDates*24*60, random.IntN(5); n > 0 && from > 0; n-- {
		p.Steps = append(p.Steps, catalog.CancellationStep{FromMinutes: from, CancellationFee: fee()})
		from -= 1 + random.IntN(10*24*60)
	}
	if random.IntN(3) > 0 {
		noShow := fee()
		p.NoShow = &noShow
	}
	return p
}

// cancelOne makes one booking, pays, refunds and cancels it.
func (c *cancellations) cancelOne(t *testing.T, random *rand.Rand) {
	t.Helper()
	process := func() bookingProcess { return c.bookings[random.IntN(2)] }
	service := func() *payment.Service { return c.services[random.IntN(2)] }
	date := testtime.Date(random.IntN(cancelledDates))
	e := endedByChange{change: booking.Cancel, hold: random.IntN(8) == 0}
	if random.IntN(10) == 0 {
		e.change, e.hold = booking.MarkNoShow, false
	}
	n := booking.CreateRequest{
		ServiceID: c.offered[random.IntN(len(c.offered))], When: timetable.When{Date: &date},
		PartySize: 1 + random.IntN(3),
		Customer:  &customer.Customer{Email: "grace@example.com", Name: "Grace"},
	}
	if minutes := 600; e.hold {
		n.HoldMinutes = &minutes
	}
	resp, err := process().Create(t.Context(), c.owner, request(t, newKey(), ""), n)
	require.NoError(t, err)
	made := bodyOf[booking.BookingBody](t, resp)
	e.id, e.policy = made.ID, made.CancellationPolicy.Steps != nil
	if e.change == booking.MarkNoShow {
		c.moveIntoThePast(t, e.id, cancelledDates)
	}

	for range random.IntN(4) {
		c.payOrRefund(t, random, service(), made, true)
	}
	var racing sync.WaitGroup
	if random.IntN(8) == 0 { // a payment begins while the booking is cancelled
		other := rand.New(rand.NewPCG(random.Uint64(), 0))
		racing.Go(func() { c.payOrRefund(t, other, c.services[0], made, false) })
		e.quiet = false
	} else {
		e.quiet = c.openPayments(t, e.id) == 0
	}
	if e.change == booking.Cancel {
		e.quote, err = service().CancellationQuote(t.Context(), c.tenant, e.id)
		require.NoError(t, err)
	}
	key := newKey()
	resp, err = process().Transition(t.Context(), c.owner, request(t, key, ""), e.id, e.change, "")
	require.NoError(t, err)
	replayed, err := process().Transition(t.Context(), c.owner, request(t, key, ""), e.id, e.change, "")
	require.NoError(t, err)
	require.Equal(t, resp.Body, replayed.Body)
	racing.Wait()
	after := bodyOf[booking.BookingBody](t, resp)
	switch {
	case after.CancellationFee == nil:
		require.False(t, e.policy, "a booking with a policy has a fee")
	case e.change == booking.MarkNoShow:
		e.quote.Fee, e.quote.Refund = *after.CancellationFee, max(c.kept(t,
			e.id)-min(*after.CancellationFee, after.Price-c.balanceSummary(t, c.services[0], e.id).Lowered), 0)
	case e.quote.ChangesAt == nil || after.UpdatedAt.Before(*e.quote.ChangesAt):
		if e.quiet {
			lowered := c.balanceSummary(t, c.services[0], e.id).Lowered
			require.Equal(t, e.quote.Fee, max(min(*after.CancellationFee, after.Price-lowered), 0))
		}
		e.quote.Fee = *after.CancellationFee
	default:
		e.quote.Fee, e.quiet = *after.CancellationFee, false
	}
	e.due = after.Due
	if random.IntN(4) == 0 && after.Due > 0 { // the rest of the fee, or of the price, is paid
		e.quiet = false
		c.payOrRefund(t, random, service(), made, false)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = append(c.ended, e)
}

// payOrRefund pays for a booking, or with refunds may refund a part of one of its payments. A refund that is asked for
// after the end returns a part of the fee, so there is none then.
func (c *cancellations) payOrRefund(t *testing.T, random *rand.Rand, s *payment.Service, b booking.BookingBody,
	refunds bool,
) {
	t.Helper()
	key := newKey()
	paid, err := c.services[0].List(t.Context(), c.tenant, b.ID, uuid.Nil, 10)
	require.NoError(t, err)
	send := func() (idempotency.Outcome, error) {
		if refunds && random.IntN(4) == 0 && len(paid) > 0 {
			id, amount, owedAgain := paid[random.IntN(len(paid))].ID, 1+random.Int64N(b.Price), random.IntN(2) == 0
			return s.Refund(t.Context(), c.tenant, request(t, key, fmt.Sprint(id, amount, owedAgain)), id,
				payment.RefundRequest{Amount: &amount, OwedAgain: owedAgain})
		}
		o := payment.PayRequest{Kind: []payment.Kind{payment.Deposit, payment.Balance, payment.Amount}[random.IntN(3)],
			Method: methods[random.IntN(11)]}
		if random.IntN(6) == 0 {
			o.Method = "pm_requires_action"
		}
		if o.Kind == payment.Amount {
			o.Amount = new(1 + random.Int64N(b.Price))
		}
		if wallets := random.IntN(3); wallets > 0 {
			o.WalletID = &c.credits[random.IntN(len(c.credits))]
			if part := 1 + random.Int64N(b.Price); wallets == 1 {
				o.WalletAmount = &part
			} else {
				o.Method = ""
			}
		}
		return c.pay(t, s, key, b.ID, o)
	}
	runUntilCrash(func() (idempotency.Outcome, error) {
		r, err := send()
		if err != nil {
			c.requireExpectedError(t, err)
			return r, err
		}
		if v := decode(t, r); v.ActionURL != "" && random.IntN(3) == 0 {
			c.finishAction(t, v.ActionURL, random.IntN(4) > 0)
		}
		return r, nil
	})
}

func (c *cancellations) openPayments(t *testing.T, id uuid.UUID) int {
	t.Helper()
	return c.count(t, `SELECT count(*) FROM payments WHERE booking_id = $1 AND resolve_at IS NOT NULL`, id)
}

// kept returns what is kept of a booking's payments, automatic refunds left out of account.
func (c *cancellations) kept(t *testing.T, id uuid.UUID) int64 {
	t.Helper()
	return int64(c.count(t, `
		SELECT coalesce(sum(CASE WHEN kind = 'refund' THEN -amount ELSE amount END), 0)::bigint
		FROM payments WHERE booking_id = $1 AND status = 'succeeded' AND NOT automatic`, id))
}

// requireAgrees compares what is kept of an ended booking's payments with its quote. It returns whether it was refunded
// as quoted, and whether a capture became known later.
func (c *cancellations) requireAgrees(t *testing.T, e endedByChange) (quoted, late int) {
	t.Helper()
	captured := c.kept(t, e.id)
	returned := int64(c.count(t,
		`SELECT coalesce(sum(amount), 0)::bigint FROM payments WHERE booking_id = $1 AND status = 'succeeded' AND automatic`, e.id))
	lateCaptures := int64(c.count(t, `
		SELECT coalesce(sum(p.amount), 0)::bigint FROM payments p JOIN bookings b USING (tenant_id, booking_id)
		WHERE p.booking_id = $1 AND p.kind <> 'refund' AND p.status = 'succeeded' AND p.updated_at > b.updated_at`, e.id))
	summary := c.balanceSummary(t, c.services[0], e.id)
	owed := min(e.quote.Fee, summary.Total-summary.Lowered) // no refund was asked for after the end
	require.Equal(t, captured-returned, summary.Paid-summary.Refunded)
	require.Zero(t, summary.Returning)
	if lateCaptures > 0 {
		late = 1
	}
	switch {
	case e.policy || e.hold:
		require.Equal(t, min(owed, captured), captured-returned, "kept of booking %s, with the quote %+v", e.id,
			e.quote)
		require.Equal(t, max(owed-captured, 0), summary.Due)
		require.Zero(t, summary.Overpaid)
	case e.change == booking.Cancel: // only what came too late is returned
		require.Equal(t, lateCaptures, returned, "booking %s", e.id)
	default:
		require.Zero(t, returned)
	}
	if e.quiet {
		require.Equal(t, e.quote.Refund, returned, "refunded of booking %s, with the quote %+v", e.id, e.quote)
		require.Equal(t, e.due, summary.Due)
		if e.change == booking.Cancel {
			require.Equal(t, e.quote.Due, summary.Due)
		}
		if e.quote.Refund > 0 {
			quoted = 1
		}
	}
	require.Zero(t, c.count(t, `
		SELECT count(*) FROM payments p WHERE p.booking_id = $1 AND p.amount <
			(SELECT sum(amount) FROM payments r WHERE r.refund_of = p.payment_id AND r.status = 'succeeded')`, e.id))
	return quoted, late
}

func TestCancellation_RefundsFromTheLatestPaymentOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	id := b.bookWithFee(t, bookings, 4_000)
	first := b.mustPay(t, payments, id, part(3_000, "pm_ok"))
	wallet := b.newWallet(t, 2_000)
	credit := b.mustPay(t, payments, id,
		payment.PayRequest{Kind: payment.Amount, Amount: new(int64(2_000)), WalletID: &wallet})
	last := b.mustPay(t, payments, id, part(1_500, "pm_ok"))
	_, err := b.refund(t, payments, newKey(), last, 500)
	require.NoError(t, err)
	quote, err := payments.CancellationQuote(t.Context(), b.tenant, id)
	require.NoError(t, err)
	require.Equal(t, [3]int64{4_000, 2_000, 0}, [3]int64{quote.Fee, quote.Refund, quote.Due})
	require.NoError(t, b.change(t, bookings, id, booking.Cancel))
	require.True(t, problem.Is(b.change(t, bookings, id, booking.Cancel), problem.InvalidState))
	b.resolveAll(t, payments, b.process(t))
	for of, want := range map[uuid.UUID]int{last: 1_500, credit: 1_000, first: 0} {
		require.Equal(t, want,
			b.count(t, `SELECT coalesce(sum(amount), 0) FROM payments WHERE refund_of = $1 AND status = 'succeeded'`,
				of))
	}
	b.requireWallet(t, wallet, 1_000, 0)
	found, err := payments.Reconcile(t.Context(), testtime.Now().Add(-time.Hour), testtime.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, found.Differences, "a fee is no refund that is missing")
}

func TestCancellation_CaptureAfterIt_KeepsTheFeeOnly(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wallet         int64 // what the wallet pays beside the card
		kept, fromCard int64
	}{
		"card":                         {0, 4_000, 9_000},
		"card and wallet":              {3_000, 4_000, 6_000},
		"card below the fee, a wallet": {7_000, 2_000, 2_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			payments, bookings := b.process(t), b.bookingProcess(t)
			id := b.bookWithFee(t, bookings, 4_000)
			o := part(9_000, "pm_requires_action")
			var wallet uuid.UUID
			if test.wallet > 0 {
				wallet = b.newWallet(t, test.wallet)
				o.WalletID = &wallet
			}
			r, err := b.pay(t, payments, newKey(), id, o)
			require.NoError(t, err)
			require.Equal(t, http.StatusAccepted, r.Answer().Status)
			require.NoError(t, b.change(t, bookings, id, booking.Cancel))
			finished, err := http.PostForm(decode(t, r).ActionURL, map[string][]string{"outcome": {"complete"}})
			require.NoError(t, err)
			require.NoError(t, finished.Body.Close())
			b.resolveAll(t, payments)
			m := b.transferTotals(t)
			require.Equal(t, [2]int64{test.fromCard, test.fromCard - test.kept}, [2]int64{m.captured, m.refunded})
			summary := b.balanceSummary(t, payments, id)
			require.Equal(t, [2]int64{test.kept, 4_000 - test.kept},
				[2]int64{summary.Paid - summary.Refunded, summary.Due})
			if test.wallet > 0 {
				b.requireWallet(t, wallet, test.wallet, 0)
			}
		})
	}
}

func TestCancellation_FeePaidAfterIt_IsKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	id := b.bookWithFee(t, bookings, 4_000)
	b.mustPay(t, payments, id, part(1_000, "pm_ok"))
	require.NoError(t, b.change(t, bookings, id, booking.Cancel))
	r, err := b.pay(t, payments, newKey(), id, balance("pm_requires_action"))
	require.NoError(t, err)
	require.EqualValues(t, 3_000, decode(t, r).Amount)
	b.work(t, payments)
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payments WHERE status = 'processing' AND cancel_at > now()`),
		"the worker leaves it open")
	finished, err := http.PostForm(decode(t, r).ActionURL, map[string][]string{"outcome": {"complete"}})
	require.NoError(t, err)
	require.NoError(t, finished.Body.Close())
	b.dueNow(t)
	b.exec(t, `UPDATE payments SET resolve_at = now() WHERE resolve_at > now()`)
	b.exec(t, `UPDATE scheduled_events SET due_at = now() WHERE kind = 'payment.ended_booking'`)
	b.resolveAll(t, payments)
	require.Equal(t, transferTotals{captures: 2, captured: 4_000}, b.transferTotals(t))
	require.Zero(t, b.balanceSummary(t, payments, id).Due)
}

// bookWithFee books a date of a service whose bookings cost price, and fee when they are cancelled.
func (b *testBundle) bookWithFee(t testing.TB, s bookingProcess, fee int64) uuid.UUID {
	t.Helper()
	resp, err := s.catalog.CreateService(t.Context(), b.owner, request(t, newKey(), ""), catalog.ServiceSpec{
		Name: "Day", Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: b.resources(t),
			BookingWindowDays: new(3650),
			Price:             price}, Metadata: catalog.Metadata(`{}`),
		Terms: catalog.Terms{CancellationPolicy: catalog.CancellationPolicy{Steps: []catalog.CancellationStep{
			{FromMinutes: 300 * 24 * 60, CancellationFee: catalog.CancellationFee{Amount: &fee}},
		}}},
	})
	require.NoError(t, err)
	date := testtime.Date(0)
	resp, err = s.Create(t.Context(), b.owner, request(t, newKey(), ""), booking.CreateRequest{
		ServiceID: bodyOf[catalog.ServiceBody](t, resp).ID, When: timetable.When{Date: &date}, PartySize: 1,
		Customer: &customer.Customer{Email: "grace@example.com", Name: "Grace"},
	})
	require.NoError(t, err)
	return bodyOf[booking.BookingBody](t, resp).ID
}

// resources returns the resources of the bundle's service.
func (b *testBundle) resources(t testing.TB) []uuid.UUID {
	t.Helper()
	var id uuid.UUID
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT resource_id FROM service_resources WHERE service_id = $1`,
		b.serviceID).Scan(&id))
	return []uuid.UUID{id}
}
