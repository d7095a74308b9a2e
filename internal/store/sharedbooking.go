package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/store/internal/dbsqlc"
)

// sharedBooking is one transaction in which several requests of a tenant book. All that they ask for is read in one
// flight; then each decides, knowing what those before it decided; then all is written in one flight.
type sharedBooking struct {
	ctx     context.Context
	tenant  uuid.UUID
	members []*member
	keys    []lock.Key // that are tried, nil if the locks are waited for
	granted []bool     // for each of them

	clock      dbsqlc.CalendarClockRow
	clockFound bool
	answers    []dbsqlc.IdempotencyListRow
	byEmail    []dbsqlc.CustomerListByEmailRow
	byID       []Customer
	occupied   []dbsqlc.BookingListOccupyingRow
	samePeriod bool // all members ask for one period
	counts     []serviceCount
}

// serviceCount is how many bookings a service has on a date.
type serviceCount struct {
	service uuid.UUID
	date    civil.Date
	rows    []DateCount
}

func newSharedBooking(ctx context.Context, members []*member) *sharedBooking {
	return &sharedBooking{ctx: context.WithoutCancel(ctx), tenant: uuid.UUID(members[0].keys.Tenant()), members: members}
}

// try has the members' locks tried instead of waited for.
func (b *sharedBooking) try() error {
	all := make([]lock.CalendarKeys, len(b.members))
	for i, m := range b.members {
		all[i] = m.keys
	}
	keys, err := lock.Together(all...)
	b.keys, b.granted = keys.Keys(), make([]bool, len(keys.Keys()))
	return err
}

// locked reports whether the locks of a member's dates are held. Keys are told apart by what PostgreSQL locks: two names
// that collide are one lock.
func (b *sharedBooking) locked(m *member) bool {
	if b.keys == nil {
		return true
	}
	return !slices.ContainsFunc(m.keys.Keys(), func(own lock.Key) bool {
		i := slices.IndexFunc(b.keys, func(k lock.Key) bool { return k.ID() == own.ID() })
		return i < 0 || !b.granted[i]
	})
}

// read adds what the members ask for. What several of them ask for is read once.
func (b *sharedBooking) read(f *flight) {
	var keys, emails []string
	var customers []uuid.UUID
	var periods []Period
	for _, m := range b.members {
		keys = append(keys, m.read.Key)
		switch {
		case m.read.CustomerID != nil:
			customers = append(customers, *m.read.CustomerID)
		case m.read.Email != "":
			emails = append(emails, m.read.Email)
		}
		if len(m.read.Occupied.Resources) > 0 && !slices.ContainsFunc(periods, m.read.Occupied.equal) {
			periods = append(periods, m.read.Occupied)
		}
		if m.read.CountService != nil && b.count(m) == nil {
			b.counts = append(b.counts, serviceCount{service: *m.read.CountService, date: civil.Date(m.keys.Date())})
		}
	}
	one(f, "read the clock", &b.clock, &b.clockFound, func(q *dbsqlc.Queries) (dbsqlc.CalendarClockRow, error) {
		return q.CalendarClock(b.ctx, b.tenant)
	})
	many(f, "read the answers", &b.answers, func(q *dbsqlc.Queries) ([]dbsqlc.IdempotencyListRow, error) {
		return q.IdempotencyList(b.ctx, b.tenant, keys)
	})
	b.samePeriod = len(periods) < 2
	if len(periods) > 0 {
		addOccupied(b.ctx, f, b.tenant, periods, &b.occupied)
	}
	for i := range b.counts {
		c := &b.counts[i]
		addCounts(b.ctx, f, b.tenant, c.service, c.date, c.date, &c.rows)
	}
	if len(emails) > 0 {
		many(f, "read the customers by email", &b.byEmail, func(q *dbsqlc.Queries) ([]dbsqlc.CustomerListByEmailRow, error) {
			return q.CustomerListByEmail(b.ctx, b.tenant, emails)
		})
	}
	if len(customers) > 0 {
		many(f, "read the customers", &b.byID, func(q *dbsqlc.Queries) ([]Customer, error) {
			return q.CustomerList(b.ctx, b.tenant, customers)
		})
	}
}

// count returns the count of the service that a member asks for, nil if there is none.
func (b *sharedBooking) count(m *member) *serviceCount {
	for i, c := range b.counts {
		if m.read.CountService != nil && c.service == *m.read.CountService && c.date == civil.Date(m.keys.Date()) {
			return &b.counts[i]
		}
	}
	return nil
}

