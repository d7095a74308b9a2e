package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"holdfast/tools/bench/strategies"
)

// Days of the fixture, apart from strategies.Days and strategies.CalendarDay: scenarios must not meet.
const (
	hotDay       = 400  // uncontended sellers; a day for each measurement
	warmDay      = 2200 // all sellers
	contendedDay = 0    // contended sellers
	baselineDay  = 1000 // contended sellers; pgbench counts for itself
)

// attemptsPerSlot is how often each contended slot is asked for.
const attemptsPerSlot = 50

// Levels at which is measured.
const (
	atService  = "service"
	atHTTP     = "HTTP"
	atDatabase = "database"
)

// holdfast is the strategy that is compared with the others.
const holdfast = "Holdfast"

// entry is one strategy in one scenario. run measures it once.
type entry struct {
	scenario, level, strategy string
	run                       func(context.Context) (measurement, error)
}

// name is what ONLY chooses by.
func (e entry) name() string { return e.scenario + "/" + e.level + "/" + e.strategy }

// Scenarios.
const (
	manyTenants  = "many dates of 1,000 tenants"
	oneTenant    = "many dates of one tenant"
	hotDate      = "one hot date"
	contended    = "contended slots"
	replays      = "replays"
	availability = "availability"
	lists        = "pages of a list"
	payments     = "balance payments"
)

// bookingScenario is one in which all strategies take part.
type bookingScenario struct {
	name string
	// begin is called before each measurement and returns who orders what.
	begin func() func() strategies.Order
	// baseline is what pgbench runs.
	baseline func() string
}

func (b *bench) bookingScenarios() []bookingScenario {
	f := b.fixture
	return []bookingScenario{
		{
			manyTenants, func() func() strategies.Order { return b.anyOrder },
			func() string { return b.baselineOn(1, b.uncontended, 0, strategies.Days) },
		},
		{
			oneTenant, func() func() strategies.Order { return func() strategies.Order { return b.orderOf(&f.Uncontended[0]) } },
			func() string { return b.baselineOn(1, 1, 0, strategies.Days) },
		},
		{
			hotDate, b.hot,
			func() string { return b.baselineOn(2, 2, int(hotDay+b.hotDays.Add(1)), 1) },
		},
		{contended, func() func() strategies.Order { return b.contendedOrder }, b.baselineContended},
	}
}

func anyMinute() time.Duration { return time.Duration(rand.IntN(24*60)) * time.Minute }

func (b *bench) anyOrder() strategies.Order {
	return b.orderOf(&b.fixture.Uncontended[rand.IntN(b.uncontended)])
}

// orderOf is an order over many dates of a seller.
func (b *bench) orderOf(s *strategies.Seller) strategies.Order {
	return strategies.Order{Seller: s, Start: b.fixture.Day(rand.IntN(strategies.Days)).Add(anyMinute())}
}

// hot takes a date that nobody has booked yet, of the second seller.
func (b *bench) hot() func() strategies.Order {
	day := b.fixture.Day(int(hotDay + b.hotDays.Add(1)))
	return func() strategies.Order {
		return strategies.Order{Seller: &b.fixture.Uncontended[1], Start: day.Add(anyMinute())}
	}
}

func (b *bench) contendedOrder() strategies.Order {
	slot := int(b.attempts.Add(1)) / attemptsPerSlot
	return strategies.Order{
		Seller: &b.fixture.Contended[slot%b.contended],
		Start:  b.fixture.Day(contendedDay).Add(time.Duration(slot/b.contended) * time.Hour),
	}
}

// baselineOn is the script for some days of some sellers, from the first to the last.
func (b *bench) baselineOn(first, last, day, days int) string {
	return fmt.Sprintf(`\set seller random(%d, %d)
\set minute random(0, %d)
\set key :seller * 10000 + %d + :minute / 1440
SELECT bench_book(:key, bench_seller(:seller), timestamptz '%[5]s' + make_interval(mins => :minute),
	timestamptz '%[5]s' + make_interval(mins => :minute + 1), 1000);
`, first, last, days*24*60-1, day, b.fixture.Day(day).Format(time.RFC3339))
}

