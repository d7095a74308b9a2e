package check_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/payment"
	"holdfast/internal/timezone"
	"holdfast/tools/torture/check"
	"holdfast/tools/torture/history"
)

// start is the database's time when a run begins.
var start = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// fixture is a program that does one thing after the other and never fails, its clients, and the payment
// provider. Tests make what it remembers wrong.
type fixture struct {
	check.State
	ops    []history.Operation
	at     time.Duration // of the run
	tenant string
	// before and after say how long before it happens an operation is sent, and how long after that its answer comes.
	before, after func() time.Duration
	// rate is how fast the database's clock runs; it stands still while together is set.
	rate     int
	together time.Time
	// unswept says that no worker marks lapsed holds as expired.
	unswept bool
	// unplanned says that nothing was planned for holds and payments.
	unplanned    bool
	wasConfirmed map[string]bool // bookings that a request confirmed
	transaction  int64           // the latest one of the database
	ifMatch      string          // of the next changes of bookings
}

const customerID = "c"

func newFixture() *fixture {
	short := func() time.Duration { return 100 * time.Microsecond }
	w := &fixture{tenant: uuid.NewString(), before: short, after: short, rate: 1, wasConfirmed: map[string]bool{}}
	w.TimeZones = map[string]string{w.tenant: "Europe/Berlin"}
	customer := check.Customer{Tenant: w.tenant, ID: customerID, Email: "a@example.com", Name: "A", Version: 1}
	w.Customers = append(w.Customers, customer)
	w.addEvent("customer.created", "customer", customerID, 1,
		map[string]any{"id": customerID, "email": customer.Email, "name": customer.Name})
	return w
}

func (w *fixture) resource(capacity int) string {
	r := check.Resource{Tenant: w.tenant, ID: uuid.NewString(), Capacity: capacity}
	w.Resources = append(w.Resources, r)
	return r.ID
}

func (w *fixture) service(kind string, minutes int, resources ...string) string {
	s := check.Service{
		Tenant: w.tenant, ID: uuid.NewString(), Kind: kind, Duration: time.Duration(minutes) * time.Minute,
		Resources:  resources,
		WindowDays: 365,
	}
	w.Services = append(w.Services, s)
	return s.ID
}

// now is the database's clock.
func (w *fixture) now() time.Time {
	if !w.together.IsZero() {
		return w.together
	}
	return start.Add(time.Duration(w.rate) * w.at)
}

// sleep lets time pass.
func (w *fixture) sleep(d time.Duration) { w.at, w.together = w.at+d, time.Time{} }

// booking finds a booking, nil if there is none.
func (w *fixture) booking(id string) *check.Booking {
	if i := slices.IndexFunc(w.Bookings, func(b check.Booking) bool { return b.ID == id }); i >= 0 {
		return &w.Bookings[i]
	}
	return nil
}

func (w *fixture) key(key string) *check.Key {
	if i := slices.IndexFunc(w.Keys, func(k check.Key) bool { return k.Key == key }); i >= 0 {
		return &w.Keys[i]
	}
	return nil
}

func (w *fixture) payment(id string) *check.Payment {
	if i := slices.IndexFunc(w.Payments, func(p check.Payment) bool { return p.ID == id }); i >= 0 {
		return &w.Payments[i]
	}
	return nil
}

// last is the latest operation.
func (w *fixture) last() *history.Operation { return &w.ops[len(w.ops)-1] }

