package payment_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func TestRefund_Offline_RecordsWhatWasHandedBackAndNeverMoreThanWasPaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withoutProvider)
	id := b.newBooking(t)
	p := b.mustPay(t, s, id, received(4000, payment.Cash))
	key := newKey()
	r, err := b.handBack(t, s, key, p, 1500, byAnn)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	refund := bodyOf[payment.PaymentBody](t, r)
	require.Equal(t, []any{"offline", "cash", payment.StatusSucceeded, byAnn.Note, int64(1500), &p},
		[]any{refund.Provider, refund.PaymentMethod, refund.Status, *refund.Note, refund.Amount, refund.RefundOf})
	require.NotNil(t, refund.ReturnedAt)
	require.Nil(t, refund.ReceivedAt)
	again, err := b.handBack(t, s, key, p, 1500, byAnn)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, r.Body, again.Body)

	r, err = b.handBack(t, s, newKey(), p, 2500, payment.OfflineRefund{Method: payment.BankTransfer, Note: "SEPA 17"})
	require.NoError(t, err)
	require.Equal(t, "transfer", bodyOf[payment.PaymentBody](t, r).PaymentMethod)
	more, err := b.handBack(t, s, newKey(), p, 1, byAnn)
	require.Equal(t, problem.RefundExceedsPayment, refusal(t, more, err))
	m := b.balanceSummary(t, s, id)
	require.Equal(t, []int64{4000, 4000, 0}, []int64{m.Paid, m.Refunded, m.Returning})
	require.Equal(t, 3, b.count(t, "SELECT count(*) FROM payments"))
	b.requireOfflineMatches(t)
	receipt, err := s.Receipt(t.Context(), b.tenant, p)
	require.NoError(t, err)
	require.Equal(t, []payment.OfflineMethod{payment.Cash, payment.BankTransfer},
		[]payment.OfflineMethod{receipt.Refunds[0].OfflineMethod, receipt.Refunds[1].OfflineMethod})
}

func TestRefund_OfflineThatDoesNotFit_IsRefusedAndWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id := b.newBooking(t)
	cash, card := b.mustPay(t, s, id, received(4000, payment.Cash)), b.mustPay(t, s, id, part(1000, "pm_ok"))
	_, err := b.refund(t, s, newKey(), cash, 500)
	require.True(t, problem.Is(err, problem.ValidationFailed), "it says nothing of how the money was handed back: %v",
		err)
	_, err = b.handBack(t, s, newKey(), card, 500, byAnn)
	require.True(t, problem.Is(err, problem.ValidationFailed), "it can't go back as it came, so how did it go back: %v",
		err)
	_, err = b.handBack(t, s, newKey(), card, 500, payment.OfflineRefund{
		Method: payment.Cash, Note: "too early", ReturnedAt: new(testtime.Now().Add(-time.Hour)),
	})
	require.True(t, problem.Is(err, problem.ValidationFailed), "before it was paid: %v", err)
	for name, d := range map[string]time.Duration{"before it was received": -time.Hour, "ahead": time.Hour} {
		o := byAnn
		o.ReturnedAt = new(testtime.Now().Add(d))
		_, err = b.handBack(t, s, newKey(), cash, 500, o)
		require.True(t, problem.Is(err, problem.ValidationFailed), "%s: %v", name, err)
	}
	_, err = b.handBack(t, s, newKey(), cash, 500, payment.OfflineRefund{Note: " "})
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	require.Zero(t, b.count(t, "SELECT count(*) FROM payments WHERE refund_of IS NOT NULL"))
}

