package hostile_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// drawn is a request that was drawn for an operation.
type drawn struct {
	request
	op operation
	// wrong says why the request has to be refused, empty if that isn't known.
	wrong string
	// mayMissOperation says that the request may no longer be one of the operation, so that the document need not list
	// its answer.
	mayMissOperation bool
}

// request draws a request for an operation: a valid one, or one that is damaged in one or two places.
func (s *sequence) request(op operation) drawn {
	r := drawn{op: op, request: request{method: op.method, target: s.target(op)}}
	key := s.key
	if strings.HasPrefix(op.path, "/admin/") {
		key = adminKey
	}
	r.add("Authorization", "Bearer "+key)
	s.parameters(&r)
	if op.body != nil {
		r.add("Content-Type", "application/json")
		body := s.sensible(op, s.value(op.body, "").(object))
		if s.oneIn(12) {
			s.null(&r, body)
		}
		if r.wrong != "" {
			r.body = encoded(body)
			return r
		}
		if s.oneIn(3) {
			r.body = s.damaged(body)
		} else {
			r.body = encoded(body)
		}
	}
	switch {
	case s.oneIn(12):
		pick(s.draw, wrongs)(s, &r)
	case s.oneIn(3):
		s.damage(&r)
	}
	return r
}

// without takes fields away, mostly.
func (s *sequence) without(o object, names ...string) {
	if !s.oneIn(12) {
		for _, name := range names {
			delete(o, name)
		}
	}
}

// sensible takes away what makes nearly every drawn body senseless: fields that exclude each other.
func (s *sequence) sensible(op operation, body object) object {
	switch op.id {
	case "create-service":
		if body["kind"] != "slot" {
			s.without(body, "duration_minutes", "duration_days", "until_closing", "slot_interval_minutes")
		} else {
			lengths := []string{"duration_minutes", "duration_days", "until_closing"}
			kept := pick(s.draw, lengths)
			for _, name := range lengths {
				if name != kept {
					s.without(body, name)
				}
			}
			if value, ok := s.knownValue(kept); ok && body[kept] == nil {
				body[kept] = value
			}
		}
		for _, buffer := range []string{"buffer_before", "buffer_after"} {
			s.without(body, buffer+pick(s.draw, []string{"_minutes", "_days"}))
		}
		if body["kind"] == "stay" {
			s.stay(body)
		} else if !s.oneIn(4) {
			s.without(body, "check_in", "check_out", "min_nights", "max_nights", "arrival_weekdays")
		}
	case "create-block", "change-block":
		if !s.oneIn(4) {
			s.block(body)
			s.without(body, "rrule")
		}
	case "confirm-booking":
		s.without(body, pick(s.draw, []string{"customer", "customer_id"}))
	case "create-booking":
		if s.oneIn(2) && body["customer"] != nil || body["customer_id"] == nil {
			s.without(body, "customer_id")
			if body["customer"] == nil {
				body["customer"] = object{"name": "Ada", "email": fmt.Sprint("c", s.between(0, 9), "@example.com")}
			}
		} else {
			s.without(body, "customer")
		}
		service, _ := body["service_id"].(string)
		s.setTime(body, service)
		if !s.oneIn(4) {
			s.without(body, "resource_id")
		}
		if !s.oneIn(4) {
			s.without(body, "id", "reference", "external_reference")
		}
		if s.oneIn(3) {
			body["hold_minutes"] = s.between(1, 60)
			if s.oneIn(4) {
				s.without(body, "customer", "customer_id")
			}
		}
		if size, _ := body["party_size"].(int); size > 1 {
			s.without(body, "party_size")
		}
	case "create-hold":
		service, _ := body["service_id"].(string)
		s.setTime(body, service)
		if !s.oneIn(4) {
			s.without(body, "resource_id")
		}
		if size, _ := body["party_size"].(int); size > 1 {
			s.without(body, "party_size")
		}
	case "reschedule-booking":
		s.without(body, "party", pick(s.draw, []string{"resource_id", "any_resource"}))
		s.setAnyTime(body)
		if !s.oneIn(4) {
			s.without(body, "service_id", "resource_id", "party_size")
		}
		body["price"] = pick(s.draw, []string{"keep", "quote"})
	case "quote-booking":
		if s.oneIn(2) {
			s.without(body, "booking_id", "any_resource", "price")
			service := s.id("services")
			body["service_id"] = service
			s.setTime(body, service)
		} else {
			s.without(body, "hold_minutes", "any_resource")
			s.setAnyTime(body)
			body["booking_id"] = s.id("bookings")
		}
		if !s.oneIn(4) {
			s.without(body, "resource_id", "party", "party_size")
		}
	case "update-booking":
		s.without(body, pick(s.draw, []string{"customer", "customer_id"}))
	case "create-payment":
		if body["kind"] == "amount" {
			body["amount"] = pick(s.draw, []int{1, 100, 1000, 4500, 4501})
		} else {
			s.without(body, "amount")
		}
	case "change-tenant":
		reminders, _ := body["reminders"].([]any)
		for _, item := range append(reminders, body["balance_due"]) {
			if r, ok := item.(object); ok && s.oneIn(2) {
				s.without(r, "days_before", "at")
				r["before_minutes"] = s.between(1, 10_000)
			} else if ok {
				s.without(r, "before_minutes")
				r["at"] = pick(s.draw, clocks)
			}
		}
		if email, ok := body["email"].(object); ok {
			list, _ := email["templates"].([]any)
			for _, item := range list {
				t := item.(object)
				t["subject"], t["text"] = s.template(), s.template()
				s.without(t, "html")
			}
		}
	case "replay-webhook-events", "replay-operator-webhook-events":
		if !s.oneIn(4) {
			s.without(body, "to", "after")
			body["from"] = s.moment("")
		}
	case "merge-customer":
		body["into"] = s.id("customers")
	case "transfer":
		body["from"], body["to"] = s.id("wallets"), s.id("wallets")
	case "set-hours":
		overrides, _ := body["overrides"].([]any)
		for _, item := range overrides {
			if o := item.(object); s.oneIn(2) {
				o["closed"] = true
				s.without(o, "opens", "closes")
			} else {
				o["closed"], o["opens"], o["closes"] = false, pick(s.draw, clocks), pick(s.draw, clocks)
			}
		}
	}
	return body
}

