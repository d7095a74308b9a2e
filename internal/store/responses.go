package store

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/store/internal/dbsqlc"
)

// requestKey is the idempotency key of one request in a transaction, with the response that is stored under it. A change without a key has
// one without a request.
type requestKey struct {
	t       *tx
	request *Request
	phased  bool                       // an unfinished request is continued
	row     *dbsqlc.IdempotencyListRow // as it was read; nil if the key is free
	events  *eventQueue                // of the request
	storing *newResponse               // stored with the commit; nil stores nothing
}

// newResponse is a response to be stored.
type newResponse struct {
	Response
	change *Change // whose data are the body; nil if the body is stored by itself
}

// pointer returns what is stored of the body: itself, or the change that has it.
func (r *newResponse) pointer() (body []byte, subject *uuid.UUID, version *int64) {
	if r.change == nil {
		return r.Body, nil, nil
	}
	return nil, &r.change.SubjectID, &r.change.Version
}

// Respond sets the response of the request, which is stored with the commit, unless err, the error of making it, isn't nil. A response whose body
// is that of a change that was queued before isn't stored twice: it points at the change.
func (k *requestKey) Respond(resp Response, err error) error {
	if err != nil || k.request == nil {
		return err
	}
	k.request.response = resp
	k.storing = &newResponse{Response: resp}
	if k.request.scope == k.t.current {
		k.storing.change = changeWithData(resp.Body, k.events.changes, k.events.written)
	}
	return nil
}

// RespondOnce is Respond for a response with a secret: sent is given to the client, and stored, without the secret, to each repetition.
func (k *requestKey) RespondOnce(sent, stored Response, err error) error {
	if err = k.Respond(stored, err); err == nil && k.request != nil {
		k.request.response = sent
	}
	return err
}

// decide decides about the request, unless its key has a response: then nothing is decided or written. It is the one place that knows which
// refusals are final: those of money are the response, and what was queued before is dropped.
func (k *requestKey) decide(decide func() error) error {
	r := k.request
	if r == nil {
		return decide()
	}
	r.stored, r.response, r.refusal, k.storing = k.stored(), Response{}, nil, nil
	if r.stored != nil {
		if !k.phased || !r.stored.unfinished || !r.isOf(r.stored) {
			return nil
		}
		r.stored = nil
	}
	err := decide()
	if problem.Final(err) {
		k.dropWrites()
		document := problem.DocumentOf(err)
		err = k.Respond(Response{Status: document.Status, Body: document.JSON()}, nil)
	}
	if err != nil {
		r.refusal, k.storing = err, nil
	}
	return err
}

// dropWrites drops what the request queued.
func (k *requestKey) dropWrites() {
	k.t.batch = batch{}
	*k.events = eventQueue{actor: k.events.actor}
}

// stored returns the response that was stored before this transaction, nil if the key is free.
func (k *requestKey) stored() *storedResponse {
	if k.row == nil || k.expired() {
		return nil
	}
	body := k.row.Body
	if body == nil {
		body = k.row.Data
	}
	return &storedResponse{
		Response:    Response{Status: int(k.row.Status), Location: k.row.Location, ETag: k.row.Etag, Body: body, Replayed: true},
		fingerprint: k.row.Fingerprint, unfinished: k.row.Unfinished,
	}
}

// expired reports whether a response that has expired occupies the key. An unfinished request doesn't expire.
func (k *requestKey) expired() bool {
	return k.row != nil && !k.row.Unfinished && !k.row.ExpiresAt.After(k.t.now)
}

// deleteExpired queues the end of an expired response that occupies the key.
func (k *requestKey) deleteExpired() {
	if !k.expired() {
		return
	}
	exec(&k.t.batch, "delete the expired key", func(q *dbsqlc.Queries) error {
		return q.IdempotencyDeleteExpired(k.t.ctx, dbsqlc.IdempotencyDeleteExpiredParams{
			TenantID: k.request.scope, Key: k.request.key, Now: k.t.now,
		})
	})
}

// keyOf returns the key of a request, which may be nil, in the transaction.
func (t *tx) keyOf(r *Request) *requestKey { return &requestKey{t: t, request: r, events: &t.events} }

// readResponses queues the reading of the responses that are stored under the keys of requests. The keys have one scope; changes without
// a key are left out.
func (t *tx) readResponses(keys ...*requestKey) {
	t.keys = slices.DeleteFunc(slices.Clone(keys), func(k *requestKey) bool { return k.request == nil })
	if len(t.keys) == 0 {
		return
	}
	names := make([]string, len(t.keys))
	for i, k := range t.keys {
		names[i] = k.request.key
	}
	query(&t.batch, "read the stored responses", new([]dbsqlc.IdempotencyListRow), func(q *dbsqlc.Queries) ([]dbsqlc.IdempotencyListRow, error) {
		rows, err := q.IdempotencyList(t.ctx, t.keys[0].request.scope, names)
		for i, r := range rows {
			for _, k := range t.keys {
				if k.request.key == r.Key {
					k.row = &rows[i]
				}
			}
		}
		return rows, err
	})
}

// storeFailures are what the failures of storing a response, or of claiming its key, mean: another transaction has written the key's row, or
// is writing it.
var storeFailures = []failure{
	{state: sqlUniqueViolation, again: true, means: stillRunning},
	{state: sqlLockNotAvailable, means: stillRunning},
}

// queueResponses queues the responses that are stored with the commit, in the order of their keys: transactions that write the
// same keys do so in the same order, and can't deadlock.
func (t *tx) queueResponses() {
	storing := slices.DeleteFunc(slices.Clone(t.keys), func(k *requestKey) bool { return k.storing == nil })
	if len(storing) == 0 {
		return
	}
	slices.SortFunc(storing, func(a, b *requestKey) int { return strings.Compare(a.request.key, b.request.key) })
	t.switchTenant(storing[0].request.scope)
	for _, k := range storing {
		k.deleteExpired()
	}
	expiresAt := t.now.Add(ResponseLifetime)
	if len(storing) == 1 {
		k, r := storing[0].request, storing[0].storing
		body, subject, version := r.pointer()
		exec(&t.batch, "store the response", func(q *dbsqlc.Queries) error {
			return q.IdempotencyInsert(t.ctx, dbsqlc.IdempotencyInsertParams{
				TenantID: k.scope, Key: k.key, Fingerprint: k.fingerprint, Status: int32(r.Status), Location: r.Location, Etag: r.ETag,
				Body: body, ChangeSubjectID: subject, ChangeVersion: version, CreatedAt: t.now, ExpiresAt: expiresAt,
			})
		}, storeFailures...)
		return
	}
	p := dbsqlc.IdempotencyInsertManyParams{TenantID: storing[0].request.scope, CreatedAt: t.now, ExpiresAt: expiresAt}
	for _, k := range storing {
		p.Keys = append(p.Keys, k.request.key)
		p.Fingerprints = append(p.Fingerprints, k.request.fingerprint)
		p.Statuses = append(p.Statuses, int32(k.storing.Status))
		p.Locations = append(p.Locations, k.storing.Location)
		p.Etags = append(p.Etags, k.storing.ETag)
		body, subject, version := k.storing.pointer()
		p.Bodies = append(p.Bodies, body)
		p.ChangeSubjectIds = append(p.ChangeSubjectIds, orZero(subject))
		p.ChangeVersions = append(p.ChangeVersions, orZero(version))
	}
	exec(&t.batch, "store the responses", func(q *dbsqlc.Queries) error { return q.IdempotencyInsertMany(t.ctx, p) }, storeFailures...)
}
