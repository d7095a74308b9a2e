package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"holdfast/tools/torture/history"
)

// forever is when an operation without an answer returns.
const forever = time.Duration(math.MaxInt64 / 4)

// request is all tries under one idempotency key of a tenant.
type request struct {
	tenant, key string
	// tries are in the order in which they were invoked.
	tries []history.Operation
	// kind is "create", "pay", "refund", "cancel-payment", one of a wallet's (walletKinds), "amend", or the last part
	// of a change's path: "confirm", "cancel", "complete", "no-show", "reschedule", "extend".
	kind string
	// amendment is the one of which the request is a part, nil for a request of its own. A part has the amendment's
	// note for its key, and its event for its stored answer.
	amendment *amendment
	// subject is the id in the path.
	subject string
	// stored is the key's row, nil when there is none.
	stored *Key
	// body is what the stored answer says.
	body answer
	// invoked is when the first try began, returned when the first final answer was there.
	invoked, returned time.Duration
}

// answer is what is read of answers: of bookings, of payments, and of problems.
type answer struct {
	ID            string     `json:"id"`
	ServiceID     string     `json:"service_id"`
	ResourceID    string     `json:"resource_id"`
	ResourceIDs   []string   `json:"resource_ids"`
	Status        any        `json:"status"`
	Date          string     `json:"date"`
	StartsAt      time.Time  `json:"starts_at"`
	PartySize     int        `json:"party_size"`
	Nights        int        `json:"nights"`
	CheckOut      string     `json:"check_out"`
	HoldExpiresAt *time.Time `json:"hold_expires_at"`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
	Price         int64      `json:"price"`
	Version       int64      `json:"version"`
	Metadata      struct {
		Note string `json:"note"`
	} `json:"metadata"`
	Customer struct {
		ID    string `json:"id"`
		Email string `json:"email"`
	} `json:"customer"`
	BookingID    string `json:"booking_id"`
	RefundOf     string `json:"refund_of"`
	Kind         string `json:"kind"`
	Amount       int64  `json:"amount"`
	Provider     string `json:"provider"`
	Wallet       string `json:"wallet_id"`
	WalletAmount int64  `json:"wallet_amount"`
	PaymentID    string `json:"payment_id"`
	Code         string `json:"code"`
}

func (a answer) status() string { s, _ := a.Status.(string); return s }

// resources are all resources of a booking.
func (a answer) resources() []string {
	if a.ResourceIDs != nil {
		return a.ResourceIDs
	}
	return []string{a.ResourceID}
}

// requestBody is what is read of the requests for bookings and payments.
type requestBody struct {
	ServiceID   string   `json:"service_id"`
	ResourceID  *string  `json:"resource_id"`
	ResourceIDs []string `json:"resource_ids"`
	AnyResource bool     `json:"any_resource"`
	Price       string   `json:"price"`
	Date        *string  `json:"date"`
	StartsAt    *string  `json:"starts_at"`
	CheckIn     *string  `json:"check_in"`
	CheckOut    *string  `json:"check_out"`
	PartySize   *int     `json:"party_size"`
	HoldMinutes *int     `json:"hold_minutes"`
	Status      string   `json:"status"`
	Metadata    struct {
		Note string `json:"note"`
	} `json:"metadata"`
	CustomerID string `json:"customer_id"`
	Customer   struct {
		Email string `json:"email"`
	} `json:"customer"`
	Kind   string `json:"kind"`
	Amount *int64 `json:"amount"`
}

// read returns the zero value for what isn't such a document: its fields then don't fit.
func read[T any](raw []byte) (v T) {
	_ = json.Unmarshal(raw, &v)
	return v
}

func (r *request) is(kinds ...string) bool { return slices.Contains(kinds, r.kind) }

// moves reports whether the request moves money.
func (r *request) moves() bool { return r.is("pay", "refund") }

// changes reports whether the request changes a booking's status.
func (r *request) changes() bool { return r.is("confirm", "cancel", "complete", "no-show") }

// changesStay reports whether the request may change where a booking is, what it costs, or until when it is held.
func (r *request) changesStay() bool { return r.is("reschedule", "extend", "amend") }

// happened reports whether the stored answer says that the request was carried out.
func (r *request) happened() bool {
	return r.stored != nil && r.stored.Status != nil && *r.stored.Status/100 == 2
}

// ids are the ids of its operations.
func (r *request) ids() []int64 {
	var list []int64
	for _, op := range r.tries {
		list = append(list, op.ID)
	}
	return list
}

// final reports whether an answer is the one that its key keeps: of refusals, those of money.
func final(op history.Operation) bool {
	switch {
	case op.Status == http.StatusAccepted:
		return false
	case op.Status/100 == 2, op.Status == http.StatusPaymentRequired:
		return true
	}
	return op.Code == "overpayment" || op.Code == "refund_exceeds_payment" || op.Code == "insufficient_funds"
}

