package payment_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// returnsTo is where the customers of these tests come back to.
const returnsTo = "https://shop.example/paid?lang=de"

// toPage is the same pointer in each order, so that the orders have one fingerprint.
var toPage = &payment.CheckoutRequest{ReturnURL: returnsTo}

// checkout is an order of the balance on the provider's page.
func checkout() payment.PayRequest {
	return payment.PayRequest{Kind: payment.Balance, Checkout: toPage}
}

// beginCheckout begins a payment on the provider's page and returns it.
func (b *testBundle) beginCheckout(t testing.TB, s *payment.Service, key string, id uuid.UUID,
	o payment.PayRequest,
) paymentResponse {
	t.Helper()
	r := b.payKnown(t, s, key, id, o)
	require.Equal(t, http.StatusAccepted, r.Answer().Status, "%s", r.Body)
	p := decode(t, r)
	require.Equal(t, string(payment.StatusProcessing), p.Status)
	require.NotEmpty(t, p.ActionURL)
	return p
}

// choose does on the provider's page what a customer does, and returns the answer's status and where it sends the
// customer.
func choose(t testing.TB, page, choice string) (status int, location string) {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.PostForm(page, url.Values{"outcome": {choice}})
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode, response.Header.Get("Location")
}

// hold makes a booking a hold of an hour.
func (b *testBundle) hold(t testing.TB, id uuid.UUID) {
	t.Helper()
	b.exec(t, `UPDATE bookings SET status = 'held', hold_expires_at = now() + interval '1 hour' WHERE booking_id = $1`,
		id)
	b.exec(t, dbtest.SyncClaims)
}

func (b *testBundle) get(t testing.TB, s *payment.Service, id uuid.UUID) payment.Payment {
	t.Helper()
	p, err := s.Get(t.Context(), b.tenant, id)
	require.NoError(t, err)
	return p
}

// pages counts the pages that the sandbox has opened for a payment.
func (b *testBundle) pages(t testing.TB, id uuid.UUID) int {
	t.Helper()
	query := url.Values{"tenant_id": {b.tenant.String()}, "reference_id": {id.String()}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.sandbox.URL()+"/v1/charges?"+query.Encode(),
		nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer sk_test")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	var found struct{ Data []json.RawMessage }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&found))
	return len(found.Data)
}

func TestPay_Checkout_SucceedsOnceTheCustomerHasPaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id, key := b.newBooking(t), newKey()
	begun := b.beginCheckout(t, s, key, id, checkout())
	require.Equal(t, begun, b.beginCheckout(t, s, key, id, checkout()),
		"a repeated request returns the same payment and page")
	require.Equal(t, begun.ActionURL, *b.get(t, s, begun.ID).ActionURL)
	require.EqualValues(t, 0, b.balanceSummary(t, s, id).Paid)
	_, err := b.pay(t, s, newKey(), id, checkout())
	require.True(t, problem.Is(err, problem.PaymentInProgress), "a booking has one open payment: %v", err)

	status, _ := choose(t, begun.ActionURL, "decline")
	require.Equal(t, http.StatusOK, status, "the customer may try another card")
	status, back := choose(t, begun.ActionURL, "cancel")
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, returnsTo+"&payment_id="+begun.ID.String()+"&payment_cancelled=true", back)
	b.dueNow(t)
	b.resolve(t, s)
	require.Equal(t, begun.ActionURL, *b.get(t, s, begun.ID).ActionURL, "the page is still open")

	status, back = choose(t, begun.ActionURL, "pay")
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, returnsTo+"&payment_id="+begun.ID.String(), back)
	b.dueNow(t)
	b.resolveAll(t, s)
	paid := b.get(t, s, begun.ID)
	require.Equal(t, payment.StatusSucceeded, paid.Status)
	require.Nil(t, paid.ActionURL)
	require.EqualValues(t, price, b.balanceSummary(t, s, id).Paid)
	r, err := b.pay(t, s, key, id, checkout())
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status)
	require.Equal(t, transferTotals{captures: 1, captured: price}, b.transferTotals(t))
	r, err = b.refund(t, s, newKey(), begun.ID, 0)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
}

