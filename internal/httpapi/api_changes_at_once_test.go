package httpapi_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// acknowledged is a change of a booking that was acknowledged. A move to where the booking is, or a shorter extension,
// changes nothing: it may show a version that another change made.
type acknowledged struct {
	booking uuid.UUID
	version int64
	status  string
	maybe   bool
}

// changer is one of the clients that change bookings at once.
type changer struct {
	client
	t        *testing.T
	random   *rand.Rand
	dates    []civil.Date
	services []uuid.UUID
	shared   *sharedBookings
	done     []acknowledged
	refused  map[problem.Code]int
}

// sharedBookings are what all clients choose from.
type sharedBookings struct {
	mu  sync.Mutex
	ids []uuid.UUID
}

func (s *sharedBookings) add(id uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = append(s.ids, id)
}

// drop forgets a booking that is over, now and then.
func (s *sharedBookings) drop(id uuid.UUID, random *rand.Rand) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.ids, id); i >= 0 && random.IntN(2) == 0 {
		s.ids = slices.Delete(s.ids, i, i+1)
	}
}

// pick returns a booking, a young one more often.
func (s *sharedBookings) pick(random *rand.Rand) (uuid.UUID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.ids)
	if n == 0 {
		return uuid.Nil, false
	}
	return s.ids[n-1-min(random.IntN(n), random.IntN(n))], true
}

// TestBookings_ManyClientsChangeThemAtOnce has 32 clients make, hold, move, amend, extend, confirm and cancel bookings
// of two services and three resources on twenty dates, while holds expire.
func TestBookings_ManyClientsChangeThemAtOnce(t *testing.T) {
	t.Parallel()
	changes := testtime.Rounds(640)
	const clients = 32
	s, clock := newServerWithClock(t)
	c := s.newTenant(t, "Europe/Berlin")
	resources := []uuid.UUID{c.newResource(t, 1), c.newResource(t, 1), c.newResource(t, 2)}
	services := []uuid.UUID{
		c.newService(t, "date", object{"price": 100}, resources...),
		c.newService(t, "date", object{"price": 300, "buffer_after_minutes": 30}, resources[1:]...),
	}
	var dates []civil.Date
	for i := range 20 {
		dates = append(dates, future(i))
	}
	shared, seed := &sharedBookings{}, testtime.Seed(t)
	var all []*changer
	var wait sync.WaitGroup
	for i := range clients {
		g := &changer{
			client:   c,
			t:        t,
			random:   rand.New(rand.NewPCG(seed, uint64(i))),
			dates:    dates,
			services: services,
			shared:   shared,
			refused:  map[problem.Code]int{},
		}
		all = append(all, g)
		wait.Go(func() {
			for range changes / clients {
				g.change()
				clock.pass(t, time.Second)
			}
		})
	}
	wait.Wait()

	made, latest, seen, refused := 0, map[uuid.UUID]acknowledged{}, map[acknowledged]bool{}, map[problem.Code]int{}
	var done []acknowledged
	for _, g := range all {
		for code, n := range g.refused {
			refused[code] += n
		}
		done = append(done, g.done...)
	}
	for _, maybe := range []bool{false, true} {
		for _, d := range done {
			if d.maybe != maybe {
				continue
			}
			key := acknowledged{booking: d.booking, version: d.version}
			require.False(t, seen[key] && !d.maybe, "two changes of %s were answered with the version %d", d.booking,
				d.version)
			seen[key] = true
			if d.version == 1 && !d.maybe {
				made++
			}
			if d.version >= latest[d.booking].version {
				latest[d.booking] = d
			}
		}
	}
	t.Logf("%d changes of %d bookings, refused: %v", len(seen), made, refused)
	require.Positive(t, made)
	require.Positive(t, refused[problem.SlotUnavailable], "the clients have to get in each other's way")
	for id, d := range latest {
		a := c.get(t, "/v1/bookings/"+id.String())
		entries := c.history(t, "/v1/bookings/"+id.String())
		status := a.text(t, "status")
		require.InDelta(t, a.field(t, "version"), len(entries), 0)
		for v := range entries {
			if !seen[acknowledged{booking: id, version: int64(v + 1)}] {
				require.Equal(t, "expired", entries[v].After["status"],
					"only the end of a hold is no client's change: %v", entries[v])
			}
		}
		if int(d.version) == len(entries) {
			require.Equal(t, d.status, status)
		}
	}
	requireNothingTwice(t, s, c.tenant, made)
}

// requireNothingTwice requires that no unit is booked twice, that there is nothing but what was acknowledged, that each
// version has one event, and that no deadlock occurred.
func requireNothingTwice(t *testing.T, s *apiServer, tenant uuid.UUID, made int) {
	t.Helper()
	for query, want := range map[string]int{
		`SELECT count(*) FROM bookings WHERE tenant_id = $1`:             made,
		dbtest.Overlaps + ` WHERE a.tenant_id = $1`:                      0,
		`SELECT (` + dbtest.WrongClaims + `) WHERE $1::uuid IS NOT NULL`: 0,
		`SELECT count(*) FROM bookings b WHERE b.tenant_id = $1 AND b.version <> (
			SELECT count(DISTINCT e.version) FROM changes e WHERE e.tenant_id = b.tenant_id AND e.subject_id = b.booking_id)`: 0,
		`SELECT count(*) FROM bookings b WHERE b.tenant_id = $1 AND b.version <> (
			SELECT count(*) FROM changes e WHERE e.tenant_id = b.tenant_id AND e.subject_id = b.booking_id)`: 0,
		`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database() AND $1::uuid IS NOT NULL`: 0,
	} {
		var got int
		require.NoError(t, s.sql.QueryRow(t.Context(), query, tenant).Scan(&got), query)
		require.Equal(t, want, got, query)
	}
}

