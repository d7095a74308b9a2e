package store

import (
	"bytes"
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

// WithActor returns a context in which the transactions that record changes name the actor.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

func actorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// Change is the record of a change of a subject, or a notice about it, written in the commit of what it tells of. Its tenant is that of the
// transaction, its actor that of the context.
type Change struct {
	ID   uuid.UUID
	Type string
	// SubjectType and SubjectID name what changed. Version is the subject's version after the change; a subject has one change for each
	// version.
	SubjectType string
	SubjectID   uuid.UUID
	Version     int64
	// Data is the subject after the change, as the API shows it.
	Data json.RawMessage
}

// actedChange is a change with its actor: the requests of a group commit have different ones.
type actedChange struct {
	Change
	actor Actor
}

// changeWithData returns the change whose data are a body, nil if there is none.
func changeWithData(body []byte, changes ...[]actedChange) *Change {
	for _, list := range changes {
		for i := range list {
			if bytes.Equal(list[i].Data, body) {
				return &list[i].Change
			}
		}
	}
	return nil
}

// idTaken: the id that a client chose for a booking is that of another thing, which has a change of this version.
var idTaken = failure{state: sqlUniqueViolation, means: nameInUse}

// queueChanges queues the records of what the transaction changes.
func (t *tx) queueChanges() {
	changes := t.events.changes
	switch len(changes) {
	case 0:
	case 1: // of most transactions
		c := changes[0]
		exec(&t.batch, "write the change", func(db *dbsqlc.Queries) error {
			return db.ChangeInsert(t.ctx, dbsqlc.ChangeInsertParams{
				TenantID: t.current, ChangeID: c.ID, Type: c.Type, SubjectType: c.SubjectType, SubjectID: c.SubjectID, Version: c.Version,
				ApiKeyID: c.actor.APIKeyID, RequestID: c.actor.RequestID, Now: t.now, Data: c.Data,
			})
		}, idTaken)
	default:
		p := dbsqlc.ChangeInsertManyParams{TenantID: t.current, Now: t.now}
		for _, c := range changes {
			p.ChangeIds = append(p.ChangeIds, c.ID)
			p.Types = append(p.Types, c.Type)
			p.SubjectTypes = append(p.SubjectTypes, c.SubjectType)
			p.SubjectIds = append(p.SubjectIds, c.SubjectID)
			p.Versions = append(p.Versions, c.Version)
			p.ApiKeyIds = append(p.ApiKeyIds, c.actor.APIKeyID)
			p.RequestIds = append(p.RequestIds, c.actor.RequestID)
			p.Data = append(p.Data, string(c.Data))
		}
		exec(&t.batch, "write the changes", func(db *dbsqlc.Queries) error { return db.ChangeInsertMany(t.ctx, p) }, idTaken)
	}
}

// SubjectChange is a change as it is stored, without its position in the feed.
type SubjectChange = dbsqlc.ChangeListBySubjectRow

// SubjectChanges lists the changes of a subject, without notices, that follow a version, at most limit, in the order of their versions.
// before is the change before the first of them; nil if that is the first that is stored. Errors: problem.DatabaseUnavailable.
func (s *Store) SubjectChanges(ctx context.Context, tenant, subject uuid.UUID, after int64, limit int) (before *SubjectChange, list []SubjectChange, err error) {
	list, err = readOne(ctx, s, "list the changes of a subject", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]SubjectChange,
		error) {
		return q.ChangeListBySubject(ctx, dbsqlc.ChangeListBySubjectParams{
			TenantID: tenant, SubjectID: subject, AfterVersion: after, RowLimit: int32(limit + 1),
		})
	})
	if len(list) > 0 && list[0].Version <= after {
		before, list = &list[0], list[1:]
	}
	return before, list[:min(len(list), limit)], err
}