// request does an operation now and records it. do returns status, code and body.
func (w *fixture) request(method, path, key string, body any, do func() (int, string, any)) *history.Operation {
	if w.together.IsZero() {
		w.at += time.Millisecond
	}
	w.transaction++
	op := history.Operation{
		IfMatch:  w.ifMatch,
		ID:       int64(len(w.ops)),
		Tenant:   w.tenant,
		Key:      key,
		Method:   method,
		Path:     path,
		Invoked:  max(w.at-w.before(), 1),
		Returned: w.at + w.after(),
	}
	if body != nil {
		op.Request = encode(body)
	}
	if k := w.key(key); key != "" && k != nil && k.Status != nil {
		op.Status, op.Response, op.Replayed = *k.Status, k.Body, true
	} else {
		var answer any
		op.Status, op.Code, answer = do()
		op.Response = encode(answer)
		if key != "" && (op.Status == 200 || op.Status == 201 || op.Status == 402 || op.Code == "insufficient_funds") {
			status, fingerprint := op.Status,
				sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00", method, path, op.Request))
			w.Keys = append(w.Keys, check.Key{
				Tenant:      w.tenant,
				Key:         key,
				Fingerprint: fingerprint[:],
				Status:      &status,
				Body:        op.Response,
				CreatedAt:   w.now(),
				WrittenBy:   w.transaction,
			})
		}
	}
	var tagged struct{ Version int64 }
	if json.Unmarshal(op.Response, &tagged) == nil && tagged.Version > 0 {
		op.ETag = fmt.Sprintf(`"%d"`, tagged.Version)
	}
	w.ops = append(w.ops, op)
	return w.last()
}

func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func refuse(status int, code string) (int, string, any) {
	return status, code, map[string]any{"status": status, "code": code}
}

// status is a booking's status with expiry judged.
func (w *fixture) status(b *check.Booking) string {
	if b.Status == "held" && !w.now().Before(*b.HoldExpiresAt) {
		return "expired"
	}
	return b.Status
}

// taken are the units that bookings take at some moment of a time, those of one aside. ends are when these change.
func (w *fixture) taken(aside, resource string, from, until time.Time) (taken map[int]bool, ends []time.Time) {
	taken = make(map[int]bool)
	for i := range w.Bookings {
		b := &w.Bookings[i]
		if s := w.status(b); b.ID != aside && b.Resource == resource && s != "expired" && s != "cancelled" &&
			b.BusyFrom.Before(until) &&
			from.Before(b.BusyUntil) {
			for _, t := range b.Units {
				ends = append(ends, t.From, t.Until)
				for _, u := range t.Units {
					if t.From.Before(until) && from.Before(t.Until) {
						taken[u] = true
					}
				}
			}
		}
	}
	return taken, ends
}

func (w *fixture) capacity(resource string) int {
	return w.Resources[slices.IndexFunc(w.Resources, func(r check.Resource) bool { return r.ID == resource })].Capacity
}

// wanted is a booking that is requested.
type wanted struct {
	service, date string
	startsAt      time.Time
	party, hold   int
	price         int64 // of a move that quotes it anew, 0 to keep it
}

func (w *fixture) span(s check.Service, want wanted) (from, until time.Time) {
	if s.Kind == "slot" {
		return want.startsAt, want.startsAt.Add(s.Duration)
	}
	loc, err := timezone.Load(w.TimeZones[w.tenant])
	if err != nil {
		panic(err)
	}
	from, err = time.ParseInLocation(time.DateOnly, want.date, loc)
	if err != nil {
		panic(err)
	}
	return from, from.AddDate(0, 0, 1)
}

func (w *fixture) create(key string, want wanted) *history.Operation {
	s := w.Services[slices.IndexFunc(w.Services, func(s check.Service) bool { return s.ID == want.service })]
	body := map[string]any{"service_id": want.service, "party_size": want.party,
		"customer": map[string]any{"name": "A", "email": "A@example.com"}}
	if s.Kind == "date" {
		body["date"] = want.date
	} else {
		body["starts_at"] = want.startsAt
	}
	if want.hold > 0 {
		body["hold_minutes"] = want.hold
	}
	return w.request(http.MethodPost, "/v1/bookings", key, body, func() (int, string, any) {
		from, until := w.span(s, want)
		for _, resource := range s.Resources {
			units := w.freeUnits("", resource, from, until, want.party)
			if units == nil {
				continue
			}
			b := check.Booking{
				Tenant:    w.tenant,
				ID:        uuid.NewString(),
				Service:   s.ID,
				Resource:  resource,
				Status:    "confirmed",
				Date:      from.Format(time.DateOnly),
				Currency:  "EUR",
				StartsAt:  from,
				BusyFrom:  from,
				BusyUntil: until,
				CreatedAt: w.now(),
				UpdatedAt: w.now(),
				PartySize: want.party,
				Units:     units,
				Price:     1000,
				Version:   1,
				Metadata:  []byte(`{}`),
				Customer:  customerID,
			}
			if want.hold > 0 {
				expires := w.now().Add(time.Duration(want.hold) * time.Minute)
				b.Status, b.HoldExpiresAt = "held", &expires
			}
			w.Bookings = append(w.Bookings, b)
			w.stay(&b)
			w.addBookingEvent(map[string]string{"held": "booking.held", "confirmed": "booking.created"}[b.Status], &b)
			return http.StatusCreated, "", w.view(&b)
		}
		return refuse(http.StatusConflict, "slot_unavailable")
	})
}

