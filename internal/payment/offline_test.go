package payment_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// received is an order of an amount that was received offline.
func received(amount int64, method payment.OfflineMethod) payment.PayRequest {
	return payment.PayRequest{Kind: payment.Amount, Amount: &amount,
		Offline: &payment.OfflinePayment{Method: method, Note: "Taken by Ann"}}
}

// handBack records that an amount of an offline payment was handed back.
func (b *testBundle) handBack(t testing.TB, s *payment.Service, key string, id uuid.UUID, amount int64,
	o payment.OfflineRefund,
) (idempotency.Outcome, error) {
	t.Helper()
	return s.Refund(t.Context(), b.tenant, request(t, key, fmt.Sprint(id, amount, o.Method)), id,
		payment.RefundRequest{Amount: &amount, Offline: &o})
}

func (b *testBundle) complete(t testing.TB, s *payment.Service, key string, id uuid.UUID, o payment.OfflineRefund,
) (idempotency.Outcome, error) {
	t.Helper()
	return s.CompleteRefund(t.Context(), b.tenant, request(t, key, id.String()), id,
		payment.CompleteRequest{OfflineRefund: o})
}

// refusal returns the code of a refusal, stored or not; empty for success.
func refusal(t testing.TB, r idempotency.Outcome, err error) problem.Code {
	t.Helper()
	if err != nil {
		return problem.CodeOf(err)
	}
	return problem.Code(decode(t, r).Code)
}

var byAnn = payment.OfflineRefund{Note: "Handed back by Ann"}

// offlineDifferences are statements that count rows that offline payments must not leave. Each must be zero.
var offlineDifferences = map[string]string{
	"complete offline money without a time, or an open refund with one": `
		SELECT count(*) FROM payments WHERE provider = 'offline' AND (status = 'succeeded') <> (moved_at IS NOT NULL)`,
	"offline money that a resolver would work on": `
		SELECT count(*) FROM scheduled_events e JOIN payments p ON p.tenant_id = e.tenant_id AND p.payment_id = e.subject_id
		WHERE p.provider = 'offline' AND e.status IN ('pending', 'processing', 'failed')`,
	"bookings that are paid more than once": `
		SELECT count(*) FROM bookings b WHERE b.price < (
			SELECT coalesce(sum(CASE WHEN p.refund_of IS NULL THEN p.amount ELSE -p.amount END), 0)
			FROM payments p WHERE p.booking_id = b.booking_id AND p.status = 'succeeded')`,
	"payments of which more was returned than was paid": `
		SELECT count(*) FROM payments p WHERE p.refund_of IS NULL AND p.amount < (SELECT coalesce(sum(r.amount), 0) FROM payments r
			WHERE r.refund_of = p.payment_id AND r.status <> 'declined')`,
	"outcomes without their change": `
		SELECT count(*) FROM payments p WHERE p.status = 'succeeded' AND 1 <> (SELECT count(*) FROM changes c
			WHERE c.tenant_id = p.tenant_id AND c.subject_id = p.booking_id AND c.data -> 'payment' ->> 'id' = p.payment_id::text
			AND c.type = CASE WHEN p.refund_of IS NULL THEN 'payment.succeeded' ELSE 'payment.refunded' END)`,
	"changes of a booking without the next version": walletDifferences["changes of a booking without the next version"],
}

func (b *testBundle) requireOfflineMatches(t testing.TB) {
	t.Helper()
	for what, sql := range offlineDifferences {
		require.Zero(t, b.count(t, sql), what)
	}
}