// The page of a confirmed booking ends after a day, that of a hold with the hold. Then the payment is declined, and the
// booking free.
func TestPay_Checkout_EndsWithTheHoldOrAfterADay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	confirmed, held := b.newBooking(t), b.newBooking(t)
	b.hold(t, held)
	for id, sql := range map[uuid.UUID]string{
		confirmed: `SELECT count(*) FROM payments WHERE payment_id = $1 AND cancel_at = created_at + interval '24 hours'`,
		held: `SELECT count(*) FROM payments p JOIN bookings b USING (tenant_id, booking_id)
			WHERE payment_id = $1 AND cancel_at = hold_expires_at`,
	} {
		begun := b.beginCheckout(t, s, newKey(), id, checkout())
		require.Equal(t, 1, b.count(t, sql, begun.ID))
		b.exec(t, `UPDATE payments SET cancel_at = now() WHERE payment_id = $1`, begun.ID)
		b.endLeases(t)
		b.resolveAll(t, s)
		ended := b.get(t, s, begun.ID)
		require.Equal(t, payment.StatusDeclined, ended.Status)
		require.Equal(t, payment.Cancelled, *ended.DeclineCode)
		require.True(t, ended.TryAgain)
		status, _ := choose(t, begun.ActionURL, "pay")
		require.Equal(t, http.StatusConflict, status, "the page has ended")
		again := b.beginCheckout(t, s, newKey(), id, checkout())
		require.NotEqual(t, begun.ActionURL, again.ActionURL)
		_, err := b.cancel(t, s, newKey(), again.ID)
		require.NoError(t, err)
	}
	require.Equal(t, transferTotals{}, b.transferTotals(t))
}

// A customer pays while the hold ends. Whichever the sandbox does first decides: a capture is refunded, and after the
// cancellation there is none.
func TestPay_CheckoutOfAHoldThatEnds_IsRefundedOrCancelled(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"the customer", "the end"} {
		t.Run(first+" is first", func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			s := b.process(t)
			id := b.newBooking(t)
			b.hold(t, id)
			begun := b.beginCheckout(t, s, newKey(), id, checkout())
			if first == "the customer" {
				status, _ := choose(t, begun.ActionURL, "pay")
				require.Equal(t, http.StatusSeeOther, status)
			}
			b.exec(t, bookingEnds["a hold past its expiry"], id)
			b.exec(t, dbtest.SyncClaims)
			b.exec(t, `UPDATE payments SET cancel_at = now() WHERE payment_id = $1`, begun.ID)
			b.endLeases(t)
			b.resolveAll(t, s)
			status, _ := choose(t, begun.ActionURL, "pay")
			if first == "the customer" {
				require.Equal(t, http.StatusSeeOther, status)
				require.Equal(t, payment.StatusSucceeded, b.get(t, s, begun.ID).Status)
				require.Equal(t, transferTotals{captures: 1, captured: price, refunds: 1, refunded: price},
					b.transferTotals(t))
				return
			}
			require.Equal(t, http.StatusConflict, status)
			require.Equal(t, payment.StatusDeclined, b.get(t, s, begun.ID).Status)
			require.Equal(t, transferTotals{}, b.transferTotals(t))
		})
	}
}

// The process dies once the provider has opened the page. The page is found, not opened again.
func TestPay_ProcessDiedAfterThePageWasOpened_IsTakenOver(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"a repeated request", "the resolver"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			f := &interceptedProvider{}
			dead, alive := b.process(t, withInterceptor(f)), b.process(t)
			var page string
			f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
				made, err := f.Provider.Charge(ctx, o)
				require.NoError(t, err)
				page = made.ActionURL
				crash()
				return made, nil
			}
			id, key := b.newBooking(t), newKey()
			runUntilCrash(func() (idempotency.Outcome, error) { return b.pay(t, dead, key, id, checkout()) })
			b.endLeases(t)
			if by == "the resolver" {
				b.resolve(t, alive)
				list, err := alive.List(t.Context(), b.tenant, id, uuid.Nil, 10)
				require.NoError(t, err)
				require.Equal(t, page, *list[0].ActionURL)
			}
			begun := b.beginCheckout(t, alive, key, id, checkout())
			require.Equal(t, page, begun.ActionURL)
			require.Equal(t, 1, b.pages(t, begun.ID))
			choose(t, page, "pay")
			b.dueNow(t)
			b.resolveAll(t, alive)
			require.Equal(t, transferTotals{captures: 1, captured: price}, b.transferTotals(t))
		})
	}
}

