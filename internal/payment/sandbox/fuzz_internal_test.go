package sandbox

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

func FuzzVerify(f *testing.F) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for _, header := range []string{
		"", ",", "t=,v1=", "t=1,v1=00", sign("secret", now, []byte("{}")), "v1=00," + sign("secret", now, []byte("{}")),
		sign("secret", now, []byte("{}")) + ",t=0", "t=9223372036854775807,v1=", "t=-9223372036854775808,v1=zz",
	} {
		f.Add(header, []byte("{}"), int64(0))
	}
	f.Fuzz(func(t *testing.T, header string, body []byte, late int64) {
		require.ErrorIs(t, verify("", header, body, now), payment.ErrSignature, "without a secret nothing is signed")
		if verify("another secret", header, body, now) == nil {
			require.Fail(t, "a signature was made without its secret", header)
		}
		at := now.Add(time.Duration(late))
		err := verify("secret", sign("secret", now, body), body, at)
		require.Equal(t, at.Sub(now).Abs() <= tolerance, err == nil)
		require.ErrorIs(t, verify("secret", sign("secret", now, body), append([]byte("x"), body...), now),
			payment.ErrSignature)
	})
}

func FuzzEvent(f *testing.F) {
	for _, body := range []string{
		`{}`, `[]`, ``, `{"id":"evt_1","type":"charge.succeeded","charge":{` + referenceJSON +
			`,"status":"succeeded","amount":1}}`,
		`{"type":"charge.succeeded"}`, `{"type":"refund.failed","refund":{"status":"declined","decline_code":"x"}}`,
		`{"type":"charge.declined","charge":{"status":"other"}}`, `{"type":"refund.succeeded","charge":{}}`,
	} {
		f.Add([]byte(body))
	}
	client := NewClient(ClientConfig{URL: "http://127.0.0.1:1", WebhookSecret: "secret"})
	now := testtime.Now()
	f.Fuzz(func(t *testing.T, body []byte) {
		header := http.Header{headerSignature: {sign("secret", now, body)}}
		e, err := client.Event(header, body, now)
		require.NotErrorIs(t, err, payment.ErrSignature)
		if err == nil {
			require.Contains(t, []payment.Result{payment.Succeeded, payment.Processing, payment.Declined},
				e.Outcome.Result)
		}
	})
}

// FuzzAPI sends arbitrary requests to the sandbox with its key.
func FuzzAPI(f *testing.F) {
	order := `{` + referenceJSON + `,"amount":100,"currency":"EUR","method":"pm_ok"}`
	for _, r := range [][3]string{
		{"POST", "/v1/charges", order}, {"POST", "/v1/charges", order[:40]},
		{"POST", "/v1/charges",
			`{` + referenceJSON + `,"amount":100,"currency":"EUR","checkout":{"return_url":"https://a/","expires_at":` +
				`"2030-01-01T00:00:00Z"}}`},
		{"GET", "/checkout/x", ""}, {"POST", "/checkout/x", "outcome=pay"},
		{"POST", "/v1/refunds", `{` + referenceJSON + `,"charge":"ch_1","amount":1,"currency":"EUR"}`},
		{"GET", "/v1/charges/x", ""}, {"GET", "/v1/charges?tenant_id=x&reference_id=y", ""},
		{"GET", "/v1/movements?limit=1", ""},
		{"GET", "/v1/movements?from=2026-01-01T00:00:00Z&until=9999-12-31T23:59:59Z&cursor=00", ""},
		{"GET", "/admin/faults", ""},
		{"POST", "/admin/faults", `{"kind":"webhook_delay","delay_ms":9223372036854,"for_ms":-9223372036855}`},
		{"PUT", "/admin/webhook", `{"url":"http://"}`},
		{"DELETE", "/admin/faults", ""}, {"GET", "/actions/x", ""}, {"POST", "/actions/x", "outcome=succeed"},
		{"PATCH", "//", ""},
	} {
		f.Add(r[0], r[1], "key", r[2])
	}
	s, _ := startServer(f, nil)
	f.Fuzz(func(t *testing.T, method, target, key, body string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || !isToken(method) || strings.Contains(body, "pm_slow") {
			return
		}
		r := httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(body))
		r.URL = u
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set(headerIdempotencyKey, key)
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		s.ClearFaults()
		s.SetWebhook("")
		require.Less(t, w.Code, http.StatusInternalServerError, "%s", w.Body)
		if w.Header().Get("Content-Type") != "application/json" {
			return // a page or a redirect
		}
		var document any
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &document), "%s", w.Body)
	})
}

func isToken(method string) bool {
	return method != "" && strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func FuzzFault_FaultsFromJSON_AreStoredUnchanged(f *testing.F) {
	f.Add("delay", "", 1, 0.5, int64(1000), int64(0))
	f.Add("webhook_delay", "lookups", 0, 0.0, int64(-9223372036855), int64(9223372036854))
	f.Add("rate_limit", "", 0, 0.0, int64(0), int64(-9223372036855))
	f.Add("rate_limit", "charges", -1, 2.0, int64(1<<63-1), int64(-1<<63))
	f.Fuzz(func(t *testing.T, kind, on string, count int, probability float64, delay, lasts int64) {
		if kind == string(Down) {
			return // the server would be down
		}
		d := faultDocument{Fault: Fault{Kind: FaultKind(kind), On: Target(on), Count: count, Probability: probability},
			DelayMS: delay,
			ForMS:   lasts}
		body, err := json.Marshal(d)
		if err != nil {
			return // NaN is no JSON
		}
		var s Server
		resp := s.postFault(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/faults",
			strings.NewReader(string(body))))
		if resp.status != http.StatusCreated {
			require.Equal(t, http.StatusBadRequest, resp.status, "%s", resp.body)
			require.Empty(t, s.faults.list())
			return
		}
		armed := s.faults.list()
		require.Len(t, armed, 1)
		require.Equal(t, delay, armed[0].Delay.Milliseconds())
		require.Equal(t, lasts, armed[0].For.Milliseconds())
		require.GreaterOrEqual(t, delay, int64(0))
		require.GreaterOrEqual(t, lasts, int64(0))
	})
}
