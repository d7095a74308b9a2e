package httpapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// value is a value that a field must not have, with the reason that the answer must give.
type value struct {
	name   string
	value  any
	reason string
}

func number(text string) json.RawMessage { return json.RawMessage(text) }

// numbersBeyond are integers that no field of Holdfast takes, whatever its bounds.
var numbersBeyond = []value{
	{"−2^31", number("-2147483648"), "too_small"}, {"−2^63", number("-9223372036854775808"), "too_small"},
	{"−2^64", number("-18446744073709551616"), "too_small"}, {"2^63−1", number("9223372036854775807"), "too_large"},
	{"2^63", number("9223372036854775808"), "too_large"}, {"2^64", number("18446744073709551616"), "too_large"},
	{"1e300", number("1e300"), "too_large"}, {"1.5", 1.5, "wrong_type"}, {"a number in quotes", "1", "wrong_type"},
}

// refusedTexts returns values that are all refused for one reason.
func refusedTexts(reason string, texts ...string) []value {
	var list []value
	for _, text := range texts {
		list = append(list, value{text[:min(len(text), 40)], text, reason})
	}
	return list
}

var (
	id, long = uuid.NewString(), strings.Repeat("x", 10_000)

	// formats are texts that aren't of a format.
	formats = map[string][]value{
		"uuid": refusedTexts("invalid_format", "", "x", long, id+"0", "{"+id+"}", "urn:uuid:"+id,
			strings.ReplaceAll(id, "-", ""),
			strings.Repeat("0", 36)),
		"date": refusedTexts("invalid_format", "", "12027-07-01", "300000-01-01", "infinity", "-infinity", "0000-00-00",
			"2028-02-30",
			"2027-02-29", "0044-03-15 BC", "2027-07-01T00:00:00Z", " 2027-07-01", "２０２７-07-01", "-0001-01-01", long),
		"date-time": refusedTexts("invalid_format", "", "2027-07-01T10:00:00", "2027-07-01", "2027-07-01 10:00:00Z",
			"2027-07-01T10:00:61Z",
			"2027-07-01T24:00:00Z", "2027-02-30T10:00:00Z", "infinity", "300000-07-01T10:00:00Z",
			"0000-00-00T00:00:00Z", "1822204800"),
	}

	// patterns are texts that don't match a pattern. Each pattern of the document has some.
	patterns = map[string][]string{
		"^([01][0-9]|2[0-3]):[0-5][0-9]$": {"24:00", "24:01", "25:00", "12:60", "9:00", "09:00:00", "09:00\n",
			"", long},
		"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$": {"24:01", "25:00", "12:60", "9:00", "09:00:00", "09:00\n", "", long},
		"^([0-9]{4}-)?[0-9]{2}-[0-9]{2}$":         {"6-1", "1 June", "06-01\n", "", long},
		"^#[0-9a-f]{6}$":                          {"", "red", "#FFFFFF", "#12345", "#123456\n"},
		"^[A-Z]{2}$":                              {"", "de", "DEU"},
		"^[A-Z]{3}$":                              {"", "eur", "EURO", long},
		"^[a-z0-9][a-z0-9-]{0,62}$": {"", "Harbour", "har bour", "-x", "häfen", "../x", "x\n", long,
			strings.Repeat("a", 64)},
		"^[a-z][a-z0-9_]*$": {"", "Adult", "1st", "two words", "adult\n"},
		"^[!-~]+$":          {"pm ok", "pm_ok\n", "pm_ok\x1b", "pm_ök"},
		"^https?://[!-~]+$": {"x", "https://example.com/a b", "ftp://example.com/"},
		`^(?:\*|[a-z][a-z_]{0,39}\.(?:\*|[a-z][a-z_]{0,39}))$`: {"", "booking", "Booking.created", "booking.%", long},
	}
)