func TestPay_Offline_IsPaidInOneCommitAndNeedsNoProvider(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withoutProvider)
	id, key := b.newBooking(t), newKey()
	at := testtime.Now().Add(-36 * time.Hour).UTC()
	order := payment.PayRequest{
		Kind:    payment.Balance,
		Offline: &payment.OfflinePayment{Method: payment.BankTransfer, Note: "No. 4711", ReceivedAt: &at},
	}
	r, err := b.pay(t, s, key, id, order)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	p := bodyOf[payment.PaymentBody](t, r)
	require.Equal(t, []any{"offline", "transfer", payment.StatusSucceeded, "No. 4711"},
		[]any{p.Provider, p.PaymentMethod, p.Status, *p.Note})
	require.Equal(t, at.Truncate(time.Microsecond), *p.ReceivedAt)
	require.Nil(t, p.ReturnedAt)
	require.Equal(t, payment.BalanceSummary{Total: price, Deposit: deposit, Paid: price, Currency: "EUR"},
		b.balanceSummary(t, s, id))

	again, err := b.pay(t, s, key, id, order)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, string(r.Body), string(again.Body))
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM payments"))
	b.requireOfflineMatches(t)

	var told struct {
		ID      uuid.UUID
		Paid    int64
		Version int64
		Payment payment.PaymentBody
	}
	require.NoError(t, json.Unmarshal([]byte(b.text(t,
		`SELECT data::text FROM changes WHERE type = 'payment.succeeded'`)), &told))
	require.Equal(t, []any{id, int64(price), int64(2), p}, []any{told.ID, told.Paid, told.Version, told.Payment})
	read, err := s.Get(t.Context(), b.tenant, p.ID)
	require.NoError(t, err)
	require.Equal(t, p, read.Body())

	receipt, err := s.Receipt(t.Context(), b.tenant, p.ID)
	require.NoError(t, err)
	require.Equal(t, payment.BankTransfer, receipt.OfflineMethod)
	require.True(t, receipt.IssuedAt.Equal(*p.ReceivedAt))
	_, err = s.HoldPayment(t.Context(), b.tenant, id, p.ID)
	require.True(t, problem.Is(err, problem.NotFound), "a visitor doesn't see it")
}

func TestPay_OfflineThatDoesNotFit_IsRefusedAndWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id, ended := b.newBooking(t), b.newBooking(t)
	b.setStatus(t, ended, "cancelled")
	moved := func(d time.Duration) payment.PayRequest {
		o := received(price, payment.Cash)
		o.Offline.ReceivedAt = new(testtime.Now().Add(d))
		return o
	}
	also := func(change func(*payment.PayRequest)) payment.PayRequest {
		o := received(price, payment.Cash)
		change(&o)
		return o
	}
	for name, c := range map[string]struct {
		booking uuid.UUID
		order   payment.PayRequest
		code    problem.Code
	}{
		"more than is due":        {id, received(price+1, payment.Cash), problem.Overpayment},
		"a booking that ended":    {ended, received(price, payment.Cash), problem.InvalidState},
		"no booking":              {uuid.New(), received(price, payment.Cash), problem.NotFound},
		"ahead":                   {id, moved(2 * time.Hour), problem.ValidationFailed},
		"a year and two days ago": {id, moved(-367 * 24 * time.Hour), problem.ValidationFailed},
		"no method": {id, also(func(o *payment.PayRequest) { o.Offline.Method = "" }),
			problem.ValidationFailed},
		"a cheque": {id, also(func(o *payment.PayRequest) { o.Offline.Method = "cheque" }),
			problem.ValidationFailed},
		"a long note": {id, also(func(o *payment.PayRequest) {
			o.Offline.Note = strings.Repeat("x", 501)
		}), problem.ValidationFailed},
		"an amount of 0": {id, received(0, payment.Cash), problem.ValidationFailed},
		"an amount of a balance": {id, also(func(o *payment.PayRequest) { o.Kind = payment.Balance }),
			problem.ValidationFailed},
		"a blank note": {id, also(func(o *payment.PayRequest) { o.Offline.Note = " \t" }),
			problem.ValidationFailed},
		"beside a payment method": {id, also(func(o *payment.PayRequest) { o.Method = "pm_ok" }),
			problem.ValidationFailed},
		"beside a wallet": {id, also(func(o *payment.PayRequest) { o.WalletID = new(uuid.New()) }),
			problem.ValidationFailed},
		"beside the provider's page": {id, also(func(o *payment.PayRequest) {
			o.Checkout = &payment.CheckoutRequest{ReturnURL: "https://example.com"}
		}), problem.ValidationFailed},
		"an old version": {id, also(func(o *payment.PayRequest) { o.Allowed = etag.Precondition(`"7"`) }),
			problem.VersionMismatch},
	} {
		r, err := b.pay(t, s, newKey(), c.booking, c.order)
		require.Equal(t, c.code, refusal(t, r, err), name)
	}
	require.Zero(t, b.count(t, "SELECT count(*) FROM payments"))
	b.mustPay(t, s, id, moved(30*time.Second))
	require.Zero(t, b.transferTotals(t).captures)
}