func (b *bench) baselineContended() string {
	return fmt.Sprintf(`SELECT bench_book(slot %% %[2]d * 10000 + slot / %[2]d / 24, bench_seller(%[1]d + slot %% %[2]d),
	timestamptz '%[3]s' + make_interval(hours => (slot / %[2]d)::int),
	timestamptz '%[3]s' + make_interval(hours => (slot / %[2]d)::int + 1), 1)
FROM (SELECT nextval('bench_attempts') / %[4]d AS slot OFFSET 0) AS s;
`, b.uncontended+1, b.contended, b.fixture.Day(baselineDay).Format(time.RFC3339), attemptsPerSlot)
}

// runBaseline has pgbench run a script.
func (b *bench) runBaseline(ctx context.Context, script string) (measurement, error) {
	file := filepath.Join(b.dir, "script.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return measurement{}, fmt.Errorf("write pgbench's script: %w", err)
	}
	return b.database.pgbench(ctx, b.database.url, b.duration, "-f", file)
}

// entries are all strategies in all scenarios.
func (b *bench) entries(ctx context.Context) ([]entry, error) {
	var all []entry
	for _, s := range b.bookingScenarios() {
		for _, strategy := range b.serviceStrategies() {
			all = append(all, entry{s.name, atService, strategy.Name, func(ctx context.Context) (measurement, error) {
				order := s.begin()
				return b.inProcess(ctx, func(ctx context.Context, _ int) error { return strategy.Book(ctx, order()) })
			}})
		}
		if b.database.pgbenchPath != "" {
			all = append(all, entry{s.name, atDatabase, "baseline", func(ctx context.Context) (measurement, error) {
				return b.runBaseline(ctx, s.baseline())
			}})
		}
		all = append(all, entry{s.name, atHTTP, holdfast, func(ctx context.Context) (measurement, error) {
			order := s.begin()
			return b.throughHTTP(ctx, clients,
				func(ctx context.Context, c *client) error { return b.bookThrough(ctx, c, order()) })
		}})
	}
	more, err := b.otherEntries(ctx)
	return append(all, more...), err
}

// serviceStrategies are those that run in this process.
func (b *bench) serviceStrategies() []strategies.Strategy {
	f := b.fixture
	all := []strategies.Strategy{f.Holdfast(), f.SixTrips(), f.NineTrips(), f.RowLock(), f.Serializable()}
	if b.redis.client != nil {
		all = append(all, f.Redis(b.redis.client))
	}
	return append(all, f.Constraint())
}

// inProcess measures what this process does.
func (b *bench) inProcess(ctx context.Context, op func(context.Context, int) error) (measurement, error) {
	m := meter{postmaster: b.database.postmaster, process: selfCPU}
	if b.redis.client != nil {
		m.other = cpuOf(b.redis.cmd.Process.Pid)
	}
	return b.measure(ctx, clients, m, op)
}

// throughHTTP measures what the server does. Each client has one connection.
func (b *bench) throughHTTP(ctx context.Context, n int, op func(context.Context, *client) error) (measurement, error) {
	connections, closeAll := b.connections(n)
	defer closeAll()
	m := meter{postmaster: b.database.postmaster, process: cpuOf(b.server.PID()), other: selfCPU}
	r, err := b.measure(ctx, n, m, func(ctx context.Context, client int) error { return op(ctx, &connections[client]) })
	r.mallocs, r.bytes = 0, 0 // those are the generator's
	return r, err
}

// measure measures what n clients do in a window, after a warm-up.
func (b *bench) measure(ctx context.Context, n int, m meter, op func(context.Context, int) error) (measurement, error) {
	var before, after usage
	r, err := strategies.Load{
		Clients: n, WarmUp: warmUp(b.duration), Window: b.duration,
		OnBegin: func() { before = m.read() }, OnEnd: func() { after = m.read() },
	}.Drive(ctx, op)
	return measured(r, before, after), err
}