// change makes one change, and remembers it if it was acknowledged.
func (g *changer) change() {
	id, ok := g.shared.pick(g.random)
	what := g.random.IntN(10)
	if !ok {
		what = 0
	}
	path, date := "/v1/bookings/"+id.String(), g.dates[g.random.IntN(len(g.dates))]
	var a answer
	switch what {
	case 0, 1:
		path = "/v1/bookings"
		a = g.post(g.t, path,
			bookingOf(g.services[g.random.IntN(2)], date, object{"party_size": 1 + g.random.IntN(20)/19}))
	case 2:
		path = "/v1/bookings"
		a = g.post(g.t, path,
			bookingOf(g.services[g.random.IntN(2)], date, object{"hold_minutes": 1 + g.random.IntN(3)}))
	case 3:
		a = g.post(g.t, path+"/cancel", nil)
	case 4:
		a = g.post(g.t, path+"/confirm", nil)
	case 5:
		path += "/extend"
		a = g.post(g.t, path, object{"hold_minutes": 3})
	case 6:
		a = g.patch(g.t, path, object{"metadata": object{"note": uuid.NewString()}})
	case 7:
		path += "/reschedule"
		a = g.post(g.t, path, object{"date": date.String(), "service_id": g.services[g.random.IntN(2)].String()})
	default:
		path += "/reschedule"
		a = g.post(g.t, path, object{"date": date.String()})
	}
	g.learn(id, path, a)
}

// learn remembers what was acknowledged, and requires that the rest was refused by a rule.
func (g *changer) learn(id uuid.UUID, path string, a answer) {
	if a.status/100 == 2 {
		var b struct {
			ID      uuid.UUID `json:"id"`
			Version int64     `json:"version"`
			Status  string    `json:"status"`
		}
		a.read(g.t, &b)
		g.done = append(g.done,
			acknowledged{b.ID, b.Version, b.Status, strings.HasSuffix(path, "/reschedule") || strings.HasSuffix(path,
				"/extend")})
		switch {
		case a.status == http.StatusCreated:
			g.shared.add(b.ID)
		case b.Status == "cancelled":
			g.shared.drop(b.ID, g.random)
		}
		return
	}
	var d problemDocument
	a.read(g.t, &d)
	require.Contains(g.t,
		[]problem.Code{problem.SlotUnavailable, problem.HoldExpired, problem.InvalidState, problem.ValidationFailed},
		d.Code, fmt.Sprint(path, a))
	g.refused[d.Code]++
	if d.Code == problem.HoldExpired {
		g.shared.drop(id, g.random)
	}
}

// TestReschedule_TwoClientsSwapTwoBookings_NothingIsLost has two clients move two bookings to each other's date again
// and again. While both are full no move succeeds; with a third date free, each move that is acknowledged happened.
func TestReschedule_TwoClientsSwapTwoBookings_NothingIsLost(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	dates := []civil.Date{future(1), future(2), future(3)}
	bookings := []uuid.UUID{c.book(t, service, dates[0]).id(t), c.book(t, service, dates[1]).id(t)}
	move := func(booking uuid.UUID, to civil.Date) answer {
		return c.post(t, "/v1/bookings/"+booking.String()+"/reschedule", object{"date": to.String()})
	}
	for range testtime.Rounds(8) {
		var answers [2]answer
		var wait sync.WaitGroup
		for i := range bookings {
			wait.Go(func() { answers[i] = move(bookings[i], dates[1-i]) })
		}
		wait.Wait()
		for _, a := range answers {
			requireProblem(t, a, conflict, problem.SlotUnavailable)
		}
	}
	versions := []int64{1, 1}
	for range testtime.Rounds(16) {
		var moved [2]int64
		var wait sync.WaitGroup
		for i := range bookings {
			wait.Go(func() {
				for _, to := range rand.Perm(3) {
					a := move(bookings[i], dates[to])
					if a.status == http.StatusOK {
						moved[i] = int64(a.field(t, "version").(float64))
						continue
					}
					requireProblem(t, a, conflict, problem.SlotUnavailable)
				}
			})
		}
		wait.Wait()
		on := map[string]int{}
		for i, id := range bookings {
			versions[i] = max(versions[i], moved[i])
			a := c.get(t, "/v1/bookings/"+id.String())
			require.EqualValues(t, versions[i], a.field(t, "version"))
			on[a.text(t, "date")]++
		}
		require.Len(t, on, 2, "two bookings are never on one date")
	}
	requireNothingTwice(t, c.apiServer, c.tenant, 2)
}
