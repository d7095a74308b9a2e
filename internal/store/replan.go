package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// ReplanRead says for what a worker plans. Event and Lease are those of the event that it holds.
type ReplanRead struct {
	Event, Lease uuid.UUID
	// Bookings and Customers are locked until the transaction ends.
	Bookings, Customers []uuid.UUID
	// Kinds are the kinds of events to read of the bookings and customers.
	Kinds []string
}

// ReplanState is what was read once the bookings and customers were locked.
type ReplanState struct {
	// Versions are those of the bookings whose customer wasn't erased, and of the customers who want greetings. Others are left out.
	Versions map[uuid.UUID]int64
	// Events are what was planned, whatever became of it.
	Events []PlannedEvent
}

// PlannedEvent is an event that was planned for a booking or customer. LastError is empty without one.
type PlannedEvent = dbsqlc.ReplanListEventsRow

// ReplanTx is a transaction that plans for locked bookings and customers. Only Store.Replan makes a useful one.
type ReplanTx struct {
	t       *tx
	ended   dbsqlc.ReplanEndParams
	revived dbsqlc.ReplanMoveParams
	moved   dbsqlc.ReplanMoveParams
}

// PlanEvents queues scheduled events. One that was planned before, by its kind, subject and occurrence, stays as it is.
func (tx *ReplanTx) PlanEvents(events ...NewEvent) { tx.t.events.PlanEvents(events...) }

// PlanYearlyEvent is PlanYearlyEvent of the other transactions.
func (tx *ReplanTx) PlanYearlyEvent(e YearlyEvent) { tx.t.events.PlanYearlyEvent(e) }

// EndEvents queues the cancellation of events for a reason, which is shown to the tenant. Events that have ended stay as they are. A
// worker that holds one of the others loses its lease.
func (tx *ReplanTx) EndEvents(reason string, ids ...uuid.UUID) {
	tx.ended.Reason, tx.ended.EventIds = reason, append(tx.ended.EventIds, ids...)
}

// ReviveEvent queues that a cancelled event becomes pending, due as e is. One that isn't cancelled any more stays as it is.
func (tx *ReplanTx) ReviveEvent(id uuid.UUID, e NewEvent) { tx.addMove(&tx.revived, id, e) }

// MoveEvent queues that an event becomes pending, due as e is. One that has ended stays as it is. A worker that holds it loses its lease.
func (tx *ReplanTx) MoveEvent(id uuid.UUID, e NewEvent) { tx.addMove(&tx.moved, id, e) }

func (tx *ReplanTx) addMove(p *dbsqlc.ReplanMoveParams, id uuid.UUID, e NewEvent) {
	p.EventIds, p.DueAts, p.TimeZones = append(p.EventIds, id), append(p.DueAts, e.DueAt), append(p.TimeZones, e.TimeZone)
	tx.t.events.movedByID = append(tx.t.events.movedByID, e)
}

// Replan runs decide in a transaction of a worker that holds an event. The event's row is locked: a transaction that moves the event
// waits until this one ends. The bookings and customers are locked too, so that none changes between decide and the commit. decide may
// be run several times and must not have effects of its own. If it queues nothing, nothing is written. It costs two round trips and takes
// no advisory lock.
//
// Errors: decide's own; ErrLeaseLost if the worker no longer holds the event; problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) Replan(ctx context.Context, tenant uuid.UUID, read ReplanRead, decide func(*ReplanTx, ReplanState) error) error {
	return s.retry(ctx, "plan anew", true, func() error {
		t, err := s.connect(ctx, tenant, func() {})
		if err != nil {
			return err
		}
		defer t.end()
		var held *uuid.UUID
		var bookings []dbsqlc.ReplanListBookingsRow
		var customers []dbsqlc.ReplanLockCustomersRow
		st := ReplanState{Versions: make(map[uuid.UUID]int64)}
		exec(&t.batch, "lock the bookings", func(q *dbsqlc.Queries) error { return q.ReplanLockBookings(t.ctx, tenant, read.Bookings) })
		query(&t.batch, "list the bookings", &bookings, func(q *dbsqlc.Queries) ([]dbsqlc.ReplanListBookingsRow, error) {
			return q.ReplanListBookings(t.ctx, tenant, read.Bookings)
		})
		query(&t.batch, "lock the customers", &customers, func(q *dbsqlc.Queries) ([]dbsqlc.ReplanLockCustomersRow, error) {
			return q.ReplanLockCustomers(t.ctx, tenant, read.Customers)
		})
		query(&t.batch, "list what is planned", &st.Events, func(q *dbsqlc.Queries) ([]PlannedEvent, error) {
			return q.ReplanListEvents(t.ctx, dbsqlc.ReplanListEventsParams{
				TenantID: tenant, SubjectIds: slices.Concat(read.Bookings, read.Customers), Kinds: read.Kinds,
			})
		})
		// The event comes last, as in a transaction that changes a customer and moves the event.
		optional(&t.batch, "lock the event", &held, func(q *dbsqlc.Queries) (uuid.UUID, error) {
			return q.ReplanLock(t.ctx, dbsqlc.ReplanLockParams{TenantID: tenant, EventID: read.Event, Lease: read.Lease})
		})
		t.readClock()
		if err := t.read(); err != nil {
			return err
		}
		if held == nil {
			return ErrLeaseLost
		}
		for _, b := range bookings {
			st.Versions[b.BookingID] = b.Version
		}
		for _, c := range customers {
			st.Versions[c.CustomerID] = c.Version
		}
		tx := &ReplanTx{t: t}
		if err := decide(tx, st); err != nil {
			return err
		}
		tx.queueWrites(tenant, t.now)
		return t.commit()
	})
}

func (tx *ReplanTx) queueWrites(tenant uuid.UUID, now time.Time) {
	if len(tx.ended.EventIds) > 0 {
		tx.ended.TenantID, tx.ended.Now = tenant, now
		exec(&tx.t.batch, "end events", func(q *dbsqlc.Queries) error { return q.ReplanEnd(tx.t.ctx, tx.ended) })
	}
	tx.revived.Statuses, tx.moved.Statuses = []string{"cancelled"}, []string{"pending", "processing", "failed"}
	for _, p := range []dbsqlc.ReplanMoveParams{tx.revived, tx.moved} {
		if len(p.EventIds) > 0 {
			p.TenantID, p.Now = tenant, now
			exec(&tx.t.batch, "move events", func(q *dbsqlc.Queries) error { return q.ReplanMove(tx.t.ctx, p) })
		}
	}
}

// OpenEvents lists events of a kind that no worker holds and that have not ended, at most limit, those that are due first. Errors:
// problem.DatabaseUnavailable.
func (s *Store) OpenEvents(ctx context.Context, tenant uuid.UUID, kind string, limit int) ([]uuid.UUID, error) {
	return readOne(ctx, s, "list open events", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.ReplanListOpen(ctx, dbsqlc.ReplanListOpenParams{TenantID: tenant, Kind: kind, RowLimit: int32(limit)})
	})
}
