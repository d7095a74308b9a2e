package core

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// pointer returns what is stored of the body: itself, or the change that has it.
func (r *newResponse) pointer() (body []byte, subject *uuid.UUID, version *int64) {
	if r.change == nil {
		return r.Body, nil, nil
	}
	return nil, &r.change.SubjectID, &r.change.Version
}

// Begun reports whether an earlier transaction began the key, which has no response yet.
func (k *RequestKey) Begun() bool { return k.row != nil && k.row.Unfinished }

// OwnEvents gives the request a queue of its own, which the caller adds to the transaction's. Its changes are those of
// the context's actor.
func (k *RequestKey) OwnEvents(ctx context.Context) *EventQueue {
	k.events = &EventQueue{Actor: actorOf(ctx)}
	return k.events
}

// Respond sets the outcome of the request, which is stored with the commit as its response, unless err, the error of
// making it, isn't nil. A response whose body is that of a change that was queued before isn't stored twice: it points
// at the change.
func (k *RequestKey) Respond(o Outcome, err error) error {
	if err != nil || k.Request == nil {
		return err
	}
	k.RespondUnstored(o)
	k.Request.until = k.t.responseExpiry()
	k.storing = &newResponse{Outcome: *k.Request.outcome}
	if k.Request.scope == k.t.current {
		k.storing.change = changeWithData(o.Body, k.events.changes, k.events.written)
	}
	if o.Once != nil {
		k.Request.outcome.Body = o.Once
	}
	return nil
}

// RespondUnstored sets the outcome of a request that goes on. It isn't stored.
func (k *RequestKey) RespondUnstored(o Outcome) { k.t.db.SetUnstoredOutcome(k.Request, o) }

// SetUnstoredOutcome sets the request's outcome without storing it.
func (d *DB) SetUnstoredOutcome(r *Request, o Outcome) {
	o.answer = d.answers.Answer(o)
	r.stored, r.outcome = nil, &o
}

// Decide decides about the request, unless its key has a response: then nothing is decided or written. It is the one
// place that knows which refusals are final: those of money are the response, and what was queued before is dropped.
func (k *RequestKey) Decide(decide func() error) error {
	r := k.Request
	if r == nil {
		return decide()
	}
	before := r.outcome
	r.stored, r.outcome, r.refusal, k.storing = k.stored(), nil, nil, nil
	if r.stored != nil {
		if before != nil && before.Once != nil && k.row.ExpiresAt.Equal(r.until) {
			// The run before has committed, and the answer to its COMMIT was lost. What is shown once is not shown yet.
			r.stored.Outcome = *before
		}
		if !k.phased || !r.stored.unfinished || !r.isOf(r.stored) {
			return nil
		}
		r.stored = nil
	}
	err := decide()
	if problem.Final(err) {
		k.dropWrites()
		document := problem.DocumentOf(err)
		err = k.Respond(Outcome{Refusal: document, Body: document.JSON()}, nil)
	}
	if err != nil {
		r.refusal, k.storing = err, nil
	}
	return err
}

// dropWrites drops what the request queued.
func (k *RequestKey) dropWrites() {
	k.t.batch = batch{}
	*k.events = EventQueue{Actor: k.events.Actor}
}

// stored returns the response that was stored before this transaction, nil if the key is free.
func (k *RequestKey) stored() *storedResponse {
	if k.row == nil || k.expired() {
		return nil
	}
	body := k.row.Body
	if body == nil {
		body = k.row.Data
	}
	return &storedResponse{
		Outcome: Outcome{
			ID: idOf(body), Body: body, Replayed: true,
			answer: Answer{Status: int(k.row.Status), Location: k.row.Location, ETag: k.row.Etag},
		},
		fingerprint: k.row.Fingerprint, unfinished: k.row.Unfinished,
	}
}

// expired reports whether a response that has expired occupies the key. An unfinished request doesn't expire.
func (k *RequestKey) expired() bool {
	return k.row != nil && !k.row.Unfinished && !k.row.ExpiresAt.After(k.t.Now)
}

// deleteExpired queues the end of an expired response that occupies the key.
func (k *RequestKey) deleteExpired() {
	if !k.expired() {
		return
	}
	Exec(k.t, "delete the expired key", func(q *dbsqlc.Queries) error {
		return q.IdempotencyDeleteExpired(k.t.Ctx, dbsqlc.IdempotencyDeleteExpiredParams{
			TenantID: k.Request.scope, Key: k.Request.key, Now: k.t.Now,
		})
	})
}

// KeyOf returns the key of a request, which may be nil, in the transaction.
func (t *Tx) KeyOf(r *Request) *RequestKey { return &RequestKey{t: t, Request: r, events: &t.Events} }

