package stripe_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

// fakeServer is a Stripe that remembers idempotency keys, intents, refunds and the journal, as Stripe documents them
// and as far as the adapter uses them. It forgets a key at the earliest time that the adapter expects.
type fakeServer struct {
	url string
	// platform is the one to which a connected account belongs, nil of the platform's own; name is the account's.
	platform  *fakeServer
	name      string
	onboarded bool
	accounts  map[string]*fakeServer // by id; nil of an account

	mu         sync.Mutex
	clockAhead time.Duration // the clock's offset
	failStatus int           // if set, the status of the next order's response
	skipOrder  bool          // the next order isn't executed
	keys       map[string]*storedResponse
	intents    []object // newest first, as in Stripe's lists
	refunds    []object
	sessions   []object
	journal    []object
}

// storedResponse is a key's response. Without a body its first request is running.
type storedResponse struct {
	order  string
	at     time.Time
	status int
	body   object
}

func startFake(t *testing.T) *fakeServer {
	t.Helper()
	f := &fakeServer{keys: map[string]*storedResponse{}, accounts: map[string]*fakeServer{}, onboarded: true}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *fakeServer) now() time.Time {
	if f.platform != nil {
		return f.platform.now()
	}
	return testtime.Now().Add(f.clockAhead)
}

// id returns a new id, which no other account has.
func (f *fakeServer) id(kind string, before []object) string {
	return fmt.Sprintf("%s_%s%d", kind, f.name, len(before)+1)
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = r.ParseForm()
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	if name := r.Header.Get("Stripe-Account"); name != "" {
		f.inAccount(w, r, name)
		return
	}
	switch {
	case r.Header.Get("Authorization") != "Bearer "+apiKey:
		writeJSON(w, http.StatusUnauthorized, apiError("invalid_request_error", "", nil))
	case r.Method == http.MethodPost &&
		slices.Contains([]string{"payment_intents", "refunds", "checkout/sessions", "accounts"}, path):
		f.order(w, r, path)
	case strings.HasPrefix(path, "account"):
		status, body := f.accountCall(r, path)
		writeJSON(w, status, body)
	case strings.HasPrefix(path, "checkout/sessions"):
		status, body := f.session(r, strings.Split(path, "/")[2:])
		writeJSON(w, status, body)
	case r.Method == http.MethodPost:
		status, body := f.cancel(strings.Split(path, "/")[1])
		writeJSON(w, status, body)
	case path == "payment_intents":
		writeJSON(w, http.StatusOK, listPage(f.intents, r.Form))
	case path == "balance_transactions":
		writeJSON(w, http.StatusOK, listPage(f.journal, r.Form))
	case path == "refunds":
		of := slices.DeleteFunc(slices.Clone(f.refunds),
			func(o object) bool { return o["payment_intent"] != r.Form.Get("payment_intent") })
		writeJSON(w, http.StatusOK, listPage(of, r.Form))
	default:
		id := strings.Split(path, "/")[1]
		if found := byID(append(slices.Clone(f.intents), f.refunds...), id); found != nil {
			writeJSON(w, http.StatusOK, found)
			return
		}
		writeJSON(w, http.StatusNotFound, apiError("invalid_request_error", "resource_missing", nil))
	}
}

// order executes an order once per key.
func (f *fakeServer) order(w http.ResponseWriter, r *http.Request, path string) {
	key, order := path+r.Header.Get("Idempotency-Key"), r.Form.Encode()
	if k := f.keys[key]; k != nil && f.now().Sub(k.at) < 23*time.Hour {
		switch {
		case k.body == nil:
			writeJSON(w, http.StatusConflict, apiError("idempotency_error", "idempotency_key_in_use", nil))
		case k.order != order:
			writeJSON(w, http.StatusBadRequest, apiError("idempotency_error", "", nil))
		default:
			w.Header().Set("Idempotent-Replayed", "true")
			writeJSON(w, k.status, k.body)
		}
		return
	}
	lost, unsent := f.failStatus, f.skipOrder
	f.failStatus, f.skipOrder = 0, false
	if unsent {
		writeJSON(w, lost, apiError("api_error", "", nil))
		return
	}
	method := r.Form.Get("payment_method")
	k := &storedResponse{order: order, at: f.now()}
	f.keys[key] = k
	f.mu.Unlock() // requests with the same key may run here
	runtime.Gosched()
	f.mu.Lock()
	if method == "pm_lost" || method == "pm_silent" {
		defer f.waitForDisconnect(r)
	}
	if method == "pm_silent" {
		k.status, k.body = http.StatusInternalServerError, apiError("api_error", "", nil)
		return
	}
	execute := f.charge
	switch path {
	case "refunds":
		execute = f.refund
	case "checkout/sessions":
		execute = f.openSession
	case "accounts":
		execute = f.createAccount
	}
	k.status, k.body = execute(r.Form)
	if k.status == http.StatusBadRequest || k.status == http.StatusNotFound {
		delete(f.keys, key) // invalid requests don't use the key
	}
	if lost != 0 {
		writeJSON(w, lost, apiError("api_error", "", nil))
		return
	}
	writeJSON(w, k.status, k.body)
}

