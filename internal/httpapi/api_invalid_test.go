package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// refusedEverywhere are the bodies that every operation is sent: they show that its requests pass the checks. What the
// checks find, one operation of each kind of key shows for all.
var refusedEverywhere = []string{"nothing", "an array", "a field given twice", "an unknown field", "a byte over 64 KiB",
	"the media type text/plain"}

func TestInvalid_BodiesThatAreNotOnePlainObject_AreRefusedOnEveryOperation(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	malformed := func(name, body string) refusal {
		return refusal{name: name, body: body, status: http.StatusBadRequest, code: problem.MalformedRequest}
	}
	nested := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	samples := f.samples(t)
	for _, op := range f.operations(t) {
		id, s := op.id, samples[op.id]
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
			malformed("a hundred levels of arrays",
				open+`,"zz":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+"}"),
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
			{name: "an unknown field", body: open + `,"zz":1}`, status: http.StatusUnprocessableEntity,
				code:  problem.ValidationFailed,
				field: "zz", reason: "unknown_field"},
			{name: "a field in capitals", body: strings.Replace(valid, first, strings.ToUpper(first), 1),
				status: http.StatusUnprocessableEntity, code: problem.ValidationFailed},
			{name: "a prototype", body: open + `,"__proto__":{}}`, status: http.StatusUnprocessableEntity,
				code: problem.ValidationFailed},
			{name: "a byte over 64 KiB", body: strings.Repeat(" ", 64<<10+1-len(valid)) + valid,
				status: http.StatusRequestEntityTooLarge,
				code:   problem.BodyTooLarge},
			{name: "10 MB", body: strings.Repeat(" ", 10<<20) + valid, status: http.StatusRequestEntityTooLarge,
				code: problem.BodyTooLarge},
		}
		if !op.bodyRequired {
			refusals = refusals[1:]
		}
		for _, media := range []string{
			"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1",
			"application/jsonp", "json", ";",
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
			refusals = slices.DeleteFunc(refusals,
				func(r refusal) bool { return !slices.Contains(refusedEverywhere, r.name) })
		}
		for i := range refusals {
			refusals[i].method, refusals[i].path = s.method, s.path
		}
		t.Run(id, func(t *testing.T) { requireRefused(t, s.client, refusals) })
	}
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
					status: http.StatusUnprocessableEntity, code: problem.ValidationFailed, field: "body",
					reason: "unknown_field",
				},
				{name: "no JSON", method: s.method, path: s.path, body: "x", status: http.StatusBadRequest,
					code: problem.MalformedRequest},
				{
					name: "a form", method: s.method, path: s.path, body: "{}",
					headers: []string{"Content-Type", "text/plain"},
					status:  http.StatusUnsupportedMediaType, code: problem.UnsupportedMediaType,
				},
				{
					name: "a byte over 64 KiB", method: s.method, path: s.path, body: strings.Repeat(" ", 64<<10+1),
					status: http.StatusRequestEntityTooLarge, code: problem.BodyTooLarge,
				},
			})
		})
	}
}

// TestInvalid_ValueOfAnotherType_IsRefusedInEveryField walks over every value of every sample request. A response names
// every field that is wrong, so that all values at one depth are replaced at once.
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
						if value, ok := otherTypes(valueAt(s.body, path))[name]; ok &&
							(value != nil || s.method != http.MethodPatch) {
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
	all := map[string]any{"a boolean": true, "a number": 7, "a fraction": 1.5, "a text": "x", "an array": []any{},
		"an object": object{},
		"null":      nil}
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
		bad("33 levels", strings.Repeat(`{"a":`, 33)+"1"+strings.Repeat("}", 33), http.StatusBadRequest,
			problem.MalformedRequest),
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
	require.Equal(t, http.StatusOK, c.get(t, "/v1/events?types=booking.*,payment.succeeded").status,
		"types of the feed take several")
}
