package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// Answer is a response stored under an idempotency key.
type Answer struct {
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
}

func answerOf(row dbsqlc.IdempotencyGetRow) *Answer {
	return &Answer{
		Fingerprint: row.Fingerprint,
		Status:      int(row.Status),
		Location:    row.Location,
		ETag:        row.Etag,
		Body:        row.Body,
		ExpiresAt:   row.ExpiresAt,
		Unfinished:  row.Unfinished,
	}
}

// stepPutAnswer names the statement that stores an answer. Its unique violation means that the same key was
// used by a transaction that committed first.
const stepPutAnswer = "store the answer"

// Answer returns the stored answer of a key, nil if there is none or its life is over by the database's clock.
// One round trip.
func (s *Store) Answer(ctx context.Context, tenant uuid.UUID, key string) (*Answer, error) {
	var row dbsqlc.IdempotencyGetRow
	var now time.Time
	var found, nowFound bool
	err := s.readOnly(ctx, "read an idempotency key", tenant, func(ctx context.Context, f *flight) {
		one(f, "read the clock", &now, &nowFound, func(q *dbsqlc.Queries) (time.Time, error) { return q.SessionClock(ctx) })
		addAnswer(ctx, f, tenant, key, &row, &found)
	})
	if err != nil || !found || dead(row, now) {
		return nil, err
	}
	return answerOf(row), nil
}

// dead reports whether an answer's life is over, so that its key is free. An unfinished key has none that could end.
func dead(row dbsqlc.IdempotencyGetRow, now time.Time) bool {
	return !row.Unfinished && !row.ExpiresAt.After(now)
}

func addAnswer(ctx context.Context, f *flight, tenant uuid.UUID, key string, row *dbsqlc.IdempotencyGetRow, found *bool) {
	one(f, "read the answer", row, found, func(q *dbsqlc.Queries) (dbsqlc.IdempotencyGetRow, error) {
		return q.IdempotencyGet(ctx, tenant, key)
	})
}

// addDeleteExpired makes room for an answer where a dead one is in the way.
func addDeleteExpired(ctx context.Context, f *flight, tenant uuid.UUID, key string, now time.Time) {
	exec(f, "delete the expired answer", func(q *dbsqlc.Queries) error {
		return q.IdempotencyDeleteExpired(ctx, dbsqlc.IdempotencyDeleteExpiredParams{TenantID: tenant, Key: key, Now: now})
	})
}

func addPutAnswer(ctx context.Context, f *flight, tenant uuid.UUID, key string, a Answer, now time.Time) {
	exec(f, stepPutAnswer, func(q *dbsqlc.Queries) error {
		return q.IdempotencyInsert(ctx, dbsqlc.IdempotencyInsertParams{
			TenantID:    tenant,
			Key:         key,
			Fingerprint: a.Fingerprint,
			Status:      int32(a.Status),
			Location:    a.Location,
			Etag:        a.ETag,
			Body:        a.Body,
			CreatedAt:   now,
			ExpiresAt:   a.ExpiresAt,
		})
	})
}
