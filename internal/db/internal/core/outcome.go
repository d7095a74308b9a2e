package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// Outcome is what a request came to. The use case says all of it but how HTTP answers it.
type Outcome struct {
	// Kind is what was made or changed; the API finds things of most kinds at a path. ID is that thing, of a replayed
	// outcome as far as its body tells it. Tenant is that of what the operator made in a tenant.
	Kind       string
	ID, Tenant uuid.UUID
	// Version is the thing's version, 0 for a thing without.
	Version int64
	// Made says that the request made the thing; else it changed it, or left it as it was. Open says that what the
	// request asked for goes on.
	Made, Open bool
	// Refusal says that the request was refused, which is final for its key; nil if it wasn't, and in a replayed
	// outcome: see Err.
	Refusal *problem.Document
	// Body is what the API shows of the thing. It is stored, and given again byte for byte.
	Body []byte
	// Once is shown in place of Body by the request that came to this, with a secret that is stored nowhere; nil if
	// nothing is secret.
	Once []byte
	// Replayed says that an earlier request came to this.
	Replayed bool

	answer Answer
}

// Answer is how HTTP answers an outcome, beside its body. Location and ETag may be empty.
type Answer struct {
	Status         int
	Location, ETag string
}

// Answers decides how HTTP answers outcomes. The API implements it. It is given when the database is opened, because
// answers are stored, also by workers that finish a request.
type Answers interface {
	Answer(o Outcome) Answer
}

// Answer returns how HTTP answers the outcome: the zero Answer before a transaction has decided on it.
func (o Outcome) Answer() Answer { return o.answer }

// Err returns the refusal that the outcome is, nil for one that says that the work was done or goes on.
func (o Outcome) Err() error {
	if o.Refusal != nil {
		return o.Refusal
	}
	if o.answer.Status < http.StatusBadRequest {
		return nil
	}
	document := new(problem.Document)
	if err := json.Unmarshal(o.Body, document); err != nil {
		return fmt.Errorf("read a stored refusal: %w", err)
	}
	return document
}

// idOf returns the id with which a body begins, the nil uuid if it begins otherwise.
func idOf(body []byte) (id uuid.UUID) {
	const textLength = 36
	rest, found := bytes.CutPrefix(body, []byte(`{"id":"`))
	if !found || len(rest) < textLength {
		return uuid.Nil
	}
	id, err := uuid.ParseBytes(rest[:textLength])
	if err != nil {
		return uuid.Nil
	}
	return id
}
