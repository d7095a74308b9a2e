package httpapi_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// decoded returns a body that came with gzip.
func (a answer) decoded(t testingT) string {
	t.Helper()
	require.Equal(t, "gzip", a.header.Get("Content-Encoding"))
	r, err := gzip.NewReader(strings.NewReader(a.body))
	require.NoError(t, err)
	body, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(body)
}

func TestCompression_AskedFor_IsTheSameAnswerInFewerBytes(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	for _, path := range []string{
		availabilityPath(service, future(0), future(30)),
		servicesAvailabilityPath(serviceIDs(service), future(0), future(30)),
		"/openapi.json", "/openapi.yaml", "/docs/errors",
	} {
		plain := c.get(t, path, "Accept-Encoding", "identity")
		require.Empty(t, plain.header.Get("Content-Encoding"))
		require.Equal(t, "Accept-Encoding", plain.header.Get("Vary"))
		for _, accepted := range []string{"gzip", "deflate, gzip;q=0.5", "br, GZIP"} {
			a := c.get(t, path, "Accept-Encoding", accepted)
			require.Equal(t, http.StatusOK, a.status)
			require.Equal(t, plain.body, a.decoded(t))
			require.Less(t, len(a.body), len(plain.body)/2)
			require.Equal(t, "Accept-Encoding", a.header.Get("Vary"))
			require.Equal(t, plain.header.Get("Content-Type"), a.header.Get("Content-Type"))
		}
		for _, accepted := range []string{"gzip;q=0", "br", "identity, gzip; q=0.0"} {
			a := c.get(t, path, "Accept-Encoding", accepted)
			require.Empty(t, a.header.Get("Content-Encoding"), accepted)
			require.Equal(t, plain.body, a.body)
		}
		head := c.send(t, http.MethodHead, path, nil, "Accept-Encoding", "gzip")
		require.Equal(t, http.StatusOK, head.status)
		require.Empty(t, head.header.Get("Content-Encoding"))
		require.Equal(t, "Accept-Encoding", head.header.Get("Vary"))
	}
}

func TestCompression_SmallOrTaggedAnswers_GoOutAsTheyAre(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	large := object{"metadata": object{"a": strings.Repeat("x", 10_000)}}
	a := c.post(t, "/v1/bookings", bookingOf(service, future(0), large), "Accept-Encoding", "gzip", "Idempotency-Key",
		"k")
	require.Equal(t, `"1"`, a.header.Get("ETag"))
	require.Empty(t, a.header.Get("Content-Encoding"), "a strong ETag names the bytes of one representation")
	got := c.get(t, "/v1/bookings/"+c.created(t, a).String(), "Accept-Encoding", "gzip")
	require.Equal(t, `"1"`, got.header.Get("ETag"))
	require.Empty(t, got.header.Get("Content-Encoding"))
	require.Empty(t, got.header.Get("No-Gzip-Compression"), "a header of ours alone")
	for _, path := range []string{"/healthz", "/v1/services/" + service.String(), "/v1/bookings/x"} {
		require.Empty(t, c.get(t, path, "Accept-Encoding", "gzip").header.Get("Content-Encoding"), path)
	}
	metrics := c.get(t, "/metrics", "Accept-Encoding", "gzip")
	require.Contains(t, metrics.decoded(t), "holdfast_", "it is compressed once")
}

func TestCompression_ReplayedAnswerWithAStrongETag_IsTheSameBytesAndNotCompressed(t *testing.T) {
	t.Parallel()
	c := setup(t)
	body := object{
		"name": "Tour", "kind": "date", "price": 0, "resource_ids": []any{c.newResource(t, 1)},
		"metadata": object{"a": strings.Repeat("x", 10_000)},
	}
	made := c.post(t, "/v1/services", body, "Idempotency-Key", "k", "Accept-Encoding", "gzip")
	require.Equal(t, http.StatusCreated, made.status)
	for _, accepted := range []string{"gzip", "identity"} {
		again := c.post(t, "/v1/services", body, "Idempotency-Key", "k", "Accept-Encoding", accepted)
		require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
		require.Empty(t, again.header.Get("Content-Encoding"))
		require.Equal(t, made.header.Get("ETag"), again.header.Get("ETag"))
		require.Equal(t, made.body, again.body)
	}
}
