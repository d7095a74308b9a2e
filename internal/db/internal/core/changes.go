package core

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/google/uuid"
)

// Actor is who asks for a change. The zero Actor is the server itself.
type Actor struct {
	// APIKeyID is the API key of the request, RequestID the id that its response carries as Request-Id.
	APIKeyID  uuid.UUID
	RequestID string
	// UserID is the person who is signed in, the nil uuid for all others.
	UserID uuid.UUID
	// Operator is the name that the operator gave who acts for the tenant, empty for all others.
	Operator string
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

// Change is the record of a change of a subject, or a notice about it, written in the commit of what it tells of. Its
// tenant is that of the transaction, its actor that of the context.
type Change struct {
	ID   uuid.UUID
	Type string
	// SubjectType and SubjectID name what changed. Version is the subject's version after the change; a subject has one
	// change for each version.
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
