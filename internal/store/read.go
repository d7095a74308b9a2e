package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// Resource returns a resource. As all reads here it costs one round trip and takes no lock.
//
// Errors, as of all reads here: problem.NotFound if the tenant has no such thing; problem.DatabaseUnavailable.
func (s *Store) Resource(ctx context.Context, tenant, id uuid.UUID) (Resource, error) {
	return readByKey(ctx, s, "read a resource", tenant, id, (*dbsqlc.Queries).ResourceGet)
}

// Service returns a service.
func (s *Store) Service(ctx context.Context, tenant, id uuid.UUID) (Service, error) {
	return readByKey(ctx, s, "read a service", tenant, id, (*dbsqlc.Queries).ServiceGet)
}

// Closure returns a closure.
func (s *Store) Closure(ctx context.Context, tenant, id uuid.UUID) (Closure, error) {
	return readByKey(ctx, s, "read a closure", tenant, id, (*dbsqlc.Queries).ClosureGet)
}

// Booking returns a booking.
func (s *Store) Booking(ctx context.Context, tenant, id uuid.UUID) (Booking, error) {
	return readByKey(ctx, s, "read a booking", tenant, id, (*dbsqlc.Queries).BookingGet)
}

// Payment returns a payment or refund.
func (s *Store) Payment(ctx context.Context, tenant, id uuid.UUID) (Payment, error) {
	return readByKey(ctx, s, "read a payment", tenant, id, (*dbsqlc.Queries).PaymentGet)
}

// Page bounds a list: at most Limit rows that follow the id After.
type Page struct {
	After uuid.UUID
	Limit int
}

// Closures lists a tenant's closures by id, archived ones or those that aren't.
func (s *Store) Closures(ctx context.Context, tenant uuid.UUID, page Page, archived bool) ([]Closure, error) {
	return readOne(ctx, s, "list closures", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Closure, error) {
		return q.ClosureList(ctx, dbsqlc.ClosureListParams{TenantID: tenant, After: page.After, Archived: archived, RowLimit: int32(page.Limit)})
	})
}

// maxNights is how many dates before the last one a booking can begin, at most: the longest slot has 7 days, and clocks can skip a date meanwhile.
const maxNights = 9

// BookingFilter bounds a list of bookings. From and To are civil dates, both included; a nil pointer matches all.
type BookingFilter struct {
	From, To civil.Date
	// StillOn lists also the bookings that began before From and are on then. They come first.
	StillOn                           bool
	Status                            *string
	ServiceID, ResourceID, CustomerID *uuid.UUID
	// Email is that of the customer, lower-case. Code is as it is stored.
	Email, Reference, ExternalReference, Code *string
	// AfterDate and AfterID are the place of the last booking of the page before.
	AfterDate civil.Date
	AfterID   uuid.UUID
	Limit     int
}

// Bookings lists a tenant's bookings by date and id.
func (s *Store) Bookings(ctx context.Context, tenant uuid.UUID, b BookingFilter) ([]Booking, error) {
	if b.Code != nil {
		return s.bookingsByCode(ctx, tenant, b)
	}
	p := dbsqlc.BookingListParams{
		TenantID: tenant, ToDate: b.To, AfterDate: b.AfterDate, AfterID: b.AfterID, Status: b.Status,
		ServiceID: b.ServiceID, ResourceID: b.ResourceID, CustomerID: b.CustomerID, Email: b.Email,
		Reference: b.Reference, ExternalReference: b.ExternalReference, RowLimit: int32(b.Limit),
	}
	var earlier *dbsqlc.BookingListParams // of the bookings that are still on
	if b.AfterDate.Before(b.From) {
		if b.StillOn && !b.To.Before(b.From) {
			e := p
			e.StillOn, e.ToDate = &b.From, b.From.AddDays(-1)
			if first := b.From.AddDays(-maxNights); e.AfterDate.Before(first) {
				e.AfterDate, e.AfterID = first, uuid.Nil
			}
			earlier = &e
		}
		p.AfterDate, p.AfterID = b.From, uuid.Nil // in front of the date's first booking
	}
	var list []Booking
	var stillOn bool
	err := s.readOnly(ctx, "list bookings", tenant, func(t *tx) {
		if earlier != nil {
			query(&t.batch, "look for bookings that are still on", &stillOn, func(q *dbsqlc.Queries) (bool, error) {
				return q.BookingStillOn(t.ctx, dbsqlc.BookingStillOnParams{TenantID: tenant, Since: earlier.AfterDate, OnDate: b.From})
			})
		}
		listBookings(t, p, &list)
	})
	if err != nil || !stillOn {
		return list, err
	}
	var before []Booking
	err = s.readOnly(ctx, "list bookings that are still on", tenant, func(t *tx) { listBookings(t, *earlier, &before) })
	list = slices.Concat(before, list)
	return list[:min(len(list), b.Limit)], err
}

