package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

const someThing = "/v1/things/01990000-0000-7000-8000-000000000001"

func TestValidation_InvalidField_IsNamedWithoutValue(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for body, want := range map[string][]string{ // field and code, in order
		`{}`:                                          {"name required"},
		`{"name":"a"}`:                                {"name too_short"},
		`{"name":"abcsecretabc"}`:                     {"name too_long"},
		`{"name":"Secret"}`:                           {"name pattern"},
		`{"name":42}`:                                 {"name wrong_type"},
		`{"name":null}`:                               {"name wrong_type"},
		`{"name":"ab","size":0}`:                      {"size too_small"},
		`{"name":"ab","size":1.5}`:                    {"size wrong_type"},
		`{"name":"ab","size":1.0}`:                    {"size wrong_type"},
		`{"name":"ab","size":1e30}`:                   {"size too_large"},
		`{"name":"ab","size":9223372036854775808}`:    {"size wrong_type"},
		`{"name":"ab","kind":"secret"}`:               {"kind not_one_of"},
		`{"name":"ab","secret":1}`:                    {"secret unknown_field"},
		`{"name":"ab","Name":"cd"}`:                   {"Name unknown_field"},
		`{"name":"ab","customer":{}}`:                 {"customer.email required"},
		`{"name":"ab","customer":{"email":"secret"}}`: {"customer.email invalid_format"},
		`{"name":"ab","customer":{"email":"a@b.c","day":"secret"}}`: {"customer.day invalid_format"},
		`{"name":"ab","customer":{"email":"a@b.c","id":"secret"}}`:  {"customer.id invalid_format"},
		`{"name":"ab","customer":"secret"}`:                         {"customer wrong_type"},
		`{"name":"ab","customer":{"email":"a@b.c","x":1,"a":1}}`: {"customer.a unknown_field",
			"customer.x unknown_field"},
		`{"name":"ab","tags":["a","b","c"]}`:       {"tags too_long"},
		`{"name":"ab","tags":["secret","secret"]}`: {"tags not_unique"},
		`{"name":"ab","tags":[1]}`:                 {"tags[0] wrong_type"},
		`{"name":"ab","tags":["a",["b"]]}`:         {"tags[1] wrong_type"},
		`{"name":"ab","tags":[{}]}`:                {"tags[0] wrong_type"},
		`{"name":"ab","metadata":[]}`:              {"metadata wrong_type"},
		`{"size":0,"kind":7}`: {"kind wrong_type", "name required",
			"size too_small"},
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			a := s.request(t, http.MethodPost, someThing, body)
			d := requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed)
			var got []string
			for _, f := range d.Errors {
				got = append(got, f.Name+" "+f.Code)
				require.NotEmpty(t, f.Detail)
				require.NotContains(t, f.Detail, "ecret")
			}
			require.ElementsMatch(t, want, got)
		})
	}
}

func TestValidation_QueryAndHeaders_AreChecked(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, tt := range []struct{ query, key, field, code string }{
		{"", "", "from", "required"},
		{"?from=secret", "", "from", "invalid_format"},
		{"?from=2030-01-02&limit=0", "", "limit", "too_small"},
		{"?from=2030-01-02&limit=secret", "", "limit", "wrong_type"},
		{"?from=2030-01-02&secret=1", "", "secret", "unknown_field"},
		{"?from=2030-01-02", "secret", "Idempotency-Key", "too_long"},
	} {
		t.Run(tt.query+tt.key, func(t *testing.T) {
			t.Parallel()
			a := s.request(t, http.MethodGet, "/v1/things"+tt.query, "", "Idempotency-Key", tt.key)
			d := requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed)
			require.Len(t, d.Errors, 1)
			require.Equal(t, tt.field, d.Errors[0].Name)
			require.Equal(t, tt.code, d.Errors[0].Code)
			require.NotContains(t, d.Errors[0].Detail, "secret")
		})
	}
}

func TestValidation_MalformedPathID_Is404(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	const ok, bad = `{"name":"ab"}`, `{"name":7}`
	missing := s.request(t, http.MethodPost, "/v1/things/00000000-0000-0000-0000-000000000000", ok)
	requireProblem(t, missing, http.StatusNotFound, problem.NotFound)
	for _, id := range []string{"x", "01990000-0000-7000-8000-00000000000", "%00", "a%2Fb", "%ff", "%22"} {
		a := s.request(t, http.MethodPost, "/v1/things/"+id, ok)
		require.Equal(t, missing.status, a.status, id)
		require.Equal(t, missing.body, a.body, id)
	}
	require.Equal(t, missing.body, s.request(t, http.MethodGet, "/v1/nothing", "").body)
	require.Equal(t,
		s.request(t, http.MethodPost, "/v1/things/00000000-0000-0000-0000-000000000000", bad).body,
		s.request(t, http.MethodPost, "/v1/things/x", bad).body,
		"with another mistake beside it, too")
}

func TestValidation_MissingBody_IsMalformed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	requireProblem(t, s.request(t, http.MethodPost, someThing, ""), http.StatusBadRequest, problem.MalformedRequest)
}

func TestValidation_ManyFields_ListsAtMost50(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	fields := map[string]any{"name": "ab"}
	for i := range 500 {
		fields[fmt.Sprintf("f%d", i)] = i
	}
	body, err := json.Marshal(fields)
	require.NoError(t, err)
	first := s.request(t, http.MethodPost, someThing, string(body))
	require.Len(t, requireProblem(t, first, http.StatusUnprocessableEntity, problem.ValidationFailed).Errors, 50)
	require.Equal(t, first.body, s.request(t, http.MethodPost, someThing, string(body)).body, "the same each time")
}

func TestAccept_AnyValue_GetsJSON(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, accept := range []string{"", "*/*", "text/html", "json", "application/cbor", "application/json;q=0", ";;,;q",
		strings.Repeat(",", 100)} {
		a := s.request(t, http.MethodPost, someThing, `{"name":"ab"}`, "Accept", accept)
		require.Equal(t, http.StatusOK, a.status)
		require.Equal(t, "application/json", a.header.Get("Content-Type"))
		requireProblem(t, s.request(t, http.MethodPost, someThing, `{}`, "Accept", accept),
			http.StatusUnprocessableEntity,
			problem.ValidationFailed)
	}
}