// waitForDisconnect waits until the client disconnects.
func (f *fakeServer) waitForDisconnect(r *http.Request) {
	f.mu.Unlock()
	defer f.mu.Lock()
	<-r.Context().Done()
}

func (f *fakeServer) charge(form url.Values) (int, object) {
	amount, err := strconv.ParseInt(form.Get("amount"), 10, 64)
	method := form.Get("payment_method")
	switch {
	case f.refusesFee(form.Get("application_fee_amount"), amount):
		return http.StatusBadRequest, apiError("invalid_request_error", "", object{"param": "application_fee_amount"})
	case !f.onboarded:
		return http.StatusBadRequest,
			apiError("invalid_request_error", "", object{"message": "Your account cannot make charges."})
	case err != nil || amount <= 0 || form.Get("currency") == "xxq":
		return http.StatusBadRequest, apiError("invalid_request_error", "parameter_invalid", nil)
	case method == "pm_unknown":
		return http.StatusBadRequest,
			apiError("invalid_request_error", "resource_missing", object{"param": "payment_method"})
	case method == "pm_detached":
		return http.StatusBadRequest, apiError("invalid_request_error", "",
			object{"message": "The provided PaymentMethod was detached from a Customer."})
	}
	pi := object{
		"id": f.id("pi", f.intents), "object": "payment_intent", "status": "requires_action", "amount": amount,
		"amount_received": 0, "currency": form.Get("currency"), "created": f.now().Unix(), "client_secret": "secret",
		"metadata": metadataOf(form), "payment_method": method,
		"fee": form.Get("application_fee_amount"),
	}
	f.intents = append([]object{pi}, f.intents...)
	switch method {
	case "pm_action":
	case "pm_debit":
		pi["status"] = "processing"
	case "pm_declined":
		return http.StatusPaymentRequired, decline(pi, "stolen_card")
	case "pm_poor":
		return http.StatusPaymentRequired, decline(pi, "insufficient_funds")
	default:
		f.capture(pi)
	}
	return http.StatusOK, maps.Clone(pi)
}

// decline declines an intent, which can be confirmed again.
func decline(pi object, code string) object {
	pi["status"] = "requires_payment_method"
	pi["last_payment_error"] = object{"type": "card_error", "code": "card_declined", "decline_code": code}
	pi["latest_charge"] = object{"id": "ch_" + pi["id"].(string), "outcome": object{"reason": code}}
	return apiError("card_error", "card_declined", object{"decline_code": code, "payment_intent": maps.Clone(pi)})
}

func (f *fakeServer) capture(pi object) {
	pi["status"], pi["amount_received"] = "succeeded", pi["amount"]
	f.addTransaction("charge", object{
		"id": "ch_" + pi["id"].(string), "object": "charge", "status": "succeeded", "amount_captured": pi["amount"],
		"currency": pi["currency"], "payment_intent": pi["id"], "metadata": pi["metadata"],
	})
}

func (f *fakeServer) addTransaction(kind string, source object) {
	e := entry(fmt.Sprintf("txn_%d", len(f.journal)+1), kind, f.now(), source)
	f.journal = append([]object{e}, f.journal...)
}

