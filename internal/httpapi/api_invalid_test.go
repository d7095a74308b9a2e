package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// refusedEverywhere are the bodies that every operation is sent: they show that its requests pass the checks. What the checks find, one
// operation of each kind of key shows for all.
var refusedEverywhere = []string{"nothing", "an array", "a field given twice", "an unknown field", "a byte over 64 KiB",
	"the media type text/plain"}

func TestInvalid_BodiesThatAreNotOnePlainObject_AreRefusedOnEveryOperation(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	malformed := func(name, body string) refusal {
		return refusal{name: name, body: body, status: http.StatusBadRequest, code: problem.MalformedRequest}
	}
	nested := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	for id, s := range f.samples(t) {
		if s.body == nil {
			continue
		}
		raw, err := json.Marshal(s.body)
		require.NoError(t, err)
		valid := string(raw)
		open := valid[:len(valid)-1] // up to the closing brace
		first, _, _ := strings.Cut(valid[1:], ":")
		text := strings.Replace(valid, `"reason":"Winter"`, `"name":"Winter"`, 1) // every body but hours has a name
		if !strings.Contains(text, `:"`) {
			text = open + `,"zz":"x"}`
		}
		refusals := []refusal{
			malformed("nothing", ""),
			malformed("null", "null"),
			malformed("an array", "["+valid+"]"),
			malformed("a text", `"x"`),
			malformed("a number", "7"),
			malformed("blanks", " \n "),
			malformed("an object that doesn't end", open),
			malformed("a second object after the first", valid+valid),
			malformed("a word after the object", valid+" true"),
			malformed("a brace too many", valid+"}"),
			malformed("a comma too many", open+",}"),
			malformed("a comment", open+"/**/}"),
			malformed("a field given twice", open+","+first+":1}"),
			malformed("a field given twice, once in another spelling", open+`,"\u00`+hex(first[1])+first[2:]+":1}"),
			malformed("an unknown field given twice", open+`,"zz":1,"zz":1}`),
			malformed("a hundred levels", open+`,"metadata":`+nested+"}"),
			malformed("a hundred levels of arrays", open+`,"zz":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+"}"),
			malformed("U+0000 in a text", strings.Replace(text, ":\"", ":\"\\u0000", 1)),
			malformed("U+0000 in an unknown name", open+`,"z\u0000":1}`),
			malformed("invalid UTF-8", strings.Replace(text, ":\"", ":\"\xff", 1)),
			malformed("an overlong encoding", strings.Replace(text, ":\"", ":\"\xc0\x80", 1)),
			malformed("a lone surrogate", strings.Replace(text, ":\"", ":\"\\ud800", 1)),
			malformed("a surrogate in UTF-8", strings.Replace(text, ":\"", ":\"\xed\xa0\x80", 1)),
			malformed("a byte order mark", "\xef\xbb\xbf"+valid),
			malformed("UTF-16", "\xfe\xff\x00{\x00}"),
			malformed("a raw control character", strings.Replace(text, ":\"", ":\"\x01", 1)),
			malformed("NaN", open+`,"zz":NaN}`),
			malformed("a number of no size", open+`,"zz":1e400}`),
			malformed("a number with a leading zero", open+`,"zz":01}`),
			{name: "an unknown field", body: open + `,"zz":1}`, status: http.StatusUnprocessableEntity, code: problem.ValidationFailed,
				field: "zz", reason: "unknown_field"},
			{name: "a field in capitals", body: strings.Replace(valid, first, strings.ToUpper(first), 1),
				status: http.StatusUnprocessableEntity, code: problem.ValidationFailed},
			{name: "a prototype", body: open + `,"__proto__":{}}`, status: http.StatusUnprocessableEntity, code: problem.ValidationFailed},
			{name: "a byte over 64 KiB", body: strings.Repeat(" ", 64<<10+1-len(valid)) + valid, status: http.StatusRequestEntityTooLarge,
				code: problem.BodyTooLarge},
			{name: "10 MB", body: strings.Repeat(" ", 10<<20) + valid, status: http.StatusRequestEntityTooLarge,
				code: problem.BodyTooLarge},
		}
		if bodyIsOptional(id) {
			refusals = refusals[1:]
		}
		for _, media := range []string{
			"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "application/jsonp", "json", ";",
			"application/problem+json", "multipart/form-data; boundary=x",
		} {
			refusals = append(refusals, refusal{
				name: "the media type " + media, body: valid, headers: []string{"Content-Type", media},
				status: http.StatusUnsupportedMediaType, code: problem.UnsupportedMediaType,
			})
		}
		refusals = append(refusals,
			refusal{
				name: "two media types", body: valid,
				headers: []string{"Content-Type", "application/json", "Content-Type", "application/json"},
				status:  http.StatusUnsupportedMediaType, code: problem.UnsupportedMediaType,
			},
			refusal{
				name: "a compressed body", body: valid, headers: []string{"Content-Encoding", "gzip"},
				status: http.StatusUnsupportedMediaType, code: problem.UnsupportedMediaType,
			})
		if id != "create-booking" && id != "create-tenant" {
			refusals = slices.DeleteFunc(refusals, func(r refusal) bool { return !slices.Contains(refusedEverywhere, r.name) })
		}
		for i := range refusals {
			refusals[i].method, refusals[i].path = s.method, s.path
		}
		t.Run(id, func(t *testing.T) { requireRefused(t, s.client, refusals) })
	}
}

// bodyIsOptional reports whether an operation's body may be absent: what it says has defaults.
func bodyIsOptional(operation string) bool {
	return operation == "cancel-booking" || operation == "confirm-booking" || operation == "no-show-booking" ||
		operation == "create-api-key" || operation == "rotate-own-api-key" || strings.HasPrefix(operation, "archive-") ||
		operation == "unarchive-block"
}

func hex(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

func TestInvalid_BodyWhereNoneBelongs_IsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	for id, s := range f.samples(t) {
		if s.body != nil || s.method != http.MethodPost {
			continue
		}
		t.Run(id, func(t *testing.T) {
			requireRefused(t, s.client, []refusal{
				{
					name: "a field", method: s.method, path: s.path, body: object{"status": "confirmed"},
					status: http.StatusUnprocessableEntity, code: problem.ValidationFailed, field: "body", reason: "unknown_field",
				},
				{name: "no JSON", method: s.method, path: s.path, body: "x", status: http.StatusBadRequest, code: problem.MalformedRequest},
				{
					name: "a form", method: s.method, path: s.path, body: "{}", headers: []string{"Content-Type", "text/plain"},
					status: http.StatusUnsupportedMediaType, code: problem.UnsupportedMediaType,
				},
				{
					name: "a byte over 64 KiB", method: s.method, path: s.path, body: strings.Repeat(" ", 64<<10+1),
					status: http.StatusRequestEntityTooLarge, code: problem.BodyTooLarge,
				},
			})
		})
	}
}

// TestInvalid_ValueOfAnotherType_IsRefusedInEveryField walks over every value of every sample request. A response names every field that is
// wrong, so that all values at one depth are replaced at once.
func TestInvalid_ValueOfAnotherType_IsRefusedInEveryField(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	for id, s := range f.samples(t) {
		if s.body == nil {
			continue
		}
		byDepth := map[int][][]any{}
		for _, path := range paths(s.body) {
			byDepth[len(path)] = append(byDepth[len(path)], path)
		}
		t.Run(id, func(t *testing.T) {
			before := s.client.tables(t)
			for _, list := range byDepth {
				for _, name := range slices.Sorted(maps.Keys(otherTypes(struct{}{}))) {
					body, alone := s.body, map[string]object{}
					for _, path := range list {
						if value, ok := otherTypes(valueAt(s.body, path))[name]; ok && (value != nil || s.method != http.MethodPatch) {
							body, alone[fieldName(path)] = with(body, path, value), with(s.body, path, value)
						}
					}
					if len(alone) == 0 {
						continue
					}
					d := requireProblem(t, s.client.send(t, s.method, s.path, body), http.StatusUnprocessableEntity,
						problem.ValidationFailed)
					for field, body := range alone {
						if d.field(field) != "" {
							require.Equal(t, "wrong_type", d.field(field), "%s as %s: %+v", field, name, d.Errors)
							continue
						}
						// The others were refused by an earlier check.
						d := requireProblem(t, s.client.send(t, s.method, s.path, body), http.StatusUnprocessableEntity,
							problem.ValidationFailed)
						require.Equal(t, "wrong_type", d.field(field), "%s as %s: %+v", field, name, d.Errors)
					}
				}
			}
			require.Equal(t, before, s.client.tables(t), "a refusal wrote something")
		})
	}
}

// otherTypes returns a value of every JSON type that v doesn't have, by the type's name.
func otherTypes(v any) map[string]any {
	all := map[string]any{"a boolean": true, "a number": 7, "a fraction": 1.5, "a text": "x", "an array": []any{}, "an object": object{},
		"null": nil}
	switch v.(type) {
	case bool:
		delete(all, "a boolean")
	case int:
		delete(all, "a number")
	case string:
		delete(all, "a text")
	case []any:
		delete(all, "an array")
	case object:
		delete(all, "an object")
	}
	return all
}

func TestInvalid_MissingRequiredField_IsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	required := map[string][]string{
		"archive-resource": {},
		"archive-service":  {},
		"change-block":     {},
		"change-closure":   {},
		"change-customer":  {},
		"change-resource":  {},
		"change-service":   {"rates[0].price", "cancellation_policy.steps[0].from_minutes"},
		"change-tenant":    {"email.templates[0].template"},
		"create-booking":   {"service_id", "customer.name", "customer.email"},
		"create-block":     {"resource_id", "starts_at", "ends_at"},
		"create-closure":   {"from", "to"},
		"unarchive-block":  {},
		"create-payment":   {"kind", "payment_method"},
		"create-refund":    {},
		"create-resource":  {"name", "capacity"},
		"create-service": {
			"name", "kind", "resource_ids", "price", "rates[0].price", "unit_types[0].key", "unit_types[0].name", "unit_types[0].price",
			"unit_types[0].counts", "cancellation_policy.steps[0].from_minutes",
		},
		"cancel-booking":     {},
		"no-show-booking":    {},
		"confirm-booking":    {"customer.name", "customer.email"},
		"reschedule-booking": {},
		"quote-booking":      {},
		"update-booking":     {"customer.name", "customer.email"},
		"extend-booking":     {"hold_minutes"},
		"create-tenant":      {"slug", "name", "time_zone", "currency"},
		"preview-email":      {"template"},
		"create-api-key":     {},

		"create-own-api-key":      {"name", "scopes"},
		"change-own-api-key":      {},
		"rotate-own-api-key":      {},
		"create-webhook-endpoint": {"url", "types"},
		"change-webhook-endpoint": {},
		"replay-webhook-events":   {},
		"create-wallet":           {"currency"},
		"look-up-wallet":          {"code"},
		"credit-wallet":           {"amount"},
		"debit-wallet":            {"amount"},
		"hold-wallet":             {"amount"},
		"capture-wallet-hold":     {},
		"release-wallet-hold":     {},
		"create-customer":         {"name", "email"},
		"merge-customer":          {"into"},
		"transfer":                {"from", "to", "amount"},
		"set-hours":               {"weekly[0].weekday", "weekly[0].opens", "weekly[0].closes", "overrides[0].date"},
		"set-tenant-hours":        {"weekly[0].weekday", "weekly[0].opens", "weekly[0].closes", "overrides[0].date"},
	}
	for id, s := range f.samples(t) {
		if s.body == nil {
			continue
		}
		require.Contains(t, required, id)
		var refusals []refusal
		for _, path := range paths(s.body) {
			for _, name := range required[id] {
				if fieldName(path) == name {
					refusals = append(refusals, refusal{
						name: name, method: s.method, path: s.path, body: without(s.body, path),
						status: http.StatusUnprocessableEntity, code: problem.ValidationFailed, field: name, reason: "required",
					})
				}
			}
		}
		require.Len(t, refusals, len(required[id]))
		t.Run(id, func(t *testing.T) { requireRefused(t, s.client, refusals) })
	}
}

// value is a value that a field must not have, with the reason that the answer must give.
type value struct {
	name   string
	value  any
	reason string
}

func TestInvalid_DeepAndHugeNumbersInMetadata_AreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	s := f.samples(t)["create-booking"]
	bad := func(name, metadata string, status int, code problem.Code) refusal {
		return refusal{
			name: name, method: s.method, path: s.path, status: status, code: code,
			body: with(s.body, []any{"metadata"}, json.RawMessage(metadata)),
		}
	}
	requireRefused(t, s.client, []refusal{
		bad("1e400", `{"a":1e400}`, http.StatusBadRequest, problem.MalformedRequest),
		bad("1e999999", `{"a":1e999999}`, http.StatusBadRequest, problem.MalformedRequest),
		bad("-1e999999", `{"a":[-1e999999]}`, http.StatusBadRequest, problem.MalformedRequest),
		bad("33 levels", strings.Repeat(`{"a":`, 33)+"1"+strings.Repeat("}", 33), http.StatusBadRequest, problem.MalformedRequest),
		bad("a text", `"x"`, http.StatusUnprocessableEntity, problem.ValidationFailed),
		bad("an array", `[]`, http.StatusUnprocessableEntity, problem.ValidationFailed),
		bad("a number", `1e308`, http.StatusUnprocessableEntity, problem.ValidationFailed),
		bad("a lone surrogate", `{"a":"\udc00"}`, http.StatusBadRequest, problem.MalformedRequest),
		bad("U+0000 in a name", `{"\u0000":1}`, http.StatusBadRequest, problem.MalformedRequest),
	})
}

func TestMetadata_WhatIsUnusualButPlain_ComesBackAsItWasSent(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	for i, sent := range []string{
		`{}`,
		`{"tiny":1e-400000,"zero":-0,"exact":12345678901234567890.000000000000000001,"exp":1E+2}`,
		`{"b":1,"a":2,"":3,"\"":4}`,
		`{"emoji":"😀","script":"<b>&amp;</b>","separator":"` + "\u2028" + `"}`,
		`{"deep":` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `}`,
		`{"nulls":[null,true,false],"null":null}`,
	} {
		// Not marshalled: that would already change it.
		booking, err := json.Marshal(bookingOf(f.slots, at(future(2), i, 0)))
		require.NoError(t, err)
		made := f.post(t, "/v1/bookings", strings.TrimSuffix(string(booking), "}")+`,"metadata":`+sent+"}")
		require.Equal(t, http.StatusCreated, made.status, made.body)
		for _, a := range []answer{made, f.get(t, "/v1/bookings/"+made.id(t).String())} {
			var got struct{ Metadata json.RawMessage }
			a.read(t, &got)
			require.Equal(t, sent, string(got.Metadata))
		}
	}
}

func TestInvalid_CombinationsThatMakeNoSense_AreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	invalid := func(name, method, path string, body any, field, reason string) refusal {
		return refusal{
			name: name, method: method, path: path, body: body,
			status: http.StatusUnprocessableEntity, code: problem.ValidationFailed, field: field, reason: reason,
		}
	}
	hours := func(name string, body object, field, reason string) refusal {
		return invalid(name, http.MethodPut, "/v1/resources/"+f.resource.String()+"/hours", body, field, reason)
	}
	monday := func(opens, closes string) object {
		return object{"weekday": "monday", "opens": opens, "closes": closes}
	}
	weekly := func(periods ...any) object { return object{"weekly": periods} }
	seasons := func(from, to string, periods ...any) object {
		return object{"weekly": []any{}, "seasons": []any{object{"from": from, "to": to, "weekly": append([]any{}, periods...)}}}
	}
	override := func(opens, closes string) object {
		return object{"date": future(0).String(), "opens": opens, "closes": closes}
	}
	overrides := func(list ...any) object { return object{"always_open": true, "overrides": list} }
	closed := object{"date": future(0).String(), "closed": true}
	many := func(n int, v func(i int) any) []any {
		list := make([]any, n)
		for i := range list {
			list[i] = v(i)
		}
		return list
	}
	booking := func(name string, body object, field, reason string) refusal {
		return invalid(name, http.MethodPost, "/v1/bookings", body, field, reason)
	}
	service := func(name string, changes object, field, reason string) refusal {
		body := object{"name": "Tour", "kind": "slot", "resource_ids": []any{f.resource.String()}, "duration_minutes": 60, "price": 4500}
		for name, v := range changes {
			if body[name] = v; v == nil {
				delete(body, name)
			}
		}
		return invalid(name, http.MethodPost, "/v1/services", body, field, reason)
	}
	// needs returns a service's needs, and what else of it changes, in place of its resources.
	needs := func(list ...object) object {
		changes := object{"resource_ids": nil}
		var all []any
		for _, o := range list {
			if _, is := o["resource_ids"]; is {
				all = append(all, o)
				continue
			}
			maps.Copy(changes, o)
		}
		changes["needs"] = all
		return changes
	}
	closure := func(name string, with object, field, reason string) refusal {
		body := object{"from": future(0).String(), "to": future(0).String()}
		maps.Copy(body, with)
		return invalid(name, http.MethodPost, "/v1/closures", body, field, reason)
	}
	slot := at(future(1), 10, 0)
	requireRefused(t, f.client, []refusal{
		hours("nothing", object{}, "weekly", "required"),
		hours("always open said to be false", object{"always_open": false}, "weekly", "required"),
		hours("overrides alone", object{"overrides": []any{closed}}, "weekly", "required"),
		hours("always open with weekly hours", object{"always_open": true, "weekly": []any{monday("09:00", "18:00")}}, "always_open",
			"excluded"),
		hours("always open and closed", object{"always_open": true, "weekly": []any{}}, "always_open", "excluded"),
		hours("weekly hours that overlap over midnight",
			weekly(monday("22:00", "02:00"), object{"weekday": "tuesday", "opens": "01:00", "closes": "05:00"}), "weekly[1]", "overlap"),
		hours("weekly hours that overlap over the end of the week",
			weekly(object{"weekday": "sunday", "opens": "01:00", "closes": "05:00"},
				object{"weekday": "saturday", "opens": "22:00", "closes": "02:00"}), "weekly[1]", "overlap"),
		hours("overrides that overlap over midnight",
			overrides(override("22:00", "02:00"), object{"date": future(1).String(), "opens": "01:00", "closes": "05:00"}), "overrides[1]",
			"overlap"),
		hours("an override of no length", overrides(override("00:00", "00:00")), "overrides[0].closes", "not_after_opens"),
		hours("opens when it closes", weekly(monday("09:00", "09:00")), "weekly[0].closes", "not_after_opens"),
		hours("weekly hours that overlap", weekly(monday("09:00", "12:00"), monday("11:59", "13:00")), "weekly[1]", "overlap"),
		hours("weekly hours given twice", weekly(monday("09:00", "12:00"), monday("09:00", "12:00")), "weekly[1]", "overlap"),
		hours("101 weekly hours", weekly(many(101, func(int) any { return monday("09:00", "12:00") })...), "weekly", "too_long"),
		hours("1001 overrides", overrides(many(1001, func(i int) any {
			return object{"date": future(i).String(), "closed": true}
		})...), "overrides", "too_long"),
		hours("overrides that overlap", overrides(override("09:00", "12:00"), override("11:00", "13:00")), "overrides[1]", "overlap"),
		hours("open and closed", overrides(override("09:00", "12:00"), closed), "overrides[1]", "overlap"),
		hours("closed and open", overrides(closed, override("09:00", "12:00")), "overrides[1]", "overlap"),
		hours("closed twice", overrides(closed, closed), "overrides[1]", "overlap"),
		hours("closed with hours", overrides(object{"date": future(0).String(), "closed": true, "opens": "09:00", "closes": "10:00"}),
			"overrides[0]", "invalid"),
		hours("neither closed nor hours", overrides(object{"date": future(0).String()}), "overrides[0]", "invalid"),
		hours("half of the hours", overrides(object{"date": future(0).String(), "opens": "09:00"}), "overrides[0]", "invalid"),

		hours("a season that ends before it begins", seasons("2027-08-31", "2027-06-01"), "seasons[0].to", "before_from"),
		hours("a season with one year", seasons("2027-06-01", "08-31"), "seasons[0].to", "invalid_format"),
		hours("a season from no date", seasons("02-30", "08-31"), "seasons[0].from", "invalid_format"),
		hours("a season of the year 0", seasons("0000-06-01", "0000-08-31"), "seasons[0].from", "out_of_range"),
		hours("a season with hours that overlap", seasons("06-01", "08-31", monday("09:00", "12:00"), monday("11:00", "13:00")),
			"seasons[0].weekly[1]", "overlap"),
		hours("51 seasons", object{"weekly": []any{}, "seasons": many(51, func(int) any {
			return object{"from": "06-01", "to": "08-31", "weekly": []any{}}
		})}, "seasons", "too_long"),

		closure("a closure that ends before it starts", object{"from": future(1).String()}, "to", "before_from"),
		closure("a closure of no hours", object{"starts": "12:00", "ends": "12:00"}, "ends", "not_after_starts"),
		closure("a closure over midnight", object{"starts": "22:00", "ends": "02:00"}, "ends", "not_after_starts"),
		closure("a closure without its end", object{"starts": "22:00"}, "ends", "required"),
		closure("a closure without its beginning", object{"ends": "22:00"}, "starts", "required"),

		service("no price", object{"price": nil}, "price", "required"),
		service("no resources", object{"resource_ids": []any{}}, "resource_ids", "too_short"),
		service("null resources", object{"resource_ids": nil}, "resource_ids", "required"),
		service("101 resources", object{"resource_ids": many(101, func(int) any { return uuid.NewString() })}, "resource_ids", "too_long"),
		service("a resource given twice", object{"resource_ids": []any{f.resource.String(), f.resource.String()}}, "resource_ids[1]",
			"duplicate"),
		service("resources and needs", object{"needs": []any{object{"resource_ids": []any{f.resource.String()}}}}, "resource_ids",
			"excluded"),
		service("a resource in two needs", needs(object{"resource_ids": []any{f.resource.String()}},
			object{"resource_ids": []any{f.resource.String()}}), "needs[1].resource_ids[0]", "duplicate"),
		service("units of the first need", needs(object{"resource_ids": []any{f.resource.String()}, "units": 2}), "needs[0].units",
			"excluded"),
		service("six needs", object{"resource_ids": nil, "needs": many(6, func(int) any {
			return object{"resource_ids": []any{uuid.NewString()}}
		})}, "needs", "too_long"),
		service("joined until closing", needs(object{"resource_ids": []any{f.resource.String()}, "join": true},
			object{"until_closing": true, "duration_minutes": nil}), "needs[0].join", "excluded"),
		service("a joined session", needs(object{"resource_ids": []any{f.resource.String()}, "join": true},
			object{"occupies": "session"}), "needs[0].join", "excluded"),
		service("an unknown choice", needs(object{"resource_ids": []any{f.resource.String()}, "choose": "by_lot"}), "needs[0].choose",
			"not_one_of"),
		service("a slot service without a duration", object{"duration_minutes": nil}, "duration_minutes", "required"),
		service("a date service with a duration", object{"kind": "date"}, "duration_minutes", "not_for_kind"),
		service("a date service with slots", object{"kind": "date", "duration_minutes": nil, "slot_interval_minutes": 30},
			"slot_interval_minutes", "not_for_kind"),
		service("a deposit above the price", object{"price": 100, "deposit": 101}, "deposit", "too_large"),

		booking("no customer", without(bookingOf(f.slots, slot), []any{"customer"}), "customer", "required"),
		booking("customer and customer_id", bookingOf(f.slots, slot, object{"customer_id": f.customer.String()}), "customer_id",
			"excluded"),
		booking("resource_id and resource_ids", bookingOf(f.slots, slot, object{"resource_id": f.resource.String(),
			"resource_ids": []any{f.resource.String()}}), "resource_ids", "excluded"),
		booking("a resource named twice", bookingOf(f.slots, slot, object{
			"resource_ids": []any{f.resource.String(), f.resource.String()}}), "resource_ids", "not_unique"),
		booking("a date for a slot service", bookingOf(f.slots, future(1)), "date", "not_for_kind"),
		booking("a time for a date service", bookingOf(f.dates, slot), "starts_at", "not_for_kind"),
		booking("no time for a slot service", bookingOf(f.slots, nil), "starts_at", "required"),
		booking("no date for a date service", bookingOf(f.dates, nil), "date", "required"),
		booking("a time that no slot starts at", bookingOf(f.slots, slot.Add(60_000_000_000)), "starts_at", "not_a_slot"),
		booking("a fraction of a second", bookingOf(f.slots, strings.Replace(rfc3339(slot), ":00+", ":00.5+", 1)), "starts_at",
			"not_a_slot"),
		booking("a time that clocks skip", bookingOf(f.slots, nextChange(t, location(t, "Europe/Berlin"), true).String()+"T02:30:00+01:00"),
			"starts_at", "nonexistent_time"),
		booking("a time that clocks skip, in summer time",
			bookingOf(f.slots, nextChange(t, location(t, "Europe/Berlin"), true).String()+"T02:30:00+02:00"), "starts_at",
			"nonexistent_time"),
	})
}

func TestInvalid_DatesThatCannotBeBooked_AreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	outside := func(name string, body object) refusal {
		return refusal{
			name: name, method: http.MethodPost, path: "/v1/bookings", body: body,
			status: http.StatusUnprocessableEntity, code: problem.OutsideBookingWindow,
		}
	}
	date := func(name, d string) refusal {
		return outside("the date "+name, bookingOf(f.dates, nil, object{"date": d}))
	}
	slot := func(name, at string) refusal { return outside("the time "+name, bookingOf(f.slots, at)) }
	tooMany := func(name, method, path string, body any) refusal {
		return refusal{name: name, method: method, path: path, body: body, status: http.StatusUnprocessableEntity,
			code: problem.TooManyDates}
	}
	requireRefused(t, f.client, []refusal{
		date("long ago", future(-400).String()),
		date("in 1970", "1970-01-01"),
		date("in 1582", "1582-10-10"),
		date("in the year 1", "0001-01-01"),
		date("in the year 0", "0000-01-01"),
		date("in 9999", "9999-12-31"),
		date("in 9000", "9000-12-31"),
		date("in eleven years", future(366*11).String()),
		slot("long ago", rfc3339(at(future(-400), 10, 0))),
		slot("in 1883", "1883-11-18T12:00:00Z"),
		slot("in the year 1", "0001-01-01T00:00:00Z"),
		slot("in the year 0", "0000-01-01T00:00:00Z"),
		slot("before the year 0", "0000-01-01T00:00:00+23:59"),
		slot("in 9999", "9999-12-31T23:59:59Z"),
		slot("after 9999", "9999-12-31T23:59:59-23:59"),
		slot("in eleven years", rfc3339(at(future(366*11), 10, 0))),
		tooMany("a closure of 63 dates", http.MethodPost, "/v1/closures", object{"from": future(0).String(), "to": future(62).String()}),
		tooMany("a yearly closure of 63 dates", http.MethodPost, "/v1/closures", object{
			"from": future(0).String(), "to": future(62).String(), "yearly": true,
		}),
		tooMany("a block of 63 dates", http.MethodPost, "/v1/blocks", object{"resource_id": f.resource.String(),
			"from": future(0).String(), "to": future(62).String()}),
		tooMany("a block of centuries", http.MethodPost, "/v1/blocks", object{"resource_id": f.resource.String(),
			"starts_at": "1900-01-01T00:00:00Z", "ends_at": "8999-12-31T00:00:00Z"}),
		tooMany("a block of 62 times two dates", http.MethodPost, "/v1/blocks", object{"resource_id": f.resource.String(),
			"from": future(0).String(), "to": future(1).String(), "rrule": "FREQ=WEEKLY;COUNT=62"}),
		tooMany("a closure of centuries", http.MethodPost, "/v1/closures", object{"from": "1900-01-01", "to": "9000-12-31"}),
		tooMany("availability of 367 dates", http.MethodGet, availabilityPath(f.slots, future(0), future(366)), nil),
	})
	require.Equal(t, http.StatusOK, f.get(t, availabilityPath(f.slots, future(0), future(365))).status, "366 dates are not too many")
	f.newClosure(t, &f.resource, future(0), future(61))
}

func TestInvalid_CustomerWithCustomerID_SaysWhichToLeaveOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	both := bookingOf(f.slots, at(future(3), 10, 0), object{"customer_id": f.customer.String()})
	a := f.post(t, "/v1/bookings", both)
	d := requireProblem(t, a, unprocessable, problem.ValidationFailed)
	require.Equal(t, "excluded", d.field("customer_id"))
	require.Contains(t, a.body, "Leave out customer_id, or leave out customer")
	neither := without(both, []any{"customer"})
	a = f.post(t, "/v1/bookings", without(neither, []any{"customer_id"}))
	d = requireProblem(t, a, unprocessable, problem.ValidationFailed)
	require.Equal(t, "required", d.field("customer"))
	require.Equal(t, http.StatusCreated, f.post(t, "/v1/bookings", neither).status)
}

func TestCustomer_BornToday_IsKnownWhereTheCustomerIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, newServer(t).newTenant(t, "Pacific/Pago_Pago"))
	// UTC+14 is always a day or two ahead of UTC-11, also when midnight comes during the test.
	ahead := "Pacific/Kiritimati"
	there, here := civil.DateOf(testtime.Now().In(location(t, ahead))), civil.DateOf(testtime.Now().In(location(t, "Pacific/Pago_Pago")))
	book := func(birthday civil.Date, zone any, hour int) answer {
		customer := object{"name": "Ada", "email": uuid.NewString() + "@example.com", "birthday": birthday.String(), "time_zone": zone}
		if zone == nil {
			delete(customer, "time_zone")
		}
		return f.post(t, "/v1/bookings", bookingOf(f.slots, at(future(4), hour, 0), object{"customer": customer}))
	}
	require.Equal(t, http.StatusCreated, book(there, ahead, 10).status)
	require.Equal(t, unprocessable, book(there, "Pacific/Pago_Pago", 11).status)
	require.Equal(t, http.StatusCreated, book(here, nil, 12).status)
	require.Equal(t, unprocessable, book(there, nil, 13).status, "the tenant's time zone, of a customer without one")
}

func TestInvalid_AmountBeyondItsBound_IsToldTheBoundInDigits(t *testing.T) {
	t.Parallel()
	c := setup(t)
	a := c.post(t, "/v1/services", `{"name": "Tour", "kind": "date", "price": 9007199254740992}`)
	require.Equal(t, "Expected number <= 9007199254740991.",
		requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed).Errors[0].Detail)
}

func TestFilters_SeveralValuesOfOne_AreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for path, filters := range map[string][]string{
		"/v1/bookings":  {"status=held,confirmed", "payment_state=paid,refunded"},
		"/v1/payments":  {"kind=deposit,balance", "status=succeeded,declined"},
		scheduledEvents: {"status=dead,failed", "kind=booking.reminder,booking.follow_up"},
	} {
		for _, filter := range filters {
			d := requireProblem(t, c.get(t, path+"?"+filter), http.StatusUnprocessableEntity, problem.ValidationFailed)
			name, values, _ := strings.Cut(filter, "=")
			require.Equal(t, name, d.Errors[0].Field)
			one, other, _ := strings.Cut(values, ",")
			twice := path + "?" + name + "=" + one + "&" + name + "=" + other
			requireProblem(t, c.get(t, twice), http.StatusBadRequest, problem.MalformedRequest)
			require.Equal(t, http.StatusOK, c.get(t, path+"?"+name+"="+one).status, filter)
		}
	}
	require.Equal(t, http.StatusOK, c.get(t, "/v1/events?types=booking.*,payment.succeeded").status, "types of the feed take several")
}