// addEvent writes a change.
func (w *fixture) addEvent(eventType, subjectType, subject string, sequence int64, data any) {
	w.Changes = append(w.Changes, check.Change{
		Tenant:      w.tenant,
		ID:          uuid.NewString(),
		Type:        eventType,
		SubjectType: subjectType,
		Subject:     subject,
		Sequence:    sequence,
		Transaction: w.transaction,
		WrittenBy:   w.transaction,
		OccurredAt:  w.now(),
		Data:        encode(data),
	})
}

func (w *fixture) addBookingEvent(eventType string, b *check.Booking) {
	view := w.view(b)
	w.addEvent(eventType, "booking", b.ID, view["version"].(int64), view)
}

// complete adds a payment or refund with its outcome.
func (w *fixture) complete(p check.Payment) {
	p.WrittenBy = w.transaction
	b := w.booking(p.Booking)
	if p.RefundOf != "" && p.Provider != "wallet" {
		b.Version++
		view := w.view(b)
		view["payment"] = paymentBody(p)
		w.addEvent("payment.refund_started", "booking", b.ID, view["version"].(int64), view)
	}
	w.Payments = append(w.Payments, p)
	eventType := "payment.succeeded"
	switch {
	case p.Status == "declined":
		eventType = "payment.declined"
		b.Version++
	case p.RefundOf != "":
		eventType = "payment.refunded"
	}
	view := w.view(b)
	view["payment"] = paymentBody(p)
	w.addEvent(eventType, "booking", b.ID, view["version"].(int64), view)
	if p.Status == "succeeded" && p.Provider != "wallet" {
		w.move(p)
	}
}

// expire marks a hold as expired.
func (w *fixture) expire(b *check.Booking, at time.Time) {
	w.transaction++
	b.Status, b.UpdatedAt, b.Version = "expired", at, b.Version+1
	w.addBookingEvent("booking.expired", b)
}

func (w *fixture) view(b *check.Booking) map[string]any {
	version, paid, refunded, lowered, due, overpaid := b.Version, int64(0), int64(0), int64(0), int64(0), int64(0)
	for _, p := range w.Payments {
		switch {
		case p.Booking != b.ID || p.Status != "succeeded":
			continue
		case p.RefundOf != "":
			refunded += p.Amount
			lowered += p.LowersOwed
		default:
			paid += p.Amount
		}
		version++
	}
	if s := w.status(b); s != "cancelled" && s != "expired" {
		due, overpaid = max(b.Price-lowered-paid+refunded, 0), max(paid-refunded-b.Price+lowered, 0)
	}
	return map[string]any{
		"version": version, "paid": paid, "refunded": refunded, "due": due, "overpaid": overpaid,
		"id": b.ID, "service_id": b.Service, "resource_id": b.Resource, "status": b.Status, "date": b.Date,
		"starts_at":  b.StartsAt,
		"party_size": b.PartySize, "hold_expires_at": b.HoldExpiresAt, "price": b.Price, "created_at": b.CreatedAt,
		"customer": map[string]any{"id": customerID, "email": "a@example.com"}, "updated_at": b.UpdatedAt,
		"metadata": json.RawMessage(b.Metadata),
	}
}