// The answer with the page is lost, and the provider can't be asked. Sent again under its key, the order opens no
// second page.
func TestPay_LostPage_IsTheSamePageWhenSentAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	var orders []payment.ChargeOrder
	f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		outcome, err := f.Provider.Charge(ctx, o)
		if orders = append(orders, o); len(orders) == 1 {
			return payment.Outcome{}, errors.New("the answer is lost")
		}
		return outcome, err
	}
	f.find = func(context.Context, payment.Reference, string) (payment.Outcome, error) {
		return payment.Outcome{}, errors.New("no answer")
	}
	s := b.process(t, withLongCallTimeout, withInterceptor(f),
		func(cfg *payment.Config) { cfg.AbsentAfter = time.Hour })
	id, key := b.newBooking(t), newKey()
	r, err := b.pay(t, s, key, id, checkout())
	require.NoError(t, err)
	require.Equal(t, string(payment.StatusUnknown), decode(t, r).Status)
	begun := b.beginCheckout(t, s, key, id, checkout())
	require.Equal(t, orders[0], orders[1], "the key is good for the same order only")
	require.Equal(t, 1, b.pages(t, begun.ID))
}

func TestCancel_Checkout_EndsThePage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id, key := b.newBooking(t), newKey()
	begun := b.beginCheckout(t, s, key, id, checkout())
	r, err := b.cancel(t, s, newKey(), begun.ID)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.Answer().Status, "%s", r.Body)
	status, _ := choose(t, begun.ActionURL, "pay")
	require.Equal(t, http.StatusConflict, status)
	r, err = b.pay(t, s, key, id, checkout())
	require.NoError(t, err)
	require.Equal(t, http.StatusPaymentRequired, r.Answer().Status)
	require.Equal(t, payment.Cancelled, decode(t, r).DeclineCode)
	require.NotEqual(t, begun.ActionURL, b.beginCheckout(t, s, newKey(), id, checkout()).ActionURL)

	paid := b.beginCheckout(t, s, newKey(), b.newBooking(t), checkout())
	choose(t, paid.ActionURL, "pay")
	_, err = b.cancel(t, s, newKey(), paid.ID)
	require.True(t, problem.Is(err, problem.InvalidState), "the customer was first: %v", err)
	require.Equal(t, transferTotals{captures: 1, captured: price}, b.transferTotals(t))
}