// passing reports whether an answer leaves open what becomes of its key: the request wasn't processed, another one with
// the key is in progress, or its outcome isn't known.
func passing(op history.Operation) bool {
	return op.Status == 0 || op.Status >= 500 || op.Status == http.StatusAccepted ||
		op.Status == http.StatusTooManyRequests ||
		op.Status == http.StatusRequestTimeout || op.Code == "request_in_progress"
}

// nothing reports whether an answer promises that its try wrote nothing.
func nothing(op history.Operation) bool {
	switch op.Code {
	case "lock_timeout", "database_unavailable", "shutting_down", "tenant_moving", "tenant_moved":
		return true
	case "request_in_progress", "request_timeout", "idempotency_key_reused":
		return false
	}
	return op.Status/100 == 4 && !final(op)
}

// canonical is JSON in the one form in which the history keeps it.
func canonical(raw []byte) []byte {
	b, err := json.Marshal(json.RawMessage(raw))
	if err != nil {
		return raw
	}
	return b
}

// sorted is the JSON of a request in the form of which the server stores the fingerprint: names in order, numbers as
// they are written.
func sorted(raw []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw // there is no body
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return raw
	}
	return bytes.TrimSpace(b.Bytes())
}

// route returns the kind and subject of a request by its path, whatever the history calls it.
func route(method, path string) (kind, subject string) {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(strings.TrimPrefix(path, "/v1/"), "/")
	switch {
	case method == http.MethodGet && len(parts) == 2 && parts[0] == "bookings":
		return "get", parts[1]
	case method == http.MethodGet && len(parts) == 1 && parts[0] == "bookings":
		return "list", ""
	case method == http.MethodGet && len(parts) == 3 && parts[0] == "services" && parts[2] == "availability":
		return "availability", parts[1]
	case method == http.MethodGet && len(parts) == 2 && parts[0] == "wallets":
		return "wallet", parts[1]
	case method == http.MethodPatch && len(parts) == 2 && parts[0] == "bookings":
		return "amend", parts[1]
	case method != http.MethodPost:
		return "", ""
	case len(parts) == 1 && parts[0] == "transfers":
		return "transfer", ""
	case len(parts) == 3 && parts[0] == "wallets":
		return "wallet-" + strings.TrimSuffix(parts[2], "s"), parts[1]
	case len(parts) == 5 && parts[0] == "wallets" && parts[2] == "holds":
		return "wallet-" + parts[4], parts[1]
	case len(parts) == 1 && parts[0] == "bookings":
		return "create", ""
	case len(parts) == 3 && parts[0] == "bookings" && parts[2] == "payments":
		return "pay", parts[1]
	case len(parts) == 3 && parts[0] == "payments" && parts[2] == "refunds":
		return "refund", parts[1]
	case len(parts) == 3 && parts[0] == "payments" && parts[2] == "cancel":
		return "cancel-payment", parts[1]
	case len(parts) == 3 && parts[0] == "bookings":
		return parts[2], parts[1]
	}
	return "", ""
}

// merge makes requests of operations.
func (c *checker) merge(ops []history.Operation) {
	ops = slices.Clone(ops)
	slices.SortStableFunc(ops, func(a, b history.Operation) int { return cmp.Compare(a.Invoked, b.Invoked) })
	for _, op := range ops {
		op = c.asTenant(op)
		if op.Returned == 0 {
			op.Returned = forever
		}
		if kind, _ := route(op.Method, op.Path); kind == "amend" {
			want := read[requestBody](op.Request)
			c.amendments[want.Metadata.Note] = &amendment{Operation: op, want: want}
			continue
		}
		if op.Key == "" {
			c.reads = append(c.reads, op)
			continue
		}
		id := scopedKey{op.Tenant, op.Key}
		r := c.byKey[id]
		if r == nil {
			r = &request{tenant: op.Tenant, key: op.Key, stored: c.stored[id], invoked: op.Invoked, returned: forever}
			r.kind, r.subject = route(op.Method, op.Path)
			c.byKey[id] = r
			c.requests = append(c.requests, r)
		}
		r.tries = append(r.tries, op)
		if final(op) {
			r.returned = min(r.returned, op.Returned)
		}
	}
	for _, r := range c.requests {
		if r.stored != nil {
			r.body = read[answer](r.stored.Body)
		}
	}
}

// sameRequest reports whether two tries have the same request.
func sameRequest(a, b history.Operation) bool {
	return a.Method == b.Method && a.Path == b.Path && bytes.Equal(sorted(a.Request), sorted(b.Request))
}
