package hostile_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/timezone"
)

// sequence is a tenant of its own and the requests that it gets. What is drawn depends on the seed, the number, the day
// (UTC) and the answers; ids, API keys and times in the answers are the server's.
type sequence struct {
	draw
	*description
	*server
	browsed
	line    *line
	count   *tally
	history []request // the last ones
	failed  string

	tenant, key string
	loc         *time.Location
	date        civil.Date // most requests are about dates near this one
	known       map[string][]string
	foreign     map[string][]string // another tenant's
	kinds       map[string]string   // of services
	slots       map[string][]string // starts that availability listed, by service
	cursors     []string
}

// shownRequests is how many requests before a failure are printed.
const shownRequests = 12

// failure ends a sequence.
type failure struct{}

// Errorf and FailNow make a sequence a require.TestingT.
func (s *sequence) Errorf(format string, args ...any) { s.failed = fmt.Sprintf(format, args...) }

// FailNow ends the sequence.
func (s *sequence) FailNow() { panic(failure{}) }

// newSequence returns the sequence of a seed and a number.
func newSequence(seed, number uint64) *sequence {
	return &sequence{draw: draw{rand.New(rand.NewPCG(seed, number))}, known: map[string][]string{},
		kinds: map[string]string{},
		slots: map[string][]string{}}
}

// run sends the sequence's requests and reports what went wrong, empty if nothing did.
func (s *sequence) run() (wrong string) {
	defer func() {
		if v := recover(); v != nil {
			if _, ours := v.(failure); !ours {
				panic(v)
			}
			wrong = s.failed
		}
	}()
	s.openForeign()
	s.open()
	for _, id := range settingOperations {
		for range 2 {
			s.step(s.named(id))
		}
	}
	for range s.between(20, 60) {
		switch {
		case s.oneIn(20):
			s.lapse()
		case s.oneIn(40):
			s.work()
		case s.oneIn(4):
			s.page()
		default:
			s.step(s.operation())
		}
	}
	s.requireInvariants()
	return ""
}

// openForeign makes another tenant with one of each thing, whose ids the sequence's tenant must not be able to use.
func (s *sequence) openForeign() {
	made := s.must("/admin/v1/tenants",
		object{"slug": "t-" + s.uuid().String(), "name": "Pier", "time_zone": "UTC", "currency": "EUR"})
	s.key = made.text("api_key")
	resource := s.must("/v1/resources", object{"name": "Boat", "capacity": 1}).text("id")
	service := s.must("/v1/services",
		object{"name": "Tour", "kind": "date", "resource_ids": []any{resource}, "price": 4500}).text("id")
	booking := s.must("/v1/bookings", object{
		"service_id": service, "date": civil.DateOf(today()).AddDays(10).String(),
		"customer": object{"name": "Ada", "email": "ada@example.com"},
	}).text("id")
	paid := s.must("/v1/bookings/"+booking+"/payments", object{"kind": "balance", "payment_method": "pm_ok"})
	s.known["payments"] = []string{paid.text("id")}
	s.must("/v1/blocks", object{"resource_id": resource, "from": civil.DateOf(today()).AddDays(20).String(),
		"to": civil.DateOf(today()).AddDays(21).String()})
	s.must("/v1/webhook-endpoints", object{"url": "https://example.com/", "types": []any{"*"}})
	s.must("/v1/wallets", object{"currency": "EUR"})
	s.must("/v1/api-keys", object{"name": "Till", "scopes": []any{"read"}})
	s.schedule(made.text("id"))
	for _, kind := range []string{"webhook-endpoints", "tenants", "resources", "services", "bookings", "customers",
		"payments",
		"blocks", "scheduled-events", "wallets", "api-keys"} {
		require.NotEmpty(s, s.known[kind], kind)
	}
	s.foreign, s.known = s.known, map[string][]string{}
}

