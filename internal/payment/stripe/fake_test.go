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
)

// fake is a Stripe that remembers: idempotency keys, intents, refunds and the journal, as Stripe documents them and as
// far as the adapter uses them. It forgets a key as early as the adapter counts with.
type fake struct {
	url string

	mu      sync.Mutex
	ahead   time.Duration // of the clock
	lost    int           // status of the next order's answer, instead of the answer
	unsent  bool          // the next order isn't executed either
	keys    map[string]*kept
	intents []object // newest first, as all lists of Stripe's
	refunds []object
	journal []object
}

// kept is what a key stands for. An answer without a body is in the works.
type kept struct {
	order  string
	at     time.Time
	status int
	body   object
}

func startFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{keys: map[string]*kept{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *fake) now() time.Time { return time.Now().Add(f.ahead) }

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = r.ParseForm()
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	switch {
	case r.Header.Get("Authorization") != "Bearer "+apiKey:
		say(w, http.StatusUnauthorized, fault("invalid_request_error", "", nil))
	case r.Method == http.MethodPost && (path == "payment_intents" || path == "refunds"):
		f.order(w, r, path)
	case r.Method == http.MethodPost:
		status, body := f.cancel(strings.Split(path, "/")[1])
		say(w, status, body)
	case path == "payment_intents":
		say(w, http.StatusOK, listed(f.intents, r.Form))
	case path == "balance_transactions":
		say(w, http.StatusOK, listed(f.journal, r.Form))
	case path == "refunds":
		of := slices.DeleteFunc(slices.Clone(f.refunds), func(o object) bool { return o["payment_intent"] != r.Form.Get("payment_intent") })
		say(w, http.StatusOK, listed(of, r.Form))
	default:
		id := strings.Split(path, "/")[1]
		if found := byID(append(slices.Clone(f.intents), f.refunds...), id); found != nil {
			say(w, http.StatusOK, found)
			return
		}
		say(w, http.StatusNotFound, fault("invalid_request_error", "resource_missing", nil))
	}
}

// order executes an order once for each key.
func (f *fake) order(w http.ResponseWriter, r *http.Request, path string) {
	key, order := path+r.Header.Get("Idempotency-Key"), r.Form.Encode()
	if k := f.keys[key]; k != nil && f.now().Sub(k.at) < 23*time.Hour {
		switch {
		case k.body == nil:
			say(w, http.StatusConflict, fault("idempotency_error", "idempotency_key_in_use", nil))
		case k.order != order:
			say(w, http.StatusBadRequest, fault("idempotency_error", "", nil))
		default:
			w.Header().Set("Idempotent-Replayed", "true")
			say(w, k.status, k.body)
		}
		return
	}
	lost, unsent := f.lost, f.unsent
	f.lost, f.unsent = 0, false
	if unsent {
		say(w, lost, fault("api_error", "", nil))
		return
	}
	method := r.Form.Get("payment_method")
	k := &kept{order: order, at: f.now()}
	f.keys[key] = k
	f.mu.Unlock() // others with this key may come in between
	runtime.Gosched()
	f.mu.Lock()
	if method == "pm_lost" || method == "pm_silent" {
		defer f.hang(r)
	}
	if method == "pm_silent" {
		k.status, k.body = http.StatusInternalServerError, fault("api_error", "", nil)
		return
	}
	execute := f.charge
	if path == "refunds" {
		execute = f.refund
	}
	k.status, k.body = execute(r.Form)
	if k.status == http.StatusBadRequest || k.status == http.StatusNotFound {
		delete(f.keys, key) // what isn't valid isn't kept
	}
	if lost != 0 {
		say(w, lost, fault("api_error", "", nil))
		return
	}
	say(w, k.status, k.body)
}

// hang keeps a client waiting until it gives up.
func (f *fake) hang(r *http.Request) {
	f.mu.Unlock()
	defer f.mu.Lock()
	<-r.Context().Done()
}

