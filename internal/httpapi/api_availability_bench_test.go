package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
)

// rawConnection sends one request again and again, and makes almost nothing for the garbage collector: what is counted
// is the server's.
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
	return &rawConnection{conn, bufio.NewReaderSize(conn, 1<<20),
		fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, address, c.key)}
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

// BenchmarkAvailability_YearOfTenResources asks for all pages of 366 dates of a service of ten resources, on which
// 100,000 bookings lie: of each resource and date 24 hours of one unit and three or four of another.
func BenchmarkAvailability_YearOfTenResources(b *testing.B) {
	c := setup(b)
	resources := make([]uuid.UUID, 10)
	for i := range resources {
		resources[i] = c.newResource(b, 2)
	}
	service := c.newService(b, "slot", object{"duration_minutes": 60, "slot_interval_minutes": 60}, resources...)
	c.book(b, service, at(future(0), 0, 0)) // the first unit of the first resource
	_, err := c.sql.Exec(b.Context(), dbtest.InsertBookings(`
		SELECT b.tenant_id, gen_random_uuid(), b.service_id, r.resource_id, b.customer_id, b.status,
			t.starts_at, t.starts_at + interval '1 hour', b.time_zone, int4multirange(int4range(t.unit, t.unit + 1)),
			t.starts_at, t.starts_at + interval '1 hour', NULL, b.price, b.deposit
		FROM bookings b
		CROSS JOIN generate_series(1, 99999) AS n
		CROSS JOIN LATERAL (
			SELECT n / 3660 / 24 + 1 AS unit, b.starts_at + make_interval(hours => n / 10 % 366 * 24 + n / 3660 % 24) AS starts_at
		) AS t
		JOIN service_resources r ON r.service_id = b.service_id AND r.position = n % 10 + 1`))
	require.NoError(b, err)
	var bookings int
	require.NoError(b, c.sql.QueryRow(b.Context(), "SELECT count(*) FROM bookings").Scan(&bookings))
	require.Equal(b, 100_000, bookings)
	_, err = c.sql.Exec(b.Context(), "VACUUM ANALYZE bookings, claims")
	require.NoError(b, err)
	for _, slots := range []string{"false", "true"} {
		b.Run("slots="+slots, func(b *testing.B) {
			first := availabilityPath(service, future(0), future(365)) + "&slots=" + slots
			var pages []*rawConnection
			for cursor := ""; ; {
				path := first + cursor
				pages = append(pages, c.rawConnection(b, path))
				next := c.get(b, path).field(b, "next_cursor")
				if next == nil {
					break
				}
				cursor = fmt.Sprint("&cursor=", next)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, page := range pages {
					page.do(b)
				}
			}
			b.ReportMetric(float64(len(pages)), "pages")
		})
	}
}

// BenchmarkAvailability_TenServices asks for a month of ten services of the same five resources, ten hours of each date
// of which are sold: in one call, and in ten.
func BenchmarkAvailability_TenServices(b *testing.B) {
	c := setup(b)
	resources := make([]uuid.UUID, 5)
	for i := range resources {
		resources[i] = c.newResource(b, 1)
	}
	services := make([]uuid.UUID, 10)
	for i := range services {
		services[i] = c.newService(b, "slot", object{"duration_minutes": 60, "slot_interval_minutes": 120},
			resources...)
	}
	for i := range 310 {
		c.book(b, services[i%10], at(future(i/10), 2*(i%10), 0))
	}
	one := []string{servicesAvailabilityPath(serviceIDs(services...), future(0), future(30))}
	var ten []string
	for _, id := range services {
		ten = append(ten, availabilityPath(id, future(0), future(30)))
	}
	for name, paths := range map[string][]string{"one call": one, "ten calls": ten} {
		b.Run(name, func(b *testing.B) {
			var connections []*rawConnection
			size := int64(0)
			for _, path := range paths {
				connections = append(connections, c.rawConnection(b, path))
				size += connections[len(connections)-1].do(b)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, conn := range connections {
					conn.do(b)
				}
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
