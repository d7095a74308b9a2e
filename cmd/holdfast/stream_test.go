package main

import (
	"bufio"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
)

func TestServe_ToldToStopWithAnOpenStreamOfEvents_EndsItAndDoesNotWait(t *testing.T) {
	t.Parallel()
	p := start(t, newDir(t), "HOLDFAST_DATABASE_URL="+dbtest.Database(t))
	s := newShop(t, p)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/v1/events?types=booking.*", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	s.mustBook(t, p, "a", slot(0, 10))
	lines := bufio.NewReader(resp.Body)
	for line := ""; line != "event: booking.created\n"; {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	p.stop(t)
	_, err = io.ReadAll(lines)
	require.NoError(t, err, "the stream ends whole")
	require.NotContains(t, p.log(), "cut off")
}