// setTime has a request ask for a time as the kind of its service needs it.
func (s *sequence) setTime(body object, service string) {
	s.without(body, "date", "starts_at", "check_in", "check_out")
	switch s.kinds[service] {
	case "date":
		body["date"] = s.day()
	case "stay":
		from := s.date.AddDays(s.between(-2, 2))
		body["check_in"], body["check_out"] = from.String(), from.AddDays(s.between(1, 4)).String()
	default:
		body["starts_at"] = s.moment(service)
	}
}

// setAnyTime has a request ask for a time as one of the kinds needs it: that of the booking isn't known.
func (s *sequence) setAnyTime(body object) {
	with := pick(s.draw, []string{"date", "starts_at", "stay"})
	for _, name := range []string{"date", "starts_at"} {
		if name != with {
			s.without(body, name)
		}
	}
	if with != "stay" {
		s.without(body, "check_in", "check_out")
	} else if s.oneIn(2) {
		body["check_out"] = s.day()
	}
}

// target draws the operation's path with ids in it, and its query.
func (s *sequence) target(op operation) string {
	words := strings.Split(op.path, "/")
	for i, word := range words {
		if strings.HasPrefix(word, "{") {
			words[i] = s.id(words[i-1])
		}
	}
	query := url.Values{}
	for _, p := range op.parameters {
		if p.in == "query" && (p.required || s.oneIn(4)) {
			query.Set(p.name, fmt.Sprint(s.value(p.schema, p.name)))
		}
	}
	if len(query) == 0 {
		return strings.Join(words, "/")
	}
	return strings.Join(words, "/") + "?" + query.Encode()
}

