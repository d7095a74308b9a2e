package store

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// Actor is who asks for a change. The zero Actor is the server itself.
type Actor struct {
	// APIKeyID is the API key of the request, RequestID the id that its response carries as Request-Id.
	APIKeyID  uuid.UUID
	RequestID string
}

type actorKey struct{}

// WithActor returns a context in which the transactions that write history name the actor.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

func actorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// HistoryEntry is a change of a subject, written in the commit of the change. Its tenant is that of the transaction, its actor that of
// the context.
type HistoryEntry struct {
	SubjectType string
	SubjectID   uuid.UUID
	// Version is the subject's version after the change. A subject has one entry for each version.
	Version int64
	// Action names the change, such as booking.confirmed.
	Action string
	// Before and After are the fields that changed, as JSON objects; nil for none.
	Before, After json.RawMessage
}

// StoredHistoryEntry is an entry as it is stored.
type StoredHistoryEntry = dbsqlc.HistoryListRow

// History lists the entries of a subject that follow a version, at most limit, in the order of their versions. Errors:
// problem.DatabaseUnavailable.
func (s *Store) History(ctx context.Context, tenant, subject uuid.UUID, after int64, limit int) ([]StoredHistoryEntry, error) {
	return readOne(ctx, s, "list the history", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]StoredHistoryEntry, error) {
		return q.HistoryList(ctx, dbsqlc.HistoryListParams{TenantID: tenant, SubjectID: subject, AfterVersion: after, RowLimit: int32(limit)})
	})
}

// actedEntry is an entry with its actor: the requests of a group commit have different ones.
type actedEntry struct {
	HistoryEntry
	actor Actor
}

func (t *tx) queueHistory() {
	if len(t.events.history) == 0 {
		return
	}
	p := dbsqlc.HistoryInsertParams{TenantID: t.current, Now: t.now}
	for _, e := range t.events.history {
		p.SubjectIds = append(p.SubjectIds, e.SubjectID)
		p.Versions = append(p.Versions, e.Version)
		p.SubjectTypes = append(p.SubjectTypes, e.SubjectType)
		p.Actions = append(p.Actions, e.Action)
		p.ApiKeyIds = append(p.ApiKeyIds, e.actor.APIKeyID)
		p.RequestIds = append(p.RequestIds, e.actor.RequestID)
		p.Before = append(p.Before, string(e.Before))
		p.After = append(p.After, string(e.After))
	}
	exec(&t.batch, stmtWriteHistory, func(q *dbsqlc.Queries) error { return q.HistoryInsert(t.ctx, p) })
}
