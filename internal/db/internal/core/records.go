package core

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

func bySubject(a, b NewEvent) int {
	return cmp.Or(bytes.Compare(a.SubjectID[:], b.SubjectID[:]), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Occurrence, b.Occurrence))
}

// queueEvents queues what the transaction writes of scheduled events, and its changes. The order by subject and kind,
// as in event.Finish, makes deadlocks rare. A transaction that ends in one is run again. Events are ended before others
// are moved, so that what the transaction moves isn't ended.
func (t *Tx) queueEvents() {
	q := &t.Events
	slices.SortStableFunc(q.ended, func(a, b endedEvents) int { return bytes.Compare(a.subject[:], b.subject[:]) })
	slices.SortStableFunc(q.moved, bySubject)
	for _, e := range q.ended {
		Exec(t, "end events", func(db *dbsqlc.Queries) error {
			return db.EventEnd(t.Ctx,
				dbsqlc.EventEndParams{TenantID: t.current, SubjectID: e.subject, Kinds: e.kinds, Reason: e.reason,
					Now: t.Now})
		})
	}
	for _, e := range q.moved {
		Exec(t, "move an event", func(db *dbsqlc.Queries) error {
			return db.EventMove(t.Ctx, dbsqlc.EventMoveParams{
				TenantID:    t.current,
				EventID:     e.EventID,
				Kind:        e.Kind,
				SubjectType: e.SubjectType,
				SubjectID:   e.SubjectID,
				Occurrence:  e.Occurrence,
				DueAt:       e.DueAt,
				TimeZone:    e.TimeZone,
				Data:        json.RawMessage(e.data()),
				Now:         t.Now,
			})
		})
	}
	if len(q.planned) > 0 {
		p := dbsqlc.EventPlanParams{TenantID: t.current, Now: t.Now}
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
		Exec(t, "plan events", func(db *dbsqlc.Queries) error { return db.EventPlan(t.Ctx, p) })
	}
	t.queueChanges()
}

// idTaken: the id that a client chose for a subject is that of another one, which has a change of this version.
var idTaken = Failure{State: UniqueViolation, Means: func(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "The id was taken at the same time.")
}}

// queueChanges queues the records of what the transaction changes.
func (t *Tx) queueChanges() {
	changes := t.Events.changes
	if len(changes) == 0 {
		return
	}
	p := dbsqlc.ChangeInsertParams{TenantID: t.current, Now: t.Now}
	for _, c := range changes {
		p.ChangeIds = append(p.ChangeIds, c.ID)
		p.Types = append(p.Types, c.Type)
		p.SubjectTypes = append(p.SubjectTypes, c.SubjectType)
		p.SubjectIds = append(p.SubjectIds, c.SubjectID)
		p.Versions = append(p.Versions, c.Version)
		p.ApiKeyIds = append(p.ApiKeyIds, c.actor.APIKeyID)
		p.UserIds = append(p.UserIds, c.actor.UserID)
		p.RequestIds = append(p.RequestIds, c.actor.RequestID)
		p.Operators = append(p.Operators, c.actor.Operator)
		p.Data = append(p.Data, string(c.Data))
	}
	Exec(t, "write the changes", func(db *dbsqlc.Queries) error { return db.ChangeInsert(t.Ctx, p) }, idTaken)
}

// notifyPlanned calls the observer with the events that a committed transaction planned, and wakes workers.
func (t *Tx) notifyPlanned() {
	if planned := t.Events.allPlanned(); t.db.planned != nil && len(planned) > 0 {
		t.db.planned(t.current, planned)
	}
	t.db.Wake(t.Events.Due(t.Now)...)
}
