package hostile_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

var methods = []string{
	"pm_ok", "pm_ok", "pm_ok", "pm_ok", "pm_ok", "pm_ok", "pm_declined", "pm_insufficient_funds", "pm_requires_action",
	"pm_refund_fails",
	"pm_slow", "pm_none", "card", "!", "~~~",
}

var clocks = []string{"00:00", "00:30", "01:00", "02:00", "02:30", "08:00", "09:00", "12:00", "17:00", "22:00", "23:00",
	"23:30", "23:59",
	"24:00"}

// hostileURLs are URLs of webhook endpoints that have to be refused.
var hostileURLs = []string{
	"http://example.com/", "https://10.0.0.1/", "https://[::1]/", "https://169.254.169.254/",
	"https://user:pass@example.com/",
	"https://example.com/#x",
	"https://example.com:0/", "https://2130706433/", "file:///etc/passwd", "https://",
}

// hostileTemplates are subjects and texts of emails that have to be refused.
var hostileTemplates = []string{"{{no_such}}", "{{> /etc/passwd}}", "{{#customer_name}}", "{{=<% %>=}}",
	"{{{customer_name}}}", "{{"}

// mostly draws one of the good values, and one time in eight one of the bad ones.
func (s *sequence) mostly(good, bad []string) string {
	if s.oneIn(8) {
		return pick(s.draw, bad)
	}
	return pick(s.draw, good)
}

func (s *sequence) template() string {
	return s.mostly([]string{"Hello {{customer_name}}",
		"{{tenant_name}}{{#customer_name}}, {{customer_name}}{{/customer_name}}", "Ahoi 🚀",
		"<b>{{customer_name}}</b>"}, hostileTemplates)
}

// value draws a value that a schema allows, for a field or parameter of this name: one that means something to the
// sequence where there is one.
func (s *sequence) value(schema any, name string) any {
	o := s.resolved(schema)
	kind, _ := o["type"].(string)
	if kinds, ok := o["type"].([]any); ok {
		kind, _ = kinds[0].(string)
	}
	if o["format"] == "date-time" && (name == "from" || name == "to") {
		return s.moment("")
	}
	if v, ok := s.knownValue(name); ok && kind != "array" {
		return v
	}
	if enum, ok := o["enum"].([]any); ok {
		return pick(s.draw, enum)
	}
	switch kind {
	case "object":
		return s.objectOf(o)
	case "array":
		list := []any{}
		low, _ := o["minItems"].(float64)
		for range s.between(int(low), 3) {
			list = append(list, s.value(o["items"], name+"[]"))
		}
		return list
	case "integer":
		return s.integer(o)
	case "boolean":
		return s.oneIn(2)
	}
	return s.words(o)
}

// resolved returns a schema, or the one that it refers to.
func (s *sequence) resolved(schema any) object {
	o, _ := schema.(object)
	if ref, ok := o["$ref"].(string); ok {
		o, _ = s.schemas[ref[strings.LastIndex(ref, "/")+1:]].(object)
	}
	return o
}

// objectOf draws an object with the fields that are required and most of the others.
func (s *sequence) objectOf(schema object) object {
	made := object{}
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	most := s.oneIn(2)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || most && s.oneIn(2) || s.oneIn(6) {
			made[name] = s.value(properties[name], name)
		}
	}
	if len(properties) == 0 && s.oneIn(2) {
		made[pick(s.draw, []string{"a", "", "ключ"})] = pick(s.draw,
			[]any{1, nil, "x", raw("1e2"), object{"b": []any{true}}})
	}
	return made
}

// integer draws a number within the schema's bounds: mostly a small one, sometimes one of the bounds.
func (s *sequence) integer(schema object) any {
	low, _ := schema["minimum"].(float64)
	high, bounded := schema["maximum"].(float64)
	if !bounded {
		high = 1 << 53
	}
	switch s.IntN(8) {
	case 0:
		return int64(low)
	case 1:
		return int64(high)
	}
	return min(int64(high), int64(low)+s.Int64N(100))
}

// words draws a text of the schema's format.
func (s *sequence) words(schema object) string {
	switch format, _ := schema["format"].(string); format {
	case "uuid":
		if s.oneIn(2) {
			return s.id("bookings")
		}
		return s.uuid().String()
	case "date":
		return s.day()
	case "date-time":
		return s.moment("")
	}
	if pattern, _ := schema["pattern"].(string); strings.Contains(pattern, "[0-5][0-9]") {
		return pick(s.draw, clocks)
	} else if pattern == "^[a-z_.]+$" {
		return pick(s.draw, []string{"booking.reminder", "booking.hold_expiry", "payment.resolution", "no.such_kind",
			"_"})
	}
	high, _ := schema["maxLength"].(float64)
	text := pick(s.draw,
		[]string{"Ada Lovelace", "x-y", "王小明", "O'Brien; --", "ßẞ", "🚀 👩‍🚀", "a b", strings.Repeat("n", 200),
			"<b>&amp;</b>", "%00", "\u202eabc"})
	if high > 0 && len(text) > int(high) {
		text = text[:1]
	}
	return text
}