// open makes the tenant with resources and services.
func (s *sequence) open() {
	zone, currency := s.zone(), "EUR"
	if s.oneIn(3) {
		v, _ := s.knownValue("currency")
		currency = v.(string)
	}
	loc, err := timezone.Load(zone)
	require.NoError(s, err)
	s.loc, s.date = loc, s.someDate(loc)
	slug := "t-" + s.uuid().String()
	made := s.must("/admin/v1/tenants",
		object{"slug": slug, "name": "Harbour", "time_zone": zone, "currency": currency})
	s.tenant, s.key = made.text("id"), made.text("api_key")
	s.openPages(slug)
	s.must("/v1/api-keys", object{"name": "Till", "scopes": []any{"read"}})
	for range 3 {
		s.schedule(s.tenant)
	}
	for range s.between(1, 3) {
		id := s.must("/v1/wallets", object{"currency": currency}).text("id")
		s.must("/v1/wallets/"+id+"/credits", object{"amount": s.between(1, 10_000)})
		s.must("/v1/wallets/"+id+"/holds", object{"amount": 1})
	}
	for range s.between(1, 3) {
		v, _ := s.knownValue("capacity")
		s.must("/v1/resources", object{"name": "Boat", "capacity": v})
	}
	for _, resource := range s.known["resources"] {
		for range s.between(0, 2) {
			s.setHours(resource, s.hours())
		}
	}
	for _, resource := range s.known["resources"] {
		if s.oneIn(4) {
			s.must("/v1/blocks", s.block(object{"resource_id": resource}))
		}
	}
	s.must("/v1/webhook-endpoints", object{"url": "https://example.com/", "types": []any{"*"}})
	for range s.between(1, 3) {
		resources := []any{}
		for _, id := range s.known["resources"] {
			resources = append(resources, id)
		}
		body := object{"name": "Tour", "kind": "date", "resource_ids": resources, "booking_window_days": 3650,
			"price": 0}
		if !s.oneIn(3) {
			body["price"], body["deposit"] = 4500, 1000
		}
		for _, name := range []string{"max_per_day", "buffer_before_minutes", "buffer_after_minutes"} {
			if s.oneIn(4) {
				body[name], _ = s.knownValue(name)
			}
		}
		switch {
		case s.oneIn(4):
			s.stay(body)
		case !s.oneIn(3):
			body["kind"] = "slot"
			switch s.between(0, 5) {
			case 0:
				body["duration_days"] = pick(s.draw, []int{1, 2})
			case 1:
				body["until_closing"] = true
			default:
				body["duration_minutes"] = pick(s.draw, []int{15, 30, 60, 90, 480, 1500})
			}
			body["slot_interval_minutes"] = pick(s.draw, []int{15, 30, 60, 90})
		}
		id := s.sell(body).text("id")
		s.get("get-availability", id, url.Values{"from": {s.date.String()}, "to": {s.date.String()}})
	}
}

// sell makes a service. If it fits in no opening hours, its resources are open at all times from then on.
func (s *sequence) sell(body object) answer {
	a := s.create("/v1/services", body)
	if a.status == http.StatusCreated || !strings.Contains(a.body, "opening hours") {
		require.Equal(s, http.StatusCreated, a.status, a.body)
		return a
	}
	for _, resource := range s.known["resources"] {
		s.setHours(resource, object{"always_open": true})
	}
	return s.must("/v1/services", body)
}

// setHours sends opening hours of a resource.
func (s *sequence) setHours(resource string, hours object) {
	op := s.named("set-hours")
	r := drawn{op: op, request: request{method: op.method, target: strings.Replace(op.path, "{id}", resource, 1)}}
	r.set("Authorization", "Bearer "+s.key)
	r.set("Content-Type", "application/json")
	r.body = encoded(hours)
	s.exchange(r)
}

// stay has a service sell stays.
func (s *sequence) stay(body object) {
	body["kind"], body["check_in"], body["check_out"] = "stay", "15:00", "10:00"
	body["max_nights"] = s.between(1, 7)
	if s.oneIn(2) {
		delete(body, "buffer_after_minutes")
		body["buffer_after_days"] = s.between(1, 2)
	}
}

