package payment

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func bookingWithStatus(status string) bookingRow {
	return bookingRow{Status: status, Price: 10_000, Deposit: 2_500, Currency: "EUR"}
}

func TestSummarize_PaymentsAndRefunds_DeterminePaidAndDue(t *testing.T) {
	t.Parallel()
	later, earlier := now.Add(time.Second), now
	held := bookingWithStatus("held")
	held.HoldExpiresAt = &later
	over := held
	over.HoldExpiresAt = &earlier
	for name, test := range map[string]struct {
		booking         bookingRow
		sum             sumRow
		depositDue, due int64
	}{
		"nothing paid":          {bookingWithStatus("confirmed"), sumRow{}, 2_500, 10_000},
		"deposit paid":          {bookingWithStatus("confirmed"), sumRow{Paid: 2_500}, 0, 7_500},
		"more than the deposit": {bookingWithStatus("completed"), sumRow{Paid: 2_501}, 0, 7_499},
		"all paid":              {bookingWithStatus("confirmed"), sumRow{Paid: 10_000}, 0, 0},
		"too much paid":         {bookingWithStatus("confirmed"), sumRow{Paid: 12_000}, 0, 0},
		"part refunded":         {bookingWithStatus("confirmed"), sumRow{Paid: 10_000, Refunded: 9_000}, 1_500, 9_000},
		"refund in progress":    {bookingWithStatus("confirmed"), sumRow{Paid: 10_000, Returning: 1_000}, 0, 1_000},
		"goodwill": {bookingWithStatus("confirmed"), sumRow{Paid: 10_000, Refunded: 1_000, Lowered: 1_000},
			0, 0},
		"no show":             {bookingWithStatus("no_show"), sumRow{}, 2_500, 10_000},
		"held":                {held, sumRow{}, 2_500, 10_000},
		"held, at its expiry": {over, sumRow{}, 0, 0},
		"cancelled":           {bookingWithStatus("cancelled"), sumRow{Paid: 10}, 0, 0},
		"expired":             {bookingWithStatus("expired"), sumRow{}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			summary := summarize(test.booking, test.sum, now)
			require.Equal(t, [2]int64{test.depositDue, test.due}, [2]int64{summary.DepositDue, summary.Due})
		})
	}
}

func TestOrderAmount_MoreThanDue_IsOverpayment(t *testing.T) {
	t.Parallel()
	summary := BalanceSummary{DepositDue: 2_500, Due: 10_000}
	paid := BalanceSummary{Due: 0}
	for name, test := range map[string]struct {
		order PayRequest
		money BalanceSummary
		want  int64 // 0: overpayment
	}{
		"deposit":                  {PayRequest{Kind: Deposit}, summary, 2_500},
		"balance":                  {PayRequest{Kind: Balance}, summary, 10_000},
		"amount":                   {PayRequest{Kind: Amount, Amount: new(int64(1))}, summary, 1},
		"amount of all":            {PayRequest{Kind: Amount, Amount: new(int64(10_000))}, summary, 10_000},
		"amount above the balance": {PayRequest{Kind: Amount, Amount: new(int64(10_001))}, summary, 0},
		"deposit, paid":            {PayRequest{Kind: Deposit}, BalanceSummary{Due: 1}, 0},
		"balance, paid":            {PayRequest{Kind: Balance}, paid, 0},
		"amount, paid":             {PayRequest{Kind: Amount, Amount: new(int64(1))}, paid, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.order.amount(test.money)
			require.Equal(t, test.want, got)
			require.Equal(t, test.want == 0, problem.Is(err, problem.Overpayment), "%v", err)
		})
	}
}