// day draws a date near the one that the sequence is about.
func (s *sequence) day() string {
	if s.oneIn(2) {
		return s.date.String()
	}
	return s.date.AddDays(s.between(-2, 4)).String()
}

// moment draws the start of a slot that a service offered, or another time of such a day.
func (s *sequence) moment(service string) string {
	if slots := s.slots[service]; len(slots) > 0 && !s.oneIn(4) {
		return pick(s.draw, slots)
	}
	at := s.date.AddDays(s.between(-1, 1)).In(s.loc).Add(time.Duration(s.between(0, 96)) * 15 * time.Minute)
	if s.oneIn(3) {
		at = at.UTC()
	}
	return at.Format(time.RFC3339)
}

// knownValue draws a value for a field whose name is known here.
func (s *sequence) knownValue(name string) (any, bool) {
	switch name {
	case "service_id", "resource_id", "customer_id", "payment_id", "booking_id":
		return s.id(strings.TrimSuffix(name, "_id") + "s"), true
	case "resource_ids[]":
		return s.id("resources"), true
	case "reference", "external_reference": // so few that bookings share them
		return fmt.Sprint("r", s.between(0, 3)), true
	case "name":
		return s.words(object{"maxLength": 200.}), true
	case "slug":
		return "t-" + s.uuid().String(), true
	case "time_zone":
		return s.zone(), true
	case "currency":
		return pick(s.draw, []string{"EUR", "JPY", "KWD", "USD", "CLF", "XAF", "ISK", "UGX", "HUF"}), true
	case "email":
		return fmt.Sprint("c", s.between(0, 9),
			pick(s.draw, []string{"@example.com", "@EXAMPLE.com", "+tag@example.com", "@xn--bcher-kva.example"})), true
	case "phone":
		return pick(s.draw, []string{"+49 30 901820", "0", "(1) 2-3"}), true
	case "birthday":
		return pick(s.draw, []string{"1990-12-10", "2000-02-29", "1900-01-01", "2026-01-01"}), true
	case "date", "from", "check_in", "check_out":
		return s.day(), true
	case "to":
		return s.date.AddDays(pick(s.draw, []int{-2, 0, 0, 1, 2, 7, 30, 370})).String(), true
	case "starts_at":
		return s.moment(""), true
	case "payment_method":
		if s.oneIn(60) {
			return pick(s.draw, []string{"pm_timeout_charged", "pm_timeout_not_charged"}), true
		}
		return pick(s.draw, methods), true
	case "price", "deposit", "amount":
		return pick(s.draw, []any{0, 1, 99, 100, 1000, 4500, 999_999, 1<<31 - 1, 1 << 31, 1<<53 - 1}), true
	case "party_size":
		return pick(s.draw, []any{1, 1, 1, 2, 3, 10, 1000}), true
	case "capacity":
		return pick(s.draw, []any{1, 1, 1, 2, 3, 1000}), true
	case "duration_minutes":
		return pick(s.draw, []any{5, 15, 30, 45, 60, 90, 120, 480, 1440, 1500, 10080}), true
	case "duration_days", "buffer_before_days", "buffer_after_days":
		return pick(s.draw, []any{0, 1, 1, 2, 7}), true
	case "until_closing":
		return true, true
	case "slot_interval_minutes":
		return pick(s.draw, []any{1, 7, 15, 30, 60, 90, 1440}), true
	case "buffer_before_minutes", "buffer_after_minutes":
		return pick(s.draw, []any{0, 0, 0, 5, 20, 90, 1440}), true
	case "min_lead_minutes":
		return pick(s.draw, []any{0, 0, 10, 1440}), true
	case "booking_window_days":
		return pick(s.draw, []any{3650, 3650, 1000, 30, 0}), true
	case "max_per_day":
		return pick(s.draw, []any{1, 2, 3, 1_000_000}), true
	case "hold_minutes":
		return pick(s.draw, []any{1, 1, 30, 10080}), true
	case "limit":
		return pick(s.draw, []any{1, 2, 50, 200}), true
	case "types":
		return pick(s.draw, []string{"booking.*", "payment.succeeded,customer.created", "customer.*,booking.no_show"}),
			true
	case "types[]":
		return s.mostly([]string{"*", "booking.*", "booking.created", "payment.succeeded", "webhook_endpoint.*"},
			[]string{"no.such", "booking", "*.*", "%"}), true
	case "url":
		return s.mostly([]string{"https://example.com/hooks", "https://hooks.example.com:8443/a?b=c",
			"https://xn--bcher-kva.example",
			"https://93.184.215.14/"}, hostileURLs), true
	case "subject", "text", "html":
		return s.template(), true
	case "cursor", "after":
		if len(s.cursors) > 0 {
			return pick(s.draw, s.cursors), true
		}
	}
	return nil, false
}
