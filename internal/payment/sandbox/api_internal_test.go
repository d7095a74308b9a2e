package sandbox

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

const referenceJSON = `"reference": {"tenant_id": "01a1fbc1-cc0e-7000-8000-000000000001", "id": "01a1fbc1-cc0e-7000-8000-000000000002"}`

// call sends a request with the sandbox's key unless header has another one, and returns the status and error code.
func call(t *testing.T, s *Server, method, path, body string, header http.Header,
) (code int, document errorDocument, raw string) {
	t.Helper()
	request, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+testKey)
	request.Header.Set(headerIdempotencyKey, "key-1")
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	all, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "application/json", response.Header.Get("Content-Type"))
	if response.StatusCode >= 400 {
		require.NoError(t, json.Unmarshal(all, &document))
		require.NotEmpty(t, document.Error.Message)
	}
	return response.StatusCode, document, string(all)
}

func TestAPI_InvalidRequest_IsRejectedAndLeavesTheKeyUnused(t *testing.T) {
	t.Parallel()
	s, client := startServer(t, nil)
	const charges = "/v1/charges"
	order := func(amount, currency, method string) string {
		return `{` + referenceJSON + `, "amount": ` + amount + `, "currency": "` + currency + `", "method": "` +
			method + `"}`
	}
	for name, bad := range map[string]struct {
		method, path, body string
		header             http.Header
		status             int
		code               errorCode
	}{
		"no body":       {"POST", charges, ``, nil, 400, codeInvalid},
		"not JSON":      {"POST", charges, `{`, nil, 400, codeInvalid},
		"two documents": {"POST", charges, order("1", "EUR", "pm_ok") + `{}`, nil, 400, codeInvalid},
		"unknown field": {"POST", charges, `{"amuont": 1}`, nil, 400, codeInvalid},
		"no reference": {"POST", charges, `{"amount": 1, "currency": "EUR", "method": "pm_ok"}`, nil, 400,
			codeInvalid},
		"no amount":          {"POST", charges, order("0", "EUR", "pm_ok"), nil, 400, codeInvalid},
		"negative":           {"POST", charges, order("-1", "EUR", "pm_ok"), nil, 400, codeInvalid},
		"a fraction":         {"POST", charges, order("1.5", "EUR", "pm_ok"), nil, 400, codeInvalid},
		"a string":           {"POST", charges, order(`"10"`, "EUR", "pm_ok"), nil, 400, codeInvalid},
		"too large a number": {"POST", charges, order("9223372036854775808", "EUR", "pm_ok"), nil, 400, codeInvalid},
		"currency":           {"POST", charges, order("1", "eur", "pm_ok"), nil, 400, codeInvalid},
		"unknown currency":   {"POST", charges, order("1", "XQQ", "pm_ok"), nil, 400, codeInvalid},
		"method":             {"POST", charges, order("1", "EUR", "pm_visa"), nil, 400, codeUnknownMethod},
		"no key": {"POST", charges, order("1", "EUR", "pm_ok"), http.Header{headerIdempotencyKey: nil}, 400,
			codeInvalid},
		"long key": {"POST", charges, order("1", "EUR", "pm_ok"),
			http.Header{headerIdempotencyKey: {strings.Repeat("k", 256)}},
			400, codeInvalid},
		"large body": {"POST", charges, `"` + strings.Repeat("x", maxBody), nil, 413, codeBodyTooLarge},
		"no API key": {"POST", charges, order("1", "EUR", "pm_ok"), http.Header{"Authorization": nil}, 401,
			codeUnauthorized},
		"wrong API key": {"POST", charges, order("1", "EUR", "pm_ok"), http.Header{"Authorization": {"Bearer no"}}, 401,
			codeUnauthorized},
		"unknown charge": {"POST", "/v1/refunds",
			`{` + referenceJSON + `, "charge": "ch_1", "amount": 1, "currency": "EUR"}`, nil, 404,
			codeNotFound},
		"no charge":     {"GET", charges + "/ch_1", ``, nil, 404, codeNotFound},
		"no refund":     {"GET", "/v1/refunds/re_1", ``, nil, 404, codeNotFound},
		"no action":     {"GET", "/actions/ch_1", ``, nil, 404, codeNotFound},
		"no query":      {"GET", charges, ``, nil, 400, codeInvalid},
		"bad query":     {"GET", "/v1/refunds?tenant_id=1&reference_id=2", ``, nil, 400, codeInvalid},
		"bad time":      {"GET", "/v1/movements?from=yesterday", ``, nil, 400, codeInvalid},
		"bad limit":     {"GET", "/v1/movements?limit=1001", ``, nil, 400, codeInvalid},
		"bad cursor":    {"GET", "/v1/movements?cursor=00", ``, nil, 400, codeInvalid},
		"no endpoint":   {"GET", "/v1/payouts", ``, nil, 404, codeNotFound},
		"other method":  {"DELETE", charges, ``, nil, 404, codeNotFound},
		"no such fault": {"POST", "/admin/faults", `{"kind": "fire"}`, nil, 400, codeInvalid},
		"endless fault": {"POST", "/admin/faults", `{"kind": "delay", "delay_ms": 9223372036854775807}`, nil, 400,
			codeInvalid},
		"no webhook URL":    {"PUT", "/admin/webhook", `{"url": "here"}`, nil, 400, codeInvalid},
		"admin without key": {"GET", "/admin/faults", ``, http.Header{"Authorization": nil}, 401, codeUnauthorized},
	} {
		status, document, raw := call(t, s, bad.method, bad.path, bad.body, bad.header)
		require.Equal(t, bad.status, status, "%s: %s", name, raw)
		require.Equal(t, bad.code, document.Error.Code, name)
	}
	require.Empty(t, netAmounts(t, client))
	status, _, raw := call(t, s, "POST", charges, order("9223372036854775807", "EUR", "pm_ok"), nil)
	require.Equal(t, http.StatusCreated, status, raw)
}

