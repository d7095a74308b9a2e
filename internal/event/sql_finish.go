package event

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event/internal/rowsql"
)

// ErrLeaseLost says that a worker no longer holds an event: its lease ended and the event was given to another worker,
// or the event was cancelled or moved. The worker's result was not recorded.
var ErrLeaseLost = errors.New("the event's lease is lost")

// FinishedEvent is what became of an event that a worker holds.
type FinishedEvent struct {
	Event LeasedEvent
	// Status is "completed", "cancelled", "dead", "failed" for another attempt at DueAt, "pending" for a first attempt
	// at DueAt, or UncountedRetry.
	Status string
	DueAt  time.Time
	// Error is why the attempt failed or the event was cancelled; empty otherwise. It is shown to the tenant.
	Error string
	// Data, a JSON object, replaces the event's data; nil leaves them.
	Data json.RawMessage
	// LogAttempt writes the attempt, which began at StartedAt, and Details, a JSON object that is nil for none, to the
	// event's history.
	LogAttempt bool
	StartedAt  time.Time
	Details    json.RawMessage
	// Next is planned, and Notices are written, if this result is recorded.
	Next    []db.NewEvent
	Notices []db.Change
	// BasedOn is what the result was made from. If the booking or the customer has another version now, or another
	// transaction has locked its row, the result isn't recorded, and the event is due again after retryAfterChange.
	BasedOn BasedOn
	// Delivery says that the event is a webhook delivery, for which later ones may wait.
	Delivery bool
}

const (
	// retryAfterChange is the pause before an event is due again whose result was outdated. Most transactions are
	// shorter.
	retryAfterChange = time.Second
	// eventRowTimeout is how long rows of events are waited for while bookings and customers are locked.
	eventRowTimeout = 250 * time.Millisecond
)

// Unfinished are events whose results were not recorded, and deliveries that are to be leased next.
type Unfinished struct {
	// Lost are those that the worker no longer held.
	Lost []uuid.UUID
	// Outdated are those that are due again, because a booking or a customer that the result was made from has changed,
	// or its row was locked.
	Outdated []uuid.UUID
	// PlannedAgain are those that would have been cancelled. They were planned again while the worker held them, so
	// they are pending.
	PlannedAgain []uuid.UUID
	// Followers are endpoints with deliveries that may have waited for one of the events.
	Followers []Follower
}

// Follower is an endpoint of which a delivery has been due since DueAt.
type Follower = rowsql.EventFollowersRow

// Finish records what became of events, in one round trip. One more is made if results depend on versions, and one if
// something follows from results. finished has one result of each event. It locks the rows of the events, and of the
// bookings and customers that results were made from. It doesn't wait for bookings and customers. Errors:
// problem.DatabaseUnavailable and problem.LockTimeout, after which nothing was recorded; problem.OutcomeUnknown.
func Finish(ctx context.Context, d *db.DB, finished []FinishedEvent) (unfinished Unfinished, err error) {
	// Transactions that end or move events of a subject use this order too, which makes deadlocks rare. PostgreSQL may
	// lock the rows in another order; a transaction that ends in a deadlock is run again.
	finished = slices.SortedFunc(slices.Values(finished), func(a, b FinishedEvent) int {
		return cmp.Or(bytes.Compare(a.Event.SubjectID[:], b.Event.SubjectID[:]),
			cmp.Compare(a.Event.Kind, b.Event.Kind),
			cmp.Compare(a.Event.Occurrence, b.Event.Occurrence))
	})
	var done *finishing
	err = d.Record(ctx, "finish events", func(tx *db.WorkerTx) (err error) {
		done, err = recordFinished(tx, finished)
		return err
	})
	if err != nil {
		return Unfinished{}, err
	}
	unfinished, due := done.rest(time.Now())
	d.Wake(due...)
	return unfinished, nil
}

// finishing is what one attempt to record results came to.
type finishing struct {
	current   []FinishedEvent // the results, those that are outdated replaced
	outdated  []uuid.UUID
	recorded  []rowsql.EventFinishRow
	followers []Follower
}

func recordFinished(tx *db.WorkerTx, finished []FinishedEvent) (*finishing, error) {
	f := new(finishing)
	var err error
	if f.current, f.outdated, err = lockBasis(tx, finished); err != nil {
		return f, err
	}
	tx.BecomeWorker()
	queueFinished(tx, f.current, &f.recorded)
	queueFollowers(tx, f.current, &f.followers)
	if slices.ContainsFunc(f.current, func(e FinishedEvent) bool { return len(e.Next)+len(e.Notices) > 0 }) {
		if err := tx.Send(); err != nil {
			return f, err
		}
		queueWhatFollows(tx, f.current, f.recorded)
	}
	return f, nil
}

