package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rawConnection sends one request again and again, and makes almost nothing for the garbage collector: what is counted is the server's.
type rawConnection struct {
	conn    net.Conn
	reader  *bufio.Reader
	request []byte
}

func (c client) rawConnection(t testing.TB, path string) *rawConnection {
	t.Helper()
	address := strings.TrimPrefix(c.url, "http://")
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &rawConnection{conn, bufio.NewReaderSize(conn, 1<<20), fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, address, c.key)}
}

// do sends the request and returns the length of the body.
func (c *rawConnection) do(t testing.TB) int64 {
	t.Helper()
	_, err := c.conn.Write(c.request)
	require.NoError(t, err)
	response, err := http.ReadResponse(c.reader, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	n, err := io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	return n
}

// BenchmarkAvailability_31DaysOf24Slots asks for a service of one resource, ten hours of each date of which are sold.
func BenchmarkAvailability_31DaysOf24Slots(b *testing.B) {
	c := setup(b)
	service := c.newService(b, "slot", object{"duration_minutes": 60, "slot_interval_minutes": 60}, c.newResource(b, 1))
	for day := range 31 {
		for hour := range 10 {
			c.book(b, service, at(future(day), hour+8, 0))
		}
	}
	conn := c.rawConnection(b, availabilityPath(service, future(0), future(30)))
	conn.do(b)
	b.ReportAllocs()
	for b.Loop() {
		conn.do(b)
	}
}