// block gives a block a time near the dates that the sequence is about.
func (s *sequence) block(body object) object {
	for _, name := range []string{"starts_at", "ends_at", "from", "to"} {
		delete(body, name)
	}
	if s.oneIn(2) {
		from := s.date.AddDays(s.between(-2, 4))
		body["from"], body["to"] = from.String(), from.AddDays(s.between(0, 2)).String()
		return body
	}
	at := s.date.AddDays(s.between(-1, 1)).In(s.loc).Add(time.Duration(s.between(0, 48)) * 30 * time.Minute)
	body["starts_at"], body["ends_at"] = at.Format(time.RFC3339),
		at.Add(time.Duration(s.between(1, 4))*time.Hour).Format(time.RFC3339)
	return body
}

// hours draws opening hours that are mostly right.
func (s *sequence) hours() object {
	hours := object{}
	if !s.oneIn(4) {
		list := []any{}
		for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
			for range s.between(0, 2) {
				list = append(list, object{"weekday": day, "opens": pick(s.draw, clocks[:len(clocks)-1]),
					"closes": pick(s.draw, clocks)})
			}
		}
		hours["weekly"] = list
	} else {
		hours["always_open"] = true
	}
	if s.oneIn(2) {
		hours["overrides"] = []any{object{"date": s.day(), "closed": true}}
	}
	return hours
}

// named returns the operation of an id.
func (d *description) named(id string) operation {
	i := slices.IndexFunc(d.operations, func(o operation) bool { return o.id == id })
	return d.operations[i]
}

// must creates something in a request that the API has to accept.
func (s *sequence) must(path string, body object) answer {
	a := s.create(path, body)
	// The provider may be slow on a busy machine: then the payment's end isn't known yet.
	require.Contains(s, []int{http.StatusCreated, http.StatusAccepted}, a.status, a.body)
	return a
}

// create sends a request that creates something.
func (s *sequence) create(path string, body object) answer {
	words := strings.Split(path, "/")
	i := slices.IndexFunc(s.operations, func(o operation) bool {
		return o.method == http.MethodPost && slices.EqualFunc(strings.Split(o.path, "/"), words, func(described,
			word string) bool {
			return described == word || described == "{id}"
		})
	})
	r := drawn{op: s.operations[i], request: request{method: http.MethodPost, target: path, body: encoded(body)}}
	key := s.key
	if strings.HasPrefix(path, "/admin/") {
		key = adminKey
	}
	r.set("Authorization", "Bearer "+key)
	r.set("Idempotency-Key", s.uuid().String())
	r.set("Content-Type", "application/json")
	return s.exchange(r)
}

// settingOperations are tried in each sequence: much in their bodies excludes or needs something else, so that few that
// are drawn are valid.
var settingOperations = []string{
	"change-tenant", "create-webhook-endpoint", "change-webhook-endpoint", "preview-email", "ping-webhook-endpoint",
	"replay-webhook-events",
}

// operation draws an operation: one about bookings more often than others, and rarely one of administrators.
func (s *sequence) operation() operation {
	if s.oneIn(2) {
		return s.named(pick(s.draw, []string{
			"create-booking", "create-booking", "create-booking", "create-booking", "confirm-booking", "cancel-booking",
			"get-availability",
			"create-payment", "create-payment", "create-refund", "refund-overpaid", "reschedule-booking",
			"update-booking",
			"extend-booking", "quote-booking", "create-block",
		}))
	}
	for {
		op := pick(s.draw, s.operations)
		if s.oneIn(10) || !strings.HasPrefix(op.path, "/admin/") && s.has(op) {
			return op
		}
	}
}

// has reports whether the tenant has what an operation's path is about.
func (s *sequence) has(op operation) bool {
	words := strings.Split(op.path, "/")
	i := slices.Index(words, "{id}")
	return i < 0 || len(s.known[words[i-1]]) > 0
}

