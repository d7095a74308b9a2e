package store

import (
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
)

// bookRows is what the requests of one transaction read and write. What several requests ask for is read once. Each request
// sees what the requests before it decided.
type bookRows struct {
	tx       db.Transaction
	requests []bookRequest

	catalogVersion int64
	byEmail        []Customer
	byID           []Customer
	occupiedRows   []dbsqlc.ClaimListRow
	onePeriod      bool // all requests ask for the same period
	counts         []serviceCount
	taken          takenNames
	heldRows       []dbsqlc.VisitorHoldCountRow

	// What the requests decided.
	occupied  []claim.Claim // nil until the first request asks
	customers map[string]putCustomer
	bookings  []NewBooking
	held      map[string]int // holds of visitors, by the customer's address
}

// serviceCount is how many bookings a service has on a date.
type serviceCount struct {
	service uuid.UUID
	except  *uuid.UUID // a booking that isn't counted
	date    civil.Date
	rows    []claim.DateCount
}

func newBookRows(tx db.Transaction, requests ...bookRequest) *bookRows {
	return &bookRows{tx: tx, requests: requests, customers: make(map[string]putCustomer), held: make(map[string]int)}
}

// Decide runs request i's function and keeps what it queued.
func (rows *bookRows) Decide(i int, locked *db.DatesTx) error {
	tx := &BookTx{DatesTx: locked}
	if err := rows.requests[i].decide(tx, rows.state(i)); err != nil {
		return err
	}
	rows.add(i, tx)
	return nil
}

// queueReads queues the reading of what the requests ask for.
func (rows *bookRows) queueReads() {
	var emails []string
	var customers []uuid.UUID
	var periods []claim.Query
	for _, r := range rows.requests {
		switch {
		case r.read.CustomerID != nil:
			customers = append(customers, *r.read.CustomerID)
		case r.read.Email != "":
			emails = append(emails, r.read.Email)
		}
		if len(r.read.Occupied.Resources) > 0 && !slices.ContainsFunc(periods, r.read.Occupied.Equal) {
			periods = append(periods, r.read.Occupied)
		}
		if r.read.CountService != nil && rows.count(r.read) == nil {
			rows.counts = append(rows.counts,
				serviceCount{service: *r.read.CountService, except: r.read.CountExcept, date: r.read.CountDate})
		}
	}
	tx := rows.tx
	rows.queueHeld()
	db.QueryWithClock(unlocked.On(tx), "read the clock", &rows.catalogVersion,
		func(q *dbsqlc.Queries) (int64, time.Time, error) {
			row, err := q.DatesClock(tx.Context(), tx.Tenant())
			return row.CatalogVersion, row.Now, err
		})
	rows.taken.queueReads(tx, rows.requests)
	rows.onePeriod = len(periods) < 2
	if len(periods) > 0 {
		queueOccupied(tx, periods, &rows.occupiedRows)
	}
	for i := range rows.counts {
		c := &rows.counts[i]
		queueCounts(tx, c.service, c.date, c.date, c.except, &c.rows)
	}
	if len(emails) > 0 {
		db.Query(unlocked.On(tx), "read the customers by email", &rows.byEmail, func(q *dbsqlc.Queries) ([]Customer, error) {
			return q.CustomerListByEmail(tx.Context(), tx.Tenant(), emails)
		})
	}
	if len(customers) > 0 {
		db.Query(unlocked.On(tx), "read the customers", &rows.byID, func(q *dbsqlc.Queries) ([]Customer, error) {
			return q.CustomerList(tx.Context(), tx.Tenant(), customers)
		})
	}
}

// state returns what request i sees: what was read, and what the requests before it decided.
func (rows *bookRows) state(i int) BookState {
	if rows.occupied == nil {
		rows.occupied = claimsOf(rows.occupiedRows)
	}
	read := rows.requests[i].read
	st := BookState{
		Now: rows.tx.Now(), CatalogVersion: rows.catalogVersion, Customer: rows.customer(read),
		Occupied: rows.occupiedIn(read.Occupied), NamesInUse: rows.taken.among(read.NamesInUse),
	}
	if c := rows.count(read); c != nil {
		for _, r := range c.rows {
			st.Count += int(r.Bookings)
		}
	}
	if read.VisitorHolds > 0 {
		st.VisitorHolds = rows.heldBy(read.Email)
	}
	return st
}

