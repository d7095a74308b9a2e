package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// FinishedEvent is what became of an event that a worker holds.
type FinishedEvent struct {
	Event ClaimedEvent
	// Status is "completed", "cancelled", "dead", "failed" for another attempt at DueAt, "pending" for a first attempt at DueAt, or
	// UncountedRetry.
	Status string
	DueAt  time.Time
	// Error is why the attempt failed or the event was cancelled; empty otherwise. It is shown to the tenant.
	Error string
	// Data, a JSON object, replaces the event's data; nil leaves them.
	Data json.RawMessage
	// LogAttempt writes the attempt, which began at StartedAt, and Details, a JSON object that is nil for none, to the event's history.
	LogAttempt bool
	StartedAt  time.Time
	Details    json.RawMessage
	// Next is planned, and Notices are written, if this result is recorded.
	Next    []NewEvent
	Notices []Change
	// BasedOn is what the result was made from. If the booking or the customer has another version now, or another transaction has locked
	// its row, the result isn't recorded, and the event is due again after retryAfterChange.
	BasedOn BasedOn
	// Delivery says that the event is a webhook delivery, for which later ones may wait.
	Delivery bool
}

// BasedOn is the booking and the customer that a result was made from, each zero if it was made from none.
type BasedOn struct {
	Booking, Customer SubjectVersion
}

// SubjectVersion is a version of a booking or a customer, as the API shows it.
type SubjectVersion struct {
	ID      uuid.UUID
	Version int64
}

// UncountedRetry as the status of a FinishedEvent makes the event due at DueAt as if it had not been claimed. No event is stored with it.
const UncountedRetry = "uncounted_retry"

const (
	// retryAfterChange is the pause before an event is due again whose result was outdated. Most transactions are shorter.
	retryAfterChange = time.Second
	// eventRowTimeout is how long rows of events are waited for while bookings and customers are locked.
	eventRowTimeout = 250 * time.Millisecond
)

// Unfinished are events whose results were not recorded, and deliveries that are to be claimed next.
type Unfinished struct {
	// Lost are those that the worker no longer held.
	Lost []uuid.UUID
	// Outdated are those that are due again, because a booking or a customer that the result was made from has changed, or its row was
	// locked.
	Outdated []uuid.UUID
	// PlannedAgain are those that would have been cancelled. They were planned again while the worker held them, so they are pending.
	PlannedAgain []uuid.UUID
	// Followers are endpoints with deliveries that may have waited for one of the events.
	Followers []Follower
}

// Follower is an endpoint of which a delivery has been due since DueAt.
type Follower = dbsqlc.EventFollowersRow

// FinishEvents records what became of events, in one round trip. One more is made if results depend on versions, and one if something
// follows from results. finished has one result of each event. It locks the rows of the events, and of the bookings and customers that
// results were made from. It doesn't wait for bookings and customers. Errors: problem.DatabaseUnavailable and problem.LockTimeout, after
// which nothing was recorded; problem.OutcomeUnknown.
func (s *Store) FinishEvents(ctx context.Context, finished []FinishedEvent) (unfinished Unfinished, err error) {
	// Transactions that end or move events of a subject use this order too, which makes deadlocks rare. PostgreSQL may lock the rows in
	// another order; a transaction that ends in a deadlock is run again.
	finished = slices.SortedFunc(slices.Values(finished), func(a, b FinishedEvent) int {
		return cmp.Or(bytes.Compare(a.Event.SubjectID[:], b.Event.SubjectID[:]), cmp.Compare(a.Event.Kind, b.Event.Kind),
			cmp.Compare(a.Event.Occurrence, b.Event.Occurrence))
	})
	var done finishing
	attempts := s.db.Attempts("finish events", false)
	for attempts.Next(ctx) {
		done, err = s.finishOnce(ctx, finished)
		attempts.End(err)
	}
	if err := attempts.Err(); err != nil {
		return Unfinished{}, err
	}
	return s.wakeFinished(done), nil
}

// finishing is what one attempt to record results came to.
type finishing struct {
	current   []FinishedEvent // the results, those that are outdated replaced
	outdated  []uuid.UUID
	recorded  []dbsqlc.EventFinishRow
	followers []Follower
}

func (s *Store) finishOnce(ctx context.Context, finished []FinishedEvent) (f finishing, err error) {
	t, err := s.db.Connect(ctx, uuid.Nil)
	if err != nil {
		return f, err
	}
	defer t.End()
	if f.current, f.outdated, err = lockBasis(t, finished); err != nil {
		return f, err
	}
	t.BecomeWorker()
	queueFinished(t, f.current, &f.recorded)
	queueFollowers(t, f.current, &f.followers)
	if slices.ContainsFunc(f.current, func(e FinishedEvent) bool { return len(e.Next)+len(e.Notices) > 0 }) {
		if err := t.Read(); err != nil {
			return f, err
		}
		queueWhatFollows(t, f.current, f.recorded)
	}
	return f, t.SendCommit() // also if nothing follows: what was recorded is sent already
}