// listBookings queues the reading of a page.
func listBookings(t *tx, p dbsqlc.BookingListParams, list *[]Booking) {
	exec(&t.batch, "plan for a page", func(q *dbsqlc.Queries) error { return q.SessionPlanForPages(t.ctx) })
	query(&t.batch, "list bookings", list, func(q *dbsqlc.Queries) ([]Booking, error) {
		rows, err := q.BookingList(t.ctx, p)
		return convert(rows, func(r dbsqlc.BookingListRow) Booking { return Booking(r) }), err
	})
}

// Catalog is a service with all that decides when it can be booked, as of one version.
type Catalog struct {
	Service Service
	// Longest is the longest time that one booking can occupy any of the resources, by whichever service.
	Longest   time.Duration
	Resources []Resource
	Closures  []Closure
}

// Catalog returns a service with its resources, their hours, and the closures that end on since or later.
func (s *Store) Catalog(ctx context.Context, tenant, service uuid.UUID, since civil.Date) (Catalog, error) {
	var c Catalog
	var longest int32
	err := s.readOnly(ctx, "read a service's rules", tenant, func(t *tx) {
		// The version comes first: what changes afterwards raises it, and the next booking notices.
		query(&t.batch, "read the service", &c.Service, func(q *dbsqlc.Queries) (Service, error) {
			return q.ServiceGet(t.ctx, tenant, service)
		})
		query(&t.batch, "read the resources", &c.Resources, func(q *dbsqlc.Queries) ([]Resource, error) {
			return q.ServiceResourceList(t.ctx, tenant, service)
		})
		query(&t.batch, "read the longest booking", &longest, func(q *dbsqlc.Queries) (int32, error) {
			return q.ServiceLongestMinutes(t.ctx, tenant, service)
		})
		query(&t.batch, "read the closures", &c.Closures, func(q *dbsqlc.Queries) ([]Closure, error) {
			return q.ServiceClosureList(t.ctx, dbsqlc.ServiceClosureListParams{TenantID: tenant, Since: since, ServiceID: service})
		})
	})
	c.Longest = time.Duration(longest) * time.Minute
	return c, err
}

// CalendarView is what availability is computed from, as of Now; Counts are read a moment later.
type CalendarView struct {
	Now            time.Time
	CatalogVersion int64
	// Busy is what occupies each of the query's resources, in the order of From.
	Busy   [][]Busy
	Counts []DateCount
}

// Busy is a time [From, Until), in Unix time in seconds, during which a booking occupies some units of a resource, its buffers
// included. Lapsed holds occupy nothing.
type Busy struct {
	From, Until int64
	Units       UnitRange
	resource    int // its index in the query
}

// ViewQuery says what a CalendarView is about: what occupies Resources during [From, Until), of each at most MaxBookings, those that
// begin first; and how many bookings CountService has on each date FirstDate to LastDate, both included. A nil CountService counts
// nothing. ExceptBooking is left out; nil leaves none out.
type ViewQuery struct {
	Resources           []uuid.UUID
	Longest             time.Duration // that one booking can occupy any of the resources
	From, Until         time.Time
	MaxBookings         int
	CountService        *uuid.UUID
	ExceptBooking       *uuid.UUID
	FirstDate, LastDate civil.Date
}

// View reads a tenant's calendar without a lock: what it shows may be taken a moment later.
func (s *Store) View(ctx context.Context, tenant uuid.UUID, v ViewQuery) (CalendarView, error) {
	var row dbsqlc.CalendarViewRow
	view := CalendarView{Busy: make([][]Busy, len(v.Resources))}
	err := s.readOnly(ctx, "read the calendar", tenant, func(t *tx) {
		query(&t.batch, "read what is occupied", &row, func(q *dbsqlc.Queries) (dbsqlc.CalendarViewRow, error) {
			return q.CalendarView(t.ctx, dbsqlc.CalendarViewParams{
				TenantID: tenant, ResourceIds: v.Resources, BegunFrom: v.From.Add(-v.Longest), BusyFrom: v.From, BusyUntil: v.Until,
				RowLimit: int32(v.MaxBookings), ExceptBooking: v.ExceptBooking,
			})
		})
		if v.CountService != nil {
			queueCounts(t, *v.CountService, v.FirstDate, v.LastDate, v.ExceptBooking, &view.Counts)
		}
	})
	view.Now, view.CatalogVersion = row.Now, row.CatalogVersion
	busy := make([]Busy, len(row.Resources))
	for i, number := range row.Resources {
		busy[i] = Busy{row.BusyFrom[i].Unix(), row.BusyUntil[i].Unix(), UnitRange{row.UnitsFrom[i], row.UnitsUntil[i]}, int(number - 1)}
	}
	slices.SortFunc(busy, func(a, b Busy) int { return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.From, b.From)) })
	for i := range view.Busy {
		n := 0
		for n < len(busy) && busy[n].resource == i {
			n++
		}
		view.Busy[i], busy = busy[:n], busy[n:]
	}
	return view, err
}

// BalanceView is a booking's money as it was at Now.
type BalanceView struct {
	Now     time.Time
	Booking BalanceBooking
	Sum     BalanceSum
}