// add keeps what request i queued.
func (rows *bookRows) add(i int, tx *BookTx) {
	for _, c := range tx.customers {
		if former, ok := rows.customers[c.Email]; ok {
			c.changeID = former.changeID // the customer's one change comes before the bookings of both requests
			c.replaces = c.replaces || former.replaces
			if rows.customerByEmail(c.Email) == nil {
				c.actor = former.actor // who made the customer
			}
		}
		rows.customers[c.Email] = c
	}
	for _, n := range tx.bookings {
		rows.occupied = append(rows.occupied, n.claims()...)
		rows.taken.add(n)
		if n.ByVisitor && n.HoldExpiresAt != nil {
			rows.held[rows.requests[i].read.Email]++
		}
		for i, c := range rows.counts {
			if c.service == n.ServiceID && c.date == n.Date && (n.Session == nil || n.Session.Opens()) {
				rows.counts[i].rows = append(rows.counts[i].rows, claim.DateCount{Date: c.date, Bookings: 1})
			}
		}
	}
	rows.bookings = append(rows.bookings, tx.bookings...)
}

// Write queues what the requests decided: the customers first, sorted by address, so that transactions that book for
// the same customers write them in the same order.
func (rows *bookRows) Write(tx *db.DatesTx) {
	for _, email := range slices.Sorted(maps.Keys(rows.customers)) {
		if known := rows.customerByEmail(email); known != nil {
			queueCustomerUpdate(tx, *known, rows.customers[email])
			continue
		}
		queueCustomer(tx, rows.customers[email])
	}
	queueBookings(tx, rows.bookings)
}

// queueHeld queues the counting of the holds of visitors that requests ask for.
func (rows *bookRows) queueHeld() {
	var emails []string
	most, except := 0, (*uuid.UUID)(nil)
	for _, r := range rows.requests {
		if r.read.VisitorHolds > 0 && !slices.Contains(emails, r.read.Email) {
			emails = append(emails, r.read.Email)
			most, except = max(most, r.read.VisitorHolds), r.read.VisitorHoldExcept // only a request alone leaves out a booking
		}
	}
	if len(emails) == 0 {
		return
	}
	tx := rows.tx
	db.Query(unlocked.On(tx), "count the holds of visitors", &rows.heldRows,
		func(q *dbsqlc.Queries) ([]dbsqlc.VisitorHoldCountRow, error) {
			return q.VisitorHoldCount(tx.Context(), dbsqlc.VisitorHoldCountParams{
				TenantID: tx.Tenant(), Emails: emails, ExceptBooking: except, RowLimit: int32(most),
			})
		})
}

// heldBy returns how many holds of a customer visitors made: those that were read, and those that requests before
// decided.
func (rows *bookRows) heldBy(email string) int {
	held := rows.held[email]
	for _, r := range rows.heldRows {
		if r.Email == email {
			held += int(r.Holds)
		}
	}
	return held
}

// occupiedIn returns what is occupied in a request's own period. The request holds no locks for the other periods.
func (rows *bookRows) occupiedIn(p claim.Query) []claim.Claim {
	if rows.onePeriod {
		return rows.occupied
	}
	var own []claim.Claim
	for _, claim := range rows.occupied {
		if claim.BusyFrom.Before(p.Until) && claim.BusyUntil.After(p.From) && slices.Contains(p.Resources, claim.ResourceID) {
			own = append(own, claim)
		}
	}
	return own
}

// customer returns the customer that a request asks for, nil if there is none.
func (rows *bookRows) customer(read BookRead) *Customer {
	email := read.Email
	if id := read.CustomerID; id != nil {
		i := slices.IndexFunc(rows.byID, func(c Customer) bool { return c.CustomerID == *id })
		if i < 0 {
			return nil
		}
		if c, ok := rows.customers[rows.byID[i].Email]; ok {
			return &c.Customer
		}
		return &rows.byID[i]
	}
	if c, ok := rows.customers[email]; ok {
		return &c.Customer
	}
	return rows.customerByEmail(email)
}

// customerByEmail returns a customer as it was read, nil if there is none.
func (rows *bookRows) customerByEmail(email string) *Customer {
	for _, r := range rows.byEmail {
		if r.Email == email {
			return &r
		}
	}
	return nil
}

// count returns the count that a request asks for, nil if there is none.
func (rows *bookRows) count(read BookRead) *serviceCount {
	for i, c := range rows.counts {
		if read.CountService != nil && c.service == *read.CountService && c.date == read.CountDate {
			return &rows.counts[i]
		}
	}
	return nil
}