// rest returns what wasn't recorded, and the names under which the workers of what is due at now are woken.
func (f *finishing) rest(now time.Time) (unfinished Unfinished, due []string) {
	unfinished.Followers = f.followers
	statuses := statusesOf(f.recorded)
	for _, e := range f.current {
		switch status := statuses[e.key()]; {
		case status == "":
			unfinished.Lost = append(unfinished.Lost, e.Event.EventID)
		case slices.Contains(f.outdated, e.Event.EventID):
			unfinished.Outdated = append(unfinished.Outdated, e.Event.EventID)
		case e.Status == string(Cancelled) && status == string(Pending):
			unfinished.PlannedAgain = append(unfinished.PlannedAgain, e.Event.EventID)
			due = append(due, e.Event.Kind)
		case e.Status == string(Pending) && !e.DueAt.After(now):
			due = append(due, e.Event.Kind)
		}
		for _, next := range e.Next {
			if !next.DueAt.After(now) {
				due = append(due, next.Kind)
			}
		}
		if len(e.Notices) > 0 {
			due = append(due, db.WakeFeed)
		}
	}
	return unfinished, due
}

// eventKey names an event. Two tenants may have events of the same id: some ids follow from a booking's, which a client
// may choose.
type eventKey struct{ tenant, event uuid.UUID }

func (f FinishedEvent) key() eventKey { return eventKey{f.Event.TenantID, f.Event.EventID} }

// statusesOf returns the statuses that events got. An event whose result wasn't recorded has none.
func statusesOf(recorded []rowsql.EventFinishRow) map[eventKey]string {
	statuses := make(map[eventKey]string, len(recorded))
	for _, r := range recorded {
		statuses[eventKey{r.TenantID, r.EventID}] = r.Status
	}
	return statuses
}

// lockBasis locks the bookings and customers that results were made from until the transaction ends. In current, an
// outdated result is replaced by an uncounted retry. It sends the batch if there is something to lock.
func lockBasis(tx *db.WorkerTx, finished []FinishedEvent) (current []FinishedEvent, outdated []uuid.UUID, err error) {
	tenants := make(map[uuid.UUID]*subjects)
	for _, f := range finished {
		if f.BasedOn == (BasedOn{}) {
			continue
		}
		s := tenants[f.Event.TenantID]
		if s == nil {
			s = new(subjects)
			tenants[f.Event.TenantID] = s
		}
		s.bookings, s.customers = append(s.bookings, f.BasedOn.Booking.ID), append(s.customers, f.BasedOn.Customer.ID)
	}
	if len(tenants) == 0 {
		return finished, nil, nil
	}
	for tenant, s := range tenants {
		lockSubjects(tx.ForTenant(tenant), s)
	}
	tx.ReadClock()
	if err := tx.Send(); err != nil {
		return nil, nil, err
	}
	unchanged := map[SubjectVersion]bool{{}: true}
	for _, s := range tenants {
		for _, b := range s.versions {
			unchanged[SubjectVersion{b.BookingID, b.Version}] = slices.Contains(s.lockedIDs, b.BookingID)
		}
		for _, c := range s.lockedCustomers {
			unchanged[SubjectVersion{c.CustomerID, c.Version}] = true
		}
	}
	for _, f := range finished {
		if !unchanged[f.BasedOn.Booking] || !unchanged[f.BasedOn.Customer] {
			outdated = append(outdated, f.Event.EventID)
			f = FinishedEvent{Event: f.Event, Status: UncountedRetry, DueAt: tx.Now().Add(retryAfterChange)}
		}
		current = append(current, f)
	}
	tx.LimitLockWait(eventRowTimeout) // of the events
	return current, outdated, nil
}

// subjects are bookings and customers of a tenant that results were made from.
type subjects struct {
	bookings, customers []uuid.UUID
	lockedIDs           []uuid.UUID
	versions            []rowsql.EventListVersionsRow // of all bookings
	lockedCustomers     []rowsql.EventLockCustomersRow
}

// lockSubjects queues what locks a tenant's subjects and reads their versions.
func lockSubjects(tx *db.Tx, s *subjects) {
	db.Query(unlocked.On(tx), "lock the bookings", &s.lockedIDs, func(q *rowsql.Queries) ([]uuid.UUID, error) {
		return q.EventLockBookings(tx.Context(), tx.Tenant(), s.bookings)
	})
	db.Query(unlocked.On(tx), "read the bookings' versions", &s.versions,
		func(q *rowsql.Queries) ([]rowsql.EventListVersionsRow, error) {
			return q.EventListVersions(tx.Context(), tx.Tenant(), s.bookings)
		})
	db.Query(unlocked.On(tx), "lock the customers", &s.lockedCustomers,
		func(q *rowsql.Queries) ([]rowsql.EventLockCustomersRow, error) {
			return q.EventLockCustomers(tx.Context(), tx.Tenant(), s.customers)
		})
}

