package payment_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/wallet"
)

func (b *testBundle) wallets() *wallet.Service {
	return wallet.NewService(b.events)
}

// newWallet returns a wallet with credit.
func (b *testBundle) newWallet(t testing.TB, credit int64) uuid.UUID {
	t.Helper()
	return b.newWalletOf(t, b.owner, "EUR", credit)
}

func (b *testBundle) newWalletOf(t testing.TB, owner tenant.Tenant, currency string, credit int64) uuid.UUID {
	t.Helper()
	resp, err := b.wallets().Create(t.Context(), owner, request(t, newKey(), ""),
		wallet.CreateRequest{Currency: currency})
	require.NoError(t, err)
	id := bodyOf[wallet.NewWalletBody](t, resp).ID
	if credit > 0 {
		_, err = b.wallets().Credit(t.Context(), owner, request(t, newKey(), ""), id,
			wallet.CreditRequest{Amount: credit})
		require.NoError(t, err)
	}
	return id
}

// fromWallet is an order that a wallet pays, and a payment method pays the rest. Without a method the wallet pays all.
func fromWallet(id uuid.UUID, method string) payment.PayRequest {
	return payment.PayRequest{Kind: payment.Balance, Method: method, WalletID: &id}
}

func (b *testBundle) requireWallet(t testing.TB, id uuid.UUID, available, held int64) {
	t.Helper()
	w, err := b.wallets().Get(t.Context(), b.owner, id)
	require.NoError(t, err)
	require.Equal(t, [2]int64{available, held}, [2]int64{w.Available(), w.Held}, "available and held")
}

// walletDifferences are statements that count differences between wallets and payments. Each must be zero.
var walletDifferences = map[string]string{
	"wallets that hold something else than their open payments": `
		SELECT count(*) FROM wallets w WHERE w.held <>
			(SELECT coalesce(sum(p.wallet_amount), 0) FROM payments p WHERE p.wallet_id = w.wallet_id AND p.wallet_held)`,
	"payments from wallets without their entry, or the reverse": `
		SELECT count(*) FROM (SELECT * FROM payments WHERE provider = 'wallet' AND status = 'succeeded') p
		FULL JOIN (SELECT * FROM wallet_entries WHERE type IN ('paid', 'captured', 'refunded') AND payment_id IS NOT NULL) e
			ON e.tenant_id = p.tenant_id AND e.payment_id = p.payment_id AND e.wallet_id = p.wallet_id AND e.booking_id = p.booking_id
			AND e.amount = p.amount AND (e.type = 'refunded') = (p.kind = 'refund')
				AND (e.type = 'captured') = (p.card_payment_id IS NOT NULL)
		WHERE p.payment_id IS NULL OR e.payment_id IS NULL`,
	"payments by card whose wallet's part isn't paid, or the reverse": `
		SELECT count(*) FROM (SELECT * FROM payments WHERE wallet_amount IS NOT NULL AND NOT wallet_held) p
		FULL JOIN (SELECT * FROM payments WHERE card_payment_id IS NOT NULL) w
			ON w.tenant_id = p.tenant_id AND w.card_payment_id = p.payment_id AND w.wallet_id = p.wallet_id AND w.amount = p.wallet_amount
			AND w.booking_id = p.booking_id AND w.kind = p.kind AND p.status = 'succeeded' AND w.status = 'succeeded'
		WHERE p.payment_id IS NULL OR w.payment_id IS NULL`,
	"wallets whose postings don't sum to their balance": `
		SELECT count(*) FROM wallets w WHERE w.balance <>
			(SELECT coalesce(sum(amount), 0) FROM wallet_postings WHERE to_wallet = w.wallet_id) -
			(SELECT coalesce(sum(amount), 0) FROM wallet_postings WHERE from_wallet = w.wallet_id)`,
	"wallets without an entry for each version": `
		SELECT count(*) FROM wallets w WHERE w.version <> (SELECT count(*) FROM wallet_entries e WHERE e.wallet_id = w.wallet_id)`,
	"changes of a booking without the next version": `
		SELECT count(*) FROM (SELECT version - lag(version) OVER (PARTITION BY subject_id ORDER BY version) AS step
			FROM changes WHERE subject_type = 'booking') AS s WHERE step <> 1`,
}

// requireWalletsMatch requires that wallets and payments agree.
func (b *testBundle) requireWalletsMatch(t testing.TB) {
	t.Helper()
	for what, sql := range walletDifferences {
		require.Zero(t, b.count(t, sql), what)
	}
}

func withoutProvider(cfg *payment.Config) { cfg.Provider = nil }