func (f *fakeServer) cancel(id string) (int, object) {
	pi := byID(f.intents, id)
	if pi == nil {
		return http.StatusNotFound, apiError("invalid_request_error", "resource_missing", object{"param": "intent"})
	}
	if pi["status"] == "succeeded" || pi["status"] == "canceled" || pi["status"] == "processing" ||
		metadataHas(pi, "checkout") {
		return http.StatusBadRequest, apiError("invalid_request_error", "payment_intent_unexpected_state", nil)
	}
	pi["status"], pi["last_payment_error"], pi["cancellation_reason"] = "canceled", nil, "abandoned"
	return http.StatusOK, pi
}

func (f *fakeServer) refund(form url.Values) (int, object) {
	pi := byID(f.intents, form.Get("payment_intent"))
	if pi == nil {
		return http.StatusNotFound,
			apiError("invalid_request_error", "resource_missing", object{"param": "payment_intent"})
	}
	left := pi["amount"].(int64)
	for _, r := range f.refunds {
		if r["payment_intent"] == pi["id"] && r["status"] == "succeeded" {
			left -= r["amount"].(int64)
		}
	}
	amount, _ := strconv.ParseInt(form.Get("amount"), 10, 64)
	switch {
	case form.Get("refund_application_fee") == "true" && fmt.Sprint(pi["fee"]) == "":
		return http.StatusBadRequest,
			apiError("invalid_request_error", "", object{"message": "There is no application fee to refund."})
	case left == 0:
		return http.StatusBadRequest, apiError("invalid_request_error", "charge_already_refunded", nil)
	case amount > left:
		return http.StatusBadRequest, apiError("invalid_request_error", "", object{"param": "amount"})
	}
	r := object{
		"id": f.id("re", f.refunds), "object": "refund", "status": "succeeded", "amount": amount,
		"currency": pi["currency"], "payment_intent": pi["id"], "created": f.now().Unix(), "metadata": metadataOf(form),
		"refund_application_fee": form.Get("refund_application_fee"),
	}
	f.refunds = append([]object{r}, f.refunds...)
	if pi["payment_method"] == "pm_no_refund" {
		r["status"], r["failure_reason"] = "failed", "expired_or_canceled_card"
		return http.StatusOK, maps.Clone(r)
	}
	f.addTransaction("refund", r)
	return http.StatusOK, maps.Clone(r)
}

// finishAction completes or fails the customer's action. It reports whether the intent still waited.
func (f *fakeServer) finishAction(t *testing.T, o payment.Outcome, complete bool) bool {
	t.Helper()
	f = f.having(o.ProviderID)
	f.mu.Lock()
	defer f.mu.Unlock()
	pi := byID(f.intents, o.ProviderID)
	require.NotNil(t, pi)
	switch {
	case pi["status"] != "requires_action":
		return false
	case complete:
		f.capture(pi)
	default:
		decline(pi, "authentication_not_handled")
	}
	return true
}

func writeJSON(w http.ResponseWriter, status int, body object) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// listPage returns a page of a list.
func listPage(items []object, form url.Values) object {
	number := func(name string, otherwise int64) int64 {
		if n, err := strconv.ParseInt(form.Get(name), 10, 64); err == nil {
			return n
		}
		return otherwise
	}
	since, until := number("created[gte]", 0), number("created[lt]", 1<<62)
	matching := slices.DeleteFunc(slices.Clone(items), func(o object) bool {
		created := o["created"].(int64)
		return created < since || created >= until
	})
	if after := form.Get("starting_after"); after != "" {
		matching = matching[slices.IndexFunc(matching, func(o object) bool { return o["id"] == after })+1:]
	}
	limit := min(len(matching), int(number("limit", 10)))
	return page(limit < len(matching), matching[:limit]...)
}

func byID(items []object, id string) object {
	if i := slices.IndexFunc(items, func(o object) bool { return o["id"] == id }); i >= 0 {
		return items[i]
	}
	return nil
}

func metadataHas(o object, name string) bool { return o["metadata"].(object)[name] != nil }

func metadataOf(form url.Values) object { return metadataIn(form, "metadata[") }

func metadataIn(form url.Values, prefix string) object {
	fields := object{}
	for name, values := range form {
		if field, ok := strings.CutPrefix(name, prefix); ok {
			fields[strings.TrimSuffix(field, "]")] = values[0]
		}
	}
	return fields
}