func TestRefundOf_MoreThanLeft_IsRejected(t *testing.T) {
	t.Parallel()
	amount := func(n int64) *int64 { return &n }
	paid := &paymentRow{Status: "succeeded", Amount: 100}
	for name, test := range map[string]struct {
		payment  *paymentRow
		refunded int64
		amount   *int64
		want     int64
		code     problem.Code
	}{
		"all":                      {paid, 0, nil, 100, ""},
		"the rest":                 {paid, 30, nil, 70, ""},
		"part":                     {paid, 30, amount(70), 70, ""},
		"more than the rest":       {paid, 30, amount(71), 0, problem.RefundExceedsPayment},
		"when nothing is left":     {paid, 100, nil, 0, problem.RefundExceedsPayment},
		"of a payment that failed": {&paymentRow{Status: "declined", Amount: 100}, 0, nil, 0, problem.InvalidState},
		"of an unknown payment":    {&paymentRow{Status: "unknown", Amount: 100}, 0, nil, 0, problem.InvalidState},
		"of a refund": {&paymentRow{Status: "succeeded", Amount: 100, RefundOf: &paid.PaymentID}, 0, nil, 0,
			problem.InvalidState},
		"of nothing": {nil, 0, nil, 0, problem.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, err := refundOf(test.payment, test.refunded, test.amount)
			if test.code != "" {
				require.Equal(t, test.code, problem.CodeOf(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, n.Amount)
		})
	}
}

func TestApply_FinalOutcomes_AreAcceptedFromEveryCaller(t *testing.T) {
	t.Parallel()
	const fence = 3
	sent := now.Add(-time.Minute)
	reported := func(r Result) callResult {
		return callResult{fence: fence, outcome: Outcome{Result: r, ProviderID: "ch_1", Amount: 500, Currency: "EUR"}}
	}
	other := func(amount int64, currency string) callResult {
		return callResult{fence: fence,
			outcome: Outcome{Result: Succeeded, ProviderID: "ch_1", Amount: amount, Currency: currency}}
	}
	stale := func(result callResult) callResult { result.fence = fence - 1; return result }
	absent := func(after time.Duration) callResult {
		result := reported(Absent)
		result.absentAfter = after
		return result
	}
	for name, test := range map[string]struct {
		status string
		f      callResult
		want   Status
		same   bool // the row stays unchanged
	}{
		"captured":                               {"started", reported(Succeeded), StatusSucceeded, false},
		"captured, reported without the lease":   {"unknown", stale(reported(Succeeded)), StatusSucceeded, false},
		"captured after a decline":               {"declined", reported(Succeeded), StatusSucceeded, false},
		"captured twice":                         {"succeeded", reported(Succeeded), StatusSucceeded, true},
		"captured, another amount":               {"started", other(1, "EUR"), StatusUnknown, false},
		"captured, in another currency":          {"processing", other(500, "JPY"), StatusUnknown, false},
		"another amount, without the lease":      {"started", stale(other(501, "EUR")), StatusStarted, true},
		"another amount after a decline":         {"declined", other(1, "EUR"), StatusDeclined, true},
		"another amount after it was captured":   {"succeeded", other(1, "EUR"), StatusSucceeded, true},
		"declined":                               {"unknown", reported(Declined), StatusDeclined, false},
		"declined, reported without the lease":   {"unknown", stale(reported(Declined)), StatusDeclined, false},
		"declined after it was captured":         {"succeeded", reported(Declined), StatusSucceeded, true},
		"processing":                             {"started", reported(Processing), StatusProcessing, false},
		"processing after it was captured":       {"succeeded", reported(Processing), StatusSucceeded, true},
		"processing after it was declined":       {"declined", reported(Processing), StatusDeclined, true},
		"processing, reported without the lease": {"unknown", stale(reported(Processing)), StatusUnknown, true},
		"no outcome": {"started", callResult{fence: fence, err: errors.New("timeout")}, StatusUnknown,
			false},
		"no outcome, reported without the lease": {"processing", callResult{err: errors.New("timeout")},
			StatusProcessing, true},
		"no outcome, after the capture": {"succeeded", callResult{fence: fence, err: errors.New("timeout")},
			StatusSucceeded, true},
		"provider not reached": {"started", callResult{fence: fence, err: &NotDone{TryAgain: true}}, StatusStarted,
			false},
		"provider not reached after an unknown outcome": {"unknown",
			callResult{fence: fence, err: &NotDone{TryAgain: true}}, StatusUnknown,
			false},
		"rejected": {"started", callResult{fence: fence, err: &NotDone{}}, StatusDeclined,
			false},
		"absent, sent long ago":              {"unknown", absent(time.Minute), StatusDeclined, false},
		"absent, sent a moment ago":          {"unknown", absent(time.Minute + 1), StatusUnknown, false},
		"absent, reported without the lease": {"unknown", stale(absent(0)), StatusUnknown, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := paymentRow{
				Status:      test.status,
				Amount:      500,
				Currency:    "EUR",
				Fence:       fence,
				FirstSentAt: sent,
				LastSentAt:  sent,
				LeasedUntil: now.Add(time.Hour),
			}
			after, changed := test.f.apply(before, backoff{time.Second, time.Minute, time.Hour}, now)
			require.Equal(t, string(test.want), after.Status)
			require.Equal(t, !test.same, changed)
			if !changed {
				require.Equal(t, before, after)
				return
			}
			require.Equal(t, now, after.LeasedUntil, "the lease must end")
			if test.want == StatusSucceeded || test.want == StatusDeclined {
				require.Nil(t, after.ResolveAt)
			} else {
				require.Equal(t, now.Add(time.Second), *after.ResolveAt)
			}
		})
	}
}

