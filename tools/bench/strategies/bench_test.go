package strategies_test

import (
	"context"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres"
	"holdfast/internal/store/storetest"
	"holdfast/internal/testtime"
	"holdfast/tools/bench/strategies"
)

const benchClients = 32

// BenchmarkCreate compares, in alternating rounds on one durable database, what is shipped with the plain
// transaction of six round trips and with the baseline: one call of a server-side function that does the same
// statements. `make bench` compares more strategies and measures more of each; this one is quick, and can put a network in
// between.
//
// On a socket everything shares the processors and each statement's work decides; network adds a round trip of a
// millisecond, as between two machines, and the number of round trips decides.
//
// Repeat it with: go test -C tools/bench -run '^$' -bench Create -benchtime 5x ./strategies
func BenchmarkCreate(b *testing.B) {
	for _, bench := range []struct {
		name           string
		sellers, dates int
		delay          time.Duration
	}{
		{"OneHotDate/socket", 1, 1, 0},
		{"OneHotDate/network", 1, 1, time.Millisecond},
		{"ManyDates/socket", 1, strategies.Days, 0},
		{"ManyDates/network", 1, strategies.Days, time.Millisecond},
		{"ManyTenants/socket", 50, strategies.Days, 0},
		{"ManyTenants/network", 50, strategies.Days, time.Millisecond},
	} {
		b.Run(bench.name, func(b *testing.B) {
			f, err := strategies.New(b.Context(), strategies.Config{
				URL: benchDatabase(b), Conns: benchClients, Dial: far(bench.delay), Uncontended: bench.sellers, Bookings: 100,
			})
			require.NoError(b, err)
			b.Cleanup(f.Close)
			compared := []strategies.Strategy{f.Holdfast(), f.SixTrips(), f.Baseline()}
			rates := make([][]float64, len(compared))
			load := strategies.Load{Clients: benchClients, WarmUp: 500 * time.Millisecond, Window: time.Second}
			for b.Loop() {
				for i, strategy := range compared {
					r, err := load.Drive(b.Context(), func(ctx context.Context, _ int) error {
						return strategy.Book(ctx, strategies.Order{
							Seller: &f.Uncontended[rand.IntN(bench.sellers)],
							Start:  f.Day(rand.IntN(bench.dates)).Add(time.Duration(rand.IntN(1440)) * time.Minute),
						})
					})
					require.NoError(b, err)
					rates[i] = append(rates[i], r.Rate())
				}
			}
			for i, strategy := range []string{"holdfast", "six_trips", "baseline"} {
				slices.Sort(rates[i])
				b.ReportMetric(rates[i][len(rates[i])/2], strategy+"/s")
			}
			median := func(i int) float64 { return rates[i][len(rates[i])/2] }
			b.ReportMetric(median(0)/median(1), "x_six_trips")
			b.ReportMetric(median(0)/median(2), "x_baseline")
			b.ReportMetric(0, "ns/op") // a round's length says nothing
		})
	}
}

// far returns a dialer of connections on which an answer takes at least d.
func far(d time.Duration) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil || d == 0 {
			return conn, err
		}
		return &farConn{Conn: conn, delay: d}, nil
	}
}

type farConn struct {
	net.Conn
	delay time.Duration
	sent  atomic.Int64 // when, in nanoseconds; zero once the answer has begun
}

func (c *farConn) Write(p []byte) (int, error) {
	c.sent.Store(testtime.Now().UnixNano())
	return c.Conn.Write(p)
}

func (c *farConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if sent := c.sent.Swap(0); sent != 0 {
		<-time.After(time.Unix(0, sent).Add(c.delay).Sub(testtime.Now()))
	}
	return n, err
}

// benchDatabase returns a durable database: on the server of HOLDFAST_TEST_DATABASE_URL, for a measurement over TCP,
// and else on one of its own, over a socket.
func benchDatabase(b *testing.B) string {
	b.Helper()
	if os.Getenv("HOLDFAST_TEST_DATABASE_URL") != "" {
		return storetest.Database(b)
	}
	server, err := postgres.Start(b.Context(), postgres.Config{Dir: b.TempDir(), Install: true})
	require.NoError(b, err)
	b.Cleanup(func() { _ = server.Stop(context.Background()) })
	return server.URL()
}