var statuses = map[string]string{"confirm": "confirmed", "cancel": "cancelled", "complete": "completed",
	"no-show": "no_show"}

func (w *fixture) change(key, kind, id string) *history.Operation {
	return w.request(http.MethodPost, "/v1/bookings/"+id+"/"+kind, key, nil, func() (int, string, any) {
		b := w.booking(id)
		if b == nil {
			return refuse(http.StatusNotFound, "not_found")
		}
		s, begun := w.status(b), !w.now().Before(b.StartsAt)
		switch {
		case w.mismatch(b):
			return refuse(http.StatusPreconditionFailed, "version_mismatch")
		case s == "expired":
			return refuse(http.StatusConflict, "hold_expired")
		case kind == "confirm" && s == "held", kind == "cancel" && (s == "held" || s == "confirmed"),
			(kind == "complete" || kind == "no-show") && s == "confirmed" && begun:
			b.Status, b.UpdatedAt = statuses[kind], w.now()
			b.Version++
			w.wasConfirmed[id] = w.wasConfirmed[id] || kind == "confirm"
			w.addBookingEvent("booking."+b.Status, b)
			return http.StatusOK, "", w.view(b)
		}
		return refuse(http.StatusConflict, "invalid_state")
	})
}

func (w *fixture) get(id string) *history.Operation {
	return w.request(http.MethodGet, "/v1/bookings/"+id, "", nil, func() (int, string, any) {
		b := w.booking(id)
		if b == nil {
			return refuse(http.StatusNotFound, "not_found")
		}
		return http.StatusOK, "", w.view(b)
	})
}

func (w *fixture) availability(service, date string) *history.Operation {
	s := w.Services[slices.IndexFunc(w.Services, func(s check.Service) bool { return s.ID == service })]
	return w.request(http.MethodGet, fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s", service, date, date), "",
		nil,
		func() (int, string, any) {
			from, until := w.span(check.Service{Kind: "date"}, wanted{date: date})
			remaining := func(from, until time.Time) (n int) {
				for _, r := range s.Resources {
					n += w.free(r, from, until)
				}
				return n
			}
			day := map[string]any{"date": date, "remaining": remaining(from, until), "slots": []any{}}
			if s.Kind == "slot" {
				var slots []any
				for at := from; at.Before(until); at = at.Add(s.Duration) {
					slots = append(slots,
						map[string]any{"starts_at": at, "remaining": remaining(at, at.Add(s.Duration))})
				}
				day["slots"] = slots
			}
			return http.StatusOK, "", map[string]any{"data": []any{day}}
		})
}

// pay takes an amount, if the method is pm_ok.
func (w *fixture) pay(key, booking, method string, amount int64) *history.Operation {
	body := map[string]any{"kind": "amount", "amount": amount, "payment_method": method}
	return w.request(http.MethodPost, "/v1/bookings/"+booking+"/payments", key, body, func() (int, string, any) {
		p := check.Payment{
			Tenant:     w.tenant,
			ID:         uuid.NewString(),
			Booking:    booking,
			Kind:       "amount",
			Status:     "succeeded",
			Currency:   "EUR",
			Method:     method,
			Key:        key,
			Amount:     amount,
			CreatedAt:  w.now(),
			UpdatedAt:  w.now(),
			ProviderID: "ch_" + key,
		}
		if method != "pm_ok" {
			p.Status, p.ProviderID = "declined", ""
			w.complete(p)
			return http.StatusPaymentRequired, "payment_declined",
				map[string]any{"status": 402, "code": "payment_declined",
					"payment_id": p.ID}
		}
		w.complete(p)
		return http.StatusCreated, "", paymentBody(p)
	})
}