// BalanceView reads a booking's money without a lock.
func (s *Store) BalanceView(ctx context.Context, tenant, booking uuid.UUID) (BalanceView, error) {
	var v BalanceView
	err := s.readOnly(ctx, "read the balance", tenant, func(t *tx) {
		query(&t.batch, "read the clock", &v.Now, func(q *dbsqlc.Queries) (time.Time, error) { return q.SessionClock(t.ctx) })
		query(&t.batch, "read the booking", &v.Booking, func(q *dbsqlc.Queries) (BalanceBooking, error) {
			return q.BalanceBooking(t.ctx, tenant, booking)
		})
		query(&t.batch, "add up the booking's money", &v.Sum, func(q *dbsqlc.Queries) (BalanceSum, error) {
			return q.BalanceSum(t.ctx, tenant, booking)
		})
	})
	return v, err
}

// Payments lists a booking's payments and refunds by id.
func (s *Store) Payments(ctx context.Context, tenant, booking uuid.UUID, page Page) (list []Payment, err error) {
	err = s.readOnly(ctx, "list payments", tenant, func(t *tx) {
		query(&t.batch, "read the booking", new(BalanceBooking), func(q *dbsqlc.Queries) (BalanceBooking, error) {
			return q.BalanceBooking(t.ctx, tenant, booking)
		})
		query(&t.batch, "list payments", &list, func(q *dbsqlc.Queries) ([]Payment, error) {
			return q.PaymentList(t.ctx, dbsqlc.PaymentListParams{TenantID: tenant, BookingID: booking, AfterID: page.After, RowLimit: int32(page.Limit)})
		})
	})
	return list, err
}

// LookUp looks for the stored response of a request, which Request.Response then returns, and reports whether there is one. It takes no lock and
// one round trip; where commits wait for a standby one more, until the standby has the response. Errors: problem.DatabaseUnavailable;
// problem.OutcomeUnknown if it isn't known whether the standby has it.
func (s *Store) LookUp(ctx context.Context, r *Request) (found bool, err error) {
	k := requestKey{request: r}
	err = s.readOnly(ctx, "read an idempotency key", r.scope, func(t *tx) {
		k.t = t
		t.readResponses(&k)
	})
	if err != nil {
		return false, err
	}
	k.t.now = k.t.began // nothing was waited for in between
	r.stored = k.stored()
	if r.stored == nil || r.stored.unfinished {
		r.stored = nil
		return false, nil
	}
	if !k.t.synchronous {
		return true, nil
	}
	return true, s.inOneTrip(ctx, "wait for the standby", true, func(t *tx) {
		t.tenant, t.current = r.scope, r.scope
		t.writeToLog()
	})
}

// Empty reports whether the database has never held a tenant.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	found, err := dbsqlc.New(s.pool).TenantAny(ctx)
	if err != nil {
		return false, unavailable(err)
	}
	return !found, nil
}

// readByKey runs a query for one row as a tenant.
func readByKey[K, T any](ctx context.Context, s *Store, doing string, tenant uuid.UUID, key K, get func(*dbsqlc.Queries, context.Context, uuid.UUID, K) (T, error)) (T, error) {
	return readOne(ctx, s, doing, tenant, func(ctx context.Context, q *dbsqlc.Queries) (T, error) { return get(q, ctx, tenant, key) })
}

// readOne runs one query as a tenant.
func readOne[T any](ctx context.Context, s *Store, doing string, tenant uuid.UUID, run func(context.Context, *dbsqlc.Queries) (T, error)) (result T, err error) {
	err = s.readOnly(ctx, doing, tenant, func(t *tx) {
		query(&t.batch, doing, &result, func(q *dbsqlc.Queries) (T, error) { return run(t.ctx, q) })
	})
	return result, err
}

func convert[From, To any](rows []From, to func(From) To) []To {
	list := make([]To, len(rows))
	for i, r := range rows {
		list[i] = to(r)
	}
	return list
}

type (
	// Receipt is a payment with what its receipt says. UpdatedAt of one that succeeded is when it did.
	Receipt = dbsqlc.ReceiptGetRow
	// ReceiptRefund is a refund that succeeded. UpdatedAt is when it did.
	ReceiptRefund = dbsqlc.ReceiptListRefundsRow
)

// Receipt returns what a payment's receipt says, with the refunds that succeeded. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Store) Receipt(ctx context.Context, tenant, id uuid.UUID) (row Receipt, refunds []ReceiptRefund, err error) {
	err = s.readOnly(ctx, "read a receipt", tenant, func(t *tx) {
		query(&t.batch, "read a receipt", &row, func(q *dbsqlc.Queries) (Receipt, error) { return q.ReceiptGet(t.ctx, tenant, id) })
		query(&t.batch, "read a receipt's refunds", &refunds, func(q *dbsqlc.Queries) ([]ReceiptRefund, error) {
			return q.ReceiptListRefunds(t.ctx, tenant, id)
		})
	})
	return row, refunds, err
}