// beyondSchema returns the values just beyond each bound of a schema.
func beyondSchema(t testingT, s object) (list []value) {
	t.Helper()
	refuse := func(name string, v any, reason string) { list = append(list, value{name, v, reason}) }
	bounded := func(key string, refuse func(int64)) {
		if n, ok := s[key].(float64); ok {
			refuse(int64(n))
		}
	}
	switch typeOf(s) {
	case "integer":
		if s["maximum"] == nil {
			return nil // a number of a map, which has the bounds of what the key names
		}
		bounded("minimum", func(n int64) { refuse("one below the least", n-1, "too_small") })
		bounded("maximum", func(n int64) { refuse("one above the most", n+1, "too_large") })
		return append(list, numbersBeyond...)
	case "array":
		bounded("minItems", func(n int64) { refuse("one too few", numbered(n-1), "too_short") })
		bounded("maxItems", func(n int64) { refuse("one too many", numbered(n+1), "too_long") })
	case "string":
		bounded("minLength", func(n int64) { refuse("one character too few", letters(n-1), "too_short") })
		bounded("maxLength", func(n int64) { refuse("one character too many", letters(n+1), "too_long") })
		for _, one := range listOf(s["enum"])[:min(1, len(listOf(s["enum"])))] {
			list = append(list, refusedTexts("not_one_of", "", one.(string)+"x", strings.ToUpper(one.(string)),
				long)...)
		}
		if pattern, ok := s["pattern"].(string); ok {
			require.Contains(t, patterns, pattern, "a pattern without texts that don't match it")
			list = append(list, refusedTexts("pattern", patterns[pattern]...)...)
		}
		if format, ok := s["format"].(string); ok {
			require.Contains(t, formats, format, "a format without texts that aren't of it")
			list = append(list, formats[format]...)
		}
	}
	return list
}

// letters returns a text of n characters, of two bytes each unless there are too many for a body.
func letters(n int64) string {
	if n > 5000 {
		return strings.Repeat("x", int(n))
	}
	return strings.Repeat("ü", int(n))
}

// numbered returns a list of n different values.
func numbered(n int64) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// typeOf returns a schema's type, beside null.
func typeOf(s object) string {
	if types, ok := s["type"].([]any); ok {
		return types[0].(string)
	}
	kind, _ := s["type"].(string)
	return kind
}

var (
	blank   = refusedTexts("blank", " ", "\u00a0\u2003\u3000", "\u200b\ufeff")
	control = refusedTexts("control_character", "Ada\nLovelace", "Ada\t", "\x1b[31mAda", "Ada\x7f", "Ada\u0085",
		"Ada\u2028", "Ada\u2029",
		"Ada\u202eevil", "\u2066Ada")
	unreadable = slices.Concat(blank, control)
	zones      = refusedTexts("unknown_time_zone", "Local", "../etc", "Europe/../Europe/Berlin", "/etc/localtime",
		`Europe\Berlin`,
		"Europe/Atlantis", "+02:00", "Europe", "europe/berlin", "Factory", "localtime", "posixrules",
		"right/Europe/Berlin", "posix/UTC")
	emails = refusedTexts("invalid_format", "ada.example.com", "ada@lovelace@example.com", "@example.com", "ada@",
		"Ada <ada@example.com>",
		"ada@example.com, bob@example.com", "ada lovelace@example.com", "\u202eada@example.com",
		"ada@example.com\r\nBcc: bob@example.com",
		strings.Repeat("a", 65)+"@example.com", "ada@"+strings.Repeat("a", 64)+".example.com", "ada@[10.0.0.5]")
	hooks = slices.Concat(refusedTexts("invalid_format", "", "/hooks"), refusedTexts("not_https", "ftp://example.com/"),
		refusedTexts("blocked_address", "https://10.0.0.1/"))
	addresses = slices.Concat(refusedTexts("not_https", "http://example.com/"),
		refusedTexts("invalid_format", "https://a:b@example.com/"))
	wholeDates   = refusedTexts("out_of_range", "0000-01-01", "0001-01-01", "9999-12-31")
	openTag      = refusedTexts("invalid_template", "{{")
	partial      = refusedTexts("invalid_template", "{{> /etc/passwd}}")
	unknownValue = refusedTexts("invalid_template", "{{{password}}}")
	large        = []value{{"20 KB", object{"a": strings.Repeat("x", 20_000)}, "too_long"}}
)