func (w *fixture) refund(key, id string, amount int64) *history.Operation {
	return w.request(http.MethodPost, "/v1/payments/"+id+"/refunds", key, map[string]any{"amount": amount}, func() (int,
		string, any) {
		of := w.payment(id)
		p := check.Payment{
			Tenant:     w.tenant,
			ID:         uuid.NewString(),
			Booking:    of.Booking,
			Kind:       "refund",
			Status:     "succeeded",
			Currency:   "EUR",
			Key:        key,
			RefundOf:   id,
			Amount:     amount,
			CreatedAt:  w.now(),
			UpdatedAt:  w.now(),
			ProviderID: "re_" + key,
		}
		w.complete(p)
		return http.StatusCreated, "", paymentBody(p)
	})
}

func (w *fixture) move(p check.Payment) {
	w.Movements = append(w.Movements, payment.ProviderTransaction{
		Refund:     p.RefundOf != "",
		Reference:  payment.Reference{TenantID: uuid.MustParse(p.Tenant), ID: uuid.MustParse(p.ID)},
		ProviderID: p.ProviderID, Amount: p.Amount, Currency: p.Currency, At: w.now(),
	})
}

// loseAnswer makes an operation's answer get lost.
func loseAnswer(op *history.Operation) {
	op.Status, op.Code, op.Response, op.Replayed, op.Returned, op.Outcome = 0, "", nil, false, 0, history.Unknown
}

// check judges the fixture as it is now, once lapsed holds are marked as expired.
func (w *fixture) check() []check.Violation {
	if !w.unswept {
		for i := range w.Bookings {
			if b := &w.Bookings[i]; b.Status == "held" && w.status(b) == "expired" {
				w.expire(b, w.now())
			}
		}
	}
	end := w.State
	end.Now = w.now()
	if !w.unplanned {
		end.Scheduled = slices.Concat(end.Scheduled, w.handled())
	}
	return check.Check(w.ops, end)
}

// handled are the scheduled events of the holds and payments, which workers have handled.
func (w *fixture) handled() (events []check.ScheduledEvent) {
	add := func(kind, subject string) {
		events = append(events, check.ScheduledEvent{
			Tenant:   w.tenant,
			ID:       uuid.NewString(),
			Kind:     kind,
			Subject:  subject,
			Status:   "completed",
			Version:  3,
			Attempts: 1,
			DueAt:    start,
		})
	}
	for _, b := range w.Bookings {
		if b.HoldExpiresAt != nil {
			add("booking.hold_expiry", b.ID)
		}
	}
	for _, p := range w.Payments {
		add("payment.resolution", p.ID)
	}
	return events
}

// giveBack refunds what was paid on holds that ended.
func (w *fixture) giveBack() {
	for _, p := range slices.Clone(w.Payments) {
		b := w.booking(p.Booking)
		ended := w.status(b) == "expired" || b.Status == "cancelled" && b.HoldExpiresAt != nil && !w.wasConfirmed[b.ID]
		left := w.left(p.ID)
		if p.RefundOf != "" || p.Status != "succeeded" || !ended || left == 0 {
			continue
		}
		r := check.Payment{
			Tenant:     w.tenant,
			ID:         uuid.NewString(),
			Booking:    p.Booking,
			Kind:       "refund",
			Status:     "succeeded",
			Currency:   "EUR",
			RefundOf:   p.ID,
			Amount:     left,
			Automatic:  true,
			CreatedAt:  w.now(),
			UpdatedAt:  w.now(),
			ProviderID: "re_" + p.ID,
		}
		w.transaction++
		w.complete(r)
	}
}

// left is what wasn't refunded of a payment.
func (w *fixture) left(id string) int64 {
	left := w.payment(id).Amount
	for _, p := range w.Payments {
		if p.RefundOf == id {
			left -= p.Amount
		}
	}
	return left
}

func rules(found []check.Violation) []string {
	set := make(map[string]bool)
	for _, v := range found {
		set[v.Rule] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func paymentBody(p check.Payment) map[string]any {
	return map[string]any{
		"id": p.ID, "booking_id": p.Booking, "refund_of": p.RefundOf, "kind": p.Kind, "status": p.Status,
		"amount":      p.Amount,
		"lowers_owed": p.LowersOwed,
		"currency":    p.Currency,
	}
}
