package httpapi

import (
	"github.com/google/uuid"
)

// valueOf returns the body of a request that may have none: the zero value for none.
func valueOf[B any](body *B) (b B) {
	if body != nil {
		b = *body
	}
	return b
}

// IDInput is the id in a path. It is exported because huma sees embedded structs only if they are.
type IDInput struct {
	ID uuid.UUID `path:"id" format:"uuid"`
}

func (in IDInput) pathID() uuid.UUID { return in.ID }
