package store

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// StoredResponse is a response stored under an idempotency key.
type StoredResponse struct {
	// Fingerprint is the SHA-256 of the request that was answered.
	Fingerprint []byte
	// Status, Location, ETag and Body are the HTTP response, to be given again as they are.
	Status   int
	Location string
	ETag     string
	Body     []byte
	// ExpiresAt is when the key may be used for another request. UTC.
	ExpiresAt time.Time
	// Unfinished says that the request has begun and is not answered: there is nothing to give again yet.
	Unfinished bool

	change *Change // whose data are the body; nil if the body is stored by itself
}

// pointer returns what is stored of the body: itself, or the change that has it.
func (r *StoredResponse) pointer() (body []byte, subject *uuid.UUID, version *int64) {
	if r.change == nil {
		return r.Body, nil, nil
	}
	return nil, &r.change.SubjectID, &r.change.Version
}

// requestKey is the idempotency key of one request in a transaction, with the response that is stored under it.
type requestKey struct {
	t       *tx
	scope   uuid.UUID // the tenant of the key; the nil uuid is the scope of administrators
	key     string
	row     *dbsqlc.IdempotencyListRow // as it was read; nil if the key is free
	storing *StoredResponse            // stored with the commit; nil stores nothing
}

// StoreResponse queues the response under the request's idempotency key. A response whose body is that of a change that was queued before
// isn't stored twice: it points at the change.
func (k *requestKey) StoreResponse(a StoredResponse) {
	if k.scope == k.t.current {
		a.change = changeWithData(a.Body, k.t.events.changes, k.t.events.written)
	}
	k.storing = &a
}

// stored returns the response that was stored before this transaction, nil if the key is free.
func (k *requestKey) stored() *StoredResponse {
	if k.row == nil || k.expired() {
		return nil
	}
	body := k.row.Body
	if body == nil {
		body = k.row.Data
	}
	return &StoredResponse{
		Fingerprint: k.row.Fingerprint, Status: int(k.row.Status), Location: k.row.Location, ETag: k.row.Etag, Body: body,
		ExpiresAt: k.row.ExpiresAt, Unfinished: k.row.Unfinished,
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
		return q.IdempotencyDeleteExpired(k.t.ctx, dbsqlc.IdempotencyDeleteExpiredParams{TenantID: k.scope, Key: k.key, Now: k.t.now})
	})
}

// readResponses queues the reading of the responses that are stored under the keys of requests. The keys have one scope; empty
// keys are left out.
func (t *tx) readResponses(keys ...*requestKey) {
	var names []string
	for _, k := range keys {
		if k.t = t; k.key != "" {
			names = append(names, k.key)
		}
	}
	t.keys = keys
	if len(names) == 0 {
		return
	}
	query(&t.batch, "read the stored responses", new([]dbsqlc.IdempotencyListRow), func(q *dbsqlc.Queries) ([]dbsqlc.IdempotencyListRow, error) {
		rows, err := q.IdempotencyList(t.ctx, keys[0].scope, names)
		for i, r := range rows {
			for _, k := range keys {
				if k.key == r.Key {
					k.row = &rows[i]
				}
			}
		}
		return rows, err
	})
}

// queueResponses queues the responses that are stored with the commit, in the order of their keys: transactions that write the
// same keys do so in the same order, and can't deadlock.
func (t *tx) queueResponses() {
	storing := slices.DeleteFunc(slices.Clone(t.keys), func(k *requestKey) bool { return k.storing == nil })
	if len(storing) == 0 {
		return
	}
	slices.SortFunc(storing, func(a, b *requestKey) int { return strings.Compare(a.key, b.key) })
	t.switchTenant(storing[0].scope)
	for _, k := range storing {
		k.deleteExpired()
	}
	if len(storing) == 1 {
		k, r := storing[0], storing[0].storing
		body, subject, version := r.pointer()
		exec(&t.batch, stmtStoreResponse, func(q *dbsqlc.Queries) error {
			return q.IdempotencyInsert(t.ctx, dbsqlc.IdempotencyInsertParams{
				TenantID: k.scope, Key: k.key, Fingerprint: r.Fingerprint, Status: int32(r.Status), Location: r.Location, Etag: r.ETag,
				Body: body, ChangeSubjectID: subject, ChangeVersion: version, CreatedAt: t.now, ExpiresAt: r.ExpiresAt,
			})
		})
		return
	}
	p := dbsqlc.IdempotencyInsertManyParams{TenantID: storing[0].scope, CreatedAt: t.now}
	for _, k := range storing {
		p.Keys = append(p.Keys, k.key)
		p.Fingerprints = append(p.Fingerprints, k.storing.Fingerprint)
		p.Statuses = append(p.Statuses, int32(k.storing.Status))
		p.Locations = append(p.Locations, k.storing.Location)
		p.Etags = append(p.Etags, k.storing.ETag)
		body, subject, version := k.storing.pointer()
		p.Bodies = append(p.Bodies, body)
		p.ChangeSubjectIds = append(p.ChangeSubjectIds, orZero(subject))
		p.ChangeVersions = append(p.ChangeVersions, orZero(version))
		p.ExpiresAt = append(p.ExpiresAt, k.storing.ExpiresAt)
	}
	exec(&t.batch, stmtStoreResponse, func(q *dbsqlc.Queries) error { return q.IdempotencyInsertMany(t.ctx, p) })
}