func TestPay_FromWalletAlone_IsPaidInOneCommitAndNeedsNoProvider(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withoutProvider)
	id, w, key := b.newBooking(t), b.newWallet(t, price+500), newKey()
	order := fromWallet(w, "")
	r, err := b.pay(t, s, key, id, order)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	p := bodyOf[payment.PaymentBody](t, r)
	require.Equal(t, "wallet", p.Provider)
	require.Equal(t, w, *p.WalletID)
	require.EqualValues(t, price, p.Amount)
	require.Equal(t, payment.BalanceSummary{Total: price, Deposit: deposit, Paid: price, Currency: "EUR"},
		b.balanceSummary(t, s, id))
	b.requireWallet(t, w, 500, 0)

	again, err := b.pay(t, s, key, id, order)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, string(r.Body), string(again.Body))
	b.requireWallet(t, w, 500, 0)
	b.requireWalletsMatch(t)

	var data json.RawMessage
	require.NoError(t, b.sql.QueryRow(t.Context(),
		`SELECT data FROM changes WHERE type = 'payment.succeeded'`).Scan(&data))
	var told struct {
		ID      uuid.UUID
		Paid    int64
		Version int64
		Payment payment.PaymentBody
	}
	require.NoError(t, json.Unmarshal(data, &told))
	require.Equal(t, id, told.ID)
	require.EqualValues(t, price, told.Paid)
	require.EqualValues(t, 2, told.Version)
	require.Equal(t, p, told.Payment)
	read, err := s.Get(t.Context(), b.tenant, p.ID)
	require.NoError(t, err)
	require.Equal(t, p, read.Body())

	receipt, err := s.Receipt(t.Context(), b.tenant, p.ID)
	require.NoError(t, err)
	require.True(t, receipt.FromWallet)
	require.EqualValues(t, price, receipt.Amount)
}

func TestPay_FromWalletWithTooLittle_IsRefusedForGoodAndMovesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id, w, key := b.newBooking(t), b.newWallet(t, price-1), newKey()
	order := fromWallet(w, "")
	for range 2 {
		r, err := b.pay(t, s, key, id, order)
		require.NoError(t, err)
		require.Equal(t, http.StatusUnprocessableEntity, r.Answer().Status)
		require.Equal(t, string(problem.InsufficientFunds), decode(t, r).Code)
		_, err = b.wallets().Credit(t.Context(), b.owner, request(t, newKey(), ""), w,
			wallet.CreditRequest{Amount: price})
		require.NoError(t, err)
	}
	require.Zero(t, b.count(t, `SELECT count(*) FROM payments`))
	b.requireWallet(t, w, 3*price-1, 0)
	b.mustPay(t, s, id, order)
	r, err := b.pay(t, s, newKey(), id, order)
	require.NoError(t, err)
	require.Equal(t, string(problem.Overpayment), decode(t, r).Code)
	b.requireWallet(t, w, 2*price-1, 0)
}

func TestPay_WalletThatCantPay_IsRefusedAndWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	resp, err := tenant.NewService(b.events).Create(t.Context(), request(t, newKey(), ""), tenant.CreateRequest{
		Slug: "other", Name: "Other", TimeZone: "Europe/Berlin", Currency: "EUR",
	})
	require.NoError(t, err)
	other := tenant.Tenant{ID: bodyOf[tenant.TenantBody](t, resp).ID}
	for name, test := range map[string]struct {
		wallet uuid.UUID
		want   problem.Code
	}{
		"another currency": {b.newWalletOf(t, b.owner, "USD", price), problem.ValidationFailed},
		"another tenant":   {b.newWalletOf(t, other, "EUR", price), problem.NotFound},
		"none":             {uuid.Must(uuid.NewV7()), problem.NotFound},
	} {
		for _, method := range []string{"", "pm_ok"} {
			_, err := b.pay(t, s, newKey(), b.newBooking(t), fromWallet(test.wallet, method))
			require.Equal(t, test.want, problem.CodeOf(err), "%s: %v", name, err)
		}
	}
	require.Zero(t, b.count(t, `SELECT count(*) FROM payments`))
	require.Zero(t, b.count(t, `SELECT count(*) FROM wallet_entries WHERE type NOT IN ('opened', 'credited')`))
	require.Zero(t, b.transferTotals(t))
}

// walletCredit is less than the price, so that a card pays the rest.
const walletCredit = 4_000

