package core

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
)

// NewEvent is a scheduled event to be planned. Its tenant is that of the transaction.
type NewEvent struct {
	EventID uuid.UUID
	Kind    string
	// SubjectType and SubjectID name what the event is about.
	SubjectType string
	SubjectID   uuid.UUID
	// Occurrence tells the events of one kind and subject apart. An event whose kind, subject and occurrence were
	// planned before is not planned again.
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

// WakeFeed is the name under which the readers of the feed are woken: the relay, and the streams of the feed. No kind
// has it.
const WakeFeed = "feed"

// WakeLeases is the name under which the search for leases that have ended is woken. No kind has it.
const WakeLeases = "leases"

// EventQueue is the scheduled events that a transaction writes, and the changes that it records. The zero EventQueue is
// empty, and its changes are those of the server itself.
type EventQueue struct {
	planned []NewEvent
	moved   []NewEvent
	ended   []endedEvents
	changes []actedChange
	written []actedChange // changes that another statement of the transaction writes
	woken   []string      // kinds of events that another statement of the transaction made due
	Actor   Actor         // of the changes that are added next
}

type endedEvents struct {
	subject uuid.UUID
	kinds   []string
	reason  string
}

// PlanEvents queues scheduled events. One that was planned before, by its kind, subject and occurrence, stays as it is.
func (q *EventQueue) PlanEvents(events ...NewEvent) { q.planned = append(q.planned, events...) }

// MoveEvent queues a scheduled event. One that was planned before, by its kind, subject and occurrence, becomes pending
// and due at the new time, with the new data. A worker that holds it loses its lease.
func (q *EventQueue) MoveEvent(e NewEvent) { q.moved = append(q.moved, e) }

// EndEvents queues the cancellation of what is planned for a subject, as far as it is of these kinds, for a reason,
// which is shown to the tenant as the events' last error. A worker that holds one of these events loses its lease.
func (q *EventQueue) EndEvents(reason string, subject uuid.UUID, kinds ...string) {
	q.ended = append(q.ended, endedEvents{subject: subject, kinds: kinds, reason: reason})
}

// AddChange queues the record of a change.
func (q *EventQueue) AddChange(c Change) { q.changes = append(q.changes, actedChange{c, q.Actor}) }

// AddWritten notes the record of a change that another statement of the transaction writes.
func (q *EventQueue) AddWritten(c Change) { q.written = append(q.written, actedChange{c, q.Actor}) }

// Wake notes that another statement of the transaction makes an event of a kind due: its workers are woken after the
// commit.
func (q *EventQueue) Wake(kind string) { q.woken = append(q.woken, kind) }

// Add queues what another queue has.
func (q *EventQueue) Add(other *EventQueue) {
	q.planned = append(q.planned, other.planned...)
	q.moved = append(q.moved, other.moved...)
	q.ended = append(q.ended, other.ended...)
	q.changes = append(q.changes, other.changes...)
	q.written = append(q.written, other.written...)
	q.woken = append(q.woken, other.woken...)
}

// Empty reports whether nothing is queued that the commit writes.
func (q *EventQueue) Empty() bool {
	return len(q.planned)+len(q.moved)+len(q.ended)+len(q.changes) == 0
}

// allPlanned lists the events that the transaction plans or moves.
func (q *EventQueue) allPlanned() []NewEvent { return slices.Concat(q.planned, q.moved) }

// Due lists the kinds of which an event is due at now, and WakeFeed if there are changes.
func (q *EventQueue) Due(now time.Time) (kinds []string) {
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