// wakeFinished wakes the workers of what is due once results are recorded, and returns what wasn't recorded.
func (s *Store) wakeFinished(done finishing) Unfinished {
	unfinished := Unfinished{Followers: done.followers}
	now := time.Now()
	statuses := statusesOf(done.recorded)
	var all core.EventQueue
	for _, f := range done.current {
		switch status := statuses[keyOf(f)]; {
		case status == "":
			unfinished.Lost = append(unfinished.Lost, f.Event.EventID)
		case slices.Contains(done.outdated, f.Event.EventID):
			unfinished.Outdated = append(unfinished.Outdated, f.Event.EventID)
		case f.Status == "cancelled" && status == "pending":
			unfinished.PlannedAgain = append(unfinished.PlannedAgain, f.Event.EventID)
			all.Wake(f.Event.Kind)
		case f.Status == "pending" && !f.DueAt.After(now):
			all.Wake(f.Event.Kind)
		}
		all.PlanEvents(f.Next...)
		if len(f.Notices) > 0 {
			all.Wake(WakeFeed)
		}
	}
	s.db.Wake(all.Due(now)...)
	return unfinished
}

// eventKey names an event. Two tenants may have events of the same id: some ids follow from a booking's, which a client may choose.
type eventKey struct{ tenant, event uuid.UUID }

func keyOf(f FinishedEvent) eventKey { return eventKey{f.Event.TenantID, f.Event.EventID} }

// statusesOf returns the statuses that events got. An event whose result wasn't recorded has none.
func statusesOf(recorded []dbsqlc.EventFinishRow) map[eventKey]string {
	statuses := make(map[eventKey]string, len(recorded))
	for _, r := range recorded {
		statuses[eventKey{r.TenantID, r.EventID}] = r.Status
	}
	return statuses
}

// lockBasis locks the bookings and customers that results were made from until the transaction ends. In current, an outdated result is
// replaced by an uncounted retry. It sends the batch if there is something to lock.
func lockBasis(t *core.Tx, finished []FinishedEvent) (current []FinishedEvent, outdated []uuid.UUID, err error) {
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
		lockSubjects(t, tenant, s)
	}
	t.ReadClock()
	if err := t.Read(); err != nil {
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
			f = FinishedEvent{Event: f.Event, Status: UncountedRetry, DueAt: t.Now.Add(retryAfterChange)}
		}
		current = append(current, f)
	}
	t.LimitLockWait(eventRowTimeout) // of the events
	return current, outdated, nil
}

// subjects are bookings and customers of a tenant that results were made from.
type subjects struct {
	bookings, customers []uuid.UUID
	lockedIDs           []uuid.UUID
	versions            []dbsqlc.EventListVersionsRow // of all bookings
	lockedCustomers     []dbsqlc.EventLockCustomersRow
}

// lockSubjects queues what locks a tenant's subjects and reads their versions.
func lockSubjects(t *core.Tx, tenant uuid.UUID, s *subjects) {
	t.SwitchTenantUnfenced(tenant)
	core.Query(t, "lock the bookings", &s.lockedIDs, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.EventLockBookings(t.Ctx, tenant, s.bookings)
	})
	core.Query(t, "read the bookings' versions", &s.versions, func(q *dbsqlc.Queries) ([]dbsqlc.EventListVersionsRow, error) {
		return q.EventListVersions(t.Ctx, tenant, s.bookings)
	})
	core.Query(t, "lock the customers", &s.lockedCustomers, func(q *dbsqlc.Queries) ([]dbsqlc.EventLockCustomersRow, error) {
		return q.EventLockCustomers(t.Ctx, tenant, s.customers)
	})
}

// queueFinished queues what records results. recorded gets the events that the worker still held.
func queueFinished(t *core.Tx, finished []FinishedEvent, recorded *[]dbsqlc.EventFinishRow) {
	var p dbsqlc.EventFinishParams
	var logged dbsqlc.EventFinishAttemptsParams
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
			logged.Details = append(logged.Details, string(orJSON(f.Details, "{}")))
			logged.StartedAt = append(logged.StartedAt, f.StartedAt)
		}
	}
	if len(logged.EventIds) > 0 {
		core.Exec(t, "write the attempts", func(q *dbsqlc.Queries) error { return q.EventFinishAttempts(t.Ctx, logged) })
	}
	core.Query(t, "finish events", recorded, func(q *dbsqlc.Queries) ([]dbsqlc.EventFinishRow, error) { return q.EventFinish(t.Ctx, p) })
}

// queueWhatFollows queues what follows from the results that were recorded.
func queueWhatFollows(t *core.Tx, finished []FinishedEvent, recorded []dbsqlc.EventFinishRow) {
	var next dbsqlc.EventFinishPlanParams
	var notices dbsqlc.EventFinishNoticesParams
	statuses := statusesOf(recorded)
	for _, f := range finished {
		if statuses[keyOf(f)] == "" {
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
			next.Data = append(next.Data, string(orJSON(e.Data, "{}")))
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
		core.Exec(t, "plan what follows", func(q *dbsqlc.Queries) error { return q.EventFinishPlan(t.Ctx, next) })
	}
	if len(notices.ChangeIds) > 0 {
		core.Exec(t, "write notices", func(q *dbsqlc.Queries) error { return q.EventFinishNotices(t.Ctx, notices) })
	}
}

// queueFollowers queues the search for deliveries that may have waited for one of those that end. Its snapshot is of after their end.
func queueFollowers(t *core.Tx, finished []FinishedEvent, followers *[]Follower) {
	*followers = nil
	var tenants, events []uuid.UUID
	for _, f := range finished {
		if f.Delivery {
			tenants, events = append(tenants, f.Event.TenantID), append(events, f.Event.EventID)
		}
	}
	if len(events) > 0 {
		core.Query(t, "find deliveries that waited", followers, func(q *dbsqlc.Queries) ([]Follower, error) {
			return q.EventFollowers(t.Ctx, tenants, events)
		})
	}
}
