package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// sharedBooking is one transaction in which several requests book the same dates. All that they ask for is read in one
// flight; then each decides, knowing what those before it decided; then all is written in one flight.
type sharedBooking struct {
	ctx     context.Context
	tenant  uuid.UUID
	members []*member

	requests []dbsqlc.BookingReadRequestsRow // of the members, in their order
	occupied []dbsqlc.BookingListOccupyingRow
	counts   []serviceCount
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

// read adds what the members ask for. What several of them ask for is read once.
func (b *sharedBooking) read(f *flight) {
	arg := dbsqlc.BookingReadRequestsParams{TenantID: b.tenant}
	var periods []Period
	for _, m := range b.members {
		arg.Keys = append(arg.Keys, m.read.Key)
		arg.Emails = append(arg.Emails, m.read.Email)
		arg.CustomerIds = append(arg.CustomerIds, orNil(m.read.CustomerID))
		if len(m.read.Occupied.Resources) > 0 && !slices.ContainsFunc(periods, m.read.Occupied.equal) {
			periods = append(periods, m.read.Occupied)
		}
		if m.read.CountService != nil && b.count(m) == nil {
			b.counts = append(b.counts, serviceCount{service: *m.read.CountService, date: civil.Date(m.keys.Date())})
		}
	}
	many(f, "read the clock, answers and customers", &b.requests, func(q *dbsqlc.Queries) ([]dbsqlc.BookingReadRequestsRow, error) {
		rows, err := q.BookingReadRequests(b.ctx, arg)
		slices.SortFunc(rows, func(x, y dbsqlc.BookingReadRequestsRow) int { return int(x.Number - y.Number) })
		return rows, err
	})
	if len(periods) > 0 {
		addOccupied(b.ctx, f, b.tenant, periods, &b.occupied)
	}
	for i := range b.counts {
		c := &b.counts[i]
		addCounts(b.ctx, f, b.tenant, c.service, c.date, c.date, &c.rows)
	}
}

// now is the database's clock when the locks had been granted.
func (b *sharedBooking) now() (t time.Time) {
	if len(b.requests) > 0 {
		t = b.requests[0].Now
	}
	return t
}

func orNil(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
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
	customers := make(map[string]Customer) // by email, made by members
	var bookings []dbsqlc.BookingInsertParams
	var rest []step
	for i, m := range b.members {
		row := b.requests[i]
		tx := &BookTx{ctx: b.ctx, keys: m.keys, tenant: b.tenant, now: row.Now, key: m.read.Key}
		st := BookState{Now: row.Now, CatalogVersion: row.CatalogVersion, Occupied: occupied, Customer: customerOf(row)}
		if made, ok := customers[m.read.Email]; ok {
			st.Customer = &made
		}
		if c := b.count(m); c != nil {
			st.Count = c.bookings()
		}
		if answer := (dbsqlc.IdempotencyGetRow{
			Fingerprint: row.Fingerprint, Status: row.Status, Unfinished: row.Unfinished, Location: row.Location,
			Etag: row.Etag, Body: row.Body, ExpiresAt: row.ExpiresAt,
		}); row.Answered && dead(answer, row.Now) {
			tx.expired = true
		} else if row.Answered {
			st.Answer = answerOf(answer)
		}
		if m.run(tx, st, report); m.err != nil || m.panicked != nil {
			continue
		}
		m.wrote = len(tx.bookings)+len(tx.customers)+len(tx.rest.steps) > 0
		for _, c := range tx.customers {
			customers[c.Email] = c
		}
		occupied = slices.DeleteFunc(occupied, func(o Occupancy) bool { return slices.Contains(tx.expire, o.BookingID) })
		for _, made := range tx.bookings {
			occupied = append(occupied, occupancyOf(dbsqlc.BookingListOccupyingRow{
				BookingID: made.BookingID, ResourceID: made.ResourceID, Units: made.Units, BusyFrom: made.BusyFrom,
				BusyUntil: made.BusyUntil, Status: made.Status, HoldExpiresAt: made.HoldExpiresAt,
			}))
			b.booked(made)
		}
		bookings = append(bookings, tx.bookings...)
		rest = append(rest, tx.rest.steps...)
	}
	for _, email := range slices.Sorted(maps.Keys(customers)) {
		addCustomer(b.ctx, f, b.tenant, customers[email], b.requests[0].Now)
	}
	f.steps = append(f.steps, rest...)
	slices.SortFunc(bookings, func(x, y dbsqlc.BookingInsertParams) int { return strings.Compare(x.Key, y.Key) })
	for _, made := range bookings {
		exec(f, stepInsertBooking, func(q *dbsqlc.Queries) error { return q.BookingInsert(b.ctx, made) })
	}
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

func customerOf(row dbsqlc.BookingReadRequestsRow) *Customer {
	if !row.Known {
		return nil
	}
	return &Customer{
		CustomerID: row.CustomerID, Email: row.Email, Name: row.Name, Phone: row.Phone, TimeZone: row.TimeZone,
		Birthday: row.Birthday,
	}
}

// booked counts a booking that a member made.
func (b *sharedBooking) booked(made dbsqlc.BookingInsertParams) {
	for i, c := range b.counts {
		if c.service == made.ServiceID && c.date == made.Date {
			b.counts[i].rows = append(c.rows, DateCount{Date: c.date, Bookings: 1})
		}
	}
}

func (c *serviceCount) bookings() (n int) {
	for _, r := range c.rows {
		n += int(r.Bookings)
	}
	return n
}