// A payment that isn't found at another tenant stays as it is.
func TestHandleWebhook_CheckoutReportedTwiceOrForAnotherTenant_CountsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id := b.newBooking(t)
	begun := b.beginCheckout(t, s, newKey(), id, checkout())
	choose(t, begun.ActionURL, "pay")
	_, err := s.Get(t.Context(), uuid.New(), begun.ID)
	require.True(t, problem.Is(err, problem.NotFound))
	found, err := b.provider.FindCharge(t.Context(), payment.Reference{TenantID: uuid.New(), ID: begun.ID}, "")
	require.NoError(t, err)
	require.Equal(t, payment.Absent, found.Result)

	report := func(event string, tenant uuid.UUID) {
		body := fmt.Sprintf(`{"id":%q,"type":"charge.succeeded","charge":{"id":"ch_1","reference":{"tenant_id":%q,"id":%q},
			"amount":%d,"currency":"EUR","status":"succeeded"}}`, event, tenant, begun.ID, price)
		require.NoError(t, deliver(t, s, signed(webhookSecret, testtime.Now(), []byte(body))))
	}
	report("evt_1", uuid.New())
	require.Equal(t, payment.StatusProcessing, b.get(t, s, begun.ID).Status)
	for _, event := range []string{"evt_2", "evt_2", "evt_3"} {
		report(event, b.tenant)
		require.EqualValues(t, price, b.balanceSummary(t, s, id).Paid)
	}
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM changes WHERE type = 'payment.succeeded'`))
}

// The wallet pays what it has and the customer the rest, on the page. A wallet that can pay all needs no page.
func TestPay_CheckoutBesideAWallet_PaysTheRest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	w := b.newWallet(t, price/4)
	order := checkout()
	order.WalletID = &w
	id := b.newBooking(t)
	begun := b.beginCheckout(t, s, newKey(), id, order)
	require.EqualValues(t, price-price/4, begun.Amount)
	choose(t, begun.ActionURL, "pay")
	b.dueNow(t)
	b.resolveAll(t, s)
	require.EqualValues(t, price, b.balanceSummary(t, s, id).Paid)

	rich := b.newWallet(t, price)
	order.WalletID = &rich
	r, err := b.pay(t, s, newKey(), b.newBooking(t), order)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	require.Empty(t, decode(t, r).ActionURL)
}

func TestPay_CheckoutThatIsNotValid_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id := b.newBooking(t)
	for text, code := range map[string]string{
		"/paid":                                  "pattern",
		"https:/paid":                            "pattern",
		"https://":                               "pattern",
		"https:///paid":                          "invalid_format",
		"https://shop.example/a b":               "pattern",
		"https://shop.example/\n":                "pattern",
		"https://shop.example/\x00":              "pattern",
		"https://shop.example/ü":                 "pattern",
		"https://shop.example/?{SESSION}":        "invalid_format",
		"https://shop.example/?a=%zz":            "invalid_format",
		"https://shop.example:99999/":            "invalid_format",
		"https://ada@shop.example/":              "invalid_format",
		"https://ada:secret@shop.example/":       "invalid_format",
		"javascript:alert(1)":                    "pattern",
		"ftp://shop.example/":                    "pattern",
		"http://shop.example/":                   "not_https",
		"http://localhost.example/":              "not_https",
		"http://10.0.0.1/":                       "not_https",
		"https://a/" + strings.Repeat("x", 1991): "too_long",
	} {
		order := checkout()
		order.Checkout = &payment.CheckoutRequest{ReturnURL: text}
		_, err := b.pay(t, s, newKey(), id, order)
		var refusal *problem.Error
		require.ErrorAs(t, err, &refusal, "%q", text)
		require.Len(t, refusal.Fields, 1, "%q", text)
		require.Equal(t, "checkout.return_url", refusal.Fields[0].Name)
		require.Equal(t, code, refusal.Fields[0].Code, "%q", text)
	}
	both := checkout()
	both.Method = "pm_ok"
	_, err := b.pay(t, s, newKey(), id, both)
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	require.Zero(t, b.count(t, `SELECT count(*) FROM payments`))
}

func TestPay_CheckoutThatIsValid_ReturnsToItsURL(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	for text, want := range map[string]string{
		"https://shop.example":          "https://shop.example?payment_id=ID",
		"https://shop.example/#paid":    "https://shop.example/?payment_id=ID#paid",
		"https://shop.example/?a=%20&b": "https://shop.example/?a=%20&b&payment_id=ID",
		"https://shop.example/?payment_id=1&a=2&payment_id&payment_cancelled=true": "https://shop.example/?a=2&payment_id=ID",
		"https://[2001:db8::1]:8443/":            "https://[2001:db8::1]:8443/?payment_id=ID",
		"http://localhost:3000/paid":             "http://localhost:3000/paid?payment_id=ID",
		"http://127.0.0.1/?":                     "http://127.0.0.1/?payment_id=ID",
		"http://[::1]:3000/":                     "http://[::1]:3000/?payment_id=ID",
		"https://a/" + strings.Repeat("x", 1990): "https://a/" + strings.Repeat("x", 1990) + "?payment_id=ID",
	} {
		order := checkout()
		order.Checkout = &payment.CheckoutRequest{ReturnURL: text}
		begun := b.beginCheckout(t, s, newKey(), b.newBooking(t), order)
		_, back := choose(t, begun.ActionURL, "cancel")
		require.Equal(t, strings.ReplaceAll(want, "ID", begun.ID.String()+"&payment_cancelled=true"), back)
	}
}