// id draws an id of a kind: mostly one that is there.
func (s *sequence) id(kind string) string {
	switch s.IntN(20) {
	case 0:
		return s.uuid().String()
	case 1:
		return pick(s.draw, []string{uuid.Nil.String(), uuid.Max.String()})
	case 2:
		if list := s.foreign[kind]; len(list) > 0 {
			return pick(s.draw, list)
		}
	case 3:
		kind = pick(s.draw, []string{"bookings", "customers", "payments", "resources", "scheduled-events", "services",
			"tenants",
			"webhook-endpoints"})
	}
	if list := s.known[kind]; len(list) > 0 {
		return pick(s.draw, list)
	}
	return s.uuid().String()
}

// lapse puts back the expiry of the tenant's holds, as if time had passed.
func (s *sequence) lapse() {
	_, err := s.sql.Exec(background,
		"UPDATE bookings SET hold_expires_at = now() - interval '1 second' WHERE tenant_id = $1 AND status = 'held'",
		s.tenant)
	require.NoError(s, err)
	_, err = s.sql.Exec(background, dbtest.SyncClaims)
	require.NoError(s, err)
}

// work handles the payments that are due.
func (s *sequence) work() {
	event.NewWorker(s.store, event.Config{}, s.payments.Resolution()).RunUntilIdle(background)
}

// schedule inserts an event that can be cancelled and replayed: no route makes one.
func (s *sequence) schedule(tenant string) {
	id := s.uuid().String()
	_, err := s.sql.Exec(background, `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, data, created_at, updated_at)
		VALUES ($1, $2, 'booking.reminder', 'booking', $2, '', $3, now(), 'Europe/Berlin', 1, 1, '{}', now(), now())`,
		tenant, id, pick(s.draw, []string{"pending", "completed", "failed", "dead", "cancelled"}))
	require.NoError(s, err)
	_, err = s.sql.Exec(background, `
		INSERT INTO event_attempts (tenant_id, event_id, attempt_id, attempt, status, error, details, started_at, finished_at)
		VALUES ($1, $2, $2, 1, 'failed', 'No answer.', '{"status": 503}', now(), now())`, tenant, id)
	require.NoError(s, err)
	s.known["scheduled-events"] = append(s.known["scheduled-events"], id)
}

// remember keeps what an answer says exists.
func (s *sequence) remember(r drawn, a answer) {
	body := a.object
	if id := a.text("id"); a.status == http.StatusCreated && id != "" {
		words := strings.Split(a.header.Get("Location"), "/")
		if i := len(words) - 2; i >= 0 && !slices.Contains(s.known[words[i]], id) {
			s.known[words[i]] = append(s.known[words[i]], id)
		}
		if kind := a.text("kind"); r.op.id == "create-service" {
			s.kinds[id] = kind
		}
		if customer, ok := body["customer"].(object); ok {
			s.known["customers"] = append(s.known["customers"], fmt.Sprint(customer["id"]))
		}
	}
	if entry, ok := body["entry"].(object); ok && r.op.id == "hold-wallet" {
		s.known["holds"] = append(s.known["holds"], fmt.Sprint(entry["hold_id"]))
	}
	if list, _ := body["data"].([]any); r.op.id == "list-scheduled-events" && a.status == http.StatusOK {
		for _, item := range list {
			if id := fmt.Sprint(item.(object)["id"]); !slices.Contains(s.known["scheduled-events"], id) {
				s.known["scheduled-events"] = append(s.known["scheduled-events"], id)
			}
		}
	}
	if r.op.id == "correct-tenant" && a.status == http.StatusOK && a.text("id") == s.tenant {
		s.slug = a.text("slug")
	}
	if next := a.text("next_cursor"); next != "" {
		s.cursors = append(s.cursors, next)
	}
	if r.op.id == "get-availability" && a.status == http.StatusOK {
		service := strings.Split(r.target, "/")[3]
		for _, d := range days(a) {
			for _, slot := range d.Slots {
				if len(s.slots[service]) < 200 {
					s.slots[service] = append(s.slots[service], slot.StartsAt)
				}
			}
		}
	}
}
