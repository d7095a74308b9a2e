package sandbox

import (
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

const (
	returnURL = "https://shop.example/paid?a=1&b=%202"
	cancelURL = "https://shop.example/basket"
)

func newCheckout(t *testing.T, amount int64) payment.ChargeOrder {
	t.Helper()
	o := newOrder(t, "", amount)
	o.Description = "Boat <3> & skipper"
	o.Checkout = &payment.Checkout{ReturnURL: returnURL, CancelURL: cancelURL,
		ExpiresAt: testtime.Now().Add(time.Hour).UTC()}
	return o
}

// visit requests a page without following a redirect.
func visit(t *testing.T, request func(*http.Client) (*http.Response, error)) (*http.Response, string) {
	t.Helper()
	response, err := request(&http.Client{CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

func show(t *testing.T, page string) (*http.Response, string) {
	t.Helper()
	return visit(t, func(c *http.Client) (*http.Response, error) { return c.Get(page) })
}

func choose(t *testing.T, page, choice string) (*http.Response, string) {
	t.Helper()
	return visit(t, func(c *http.Client) (*http.Response, error) {
		return c.PostForm(page, url.Values{outcomeParameter: {choice}})
	})
}

func TestCheckoutPage_Open_SaysThatItIsASandboxAndWhatIsPaid(t *testing.T) {
	t.Parallel()
	_, client := startServer(t, nil)
	made := mustCharge(t, client, newCheckout(t, 123_450))
	response, page := show(t, made.ActionURL)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	require.Contains(t, response.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.NotContains(t, page, "<script")
	for _, part := range []string{
		`<html lang="en">`, `<title>Sandbox payment of 1,234.50 EUR</title>`, `No money moves`, `<h1>`,
		`1,234.50 EUR</p>`,
		`Boat &lt;3&gt; &amp; skipper`, `<form method="post">`, `name="outcome" value="pay"`,
		`name="outcome" value="decline"`,
		`name="outcome" value="cancel"`,
	} {
		require.Contains(t, page, part)
	}
}

func TestCheckoutPage_EachChoice_DoesWhatARealPageDoes(t *testing.T) {
	t.Parallel()
	_, client := startServer(t, nil)
	o := newCheckout(t, 100)
	made := mustCharge(t, client, o)

	response, page := choose(t, made.ActionURL, "decline")
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Contains(t, page, `role="alert"`)
	require.Contains(t, page, `value="pay"`, "another card may be tried")

	response, _ = choose(t, made.ActionURL, "cancel")
	require.Equal(t, http.StatusSeeOther, response.StatusCode)
	require.Equal(t, cancelURL, response.Header.Get("Location"))
	found, err := client.FindCharge(t.Context(), o.Reference, "")
	require.NoError(t, err)
	require.Equal(t, made, found, "the page stays open")

	for _, choice := range []string{"", "complete", "PAY"} {
		response, _ = choose(t, made.ActionURL, choice)
		require.Equal(t, http.StatusBadRequest, response.StatusCode, choice)
	}
	for range 2 { // a double click
		response, _ = choose(t, made.ActionURL, "pay")
		require.Equal(t, http.StatusSeeOther, response.StatusCode)
		require.Equal(t, returnURL, response.Header.Get("Location"))
	}
	require.EqualValues(t, 100, netAmounts(t, client)[o.Reference])
	response, page = choose(t, made.ActionURL, "decline")
	require.Equal(t, http.StatusConflict, response.StatusCode)
	require.Contains(t, page, "has been made")
	_, page = show(t, made.ActionURL)
	require.Contains(t, page, `href="https://shop.example/paid?a=1&amp;b=%202"`)
	require.NotContains(t, page, "<form")
}

func TestCheckoutPage_Over_TakesNoPayment(t *testing.T) {
	t.Parallel()
	var c clock
	s, client := startServer(t, func(cfg *Config) { cfg.Now = c.now })
	over, cancelled := newCheckout(t, 100), newCheckout(t, 100)
	pages := []string{mustCharge(t, client, over).ActionURL, mustCharge(t, client, cancelled).ActionURL}
	meanwhile := mustCharge(t, client, newCheckout(t, 100)).ProviderID
	_, err := client.CancelCharge(t.Context(), cancelled.Reference, "")
	require.NoError(t, err)
	c.ahead.Add(int64(time.Hour))
	paid, waited, err := s.endCharge(meanwhile, "")
	require.NoError(t, err)
	require.False(t, waited, "the time was over when the payment arrived")
	require.Equal(t, payment.Cancelled, paid.DeclineCode)
	for _, page := range pages {
		response, body := choose(t, page, "pay")
		require.Equal(t, http.StatusConflict, response.StatusCode)
		require.Contains(t, body, "Nothing was paid")
		response, body = show(t, page)
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Contains(t, body, "This page has ended")
	}
	require.Empty(t, netAmounts(t, client))
}

func TestCheckoutPage_OfAnotherKindOfCharge_IsNotFound(t *testing.T) {
	t.Parallel()
	s, client := startServer(t, nil)
	page := mustCharge(t, client, newCheckout(t, 100))
	action := mustCharge(t, client, newOrder(t, "pm_requires_action", 100))
	for address, choice := range map[string]string{
		s.URL() + pathActions + page.ProviderID: "complete", s.URL() + pathCheckout + action.ProviderID: "pay",
		s.URL() + pathCheckout + "ch_1": "pay",
	} {
		response, _ := show(t, address)
		require.Equal(t, http.StatusNotFound, response.StatusCode, address)
		response, _ = choose(t, address, choice)
		require.Equal(t, http.StatusNotFound, response.StatusCode, address)
	}
	require.Empty(t, netAmounts(t, client))
}

func TestCheckout_InvalidOrder_IsRejected(t *testing.T) {
	t.Parallel()
	_, client := startServer(t, nil)
	for name, change := range map[string]func(*payment.ChargeOrder){
		"a method too":  func(o *payment.ChargeOrder) { o.Method = "pm_ok" },
		"a cancel path": func(o *payment.ChargeOrder) { o.Checkout.CancelURL = "/basket" },
		"no URL":        func(o *payment.ChargeOrder) { o.Checkout.ReturnURL = "" },
		"a path":        func(o *payment.ChargeOrder) { o.Checkout.ReturnURL = "/paid" },
		"a script":      func(o *payment.ChargeOrder) { o.Checkout.ReturnURL = "javascript:alert(1)" },
		"a line break":  func(o *payment.ChargeOrder) { o.Checkout.ReturnURL = "https://shop.example/\r\nX: y" },
		"a long URL": func(o *payment.ChargeOrder) {
			o.Checkout.ReturnURL = "https://a/" + strings.Repeat("x",
				maxReturnURL)
		},
		"no end":        func(o *payment.ChargeOrder) { o.Checkout.ExpiresAt = time.Time{} },
		"no way to pay": func(o *payment.ChargeOrder) { o.Checkout = nil },
	} {
		o := newCheckout(t, 100)
		change(&o)
		_, err := client.Charge(t.Context(), o)
		var notDone *payment.NotDone
		require.ErrorAs(t, err, &notDone, name)
		require.False(t, notDone.TryAgain, name)
	}
}

func TestCheckout_ServerKilledAfterwards_StaysOpen(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sandbox.db")
	client, kill := startProcess(t, file)
	o := newCheckout(t, 100)
	mustCharge(t, client, o)
	kill()

	client, _ = startProcess(t, file)
	found, err := client.FindCharge(t.Context(), o.Reference, "")
	require.NoError(t, err)
	require.Equal(t, payment.Processing, found.Result)
	response, _ := choose(t, found.ActionURL, "pay")
	require.Equal(t, http.StatusSeeOther, response.StatusCode)
	require.EqualValues(t, 100, netAmounts(t, client)[o.Reference])
}