// queueFinished queues what records results. recorded gets the events that the worker still held.
func queueFinished(tx *db.WorkerTx, finished []FinishedEvent, recorded *[]rowsql.EventFinishRow) {
	var p rowsql.EventFinishParams
	var logged rowsql.EventFinishAttemptsParams
	for _, f := range finished {
		p.TenantIds = append(p.TenantIds, f.Event.TenantID)
		p.EventIds = append(p.EventIds, f.Event.EventID)
		p.Leases = append(p.Leases, *f.Event.Lease)
		p.Versions = append(p.Versions, f.Event.Version)
		p.Statuses = append(p.Statuses, f.Status)
		p.DueAts = append(p.DueAts, f.DueAt)
		p.Errors = append(p.Errors, f.Error)
		p.Data = append(p.Data, string(f.Data))
		if f.LogAttempt {
			logged.TenantIds = append(logged.TenantIds, f.Event.TenantID)
			logged.EventIds = append(logged.EventIds, f.Event.EventID)
			logged.Leases = append(logged.Leases, *f.Event.Lease)
			logged.Versions = append(logged.Versions, f.Event.Version)
			logged.Statuses = append(logged.Statuses, f.Status)
			logged.AttemptIds = append(logged.AttemptIds, uuid.Must(uuid.NewV7()))
			logged.Attempts = append(logged.Attempts, f.Event.Attempts)
			logged.Errors = append(logged.Errors, f.Error)
			logged.Details = append(logged.Details, orEmpty(f.Details))
			logged.StartedAt = append(logged.StartedAt, f.StartedAt)
		}
	}
	if len(logged.EventIds) > 0 {
		db.Exec(unlocked.On(tx), "write the attempts", func(q *rowsql.Queries) error {
			return q.EventFinishAttempts(tx.Context(), logged)
		})
	}
	db.Query(unlocked.On(tx), "finish events", recorded, func(q *rowsql.Queries) ([]rowsql.EventFinishRow, error) {
		return q.EventFinish(tx.Context(), p)
	})
}

// queueWhatFollows queues what follows from the results that were recorded.
func queueWhatFollows(tx *db.WorkerTx, finished []FinishedEvent, recorded []rowsql.EventFinishRow) {
	var next rowsql.EventFinishPlanParams
	var notices rowsql.EventFinishNoticesParams
	statuses := statusesOf(recorded)
	for _, f := range finished {
		if statuses[f.key()] == "" {
			continue
		}
		for _, e := range f.Next {
			next.TenantIds = append(next.TenantIds, f.Event.TenantID)
			next.EventIds = append(next.EventIds, e.EventID)
			next.Kinds = append(next.Kinds, e.Kind)
			next.SubjectTypes = append(next.SubjectTypes, e.SubjectType)
			next.SubjectIds = append(next.SubjectIds, e.SubjectID)
			next.Occurrences = append(next.Occurrences, e.Occurrence)
			next.DueAts = append(next.DueAts, e.DueAt)
			next.TimeZones = append(next.TimeZones, e.TimeZone)
			next.Data = append(next.Data, orEmpty(e.Data))
		}
		for _, n := range f.Notices {
			notices.TenantIds = append(notices.TenantIds, f.Event.TenantID)
			notices.ChangeIds = append(notices.ChangeIds, n.ID)
			notices.Types = append(notices.Types, n.Type)
			notices.SubjectTypes = append(notices.SubjectTypes, n.SubjectType)
			notices.SubjectIds = append(notices.SubjectIds, n.SubjectID)
			notices.Versions = append(notices.Versions, n.Version)
			notices.Data = append(notices.Data, string(n.Data))
		}
	}
	if len(next.EventIds) > 0 {
		db.Exec(unlocked.On(tx), "plan what follows", func(q *rowsql.Queries) error {
			return q.EventFinishPlan(tx.Context(), next)
		})
	}
	if len(notices.ChangeIds) > 0 {
		db.Exec(unlocked.On(tx), "write notices", func(q *rowsql.Queries) error {
			return q.EventFinishNotices(tx.Context(), notices)
		})
	}
}

// queueFollowers queues the search for deliveries that may have waited for one of those that end. Its snapshot is of
// after their end.
func queueFollowers(tx *db.WorkerTx, finished []FinishedEvent, followers *[]Follower) {
	*followers = nil
	var owners, ids []uuid.UUID
	for _, f := range finished {
		if f.Delivery {
			owners, ids = append(owners, f.Event.TenantID), append(ids, f.Event.EventID)
		}
	}
	if len(ids) > 0 {
		db.Query(unlocked.On(tx), "find deliveries that waited", followers, func(q *rowsql.Queries) ([]Follower,
			error) {
			return q.EventFollowers(tx.Context(), owners, ids)
		})
	}
}