func TestRefund_ProviderDeclinesIt_IsRecordedOnceItWasHandedBackInAnotherWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, bookings := b.process(t), b.bookingProcess(t)
	id, from := b.book(t, bookings, testtime.Date(0), false), testtime.Now().Add(-time.Hour)
	card := b.mustPay(t, s, id, balance("pm_refund_fails"))
	_, err := bookings.End(
		t.Context(),
		b.owner,
		request(t, newKey(), ""),
		id,
		booking.Cancel,
		booking.CancelRequest{NoShowRequest: booking.NoShowRequest{Fee: new(int64(0))}},
		"",
	)
	require.NoError(t, err)
	b.resolveAll(t, s)
	require.EqualValues(t, price, b.balanceSummary(t, s, id).Overpaid, "the automatic refund is declined")
	r, err := b.refund(t, s, newKey(), card, price)
	require.NoError(t, err)
	require.Equal(t, http.StatusPaymentRequired, r.Answer().Status)
	b.exec(t, "UPDATE ended_bookings SET created_at = now() - interval '1 hour'")
	differences := func() []payment.DifferenceKind {
		found, err := s.Reconcile(t.Context(), from, from.Add(2*time.Hour))
		require.NoError(t, err)
		return differenceKinds(found)
	}
	require.Equal(t, []payment.DifferenceKind{payment.DiffKept}, differences())

	key, transfer := newKey(), payment.OfflineRefund{Method: payment.BankTransfer, Note: "SEPA 17"}
	for range 2 { // and repeated
		r, err = b.handBack(t, s, key, card, price, transfer)
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	}
	refund := bodyOf[payment.PaymentBody](t, r)
	require.Equal(t, []any{"offline", "transfer", (*string)(nil)},
		[]any{refund.Provider, refund.PaymentMethod, refund.Account})
	r, err = b.handBack(t, s, newKey(), card, 1, transfer)
	require.Equal(t, problem.RefundExceedsPayment, refusal(t, r, err), "all of it is back")
	m := b.balanceSummary(t, s, id)
	require.Equal(t, []int64{price, 0, 0, 0}, []int64{m.Refunded, m.Overpaid, m.Due, m.Lowered})
	require.Empty(t, differences())
	b.requireOfflineMatches(t)
}

func TestRefund_OfWalletHandedBackInCash_LeavesTheWalletAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id, credit := b.newBooking(t), b.newWallet(t, price)
	paid := b.mustPay(t, s, id, payment.PayRequest{Kind: payment.Balance, WalletID: &credit})
	_, err := b.handBack(t, s, newKey(), paid, 700, payment.OfflineRefund{Method: payment.Cash, Note: "Till 2"})
	require.NoError(t, err)
	require.EqualValues(t, 700, b.balanceSummary(t, s, id).Refunded)
	b.requireWallet(t, credit, 0, 0)
}

func TestRefund_OfflineFromManyServersAtOnce_IsRecordedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := []*payment.Service{b.process(t), b.process(t)}
	p := b.mustPay(t, services[0], b.newBooking(t), received(price, payment.CardTerminal))
	codes := runConcurrently(8, func(i int) error {
		r, err := b.handBack(t, services[i%2], newKey(), p, price, byAnn)
		if code := refusal(t, r, err); code != "" {
			return problem.New(code, "")
		}
		return nil
	})
	require.Equal(t, map[problem.Code]int{"": 1, problem.RefundExceedsPayment: 7}, codes)
	b.requireOfflineMatches(t)
}

func TestRefundOverpaid_OfflineMoney_IsLeftToAPerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	overpaid := func(id uuid.UUID) (idempotency.Outcome, error) {
		return s.RefundOverpaid(t.Context(), b.tenant, request(t, newKey(), "overpaid"), id, "")
	}
	id := b.newBooking(t)
	card := b.mustPay(t, s, id, part(3000, "pm_ok"))
	cash := b.mustPay(t, s, id, received(price-3000, payment.Cash))
	b.exec(t, "UPDATE bookings SET price = price - 4000 WHERE booking_id = $1", id)
	r, err := overpaid(id)
	require.NoError(t, err)
	require.Equal(t, &card, bodyOf[payment.PaymentBody](t, r).RefundOf, "the card, though the cash is later")
	_, err = overpaid(id)
	require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
	require.Contains(t, problem.DocumentOf(err).Detail, cash.String())
	require.EqualValues(t, 1000, b.balanceSummary(t, s, id).Overpaid)
	_, err = b.handBack(t, s, newKey(), cash, 1000, byAnn)
	require.NoError(t, err)
	m := b.balanceSummary(t, s, id)
	require.Equal(t, []int64{0, 0, 0}, []int64{m.Overpaid, m.Due, m.Lowered})
}

