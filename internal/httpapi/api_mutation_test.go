package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/problem"
)

// oddities are values that have broken parsers, databases and calendars.
var oddities = []any{
	nil, true, "", "x", "null", "0000-00-00", "0000-01-01", "9999-12-31", "infinity", "-infinity", "2027-03-28T02:30:00+01:00",
	"9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59", "2027-07-01T10:00:00+24:00", "2027-06-30T23:59:60Z",
	"24:00", "24:01", "Local", "UTC", "Etc/GMT+12", "XXX", "XTS", "\u2028", "\U0010ffff", "\ufeff", "İ@example.com", "%s%n", "'; --",
	strings.Repeat("x", 10_000), strings.Repeat("é", 200),
	-1, 0, 1, 1<<31 - 1, 1 << 31, -1 << 31, 1<<53 + 1, number("9223372036854775807"), number("9223372036854775808"),
	number("-0"), number("1.0"), number("1e2"), number("1e-400000"), number("1e400"), number("0.1"),
	[]any{}, []any{nil}, []any{[]any{}}, object{}, object{"": ""}, object{"a": object{"a": object{}}},
}

// drawBody mutates a sample's body one to three times, and returns it as text.
func drawBody(t *rapid.T, body object) string {
	if body == nil {
		return rapid.SampledFrom([]string{"", "{}", " ", "null", "[]", `{"a":1}`, "{", "\x00", `""`}).Draw(t, "body")
	}
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		all := paths(body)
		if len(all) == 0 {
			break
		}
		path := rapid.SampledFrom(all).Draw(t, "path")
		switch rapid.IntRange(0, 4).Draw(t, "change") {
		case 0:
			body = without(body, path)
		case 1:
			body = with(body, path, valueAt(body, rapid.SampledFrom(all).Draw(t, "other")))
		case 2:
			body = with(body, path, []any{valueAt(body, path)})
		default:
			body = with(body, path, rapid.SampledFrom(oddities).Draw(t, "value"))
		}
	}
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	return drawText(t, raw)
}

// drawText damages the text of a body, or leaves it.
func drawText(t *rapid.T, raw []byte) string {
	at := rapid.IntRange(0, len(raw)-1).Draw(t, "at")
	switch rapid.IntRange(0, 9).Draw(t, "damage") {
	case 0:
		return string(raw[:at])
	case 1:
		raw[at] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
	case 2:
		raw = slices.Insert(raw, at, rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "bytes")...)
	case 3:
		until := min(len(raw), at+rapid.IntRange(1, 40).Draw(t, "length"))
		raw = slices.Insert(raw, at, raw[at:until]...)
	case 4:
		until := min(len(raw), at+rapid.IntRange(1, 10).Draw(t, "length"))
		raw = slices.Delete(raw, at, until)
	}
	return string(raw)
}

// TestAnyMutationOfAValidRequest_IsAnsweredAsTheDescriptionSays sends requests that are valid but for some damage.
// Some still succeed.
func TestAnyMutationOfAValidRequest_IsAnsweredAsTheDescriptionSays(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	samples, codes := f.samples(t), f.codes(t)
	delete(samples, "create-api-key") // there would be many, and it has no body
	documented := make(map[string][]int)
	for _, op := range f.operations(t) {
		documented[op.id] = op.statuses
		if op.method == http.MethodDelete {
			delete(samples, op.id)
		}
	}
	ids := slices.Sorted(maps.Keys(samples))
	ifMatch := rapid.SampledFrom([]string{"", "", "*", `"1"`, `W/"1"`, `"`, ",", "\x80", strings.Repeat("a", 1001)})
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			id := rapid.SampledFrom(ids).Draw(t, "operation")
			s := samples[id]
			a := s.client.send(t, s.method, s.path, drawBody(t, s.body), "If-Match", ifMatch.Draw(t, "If-Match"))
			require.Less(t, a.status, http.StatusInternalServerError, "%s: %s", id, a.body)
			require.Contains(t, documented[id], a.status, "%s: %s", id, a.body)
			require.True(t, json.Valid([]byte(a.body)), "%s: %s", id, a.body)
			if a.status < http.StatusBadRequest {
				require.Equal(t, "application/json", a.header.Get("Content-Type"))
				continue
			}
			requireKnownProblem(t, a, codes)
		}
	})
}

func requireKnownProblem(t testingT, a answer, codes map[problem.Code]int) {
	t.Helper()
	var d struct{ Code problem.Code }
	a.read(t, &d)
	require.Contains(t, codes, d.Code, a.body)
	requireProblem(t, a, codes[d.Code], d.Code)
}

func TestAnyQuery_IsAnsweredAsTheDescriptionSays(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	codes, before := f.codes(t), f.tables(t)
	var operations []operation
	for _, op := range f.operations(t) {
		if op.method == http.MethodGet {
			for prefix, id := range f.ids() {
				op.path = strings.Replace(op.path, prefix+"{id}", prefix+id.String(), 1)
			}
			operations = append(operations, op)
		}
	}
	values := []string{"", "1", "200", "held", "2027-07-01", "2027-12-31", "9000-12-31", "1900-01-01", f.slots.String(), f.resource.String()}
	for _, v := range oddities {
		values = append(values, fmt.Sprint(v))
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 5 {
			op := rapid.SampledFrom(operations).Draw(t, "operation")
			names := append(slices.Clone(op.query), "limit", "x")
			query := url.Values{}
			for range rapid.IntRange(0, 5).Draw(t, "parameters") {
				query.Add(rapid.SampledFrom(names).Draw(t, "name"), rapid.SampledFrom(values).Draw(t, "value"))
			}
			text := query.Encode()
			if len(text) > 0 && rapid.IntRange(0, 9).Draw(t, "damage") == 0 {
				text = drawText(t, []byte(text))
				text = strings.Map(func(r rune) rune { // what can't stand in a request line at all
					if r <= ' ' || r == 0x7f || r == '#' {
						return '+'
					}
					return r
				}, text)
			}
			a := f.get(t, op.path+"?"+text)
			require.Less(t, a.status, http.StatusInternalServerError, "%s: %s", text, a.body)
			require.Contains(t, op.statuses, a.status, "%s: %s", text, a.body)
			if strings.HasSuffix(op.path, ".pdf") && a.status == http.StatusOK {
				require.True(t, strings.HasPrefix(a.body, "%PDF-"))
				continue
			}
			require.True(t, json.Valid([]byte(a.body)), "%s: %s", text, a.body)
			if a.status >= http.StatusBadRequest {
				requireKnownProblem(t, a, codes)
			}
		}
	})
	require.Equal(t, before, f.tables(t), "reading wrote something")
}
