package webhook_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/webhook"
)

func TestPost_AnyBytesInTheResponse_BecomeTextThatPostgreSQLStores(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, sent, kept string
		truncated        bool
	}{
		{name: "text", sent: "Zoë 🚣", kept: "Zoë 🚣"},
		{name: "NUL and invalid bytes", sent: "a\x00b\xffc\xed\xa0\x80", kept: "a\uFFFDb\uFFFDc\uFFFD"},
		{name: "limit", sent: strings.Repeat("a", maxBody), kept: strings.Repeat("a", maxBody)},
		{name: "character across the limit", sent: strings.Repeat("a", maxBody-1) + "é",
			kept:      strings.Repeat("a", maxBody-1),
			truncated: true},
		{name: "replacements over the limit", sent: strings.Repeat("\x00", maxBody),
			kept:      strings.Repeat("\uFFFD", maxBody/3),
			truncated: true},
		{name: "no characters at all", sent: strings.Repeat("\x80", 2*maxBody), kept: "\uFFFD", truncated: true},
	} {
		e := startTLS(t, func(_ *endpoint, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.sent) })
		response, err := post(t, reach(t, e), e.URL)
		require.NoError(t, err, c.name)
		require.Equal(t, c.kept, response.Body, c.name)
		require.Equal(t, c.truncated, response.Truncated, c.name)
	}
}

func TestPost_HeaderValues_AreCutTo256Bytes(t *testing.T) {
	t.Parallel()
	e := startTLS(t, func(_ *endpoint, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/"+strings.Repeat("é", 200))
		w.Header().Set("Retry-After", "\xff1")
		w.Header().Set("Set-Cookie", "a=b")
	})
	response, err := post(t, reach(t, e), e.URL)
	require.NoError(t, err)
	require.Equal(t, "text/"+strings.Repeat("é", 125), response.ContentType)
	require.Equal(t, "\uFFFD1", response.RetryAfter)
}

func TestRetryAfter_BothForms_AreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 9, 0, 0, 0, time.FixedZone("", 2*60*60))
	for value, want := range map[string]time.Duration{
		"":                                 0,
		"0":                                0,
		"120":                              2 * time.Minute,
		"86400":                            24 * time.Hour,
		"86401":                            24 * time.Hour,
		"9223372036854775807":              24 * time.Hour,
		"99999999999999999999999":          24 * time.Hour,
		"-1":                               0,
		"+1":                               0,
		"1.5":                              0,
		"1s":                               0,
		"soon":                             0,
		"Thu, 01 Jul 2027 07:00:30 GMT":    30 * time.Second,
		"Thursday, 01-Jul-27 07:00:30 GMT": 30 * time.Second,
		"Thu Jul  1 07:00:30 2027":         30 * time.Second,
		"Thu, 01 Jul 2027 06:59:59 GMT":    0,
		"Sat, 03 Jul 2027 07:00:00 GMT":    24 * time.Hour,
		"Fri, 31 Dec 9999 23:59:59 GMT":    24 * time.Hour,
		"Mon, 01 Jan 0001 00:00:00 GMT":    0,
	} {
		require.Equal(t, want, webhook.RetryAfter(webhook.Response{RetryAfter: value}, now), value)
	}
}