// A hold that was paid by card and offline ends. The provider returns the card's part; the other part stays an open
// refund, which no server completes, until a person says that the money was handed back.
func TestEndedBooking_PaidOffline_LeavesARefundThatAPersonCompletes(t *testing.T) {
	t.Parallel()
	for name, end := range holdEnds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			payments, bookings := b.process(t), b.bookingProcess(t)
			date := testtime.Date(0)
			id := b.book(t, bookings, date, true)
			b.mustPay(t, payments, id, part(1000, "pm_ok"))
			cash := b.mustPay(t, payments, id, received(2000, payment.Cash))
			end(t, b, bookings, id, date)
			eventually(t, func() bool {
				b.work(t, payments)
				return b.transferTotals(t).refunds == 1 && b.count(t, "SELECT count(*) FROM ended_bookings") == 0
			})
			b.dueNow(t)
			b.work(t, payments)

			m := b.balanceSummary(t, payments, id)
			require.Equal(t, []int64{3000, 1000, 2000}, []int64{m.Paid, m.Refunded, m.Returning},
				"nobody has handed the cash back")
			require.Equal(t, 1, b.count(t, "SELECT count(*) FROM changes WHERE type = 'payment.refunded'"))
			list, err := payments.ListAll(t.Context(), b.owner, payment.Filter{
				Kind: payment.Refund, Status: payment.StatusProcessing, Method: payment.Cash, Limit: 10,
			})
			require.NoError(t, err)
			require.Len(t, list, 1)
			open := list[0].Payment
			require.Equal(t, []any{&cash, int64(2000), true}, []any{open.RefundOf, open.Amount, open.Automatic})
			require.True(t, open.WaitsForPerson())
			require.Zero(t, b.count(t, "SELECT count(*) FROM scheduled_events WHERE subject_id = $1", open.ID),
				"no server works on it")
			b.requireOfflineMatches(t)
			more, err := b.handBack(t, payments, newKey(), cash, 1, byAnn)
			require.Equal(t, problem.RefundExceedsPayment, refusal(t, more, err))
			_, err = b.cancel(t, payments, newKey(), open.ID)
			require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
			b.exec(t, "UPDATE payments SET created_at = created_at - interval '30 days' WHERE payment_id = $1", open.ID)
			found, err := payments.Reconcile(t.Context(), testtime.Now().Add(-time.Hour), testtime.Now().Add(time.Hour))
			require.NoError(t, err)
			require.Empty(t, found.Differences)
			require.Equal(t, 1, found.Open)
			b.exec(t, "UPDATE payments SET created_at = created_at + interval '30 days' WHERE payment_id = $1", open.ID)

			key := newKey()
			r, err := b.complete(t, payments, key, open.ID,
				payment.OfflineRefund{Method: payment.BankTransfer, Note: "SEPA 17"})
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, r.Answer().Status, "%s", r.Body)
			done := bodyOf[payment.PaymentBody](t, r)
			require.Equal(t, []any{"transfer", payment.StatusSucceeded, "SEPA 17"},
				[]any{done.PaymentMethod, done.Status, *done.Note})
			require.NotNil(t, done.ReturnedAt)
			again, err := b.complete(t, b.process(t), key, open.ID,
				payment.OfflineRefund{Method: payment.BankTransfer, Note: "SEPA 17"})
			require.NoError(t, err)
			require.True(t, again.Replayed)
			require.Equal(t, r.Body, again.Body)
			_, err = b.complete(t, payments, newKey(), open.ID, byAnn)
			require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
			m = b.balanceSummary(t, payments, id)
			require.Equal(t, []int64{3000, 3000, 0}, []int64{m.Paid, m.Refunded, m.Returning})
			require.Zero(t, b.openCount(t))
			b.requireOfflineMatches(t)
			got, err := payments.Get(t.Context(), b.tenant, open.ID)
			require.NoError(t, err)
			require.Equal(t, done, got.Body())
		})
	}
}