// beyondRules are values that a schema allows and a rule refuses, by the field's name, or by operation and field where
// they differ. They are sent where the sample has the field.
var beyondRules = map[string][]value{
	"after":              refusedTexts("invalid_format", "x"),
	"amount":             {{"1e3", number("1e3"), "wrong_type"}},
	"birthday":           refusedTexts("in_future", future(0).String()),
	"currency":           refusedTexts("unknown_currency", "XXQ", "MRO"),
	"description":        control,
	"email":              emails,
	"external_reference": unreadable,
	"html":               unknownValue,
	"metadata":           large,
	"name":               unreadable,
	"note":               unreadable,
	"party_size":         {{"more than fit", 6, "too_large"}},
	"phone":              unreadable,
	"reason":             unreadable,
	"reference":          unreadable,
	"refresh_url":        addresses,
	"return_url":         addresses,
	"rrule": refusedTexts("invalid_format", "FREQ=DAILY", "FREQ=SECONDLY;COUNT=2", "FREQ=DAILY;COUNT=2\n",
		"FREQ=DAILY;COUNT="+strings.Repeat("9", 30)),
	"subject":   slices.Concat(openTag, refusedTexts("too_long", long)),
	"text":      partial,
	"time_zone": zones,
	"url":       hooks,

	"change-service deposit":        {{"more than the price", 4501, "too_large"}},
	"change-tenant email.from.name": control, // a sender may have a blank name
	"change-tenant email.templates[0].subject": slices.Concat(openTag, refusedTexts("too_long", long),
		refusedTexts("required", "")),
	"change-tenant email.templates[0].text": slices.Concat(partial, refusedTexts("required", "")),
	"change-tenant website.origins[0]":      refusedTexts("invalid", "", "*", "www.harbour.example", long),
	"create-booking id": refusedTexts("invalid_format", uuid.Nil.String(), uuid.Max.String(),
		"0197f0c6-3b7e-8c31-8a5e-0d0c5f6b7a10",  // of a session
		"0197f0c6-3b7e-0c31-8a5e-0d0c5f6b7a10",  // of no version
		"0197f0c6-3b7e-7c31-ca5e-0d0c5f6b7a10"), // of another variant
	"create-payment metadata": {
		{"a reserved name", object{"tenant_id": "x"}, "reserved"},
		{"a reserved beginning", object{"holdfast_x": "x"}, "reserved"},
		{"a name with brackets", object{"a[b]": "x"}, "invalid_format"}, {"no name", object{"": "x"}, "invalid_format"},
		{"a name of 41 characters", object{strings.Repeat("n", 41): "x"}, "invalid_format"},
		{"501 characters", object{"order": strings.Repeat("ü", 501)}, "too_long"},
		{"no text", object{"order": ""}, "blank"},
		{"a line break", object{"order": "a\nb"}, "control_character"},
	},
	"quote-booking party_size": nil,
	"set-logo data": slices.Concat(refusedTexts("invalid_format", "?"), refusedTexts("invalid_image", "AAAA"),
		refusedTexts("too_long", strings.Repeat("A", 43_692))),
}

// beyondRule returns the values of beyondRules for a field of an operation.
func beyondRule(operation string, f field) []value {
	if values, own := beyondRules[operation+" "+fieldName(f.path)]; own {
		return values
	}
	name, _ := f.path[len(f.path)-1].(string)
	switch {
	case f.schema["format"] == "date":
		return slices.Concat(beyondRules[name], wholeDates)
	case f.schema["properties"] != nil || typeOf(f.schema) == "boolean":
		return nil
	case strings.Contains(operation, "wallet") || operation == "transfer": // what is said of a movement may be blank
		return slices.DeleteFunc(slices.Clone(beyondRules[name]), func(v value) bool { return v.reason == "blank" })
	}
	return beyondRules[name]
}

// boundsInFull are the operations that are sent every value. Together they have a field of each type.
var boundsInFull = []string{"create-booking", "create-tenant", "credit-wallet", "set-hours"}

// brief returns the first two values that are refused for each reason.
func brief(values []value) []value {
	seen := map[string]int{}
	return slices.DeleteFunc(slices.Clone(values), func(v value) bool {
		seen[v.reason]++
		return seen[v.reason] > 2
	})
}

func TestInvalid_ValueBeyondItsBounds_IsRefusedInEveryField(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	samples := f.samples(t)
	tried := 0
	for _, op := range f.operations(t) {
		s := samples[op.id]
		var refusals []refusal
		for _, field := range op.body {
			values := beyondSchema(t, field.schema)
			if valueAt(s.body, field.path) != nil {
				values = append(values, beyondRule(op.id, field)...)
			}
			if !slices.Contains(boundsInFull, op.id) {
				values = brief(values)
			}
			for _, v := range values {
				name := fieldName(field.path)
				refusals = append(refusals, refusal{
					name:   name + " as " + v.name,
					method: s.method,
					path:   s.path,
					body:   with(s.body, field.path, v.value),
					status: http.StatusUnprocessableEntity,
					code:   problem.ValidationFailed,
					field:  name,
					reason: v.reason,
				})
			}
		}
		tried += len(refusals)
		if len(refusals) > 0 {
			t.Run(op.id, func(t *testing.T) { requireRefused(t, s.client, refusals) })
		}
	}
	require.Greater(t, tried, 1500)
}

