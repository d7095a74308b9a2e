package edge

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func FuzzCheckJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":[1,"\u0000"]}`, "\xff", `{"a":1}{`, `[`, ``, `{"a":1,"\u0061":2}`, `{"a":1e400}`, `{"a":"\ud800"}`,
		`{"a":-0,"b":1.0,"c":null}`,
		strings.Repeat(`{"a":`, maxNesting) + "1" + strings.Repeat("}", maxNesting),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := CheckJSON(raw); err != nil {
			require.True(t, problem.Is(err, problem.MalformedRequest), err)
			return
		}
		var v, same map[string]any
		require.NoError(t, json.Unmarshal(raw, &v), "what is let through can be decoded")
		require.NoError(t, jsonv2.Unmarshal(raw, &same))
		require.Equal(t, v, same, "two parsers read the same")
		require.NoError(t, CheckJSON(append([]byte(" \n"), append(raw, ' ')...)), "blanks around it change nothing")
		require.Error(t, CheckJSON(append(raw, raw...)), "two objects aren't one")
		require.True(t, storableAll(v), "what is let through can be stored")
	})
}

// storableAll reports whether every text in a JSON value fits a text column.
func storableAll(v any) bool {
	switch v := v.(type) {
	case string:
		return storable(v)
	case []any:
		for _, item := range v {
			if !storableAll(item) {
				return false
			}
		}
	case map[string]any:
		for name, item := range v {
			if !storable(name) || !storableAll(item) {
				return false
			}
		}
	}
	return true
}

func FuzzCheckURL(f *testing.F) {
	for _, target := range []string{"/v1/bookings?from=2027-07-01", "/%00", "/?%ff", "/?a=%00", "/?a;b", "/?%",
		"/x%2f?a=b&a=c", "/?+%2b"} {
		f.Add(target)
	}
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || CheckURL(u) != nil {
			return
		}
		require.True(t, storable(u.Path))
		values, err := url.ParseQuery(u.RawQuery)
		require.NoError(t, err)
		for name, list := range values {
			require.True(t, storable(name) && storable(strings.Join(list, "")), u.RawQuery)
		}
	})
}

func FuzzCheckMediaType(f *testing.F) {
	for _, pair := range [][2]string{
		{"application/json", ""}, {"application/json; charset=UTF-8", "identity"},
		{"application/json;charset=latin1", ""},
		{"text/json", "gzip"}, {";", "\x00"},
		{"application/json; a=b; a=c", ","}, {"APPLICATION/JSON", "Identity"},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, media, encoding string) {
		h := http.Header{"Content-Type": {media}, "Content-Encoding": {encoding}}
		if err := checkMediaType(h); err != nil {
			require.True(t, problem.Is(err, problem.UnsupportedMediaType), err)
			return
		}
		require.True(t, strings.HasPrefix(strings.ToLower(strings.TrimSpace(media)), "application/json"), media)
		require.True(t, encoding == "" || strings.EqualFold(encoding, "identity"), encoding)
		h.Add("Content-Type", media)
		require.Error(t, checkMediaType(h), "two media types aren't one")
	})
}

func FuzzRequestID(f *testing.F) {
	for _, sent := range []string{"", "a", " a", "é", "\x7f", strings.Repeat("a", 128), strings.Repeat("a", 129)} {
		f.Add(sent)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		id := requestIDFrom(sent)
		require.Regexp(t, `^[!-~]{1,128}$`, id)
		require.Equal(t, id, requestIDFrom(id))
	})
}