func TestApply_RejectedAfterUnknownOutcome_StaysOpen(t *testing.T) {
	t.Parallel()
	before := paymentRow{Status: "unknown", Fence: 1, FirstSentAt: now.Add(-time.Second), LastSentAt: now}
	after, changed := callResult{fence: 1, err: &NotDone{}}.apply(before, backoff{time.Second, time.Minute, time.Hour},
		now)
	require.True(t, changed)
	require.Equal(t, "unknown", after.Status, "the rejection says nothing about the earlier sending")
	require.NotNil(t, after.ResolveAt)
}

func TestBackoff_Polls_DoubleItUpToTheLimit(t *testing.T) {
	t.Parallel()
	p := backoff{initial: 2 * time.Second, longest: 30 * time.Second, longestProcessing: 10 * time.Minute}
	require.Equal(t, 2*time.Second, p.unknown(0))
	require.Equal(t, 16*time.Second, p.unknown(3))
	require.Equal(t, 30*time.Second, p.unknown(4))
	require.Equal(t, 30*time.Second, p.unknown(1<<30))
	require.Equal(t, 64*time.Second, p.processing(5))
	require.Equal(t, 10*time.Minute, p.processing(1000))
}

func TestOrderDivide_CurrencyWithSteps_LeavesTheCardAnAmountThatItCanPay(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	for _, test := range []struct{ amount, available, card int64 }{
		{10_000, 4_000, 6_000}, {10_000, 4_007, 6_000}, {10_000, 9_999, 10}, {10_000, 3, 10_000}, {10_005, 5, 10_000},
		{10_005, 0, 10_005},
	} {
		p, err := PayRequest{WalletID: &id, Method: "pm"}.
			divide(newPayment{Amount: test.amount, Currency: "KWD", Method: "pm"}, test.available)
		require.NoError(t, err)
		require.Equal(t, test.card, p.Amount, "%+v", test)
	}
}

func TestPlanEnded_CurrencyWithSteps_RefundsByCardWhatACardCanTake(t *testing.T) {
	t.Parallel()
	cash := paymentRow{
		PaymentID: uuid.New(),
		Status:    string(StatusSucceeded),
		Amount:    1_005,
		Currency:  "KWD",
		Provider:  offlineProvider,
	}
	card := paymentRow{
		PaymentID: uuid.New(), Status: string(StatusSucceeded), Amount: 9_000, Currency: "KWD", Provider: "stripe",
	}
	work := planEnded([]paymentRow{cash, card}, endedRow{Refund: true}, 3_300, now)
	require.Len(t, work.refund, 2)
	require.Equal(t, []int64{6_700, 5}, []int64{work.refund[0].Amount, work.refund[1].Amount},
		"the rest comes back in cash")
}

func TestOrderDivide_WalletPaysWhatItCan(t *testing.T) {
	t.Parallel()
	id, limit := uuid.New(), int64(300)
	for name, test := range map[string]struct {
		order     PayRequest
		available int64
		wallet    int64 // what the wallet pays, of 1000; -1: insufficient funds
	}{
		"wallet alone, enough":      {PayRequest{WalletID: &id}, 1_000, 1_000},
		"wallet alone, too little":  {PayRequest{WalletID: &id}, 999, -1},
		"both, wallet has all":      {PayRequest{WalletID: &id, Method: "pm"}, 1_001, 1_000},
		"both, wallet has a part":   {PayRequest{WalletID: &id, Method: "pm"}, 999, 999},
		"both, wallet has nothing":  {PayRequest{WalletID: &id, Method: "pm"}, 0, 0},
		"both, more than the limit": {PayRequest{WalletID: &id, Method: "pm", WalletAmount: &limit}, 999, 300},
		"both, less than the limit": {PayRequest{WalletID: &id, Method: "pm", WalletAmount: &limit}, 299, 299},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := test.order.divide(newPayment{Amount: 1_000, Method: test.order.Method, Provider: "sandbox"},
				test.available)
			switch test.wallet {
			case -1:
				require.True(t, problem.Is(err, problem.InsufficientFunds), "%v", err)
			case 1_000:
				require.Equal(t, newPayment{Amount: 1_000, Provider: walletProvider, WalletID: &id}, p)
			case 0:
				require.Equal(t, newPayment{Amount: 1_000, Method: "pm", Provider: "sandbox"}, p)
			default:
				require.Equal(t,
					newPayment{Amount: 1_000 - test.wallet, Method: "pm", Provider: "sandbox", WalletID: &id,
						WalletAmount: &test.wallet}, p)
			}
		})
	}
}