func TestCompleteRefund_ThatDoesNotFit_IsRefusedAndWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), true)
	card, cash := b.mustPay(t, payments, id, part(1000, "pm_ok")),
		b.mustPay(t, payments, id, received(2000, payment.Cash))
	for name, other := range map[string]uuid.UUID{"a payment by card": card, "an offline payment": cash} {
		_, err := b.complete(t, payments, newKey(), other, byAnn)
		require.True(t, problem.Is(err, problem.InvalidState), "%s: %v", name, err)
	}
	_, err := b.complete(t, payments, newKey(), uuid.New(), byAnn)
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
	open := b.endWithOpenRefund(t, payments, bookings, id)
	for name, o := range map[string]payment.OfflineRefund{
		"a blank note":           {Note: "  "},
		"before it was received": {Note: "x", ReturnedAt: new(testtime.Now().Add(-time.Hour))},
		"ahead":                  {Note: "x", ReturnedAt: new(testtime.Now().Add(time.Hour))},
	} {
		_, err := b.complete(t, payments, newKey(), open, o)
		require.True(t, problem.Is(err, problem.ValidationFailed), "%s: %v", name, err)
	}
	_, err = payments.CompleteRefund(t.Context(), b.tenant, request(t, newKey(), ""), open,
		payment.CompleteRequest{OfflineRefund: byAnn, Allowed: `"1"`})
	require.True(t, problem.Is(err, problem.VersionMismatch), "%v", err)
	require.EqualValues(t, 2000, b.balanceSummary(t, payments, id).Returning)
}

// endWithOpenRefund cancels a hold that was paid offline once, and returns its open refund.
func (b *testBundle) endWithOpenRefund(t testing.TB, s *payment.Service, bookings bookingProcess, id uuid.UUID,
) uuid.UUID {
	t.Helper()
	require.NoError(t, b.change(t, bookings, id, booking.Cancel))
	eventually(t, func() bool {
		b.work(t, s)
		return b.count(t, "SELECT count(*) FROM ended_bookings") == 0
	})
	return uuid.MustParse(b.text(t, `SELECT payment_id::text FROM payments
		WHERE provider = 'offline' AND refund_of IS NOT NULL AND booking_id = $1`, id))
}

func TestCompleteRefund_FromManyServersAtOnce_IsRecordedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services, bookings := []*payment.Service{b.process(t), b.process(t)}, b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), true)
	b.mustPay(t, services[0], id, received(2000, payment.Cash))
	open := b.endWithOpenRefund(t, services[0], bookings, id)
	codes := runConcurrently(8, func(i int) error {
		_, err := b.complete(t, services[i%2], newKey(), open, byAnn)
		return err
	})
	require.Equal(t, map[problem.Code]int{"": 1, problem.InvalidState: 7}, codes)
	b.requireOfflineMatches(t)
}

// A server of 0.1.0 ends a booking that was paid offline. It knows neither the provider nor the columns: its refund has
// no method, and an event that would resolve it.
func TestCompleteRefund_BegunByAServerOf010_WaitsForAPersonToo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id := b.newBooking(t)
	cash := b.mustPay(t, s, id, received(2000, payment.CardTerminal))
	refund := uuid.Must(uuid.NewV7())
	b.exec(t, `
		INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider,
			automatic, fence, leased_until, resolve_at, first_sent_at, last_sent_at, created_at, updated_at)
		SELECT tenant_id, $2, booking_id, payment_id, 'refund', 'unknown', amount, currency, '', provider,
			true, 3, now(), now(), now(), now(), now(), now()
		FROM payments WHERE payment_id = $1`, cash, refund)
	b.exec(t, `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at,
			time_zone, attempts, version, data, created_at, updated_at)
		VALUES ($1, gen_random_uuid(), 'payment.resolution', 'payment', $2, '', 'pending', now(),
			'UTC', 0, 1, '{}', now(), now())`,
		b.tenant, refund)
	b.work(t, s)
	require.Equal(t, "processing",
		b.text(t, "SELECT status FROM payments WHERE payment_id = $1 AND resolve_at > '8999-01-01'", refund))
	b.requireOfflineMatches(t)
	r, err := b.complete(t, s, newKey(), refund, byAnn)
	require.NoError(t, err)
	require.Equal(t, "terminal", bodyOf[payment.PaymentBody](t, r).PaymentMethod, "as it was received")
	require.EqualValues(t, 2000, b.balanceSummary(t, s, id).Refunded)
	b.requireOfflineMatches(t)
}