func TestPay_WalletAndCard_WalletPaysItsPartIfTheCardDoes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method string
		// action is what the customer does with a payment that waits, none for a payment that doesn't wait.
		action    string
		cancelled bool // by a request
		timeout   time.Duration
		paid      bool
		deleted   bool // nothing is left of the payment
	}{
		"succeeds":                  {method: "pm_ok", paid: true},
		"declined":                  {method: "pm_declined"},
		"unknown, then captured":    {method: "pm_timeout_charged", paid: true},
		"unknown, then not charged": {method: "pm_timeout_not_charged"},
		"no such payment method":    {method: "pm_nonsense", deleted: true},
		"processing, succeeds":      {method: "pm_requires_action", action: "complete", paid: true},
		"processing, declined":      {method: "pm_requires_action", action: "fail"},
		"cancelled":                 {method: "pm_requires_action", cancelled: true},
		"timed out":                 {method: "pm_requires_action", timeout: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			webhooks := b.receiveWebhooks(t)
			s := b.process(t, withShortCallTimeout, func(cfg *payment.Config) {
				if test.timeout > 0 {
					cfg.Timeout = test.timeout
				}
			})
			id, w, key := b.newBooking(t), b.newWallet(t, walletCredit), newKey()
			order := fromWallet(w, test.method)
			r, err := b.pay(t, s, key, id, order)
			if test.deleted {
				require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
				b.requireWallet(t, w, walletCredit, 0)
				require.Zero(t, b.count(t, `SELECT count(*) FROM payments`))
				b.requireWalletsMatch(t)
				return
			}
			require.NoError(t, err)
			if open := decode(t, r); r.Answer().Status == http.StatusAccepted {
				b.requireWallet(t, w, 0, walletCredit)
				require.Equal(t, walletCredit, b.count(t, `SELECT wallet_amount FROM payments WHERE wallet_held`))
				_, err := b.pay(t, s, newKey(), id, fromWallet(w, ""))
				require.True(t, problem.Is(err, problem.PaymentInProgress),
					"final for no key, as the wallet may have enough once it ends: %v", err)
				r, err := b.pay(t, s, newKey(), b.newBooking(t), fromWallet(w, ""))
				require.NoError(t, err)
				require.Equal(t, string(problem.InsufficientFunds), decode(t, r).Code, "what is held can't be spent")
				_, err = b.pay(t, s, newKey(), id, balance("pm_ok"))
				require.True(t, problem.Is(err, problem.PaymentInProgress), "%v", err)
				switch {
				case test.action != "":
					sent := len(webhooks.wait(t, 0))
					finishAction(t, open.ActionURL, test.action)
					for _, hook := range webhooks.wait(t, sent+1)[sent:] {
						require.NoError(t, deliver(t, s, hook))
					}
				case test.cancelled:
					_, err := b.cancel(t, s, newKey(), open.ID)
					require.NoError(t, err)
				}
			}
			b.resolveAll(t, s)
			r, err = b.pay(t, s, key, id, order)
			require.NoError(t, err)
			require.Equal(t, test.paid, r.Answer().Status == http.StatusCreated, "%s", r.Body)
			b.requireWalletsMatch(t)
			if !test.paid {
				b.requireWallet(t, w, walletCredit, 0)
				require.Zero(t, b.transferTotals(t))
				require.Zero(t, b.balanceSummary(t, s, id).Paid)
				require.Zero(t, b.count(t, `SELECT count(*) FROM payments WHERE wallet_amount IS NOT NULL`))
				return
			}
			b.requireWallet(t, w, 0, 0)
			require.Equal(t, transferTotals{captures: 1, captured: price - walletCredit}, b.transferTotals(t))
			require.EqualValues(t, price, b.balanceSummary(t, s, id).Paid)
			card := bodyOf[payment.PaymentBody](t, r)
			require.EqualValues(t, walletCredit, *card.WalletAmount)
			list, err := s.List(t.Context(), b.tenant, id, uuid.Nil, 10)
			require.NoError(t, err)
			require.Len(t, list, 2)
			require.Equal(t, &card.ID, list[1].CardPaymentID)
			receipt, err := s.Receipt(t.Context(), b.tenant, card.ID)
			require.NoError(t, err)
			require.EqualValues(t, walletCredit, *receipt.WalletAmount)
			require.False(t, receipt.FromWallet)
		})
	}
}

func TestPay_WalletAmount_LimitsTheWalletsPart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	limit := int64(1_500)
	for _, test := range []struct {
		credit         int64
		limit          *int64
		fromWallet     int64
		captures, left int64
	}{
		{credit: 4_000, limit: &limit, fromWallet: 1_500, captures: 1, left: 2_500},
		{credit: 1_000, limit: &limit, fromWallet: 1_000, captures: 1},
		{credit: price + 5, fromWallet: price, left: 5},
		{credit: 0, captures: 1},
	} {
		before := b.transferTotals(t)
		id, w := b.newBooking(t), b.newWallet(t, test.credit)
		order := fromWallet(w, "pm_ok")
		order.WalletAmount = test.limit
		b.mustPay(t, s, id, order)
		b.requireWallet(t, w, test.left, 0)
		after := b.transferTotals(t)
		require.Equal(t, test.captures, after.captures-before.captures)
		require.Equal(t, price-test.fromWallet, after.captured-before.captured)
		require.EqualValues(t, price, b.balanceSummary(t, s, id).Paid)
	}
	b.requireWalletsMatch(t)
}

func TestPay_NoProvider_WalletPaysAllOrNothingIsPaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, func(cfg *payment.Config) { cfg.Provider = nil })
	rich, poor := b.newWallet(t, 1_000_000), b.newWallet(t, 1)
	_, err := b.pay(t, s, newKey(), b.newBooking(t), fromWallet(poor, "pm_ok"))
	require.True(t, problem.Is(err, problem.PaymentsNotConfigured), "%v", err)
	require.Zero(t, b.count(t, "SELECT count(*) FROM payments"))
	b.requireWallet(t, poor, 1, 0)
	r, err := b.pay(t, s, newKey(), b.newBooking(t), fromWallet(rich, "pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	_, err = b.pay(t, s, newKey(), b.newBooking(t), payment.PayRequest{Kind: payment.Balance})
	require.True(t, problem.Is(err, problem.ValidationFailed), "neither a wallet nor a payment method: %v", err)
}
