package booking

import (
	"maps"
	"slices"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/customer"
	"holdfast/internal/db"
)

// sharedReads is what the requests of one transaction read and write. What several requests ask for is read once. Each
// request sees what the requests before it decided.
type sharedReads struct {
	tx       db.Transaction
	requests []groupRequest

	catalogVersion int64
	byEmail        []customer.Row
	byID           []customer.Row
	occupied       []claim.Claim // and what the requests decided
	onePeriod      bool          // all requests ask for the same period
	counts         []serviceCount
	taken          takenNames
	heldRows       []visitorHolds
	booking        *Row // of a request alone
	openPayment    *OpenPayment

	// What the requests decided.
	customers map[string]customer.Booked
	bookings  []newRow
	held      map[string]int // holds of visitors, by the customer's address
	late      []func()
}

// serviceCount is how many bookings a service has on a date.
type serviceCount struct {
	service uuid.UUID
	except  *uuid.UUID // a booking that isn't counted
	date    civil.Date
	rows    []claim.DateCount
}

func newSharedReads(tx db.Transaction, requests ...groupRequest) *sharedReads {
	return &sharedReads{
		tx: tx, requests: requests, customers: make(map[string]customer.Booked), held: make(map[string]int),
	}
}

// Decide runs request i's function and keeps what it queued.
func (s *sharedReads) Decide(i int, locked *db.DatesTx) error {
	tx := &datesTx{DatesTx: locked}
	if err := s.requests[i].decide(tx, s.state(i)); err != nil {
		return err
	}
	s.add(i, tx)
	return nil
}

// queue queues the reading of what the requests ask for.
func (s *sharedReads) queue() {
	var emails []string
	var customers []uuid.UUID
	var periods []claim.Query
	for _, r := range s.requests {
		switch {
		case r.reads.CustomerID != nil:
			customers = append(customers, *r.reads.CustomerID)
		case r.reads.Email != "":
			emails = append(emails, r.reads.Email)
		}
		if len(r.reads.Occupied.Resources) > 0 && !slices.ContainsFunc(periods, r.reads.Occupied.Equal) {
			periods = append(periods, r.reads.Occupied)
		}
		if r.reads.CountService != nil && s.count(r.reads) == nil {
			s.counts = append(s.counts,
				serviceCount{service: *r.reads.CountService, except: r.reads.CountExcept, date: r.reads.CountDate})
		}
	}
	s.queueHeld()
	queueCatalogVersion(s.tx, &s.catalogVersion)
	s.taken.queue(s.tx, s.requests)
	s.onePeriod = len(periods) < 2
	if len(periods) > 0 {
		occupancy.List(s.tx, periods, &s.occupied)
	}
	for i := range s.counts {
		c := &s.counts[i]
		queueCounts(s.tx, c.service, c.date, c.date, c.except, &c.rows)
	}
	if len(emails) > 0 {
		customer.QueueByEmail(s.tx, emails, &s.byEmail)
	}
	if len(customers) > 0 {
		customer.QueueByID(s.tx, customers, &s.byID)
	}
	if alone := s.requests[0].reads; alone.Booking != nil {
		QueueOptional(s.tx, *alone.Booking, &s.booking)
		if alone.OpenPayment {
			QueueOpenPayment(s.tx, *alone.Booking, &s.openPayment)
		}
	}
}

// state returns what request i sees: what was read, and what the requests before it decided.
func (s *sharedReads) state(i int) state {
	asked := s.requests[i].reads
	st := state{
		Now:            s.tx.Now(),
		CatalogVersion: s.catalogVersion,
		Customer:       s.customer(asked),
		Occupied:       s.occupiedIn(asked.Occupied),
		NamesInUse:     s.taken.intersect(asked.NamesInUse),
		Booking:        s.booking,
		OpenPayment:    s.openPayment,
	}
	if c := s.count(asked); c != nil {
		for _, r := range c.rows {
			st.Count += int(r.Bookings)
		}
	}
	if asked.VisitorHolds > 0 {
		st.VisitorHolds = s.heldBy(asked.Email)
	}
	return st
}

