package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// NewEvent is a scheduled event to be planned. Its tenant is that of the transaction.
type NewEvent struct {
	EventID uuid.UUID
	Kind    string
	// SubjectType and SubjectID name what the event is about.
	SubjectType string
	SubjectID   uuid.UUID
	// Occurrence tells the events of one kind and subject apart. An event whose kind, subject and occurrence were planned before is
	// not planned again.
	Occurrence string
	// DueAt is when the event is due, UTC. TimeZone is the zone in which it was computed.
	DueAt    time.Time
	TimeZone string
	// Data are the kind's own, a JSON object; nil means none.
	Data json.RawMessage
}

func (e NewEvent) data() string {
	if len(e.Data) == 0 {
		return "{}"
	}
	return string(e.Data)
}

// eventQueue is the scheduled events that a transaction writes, and the changes that it records.
type eventQueue struct {
	planned []NewEvent
	moved   []NewEvent
	ended   []endedEvents
	changes []actedChange
	written []actedChange // changes that another statement of the transaction writes
	woken   []string      // kinds of events that another statement of the transaction made due
	actor   Actor         // of the changes that are added next
}

type endedEvents struct {
	subject uuid.UUID
	kinds   []string
	reason  string
}

// PlanEvents queues scheduled events. One that was planned before, by its kind, subject and occurrence, stays as it is.
func (q *eventQueue) PlanEvents(events ...NewEvent) { q.planned = append(q.planned, events...) }

// MoveEvent queues a scheduled event. One that was planned before, by its kind, subject and occurrence, becomes pending and due at
// the new time, with the new data. A worker that holds it loses its lease.
func (q *eventQueue) MoveEvent(e NewEvent) { q.moved = append(q.moved, e) }

// EndEvents queues the cancellation of what is planned for a subject, as far as it is of these kinds, for a reason, which is shown to the tenant as
// the events' last error. A worker that holds one of these events loses its lease.
func (q *eventQueue) EndEvents(reason string, subject uuid.UUID, kinds ...string) {
	q.ended = append(q.ended, endedEvents{subject: subject, kinds: kinds, reason: reason})
}

// AddChange queues the record of a change.
func (q *eventQueue) AddChange(c Change) { q.changes = append(q.changes, actedChange{c, q.actor}) }

func (q *eventQueue) add(other eventQueue) {
	q.planned = append(q.planned, other.planned...)
	q.moved = append(q.moved, other.moved...)
	q.ended = append(q.ended, other.ended...)
	q.changes = append(q.changes, other.changes...)
}

func (q *eventQueue) empty() bool {
	return len(q.planned)+len(q.moved)+len(q.ended)+len(q.changes) == 0
}

// allPlanned lists the events that the transaction plans or moves.
func (q *eventQueue) allPlanned() []NewEvent { return slices.Concat(q.planned, q.moved) }

// wakes lists the kinds of which an event is due at now, and WakeFeed if there are changes.
func (q *eventQueue) wakes(now time.Time) (kinds []string) {
	kinds = append(kinds, q.woken...)
	for _, e := range q.allPlanned() {
		if !e.DueAt.After(now) {
			kinds = append(kinds, e.Kind)
		}
	}
	if len(q.changes)+len(q.written) > 0 {
		kinds = append(kinds, WakeFeed)
	}
	return kinds
}

// ObservePlanned has observe called with the events that a transaction of this process planned or moved, once it has committed. An
// event that had been planned before is among them. A later call replaces the observer; observe must not block.
func (s *Store) ObservePlanned(observe func(tenant uuid.UUID, events []NewEvent)) {
	s.planned.Store(&observe)
}

// tell calls the observer with the events that a committed transaction planned, and wakes workers.
func (q *eventQueue) tell(t *tx) {
	if observe, planned := t.store.planned.Load(), q.allPlanned(); observe != nil && len(planned) > 0 {
		(*observe)(t.current, planned)
	}
	t.store.wake(q.wakes(t.now)...)
}

func bySubject(a, b NewEvent) int {
	return cmp.Or(bytes.Compare(a.SubjectID[:], b.SubjectID[:]), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Occurrence, b.Occurrence))
}

// queueEvents queues what the transaction writes of scheduled events, and its changes. The order by subject and kind, as in
// FinishEvents, makes deadlocks rare. A transaction that ends in one is run again.
// Events are ended before others are moved, so that what the transaction moves isn't ended.
func (t *tx) queueEvents() {
	q := &t.events
	slices.SortStableFunc(q.ended, func(a, b endedEvents) int { return bytes.Compare(a.subject[:], b.subject[:]) })
	slices.SortStableFunc(q.moved, bySubject)
	for _, e := range q.ended {
		exec(&t.batch, "end events", func(db *dbsqlc.Queries) error {
			return db.EventEnd(t.ctx, dbsqlc.EventEndParams{TenantID: t.current, SubjectID: e.subject, Kinds: e.kinds, Reason: e.reason,
				Now: t.now})
		})
	}
	for _, e := range q.moved {
		exec(&t.batch, "move an event", func(db *dbsqlc.Queries) error {
			return db.EventMove(t.ctx, dbsqlc.EventMoveParams{
				TenantID: t.current, EventID: e.EventID, Kind: e.Kind, SubjectType: e.SubjectType, SubjectID: e.SubjectID,
				Occurrence: e.Occurrence, DueAt: e.DueAt, TimeZone: e.TimeZone, Data: json.RawMessage(e.data()), Now: t.now,
			})
		})
	}
	if len(q.planned) > 0 {
		p := dbsqlc.EventPlanParams{TenantID: t.current, Now: t.now}
		for _, e := range q.planned {
			p.EventIds = append(p.EventIds, e.EventID)
			p.Kinds = append(p.Kinds, e.Kind)
			p.SubjectTypes = append(p.SubjectTypes, e.SubjectType)
			p.SubjectIds = append(p.SubjectIds, e.SubjectID)
			p.Occurrences = append(p.Occurrences, e.Occurrence)
			p.DueAts = append(p.DueAts, e.DueAt)
			p.TimeZones = append(p.TimeZones, e.TimeZone)
			p.Data = append(p.Data, e.data())
		}
		exec(&t.batch, "plan events", func(db *dbsqlc.Queries) error { return db.EventPlan(t.ctx, p) })
	}
	t.queueChanges()
}
