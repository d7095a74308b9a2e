package stripe_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

// openSession creates a Checkout Session. Its PaymentIntent is made once the customer tries to pay.
func (f *fakeServer) openSession(form url.Values) (int, object) {
	const price = "line_items[0][price_data]"
	amount, err := strconv.ParseInt(form.Get(price+"[unit_amount]"), 10, 64)
	ends, _ := strconv.ParseInt(form.Get("expires_at"), 10, 64)
	open := time.Unix(ends, 0).Sub(f.now())
	fee := form.Get("payment_intent_data[application_fee_amount]")
	switch {
	case f.refusesFee(fee, amount) || !f.onboarded:
		return http.StatusBadRequest, apiError("invalid_request_error", "", object{"param": "application_fee_amount"})
	case err != nil || amount <= 0 || form.Get(price+"[currency]") == "xxq" ||
		form.Get(price+"[product_data][name]") == "":
		return http.StatusBadRequest, apiError("invalid_request_error", "parameter_invalid", nil)
	case open < 30*time.Minute || open > 24*time.Hour:
		return http.StatusBadRequest, apiError("invalid_request_error", "", object{"param": "expires_at"})
	}
	id := f.id("cs", f.sessions)
	session := object{
		"id": id, "object": "checkout.session", "status": "open", "payment_status": "unpaid", "amount_total": amount,
		"currency": form.Get(price + "[currency]"), "created": f.now().Unix(), "expires_at": ends,
		"url": "https://checkout.stripe.com/c/pay/" + id, "metadata": metadataOf(form), "payment_intent": nil,
		"client_reference_id": form.Get("client_reference_id"),
		"intent_metadata":     metadataIn(form, "payment_intent_data[metadata]["),
		"intent_fee":          fee,
	}
	f.sessions = append([]object{session}, f.sessions...)
	return http.StatusOK, f.expanded(session)
}

// session looks sessions up, or ends one.
func (f *fakeServer) session(r *http.Request, path []string) (int, object) {
	for _, s := range f.sessions {
		if s["status"] == "open" && f.now().Unix() >= s["expires_at"].(int64) {
			f.endSession(s)
		}
	}
	if len(path) == 0 {
		of := r.Form.Get("payment_intent")
		var found []object
		for _, s := range f.sessions {
			if of == "" || s["payment_intent"] == of {
				found = append(found, f.expanded(s))
			}
		}
		return http.StatusOK, listPage(found, r.Form)
	}
	s := byID(f.sessions, path[0])
	switch {
	case s == nil:
		return http.StatusNotFound, apiError("invalid_request_error", "resource_missing", object{"param": "session"})
	case r.Method == http.MethodPost && s["status"] != "open":
		return http.StatusBadRequest,
			apiError("invalid_request_error", "", object{"message": "This Session isn't open."})
	case r.Method == http.MethodPost:
		f.endSession(s)
	}
	return http.StatusOK, f.expanded(s)
}

func (f *fakeServer) endSession(s object) {
	s["status"], s["url"] = "expired", nil
	if pi := byID(f.intents, fmt.Sprint(s["payment_intent"])); pi != nil {
		pi["status"], pi["cancellation_reason"] = "canceled", "expired"
	}
}

// expanded returns a session with its whole intent, as requests of the adapter expand it.
func (f *fakeServer) expanded(s object) object {
	s = maps.Clone(s)
	delete(s, "intent_metadata")
	delete(s, "intent_fee")
	if pi := byID(f.intents, fmt.Sprint(s["payment_intent"])); pi != nil {
		s["payment_intent"] = maps.Clone(pi)
	}
	return s
}

// payOnPage tries to pay on a session's page with a card that is accepted or declined. It reports whether the page was
// open.
func (f *fakeServer) payOnPage(t *testing.T, o payment.Outcome, accepted bool) bool {
	t.Helper()
	f = f.having(o.ProviderID)
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.sessions, func(s object) bool { return s["url"] == o.ActionURL })
	if i < 0 || f.now().Unix() >= f.sessions[i]["expires_at"].(int64) {
		return false
	}
	s := f.sessions[i]
	pi := byID(f.intents, fmt.Sprint(s["payment_intent"]))
	if pi == nil {
		pi = object{
			"id": f.id("pi", f.intents), "object": "payment_intent", "amount": s["amount_total"],
			"amount_received": int64(0), "currency": s["currency"], "created": f.now().Unix(),
			"client_secret": "secret",
			"metadata":      s["intent_metadata"], "fee": s["intent_fee"],
		}
		f.intents = append([]object{pi}, f.intents...)
		s["payment_intent"] = pi["id"]
	}
	if !accepted {
		require.NotEmpty(t, decline(pi, "stolen_card"))
		return true
	}
	f.capture(pi)
	s["status"], s["payment_status"], s["url"] = "complete", "paid", nil
	return true
}