// ReadResponses queues the reading of the responses that are stored under the keys of requests. The keys have one
// scope; changes without a key are left out.
func (t *Tx) ReadResponses(keys ...*RequestKey) {
	t.keys = slices.DeleteFunc(slices.Clone(keys), func(k *RequestKey) bool { return k.Request == nil })
	if len(t.keys) == 0 {
		return
	}
	names := make([]string, len(t.keys))
	for i, k := range t.keys {
		names[i] = k.Request.key
	}
	Query(t, "read the stored responses", new([]dbsqlc.IdempotencyListRow), func(q *dbsqlc.Queries) ([]dbsqlc.IdempotencyListRow, error) {
		rows, err := q.IdempotencyList(t.Ctx, t.keys[0].Request.scope, names)
		for i, r := range rows {
			for _, k := range t.keys {
				if k.Request.key == r.Key {
					k.row = &rows[i]
				}
			}
		}
		return rows, err
	})
}

// responseExpiry returns when a response expires that the transaction stores.
func (t *Tx) responseExpiry() time.Time { return t.Now.Add(ResponseLifetime) }

// storeFailures are what the failures of storing a response, or of beginning its key, mean: another transaction has
// written the key's row, or is writing it.
var storeFailures = []Failure{
	{State: UniqueViolation, Again: true, Means: stillRunning},
	{State: LockNotAvailable, Means: stillRunning},
}

// queueResponses queues the responses that are stored with the commit, in the order of their keys: transactions that
// write the same keys do so in the same order, and can't deadlock.
func (t *Tx) queueResponses() {
	storing := slices.DeleteFunc(slices.Clone(t.keys), func(k *RequestKey) bool { return k.storing == nil })
	if len(storing) == 0 {
		return
	}
	slices.SortFunc(storing, func(a, b *RequestKey) int { return strings.Compare(a.Request.key, b.Request.key) })
	t.SwitchTenant(storing[0].Request.scope)
	for _, k := range storing {
		k.deleteExpired()
	}
	expiresAt := t.responseExpiry()
	if len(storing) == 1 {
		k, r := storing[0].Request, storing[0].storing
		body, subject, version := r.pointer()
		Exec(t, "store the response", func(q *dbsqlc.Queries) error {
			return q.IdempotencyInsert(t.Ctx, dbsqlc.IdempotencyInsertParams{
				TenantID:        k.scope,
				Key:             k.key,
				Fingerprint:     k.fingerprint,
				Status:          int32(r.answer.Status),
				Location:        r.answer.Location,
				Etag:            r.answer.ETag,
				Body:            body,
				ChangeSubjectID: subject,
				ChangeVersion:   version,
				CreatedAt:       t.Now,
				ExpiresAt:       expiresAt,
			})
		}, storeFailures...)
		return
	}
	p := dbsqlc.IdempotencyInsertManyParams{TenantID: storing[0].Request.scope, CreatedAt: t.Now, ExpiresAt: expiresAt}
	for _, k := range storing {
		p.Keys = append(p.Keys, k.Request.key)
		p.Fingerprints = append(p.Fingerprints, k.Request.fingerprint)
		p.Statuses = append(p.Statuses, int32(k.storing.answer.Status))
		p.Locations = append(p.Locations, k.storing.answer.Location)
		p.Etags = append(p.Etags, k.storing.answer.ETag)
		body, subject, version := k.storing.pointer()
		p.Bodies = append(p.Bodies, body)
		if subject == nil {
			subject, version = new(uuid.UUID), new(int64)
		}
		p.ChangeSubjectIds = append(p.ChangeSubjectIds, *subject)
		p.ChangeVersions = append(p.ChangeVersions, *version)
	}
	Exec(t, "store the responses", func(q *dbsqlc.Queries) error { return q.IdempotencyInsertMany(t.Ctx, p) },
		storeFailures...)
}

// Begin queues that the request's key is taken and gets its response later.
func (k *RequestKey) Begin() {
	k.deleteExpired()
	Exec(k.t, "begin the idempotency key", func(q *dbsqlc.Queries) error {
		return q.IdempotencyBegin(k.t.Ctx, dbsqlc.IdempotencyBeginParams{
			TenantID: k.Request.scope, Key: k.Request.key, Fingerprint: k.Request.fingerprint, Now: k.t.Now,
			ExpiresAt: k.t.responseExpiry(),
		})
	}, storeFailures...)
}

// FinishKey queues the response of a key of the tenant that was begun. A key that has a response keeps it.
func (t *Tx) FinishKey(key string, o Outcome) {
	answer := t.db.answers.Answer(o)
	Exec(t, "finish the idempotency key", func(q *dbsqlc.Queries) error {
		return q.IdempotencyFinish(t.Ctx, dbsqlc.IdempotencyFinishParams{
			TenantID:  t.Tenant,
			Key:       key,
			Status:    int32(answer.Status),
			Location:  answer.Location,
			Etag:      answer.ETag,
			Body:      o.Body,
			ExpiresAt: t.responseExpiry(),
		})
	})
}