// decide lets the members decide, one after the other, and adds what they write. Customers come first and by address,
// bookings last and by key: transactions that write the same unique values do so in the same order.
func (b *sharedBooking) decide(f *flight, report func(panicked any)) {
	occupied := occupanciesOf(b.occupied)
	customers := make(map[string]Customer) // by email, as they will be
	var bookings []insertion
	var rest []step
	for _, m := range b.members {
		if m.err = m.ctx.Err(); m.err != nil { // its client has gone while the locks were waited for
			continue
		}
		if !b.locked(m) {
			m.err = errApart
			continue
		}
		tx := &BookTx{ctx: b.ctx, keys: m.keys, tenant: b.tenant, now: b.clock.Now, key: m.read.Key}
		st := BookState{
			Now: b.clock.Now, CatalogVersion: b.clock.CatalogVersion, Occupied: b.occupiedIn(m.read.Occupied, occupied),
			Customer: b.customer(m, customers),
		}
		if c := b.count(m); c != nil {
			st.Count = c.bookings()
		}
		st.Answer, tx.expired = b.answer(m)
		if m.run(tx, st, report); m.err != nil || m.panicked != nil {
			continue
		}
		m.wrote = len(tx.bookings)+len(tx.customers)+len(tx.rest.steps) > 0
		for _, c := range tx.customers {
			customers[c.Email] = c
		}
		occupied = slices.DeleteFunc(occupied, func(o Occupancy) bool { return slices.Contains(tx.expire, o.BookingID) })
		for _, n := range tx.bookings {
			occupied = append(occupied, n.occupancy())
			b.booked(n)
		}
		bookings = append(bookings, tx.bookings...)
		rest = append(rest, tx.rest.steps...)
	}
	for _, email := range slices.Sorted(maps.Keys(customers)) {
		if was := b.customerByEmail(email); was != nil {
			addCustomerUpdate(b.ctx, f, b.tenant, *was, customers[email])
			continue
		}
		addCustomer(b.ctx, f, b.tenant, customers[email], b.clock.Now)
	}
	f.steps = append(f.steps, rest...)
	slices.SortFunc(bookings, func(x, y insertion) int { return strings.Compare(x.key, y.key) })
	addBookings(b.ctx, f, b.tenant, bookings, b.clock.Now)
}

// occupiedIn returns what is occupied in a member's own period. Of others' periods it has no locks.
func (b *sharedBooking) occupiedIn(p Period, all []Occupancy) []Occupancy {
	if b.samePeriod {
		return all
	}
	var own []Occupancy
	for _, o := range all {
		if o.BusyFrom.Before(p.Until) && o.BusyUntil.After(p.From) && slices.Contains(p.Resources, o.ResourceID) {
			own = append(own, o)
		}
	}
	return own
}

// answer returns the stored answer of a member's key, nil if there is none, and whether a dead one is in its place.
func (b *sharedBooking) answer(m *member) (a *Answer, expired bool) {
	i := slices.IndexFunc(b.answers, func(r dbsqlc.IdempotencyListRow) bool { return r.Key == m.read.Key })
	if i < 0 {
		return nil, false
	}
	r := b.answers[i]
	row := dbsqlc.IdempotencyGetRow{
		Fingerprint: r.Fingerprint, Status: r.Status, Unfinished: r.Unfinished, Location: r.Location, Etag: r.Etag, Body: r.Body,
		ExpiresAt: r.ExpiresAt,
	}
	if dead(row, b.clock.Now) {
		return nil, true
	}
	return answerOf(row), false
}

// customer returns the customer that a member asks for, nil if there is none. put are those that members before it made or
// changed.
func (b *sharedBooking) customer(m *member, put map[string]Customer) *Customer {
	email := m.read.Email
	if id := m.read.CustomerID; id != nil {
		i := slices.IndexFunc(b.byID, func(c Customer) bool { return c.CustomerID == *id })
		if i < 0 {
			return nil
		}
		if c, ok := put[b.byID[i].Email]; ok {
			return &c
		}
		return &b.byID[i]
	}
	if c, ok := put[email]; ok {
		return &c
	}
	return b.customerByEmail(email)
}

// customerByEmail returns a customer that was read by email, nil if there is none.
func (b *sharedBooking) customerByEmail(email string) *Customer {
	for _, r := range b.byEmail {
		if r.Email == email {
			c := Customer(r)
			return &c
		}
	}
	return nil
}

// run lets a member decide. A panic is the member's own, and its neighbours go on.
func (m *member) run(tx *BookTx, st BookState, report func(panicked any)) {
	defer func() {
		if v := recover(); v != nil {
			m.panicked = v
			report(v)
		}
	}()
	m.err = m.decide(tx, st)
}

// booked counts a booking that a member made.
func (b *sharedBooking) booked(made insertion) {
	for i, c := range b.counts {
		if c.service == made.ServiceID && c.date == made.date {
			b.counts[i].rows = append(b.counts[i].rows, DateCount{Date: c.date, Bookings: 1})
		}
	}
}

func (c *serviceCount) bookings() (n int) {
	for _, r := range c.rows {
		n += int(r.Bookings)
	}
	return n
}
