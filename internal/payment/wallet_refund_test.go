package payment_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func TestPay_WalletAndCardSucceedAfterBookingEnded_OnlyTheCardIsRefunded(t *testing.T) {
	t.Parallel()
	for name, end := range bookingEnds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			s := b.process(t)
			id, w, key := b.newBooking(t), b.newWallet(t, walletCredit), newKey()
			order := fromWallet(w, "pm_requires_action")
			open := decode(t, b.payKnown(t, s, key, id, order))
			b.exec(t, end, id)
			b.exec(t, dbtest.SyncClaims)
			finishAction(t, open.ActionURL, "complete")
			b.resolveAll(t, s)
			const card = price - walletCredit
			require.Equal(t, transferTotals{captures: 1, captured: card, refunds: 1, refunded: card},
				b.transferTotals(t))
			b.requireWallet(t, w, walletCredit, 0)
			b.requireWalletsMatch(t)
			require.Zero(t, b.count(t, `SELECT count(*) FROM payments WHERE provider = 'wallet'`))
		})
	}
}

func TestHandleWebhook_WalletAndCardDeclinedAndCapturedAfterAll_OnlyTheCardIsRefunded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	webhooks := b.receiveWebhooks(t)
	f := &interceptedProvider{}
	s := b.process(t, withInterceptor(f))
	f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		_, err := f.Provider.Charge(ctx, o)
		require.NoError(t, err)
		return payment.Outcome{Result: payment.Declined, DeclineCode: "card_declined"}, nil
	}
	id, w := b.newBooking(t), b.newWallet(t, walletCredit)
	r, err := b.pay(t, s, newKey(), id, fromWallet(w, "pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusPaymentRequired, r.Answer().Status)
	b.requireWallet(t, w, walletCredit, 0)
	for _, hook := range webhooks.wait(t, 1) {
		require.NoError(t, deliver(t, s, hook))
	}
	b.resolveAll(t, s)
	const card = price - walletCredit
	require.Equal(t, transferTotals{captures: 1, captured: card, refunds: 1, refunded: card}, b.transferTotals(t))
	b.requireWallet(t, w, walletCredit, 0)
	b.requireWalletsMatch(t)
}

func TestRefund_OfPaymentFromWallet_GoesBackToTheWallet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withoutProvider)
	id, w, key := b.newBooking(t), b.newWallet(t, price), newKey()
	paid := b.mustPay(t, s, id, fromWallet(w, ""))
	first, err := b.refund(t, s, key, paid, 3_000)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, first.Answer().Status, "%s", first.Body)
	refund := bodyOf[payment.PaymentBody](t, first)
	require.Equal(t, "wallet", refund.Provider)
	require.Equal(t, w, *refund.WalletID)
	again, err := b.refund(t, s, key, paid, 3_000)
	require.NoError(t, err)
	require.Equal(t, string(first.Body), string(again.Body))
	b.requireWallet(t, w, 3_000, 0)
	r, err := b.refund(t, s, newKey(), paid, 7_001)
	require.NoError(t, err)
	require.Equal(t, string(problem.RefundExceedsPayment), decode(t, r).Code)
	r, err = b.refund(t, s, newKey(), paid, 0)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status)
	require.EqualValues(t, 7_000, decode(t, r).Amount)
	b.requireWallet(t, w, price, 0)
	summary := b.balanceSummary(t, s, id)
	require.Equal(t, [2]int64{price, price}, [2]int64{summary.Paid, summary.Refunded})
	b.requireWalletsMatch(t)
	require.Zero(t, b.transferTotals(t))
}

// A hold that was paid from a wallet and a card ends. The refunds are written with the end, and made by the resolver.
func TestEndedBooking_PaidFromWalletAndCard_IsRefundedToBoth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, bookings := b.process(t), b.bookingProcess(t)
	id := b.book(t, bookings, testtime.Date(0), true)
	w := b.newWallet(t, walletCredit)
	b.mustPay(t, s, id, fromWallet(w, "pm_ok"))
	b.requireWallet(t, w, 0, 0)
	b.expireHold(t, id)
	require.Equal(t, 1, bookings.expireHolds(t))
	// The process dies after it wrote the refunds.
	event.NewWorker(b.events, event.Config{Poll: maxWait}, s.EndedBooking()).RunUntilIdle(t.Context())
	require.Equal(t, 2, b.count(t, `SELECT count(*) FROM payments WHERE automatic AND status = 'started'`))
	b.requireWallet(t, w, 0, 0)
	b.resolveAll(t, b.process(t), s)
	const card = price - walletCredit
	require.Equal(t, transferTotals{captures: 1, captured: card, refunds: 1, refunded: card}, b.transferTotals(t))
	b.requireWallet(t, w, walletCredit, 0)
	b.requireWalletsMatch(t)
	require.Equal(t, 2, b.count(t, `SELECT count(*) FROM payments WHERE automatic AND status = 'succeeded'`))
	require.EqualValues(t, price, b.balanceSummary(t, s, id).Refunded)
}

func TestReconcile_PaymentsFromWallets_AreNoDifferenceAndNotLookedUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	f.find = func(context.Context, payment.Reference, string) (payment.Outcome, error) {
		t.Error("a provider was asked about a payment from a wallet")
		return payment.Outcome{}, nil
	}
	s := b.process(t, withInterceptor(f))
	paid := b.mustPay(t, s, b.newBooking(t), fromWallet(b.newWallet(t, price), ""))
	_, err := b.refund(t, s, newKey(), paid, 10)
	require.NoError(t, err)
	b.mustPay(t, s, b.newBooking(t), fromWallet(b.newWallet(t, walletCredit), "pm_ok"))
	found, err := s.Reconcile(t.Context(), testtime.Now().Add(-time.Hour), testtime.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, found.Differences)
	require.Equal(t, 1, found.Transactions)
	require.Equal(t, 4, found.Payments)
}
