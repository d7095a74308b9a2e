package eventstream_test

import (
	"net/http"
	"testing"

	"holdfast/internal/httpapi/eventstream"

	"github.com/stretchr/testify/require"
)

func TestAccepts_Header_PrefersStreamOrJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stream bool
		accept []string
	}{
		{false, nil},
		{false, []string{""}},
		{false, []string{"*/*"}},
		{false, []string{"text/*"}},
		{false, []string{"application/json"}},
		{true, []string{"text/event-stream"}},
		{true, []string{"Text/Event-Stream; charset=utf-8"}},
		{true, []string{"text/event-stream;q=0.1"}},
		{false, []string{"text/event-stream;q=0"}},
		{false, []string{"text/event-stream;q=0.0"}},
		{false, []string{"application/json, text/event-stream;q=0.1"}},
		{false, []string{"application/json", "text/event-stream; charset=utf-8; q=0.1"}},
		{false, []string{"application/json, text/event-stream"}},
		{true, []string{"application/json;q=0.9, text/event-stream"}},
		{true, []string{"application/json;q=0.9", "text/event-stream"}},
		{true, []string{"application/json;q=0, text/event-stream;q=0.1"}},
		{true, []string{"text/event-stream, */*;q=0.8"}},
		{false, []string{"text/event-stream;q=0.5, application/*;q=0.8"}},
		{true, []string{"text/event-stream;q=0.5, application/json;q=0.1, */*;q=0.8"}},
	} {
		require.Equal(t, c.stream, eventstream.Accepts(http.Header{"Accept": c.accept}), c.accept)
	}
}