func TestRefund_OtherCurrency_IsRejected(t *testing.T) {
	t.Parallel()
	_, client := startServer(t, nil)
	paid := mustCharge(t, client, newOrder(t, "pm_ok", 100))
	o := newRefund(t, paid.ProviderID, 100)
	o.Currency = "JPY"
	_, err := client.Refund(t.Context(), o)
	requireNotDone(t, err, false)
}

func TestRefund_ChargeNotCaptured_IsDeclined(t *testing.T) {
	t.Parallel()
	_, client := startServer(t, nil)
	for _, method := range []string{"pm_declined", "pm_requires_action"} {
		made := mustCharge(t, client, newOrder(t, method, 100))
		refused, err := client.Refund(t.Context(), newRefund(t, made.ProviderID, 100))
		require.NoError(t, err)
		require.Equal(t, payment.Declined, refused.Result)
		require.Equal(t, codeNotCharged, refused.DeclineCode)
	}
	require.Empty(t, netAmounts(t, client))
}

func TestAdmin_FaultsAndWebhook_AreSetOverHTTP(t *testing.T) {
	t.Parallel()
	var events receiver
	s, client := startServer(t, nil)
	status, _, raw := call(t, s, "PUT", "/admin/webhook", `{"url": "`+events.listen(t)+`"}`, nil)
	require.Equal(t, http.StatusOK, status, raw)
	status, _, raw = call(t, s, "POST", "/admin/faults",
		`{"kind": "delay", "on": "refunds", "count": 2, "probability": 0.5, "seed": 3, "delay_ms": 1500}`, nil)
	require.Equal(t, http.StatusCreated, status, raw)
	require.Equal(t, []Fault{{Kind: Delay, On: Refunds, Count: 2, Probability: 0.5, Seed: 3,
		Delay: 1500 * time.Millisecond}},
		s.faults.list())
	_, _, raw = call(t, s, "GET", "/admin/faults", ``, nil)
	require.JSONEq(t, `{"data": [{"kind": "delay", "on": "refunds", "count": 2, "probability": 0.5, "seed": 3, "delay_ms": 1500}]}`, raw)
	status, _, _ = call(t, s, "DELETE", "/admin/faults", ``, nil)
	require.Equal(t, http.StatusOK, status)
	require.Empty(t, s.faults.list())
	mustCharge(t, client, newOrder(t, "pm_ok", 1))
	events.await(t, 1)

	status, _, raw = call(t, s, "POST", "/admin/faults", `{"kind": "down", "for_ms": 200}`, nil)
	require.Equal(t, http.StatusCreated, status, raw)
	o := newOrder(t, "pm_ok", 1)
	require.Eventually(t, func() bool {
		_, err := client.FindCharge(t.Context(), o.Reference, "")
		return err != nil
	}, maxWait, time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := client.Charge(t.Context(), o)
		return err == nil
	}, maxWait, pollInterval)
}