// add keeps what request i queued.
func (s *sharedReads) add(i int, tx *datesTx) {
	for _, c := range tx.customers {
		if former, ok := s.customers[c.Email]; ok {
			c = c.Follow(former, s.customerByEmail(c.Email) != nil)
		}
		s.customers[c.Email] = c
	}
	for _, n := range tx.bookings {
		s.occupied = append(s.occupied, n.allClaims()...)
		s.taken.add(bookingNames{&n.BookingID, n.Reference, n.ExternalReference})
		if n.ByVisitor && n.HoldExpiresAt != nil {
			s.held[s.requests[i].reads.Email]++
		}
		for i, c := range s.counts {
			if c.service == n.ServiceID && c.date == n.Date && (n.Session == nil || n.Session.Opens()) {
				s.counts[i].rows = append(s.counts[i].rows, claim.DateCount{Date: c.date, Bookings: 1})
			}
		}
	}
	s.bookings = append(s.bookings, tx.bookings...)
	s.late = append(s.late, tx.late...)
}

// Write queues what the requests decided: the customers first, sorted by address, so that transactions that book for
// the same customers write them in the same order.
func (s *sharedReads) Write(tx *db.DatesTx) {
	for _, email := range slices.Sorted(maps.Keys(s.customers)) {
		s.customers[email].Queue(tx, s.customerByEmail(email))
	}
	queueBookings(tx, s.bookings)
	for _, queue := range s.late {
		queue()
	}
}

// queueHeld queues the counting of the holds of visitors that requests ask for.
func (s *sharedReads) queueHeld() {
	var emails []string
	most, except := 0, (*uuid.UUID)(nil)
	for _, r := range s.requests {
		if r.reads.VisitorHolds > 0 && !slices.Contains(emails, r.reads.Email) {
			emails = append(emails, r.reads.Email)
			// only a request alone leaves one out
			most, except = max(most, r.reads.VisitorHolds), r.reads.VisitorHoldExcept
		}
	}
	if len(emails) > 0 {
		queueVisitorHolds(s.tx, emails, except, most, &s.heldRows)
	}
}

// heldBy returns how many holds of a customer visitors made: those that were read, and those that requests before
// decided.
func (s *sharedReads) heldBy(email string) int {
	held := s.held[email]
	for _, r := range s.heldRows {
		if r.Email == email {
			held += int(r.Holds)
		}
	}
	return held
}

// occupiedIn returns what is occupied in a request's own period. The request holds no locks for the other periods.
func (s *sharedReads) occupiedIn(p claim.Query) []claim.Claim {
	if s.onePeriod {
		return s.occupied
	}
	var own []claim.Claim
	for _, c := range s.occupied {
		if c.BusyFrom.Before(p.Until) && c.BusyUntil.After(p.From) && slices.Contains(p.Resources, c.ResourceID) {
			own = append(own, c)
		}
	}
	return own
}

// customer returns the customer that a request asks for, nil if there is none.
func (s *sharedReads) customer(asked reads) *customer.Row {
	email := asked.Email
	if id := asked.CustomerID; id != nil {
		i := slices.IndexFunc(s.byID, func(c customer.Row) bool { return c.CustomerID == *id })
		if i < 0 {
			return nil
		}
		if c, ok := s.customers[s.byID[i].Email]; ok {
			return &c.Row
		}
		return &s.byID[i]
	}
	if c, ok := s.customers[email]; ok {
		return &c.Row
	}
	return s.customerByEmail(email)
}

// customerByEmail returns a customer as it was read, nil if there is none.
func (s *sharedReads) customerByEmail(email string) *customer.Row {
	for i := range s.byEmail {
		if s.byEmail[i].Email == email {
			return &s.byEmail[i]
		}
	}
	return nil
}

// count returns the count that a request asks for, nil if there is none.
func (s *sharedReads) count(asked reads) *serviceCount {
	for i, c := range s.counts {
		if asked.CountService != nil && c.service == *asked.CountService && c.date == asked.CountDate {
			return &s.counts[i]
		}
	}
	return nil
}
