package idempotency

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func FuzzNewRequest(f *testing.F) {
	for _, key := range []string{"", "k", " ", "6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11", "\x7f", "é", "a\x00"} {
		f.Add(key, "/v1/bookings", []byte(`{"a":1}`), []byte(`{"a":2}`))
	}
	for _, pair := range [][2]string{
		{`{"a":1,"b":[1,{"c":"d"}]}`, ` { "b" : [ 1 , {"c":"\u0064"} ] , "a" : 1 } `},
		{`{"a":1}`, `{"a":1.0}`},
		{`{"a":0}`, `{"a":-0}`},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`},
		{`{"a":1,"a":2}`, `{"a":2,"a":1}`},
		{`{"a":"\ud800"}`, `{"a":"\ufffd"}`},
		{"{\"a\":\"\xff\"}", "{\"a\":\"\ufffd\"}"},
		{`{"\ud83d\ude00":1,"\ufb33":2}`, "{\"\ufb33\":2,\"\U0001f600\":1}"},
		{`{"a":"</\u2028"}`, "{\"a\":\"\\u003c\\/\u2028\"}"},
		{`{}`, `{}{}`},
		{`{}`, ``},
		{` `, ``},
	} {
		f.Add("k", "/", []byte(pair[0]), []byte(pair[1]))
	}
	f.Fuzz(func(t *testing.T, key, path string, body, other []byte) {
		r, err := NewRequest([]string{key}, "POST", path, body)
		if err != nil {
			require.True(t, problem.Is(err, problem.IdempotencyKeyMissing) ||
				problem.Is(err, problem.IdempotencyKeyInvalid), err)
			return
		}
		require.Equal(t, key, r.Key())
		require.NotEmpty(t, key)
		require.LessOrEqual(t, len(key), MaxKeyBytes)
		require.Regexp(t, `^[ -~]+$`, key)
		before := bytes.Clone(body)
		again, err := NewRequest([]string{key}, "POST", path, body)
		require.NoError(t, err)
		require.Equal(t, r, again)
		require.Equal(t, before, body, "the body isn't changed")
		changed, err := NewRequest([]string{key}, "POST", path, other)
		require.NoError(t, err)
		require.Equal(t, sameContent(body, other), r.fingerprint == changed.fingerprint)
		_, err = NewRequest([]string{key, key}, "POST", path, body)
		require.True(t, problem.Is(err, problem.IdempotencyKeyInvalid), err)
	})
}

// sameContent reports whether two bodies are the same bytes, or JSON of the same value with numbers written alike. It
// uses another parser than the fingerprint does.
func sameContent(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	va, okA := decoded(a)
	vb, okB := decoded(b)
	return okA && okB && reflect.DeepEqual(va, vb)
}

// decoded returns the value of a body, and false if the body isn't one JSON value that every parser reads alike.
func decoded(body []byte) (v any, ok bool) {
	if !jsontext.Value(body).IsValid() { // encoding/json accepts duplicate names and invalid text
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, errors.Is(err, io.EOF)
}