func TestInvalid_QueryBeyondItsBounds_IsRefusedInEveryParameter(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	for _, op := range f.operations(t) {
		c, path := f.client, pathParameter.ReplaceAllString(op.path, id)
		if strings.HasPrefix(path, "/admin") {
			c = f.admin()
		}
		var refusals []refusal
		for _, p := range op.query {
			for _, v := range brief(beyondSchema(t, p.schema)) {
				text := url.QueryEscape(fmt.Sprint(v.value))
				if v.value == "" || v.value == "1" {
					continue // is as none; a number has no quotes in a query
				}
				if n, ok := v.value.(json.RawMessage); ok {
					text = string(n)
				}
				refusals = append(refusals, refusal{
					name:   fieldName(p.path) + " as " + v.name,
					method: op.method,
					path:   path + "?" + fieldName(p.path) + "=" + text,
					status: http.StatusUnprocessableEntity,
					code:   problem.ValidationFailed,
					field:  fieldName(p.path),
					reason: v.reason,
				})
			}
			if p.required {
				refusals = append(refusals, refusal{
					name:   "no " + fieldName(p.path),
					method: op.method,
					path:   path,
					status: http.StatusUnprocessableEntity,
					code:   problem.ValidationFailed,
					field:  fieldName(p.path),
					reason: "required",
				})
			}
		}
		if len(refusals) > 0 {
			t.Run(op.id, func(t *testing.T) { requireRefused(t, c, refusals) })
		}
	}
}

// TestInvalid_ValueAtItsBounds_IsNotRefusedForIt sends every field at its least, and then at its most, with a field
// that there isn't: the answer names that one alone, and nothing is written.
func TestInvalid_ValueAtItsBounds_IsNotRefusedForIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	samples := f.samples(t)
	for _, op := range f.operations(t) {
		s := samples[op.id]
		least, most := with(s.body, []any{"zz"}, 1), with(s.body, []any{"zz"}, 1)
		for _, field := range op.body {
			if s := field.schema; valueAt(least, field.path) != nil && s["format"] != "date-time" &&
				s["pattern"] == nil {
				least, most = with(least, field.path, atBound(s, "minimum", "minLength", valueAt(least, field.path))),
					with(most, field.path, atBound(s, "maximum", "maxLength", valueAt(most, field.path)))
			}
		}
		for _, body := range []object{least, most} {
			if len(op.body) > 0 {
				d := requireProblem(t, s.client.send(t, s.method, s.path, body), http.StatusUnprocessableEntity,
					problem.ValidationFailed)
				require.Len(t, d.Errors, 1, "%s: %+v", op.id, d.Errors)
				require.Equal(t, "zz", d.Errors[0].Field)
			}
		}
	}
}

// atBound returns the number or text at a bound of a schema, and the value itself without such a bound.
func atBound(s object, number, length string, v any) any {
	if n, ok := cmp.Or(s[number], s[length]).(float64); ok && s[number] != nil {
		return int64(n)
	} else if ok {
		return letters(int64(n))
	}
	return v
}

func TestInvalid_MissingRequiredField_IsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	samples := f.samples(t)
	tried := 0
	for _, op := range f.operations(t) {
		s := samples[op.id]
		var refusals []refusal
		for _, field := range op.body {
			if field.required && valueAt(s.body, field.path) != nil {
				refusals = append(refusals, refusal{
					name:   fieldName(field.path),
					method: s.method,
					path:   s.path,
					body:   without(s.body, field.path),
					status: http.StatusUnprocessableEntity,
					code:   problem.ValidationFailed,
					field:  fieldName(field.path),
					reason: "required",
				})
			}
		}
		tried += len(refusals)
		if len(refusals) > 0 {
			t.Run(op.id, func(t *testing.T) { requireRefused(t, s.client, refusals) })
		}
	}
	require.Greater(t, tried, 70)
}