// A booking is paid by card and offline at once. Whoever has the balance lock first wins, and money is taken once.
func TestPay_OfflineAndByCardAtOnce_TheFirstUnderTheLockWins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second payment.PayRequest
		statement     string
		code          problem.Code
		captures      int64
	}{
		"offline first": {received(price, payment.Cash), balance("pm_ok"), "PaymentInsertSucceeded",
			problem.Overpayment, 0},
		"by card first": {balance("pm_ok"), received(price, payment.Cash), "PaymentInsert", problem.PaymentInProgress,
			1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			f, charging := heldCharge(t)
			ahead, writing := b.gatedProcess(t, c.statement, nil, withLongCallTimeout, withInterceptor(f))
			id := b.newBooking(t)
			first := b.begin(t, ahead, id, c.first)
			within(t, writing.reached)
			second := b.begin(t, b.process(t), id, c.second)
			eventually(t, func() bool { return b.waitingForLocks(t) > 0 })
			writing.open()
			lost := within(t, second)
			require.Equal(t, c.code, refusal(t, lost.Outcome, lost.err))
			charging.open()
			won := within(t, first)
			require.NoError(t, won.err)
			require.Equal(t, http.StatusCreated, won.Answer().Status, "%s", won.Body)
			require.Equal(t, c.captures, b.transferTotals(t).captures)
			require.Equal(t, 1, b.count(t, "SELECT count(*) FROM payments"))
			b.requireOfflineMatches(t)

			more, err := b.pay(t, b.process(t), newKey(), id, received(1, payment.Cash))
			require.Equal(t, problem.Overpayment, refusal(t, more, err))
			require.Equal(t, 1, b.count(t, "SELECT count(*) FROM payments"))
		})
	}
}

// The payment knows that it confirms the hold, and waits for the hold's date. Meanwhile the hold runs out.
func TestPay_OfflineDepositWhileTheHoldRunsOut_IsRefusedAndNothingIsKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	payments, bookings := b.process(t), b.bookingProcess(t)
	b.confirmOnDeposit(t, bookings)
	date := testtime.Date(0)
	id := b.holdFor(t, bookings, date, "grace@example.com")
	unlock := b.lockDate(t, date)
	paid := b.begin(t, payments, id, received(deposit, payment.Cash))
	eventually(t, func() bool { return b.waitingForDate(t, date) == 1 })
	b.expireHold(t, id)
	unlock()
	require.True(t, problem.Is(within(t, paid).err, problem.HoldExpired))
	require.Equal(t, 1, bookings.expireHolds(t))
	require.Equal(t, []string{"booking.held", "booking.expired"}, b.told(t, id))
	require.Zero(t, b.count(t, "SELECT (SELECT count(*) FROM payments) + (SELECT count(*) FROM ended_bookings)"))
}

func TestPay_OfflineRepeatedAtManyServersAtOnce_IsRecordedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, key := b.newBooking(t), newKey()
	order := received(price, payment.Cash)
	codes := runConcurrently(6, func(int) error {
		_, err := b.pay(t, b.processOn(t, db.Config{URL: b.url, MaxConns: 2}), key, id, order)
		return err
	})
	for code := range codes {
		require.Contains(t, []problem.Code{"", problem.RequestInProgress}, code)
	}
	r, err := b.pay(t, b.process(t), key, id, order)
	require.NoError(t, err)
	require.True(t, r.Replayed)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM payments"))
	b.requireOfflineMatches(t)
}

func TestOffline_RowsThatContradictThemselves_AreRefusedByTheTable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id := b.newBooking(t)
	cash, card := b.mustPay(t, s, id, received(100, payment.Cash)), b.mustPay(t, s, id, part(100, "pm_ok"))
	for name, c := range map[string]struct {
		id  uuid.UUID
		set string
	}{
		"a payment that isn't complete":   {cash, "status = 'processing', resolve_at = now(), moved_at = NULL"},
		"a complete one without a time":   {cash, "moved_at = NULL"},
		"a complete one without a method": {cash, "method = ''"},
		"another method":                  {cash, "method = 'pm_ok'"},
		"a card with a time":              {card, "moved_at = now()"},
		"a card with a note":              {card, "note = 'x'"},
	} {
		_, err := b.sql.Exec(t.Context(), "UPDATE payments SET "+c.set+" WHERE payment_id = $1", c.id)
		require.ErrorContains(t, err, "payments_offline", name)
	}
}