// parameters draws the headers that the operation has.
func (s *sequence) parameters(r *drawn) {
	for _, p := range r.op.parameters {
		switch {
		case p.in != "header", strings.HasPrefix(p.name, "Holdfast-"): // damages add those of the operator
		case p.name == "Idempotency-Key":
			r.add(p.name, s.uuid().String())
		case p.name == "If-Match":
			if s.oneIn(3) {
				r.add(p.name, pick(s.draw, []string{`"1"`, `"2"`, `"3"`, "*", `W/"1"`, `"1", "2"`}))
			}
		case p.required || s.oneIn(30):
			r.add(p.name, pick(s.draw,
				[]string{"wait=30", "wait=60, respond-async", "wait=0", "wait=-1", "wait=99999999999999999999",
					`wait="`, ";", "\xff"}))
		}
	}
}

// damages change a request in one place each.
var damages = []func(*sequence, *drawn){
	func(s *sequence, r *drawn) { // an id in another spelling, or none
		path, query, asked := strings.Cut(r.target, "?")
		words := strings.Split(path, "/")
		i := s.IntN(len(words))
		w := words[i]
		words[i] = pick(s.draw, []string{
			strings.ToUpper(w), "{" + w + "}", "urn:uuid:" + w, strings.ReplaceAll(w, "-", ""), "x", "%00", "%ff", "..",
			".", "%2e%2e",
			"a%2Fb", w + "%2F",
			"%20", "", w + "%20", strings.Repeat("a", 3000), "1", "%F0%9F%9A%80", "*", w + ";a=b", "'%20OR%20'1'='1",
		})
		r.target, r.mayMissOperation = strings.Join(words, "/"), true
		if asked {
			r.target += "?" + query
		}
	},
	func(s *sequence, r *drawn) { // the query
		joint := "?"
		if strings.Contains(r.target, "?") {
			joint = "&"
		}
		name := "x"
		if len(r.op.parameters) > 0 {
			name = pick(s.draw, r.op.parameters).name
		}
		value := fmt.Sprint(pick(s.draw, oddities))
		r.target += joint + pick(s.draw, []string{
			name + "=" + url.QueryEscape(value), name, name + "=", "a;b", "%", "%zz=1", "%00=1", name + "=%ff", "&&",
			"=", name + "=1&" +
				name + "=2", "x=1", "+", "?",
			url.QueryEscape(name+" ") + "=1", strings.ToUpper(name) + "=1", name + "[]=1",
		})
	},
	func(s *sequence, r *drawn) { // the method
		r.method, r.mayMissOperation = pick(s.draw,
			[]string{"HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "GET", "POST", "TRACE", "get", "PROPFIND", "X",
				"CONNECT"}), true
	},
	func(s *sequence, r *drawn) {
		r.set("Authorization", pick(s.draw, []string{
			"", "Bearer", "Bearer ", "Bearer " + adminKey, "Bearer " + s.key + "x", "Bearer  " + s.key,
			"Basic " + s.key, "bearer " + s.key,
			s.key, "\xff",
			"Bearer " + strings.ToUpper(s.key), "Bearer " + strings.Repeat("a", 8000),
		}))
		if s.oneIn(4) {
			r.add("Authorization", "Bearer "+s.key)
		}
		if s.oneIn(8) {
			r.drop("Authorization")
		}
	},
	func(s *sequence, r *drawn) { // the headers of the operator who acts for a tenant
		if s.oneIn(2) {
			r.set("Authorization", "Bearer "+adminKey)
		}
		for _, name := range []string{"Holdfast-Tenant", "Holdfast-Actor"} {
			r.set(name, pick(s.draw, []string{
				s.tenant, s.tenant, s.tenant, s.uuid().String(), uuid.Nil.String(), "", "Ada", " ", "\xff", "a\tb",
				"' OR 1=1 --", strings.Repeat("a", 64), strings.Repeat("a", 101), strings.ToUpper(s.tenant),
				"{" + s.tenant + "}",
			}))
			if s.oneIn(8) {
				r.add(name, "Ada")
			}
			if s.oneIn(8) {
				r.drop(name)
			}
		}
	},
	func(s *sequence, r *drawn) {
		key := pick(s.draw, []string{"", "k1", "k2", " k1", strings.Repeat("k", 255), strings.Repeat("k", 256), "é",
			"\x80", "a b", "\x7f",
			`"k1"`})
		if s.oneIn(4) {
			r.add("Idempotency-Key", key)
		} else {
			r.set("Idempotency-Key", key)
		}
		if s.oneIn(8) {
			r.drop("Idempotency-Key")
		}
	},
	func(s *sequence, r *drawn) {
		r.set("If-Match", pick(s.draw, []string{
			"", "*", `"0"`, `"1"`, `"99"`, `W/"1"`, `"`, ",", `"1`, `1`, `"-1"`, `"01"`, "\x80",
			strings.Repeat("a", 1000),
			strings.Repeat("a", 1001), `"1","2"`,
		}))
		if s.oneIn(6) {
			r.add("If-Match", `"1"`)
		}
	},
	func(s *sequence, r *drawn) {
		media := pick(s.draw, []string{
			"", "text/plain", "application/json; charset=utf-8", "application/json; charset=latin1",
			"application/json,application/json",
			";", "json",
			"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "APPLICATION/JSON",
			"application/problem+json", "\xff",
		})
		if s.oneIn(4) {
			r.add("Content-Type", media)
		} else {
			r.set("Content-Type", media)
		}
	},
	func(s *sequence, r *drawn) {
		name := pick(s.draw, []string{
			"Accept", "Accept-Encoding", "Content-Encoding", "Request-Id", "X-Http-Method-Override", "If-None-Match",
			"Range",
			"If-Modified-Since", "Prefer",
			"Origin", "X-Forwarded-For", "Cookie", "Accept-Language", "Upgrade", "Te", "Via",
		})
		r.add(name, pick(s.draw, []string{
			"", "text/html", "application/json;q=0", "image/*", "gzip", "gzip;q=0", "br,gzip", "identity;q=0", "*;q=0",
			"r",
			strings.Repeat("r", 200), "\xff", "\x80", "DELETE",
			`"1"`, "*", "bytes=0-1", "bytes=5-1", "Fri, 20 Nov 2037 00:00:00 GMT", "wait=1", "null", "127.0.0.1", "de",
			"h2c",
		}))
	},
	func(s *sequence, r *drawn) { // what HTTP doesn't allow
		r.mayMissOperation = true
		r.add(pick(s.draw, []string{"Expect", "X Y", "\xff", "", "X", "Host", "Content-Length", "Transfer-Encoding",
			"Trailer"}),
			pick(s.draw, []string{"100-continue", "x", "\x00", "1", "chunked", strings.Repeat("x", 40<<10), "a\x01b"}))
	},
	func(s *sequence, r *drawn) { // a body where none belongs, or none where one does
		if r.cut = 0; r.op.body == nil {
			r.body = pick(s.draw, []string{"{}", " ", "null", "[]", `{"a":1}`, "{", "\x00", `""`})
			if s.oneIn(2) {
				r.set("Content-Type", "application/json")
			}
		} else {
			r.body = ""
		}
	},
	func(s *sequence, r *drawn) { // the connection ends within the body
		if len(r.body) > 1 && s.oneIn(4) {
			r.cut, r.mayMissOperation = s.between(1, len(r.body)-1), true
		}
	},
}

func (s *sequence) damage(r *drawn) {
	for range s.between(1, 2) {
		pick(s.draw, damages)(s, r)
	}
	if r.method == http.MethodHead && r.op.method != http.MethodGet || r.method == http.MethodConnect {
		r.mayMissOperation = true
	}
}