func (f *fake) charge(form url.Values) (int, object) {
	amount, err := strconv.ParseInt(form.Get("amount"), 10, 64)
	method := form.Get("payment_method")
	switch {
	case err != nil || amount <= 0 || form.Get("currency") == "xxq":
		return http.StatusBadRequest, fault("invalid_request_error", "parameter_invalid", nil)
	case method == "pm_that_nobody_knows":
		return http.StatusBadRequest, fault("invalid_request_error", "resource_missing", object{"param": "payment_method"})
	case method == "pm_detached":
		return http.StatusBadRequest, fault("invalid_request_error", "", object{"message": "The provided PaymentMethod was detached from a Customer."})
	}
	pi := object{
		"id": fmt.Sprintf("pi_%d", len(f.intents)+1), "object": "payment_intent", "status": "requires_action", "amount": amount,
		"amount_received": 0, "currency": form.Get("currency"), "created": f.now().Unix(), "client_secret": "secret",
		"metadata": metadataOf(form), "payment_method": method,
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

// decline leaves an intent behind that could be confirmed again.
func decline(pi object, code string) object {
	pi["status"] = "requires_payment_method"
	pi["last_payment_error"] = object{"type": "card_error", "code": "card_declined", "decline_code": code}
	pi["latest_charge"] = object{"id": "ch_" + pi["id"].(string), "outcome": object{"reason": code}}
	return fault("card_error", "card_declined", object{"decline_code": code, "payment_intent": maps.Clone(pi)})
}

func (f *fake) capture(pi object) {
	pi["status"], pi["amount_received"] = "succeeded", pi["amount"]
	f.book("charge", object{
		"id": "ch_" + pi["id"].(string), "object": "charge", "status": "succeeded", "amount_captured": pi["amount"],
		"currency": pi["currency"], "payment_intent": pi["id"], "metadata": pi["metadata"],
	})
}

func (f *fake) book(kind string, source object) {
	e := entry(fmt.Sprintf("txn_%d", len(f.journal)+1), kind, f.now(), source)
	f.journal = append([]object{e}, f.journal...)
}

func (f *fake) cancel(id string) (int, object) {
	pi := byID(f.intents, id)
	if pi == nil {
		return http.StatusNotFound, fault("invalid_request_error", "resource_missing", object{"param": "intent"})
	}
	if pi["status"] == "succeeded" || pi["status"] == "canceled" || pi["status"] == "processing" {
		return http.StatusBadRequest, fault("invalid_request_error", "payment_intent_unexpected_state", nil)
	}
	pi["status"], pi["last_payment_error"], pi["cancellation_reason"] = "canceled", nil, "abandoned"
	return http.StatusOK, pi
}

func (f *fake) refund(form url.Values) (int, object) {
	pi := byID(f.intents, form.Get("payment_intent"))
	if pi == nil {
		return http.StatusNotFound, fault("invalid_request_error", "resource_missing", object{"param": "payment_intent"})
	}
	left := pi["amount"].(int64)
	for _, r := range f.refunds {
		if r["payment_intent"] == pi["id"] && r["status"] == "succeeded" {
			left -= r["amount"].(int64)
		}
	}
	amount, _ := strconv.ParseInt(form.Get("amount"), 10, 64)
	switch {
	case left == 0:
		return http.StatusBadRequest, fault("invalid_request_error", "charge_already_refunded", nil)
	case amount > left:
		return http.StatusBadRequest, fault("invalid_request_error", "", object{"param": "amount"})
	}
	r := object{
		"id": fmt.Sprintf("re_%d", len(f.refunds)+1), "object": "refund", "status": "succeeded", "amount": amount,
		"currency": pi["currency"], "payment_intent": pi["id"], "created": f.now().Unix(), "metadata": metadataOf(form),
	}
	f.refunds = append([]object{r}, f.refunds...)
	if pi["payment_method"] == "pm_no_refund" {
		r["status"], r["failure_reason"] = "failed", "expired_or_canceled_card"
		return http.StatusOK, maps.Clone(r)
	}
	f.book("refund", r)
	return http.StatusOK, maps.Clone(r)
}

// settle does what the customer has to do, or fails to. It reports whether the intent still waited for that.
func (f *fake) settle(t *testing.T, o payment.Outcome, complete bool) bool {
	t.Helper()
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

func say(w http.ResponseWriter, status int, body object) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// listed is a page of a list.
func listed(items []object, form url.Values) object {
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

func metadataOf(form url.Values) object {
	fields := object{}
	for name, values := range form {
		if field, ok := strings.CutPrefix(name, "metadata["); ok {
			fields[strings.TrimSuffix(field, "]")] = values[0]
		}
	}
	return fields
}
