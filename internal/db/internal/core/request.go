package core

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// ResponseLifetime is how long a stored response is given again.
const ResponseLifetime = 30 * 24 * time.Hour

// Request is a request that must not happen twice. The transaction that serves it looks for its stored response before
// it decides anything, and stores the response with its commit. A call whose request has a response returns an error,
// so that its caller goes no further; Outcome turns it into that outcome. A Request belongs to one call of a use case,
// and is not safe for concurrent use.
type Request struct {
	scope       uuid.UUID // the tenant of the key; the nil uuid is the scope of administrators
	key         string
	fingerprint []byte
	public      bool // anyone may send it

	// What the last run of a transaction came to.
	stored  *storedResponse // found under the key, nil if it was free
	outcome *Outcome        // that it decided on
	until   time.Time       // when the response to outcome expires; it tells that response from those of other requests
	refusal error           // that it decided on
}

// NewRequest returns the request with an idempotency key of a tenant, or of administrators for the nil uuid.
// fingerprint is the SHA-256 of what is asked for.
func NewRequest(scope uuid.UUID, key string, fingerprint []byte) *Request {
	return &Request{scope: scope, key: key, fingerprint: fingerprint}
}

// MakePublic says that anyone may send the request: it isn't told what became of another request with its key.
func (r *Request) MakePublic() { r.public = true }

// Key returns the idempotency key.
func (r *Request) Key() string { return r.key }

// Refused reports whether err is the refusal that a transaction decided on, after it had found the key free.
func (r *Request) Refused(err error) bool { return err != nil && errors.Is(err, r.refusal) }

// errHasResponse is the error of a call whose last transaction found the request's response. The caller stops there:
// what an earlier transaction of the call decided was not committed, or was committed by another request.
var errHasResponse = errors.New("db: the request has a response")

// CheckResponse returns err, the result of the transactions of one call, and errHasResponse if the last one found the
// request's response. Without a request it returns err.
func (r *Request) CheckResponse(err error) error {
	if err == nil && r != nil && r.stored != nil {
		return errHasResponse
	}
	return err
}

// Outcome returns the outcome that the request's last transaction found or decided on, unless err, the result of that
// transaction, says that there is none.
//
// Errors: err; problem.IdempotencyKeyReused if the key was first used for another request; problem.RequestInProgress if
// that one has no response yet.
func (r *Request) Outcome(err error) (Outcome, error) {
	switch {
	case err != nil && !errors.Is(err, errHasResponse):
		return Outcome{}, err
	case r.stored == nil && r.outcome == nil:
		// a defect of the use case
		return Outcome{}, fmt.Errorf("db: the request with the key %q has no response", r.key)
	case r.stored == nil:
		return *r.outcome, nil
	}
	if err := r.match(r.stored); err != nil {
		return Outcome{}, err
	}
	if r.stored.unfinished {
		return Outcome{}, problem.New(problem.RequestInProgress,
			"A request with the same Idempotency-Key is still running.").Retry(time.Second)
	}
	return r.stored.Outcome, nil
}

// storedResponse is a response that is stored under an idempotency key.
type storedResponse struct {
	Outcome
	fingerprint []byte
	unfinished  bool // the request has begun, and there is nothing to give again yet
}

// isOf reports whether stored is a response of the same request.
func (r *Request) isOf(stored *storedResponse) bool {
	return bytes.Equal(stored.fingerprint, r.fingerprint)
}

// match returns problem.IdempotencyKeyReused when stored is the response of another request. The error says what became
// of that one, because a client that takes it for a refusal and sends the change with a new key makes it twice.
func (r *Request) match(stored *storedResponse) error {
	if r.isOf(stored) {
		return nil
	}
	if r.public {
		return problem.New(problem.IdempotencyKeyReused,
			"This Idempotency-Key belongs to another request. This request did nothing: send it with a new random key.")
	}
	return problem.New(problem.IdempotencyKeyReused,
		"This Idempotency-Key belongs to an earlier request with another method, path or body. "+
			stored.became()+" This request did nothing.")
}

const notTwice = " If this one was meant as a repetition, don't send it with a new key: that makes the change twice."

// became says what became of the request whose response is stored.
func (stored *storedResponse) became() string {
	switch {
	case stored.unfinished:
		return "It was begun and has no answer yet. Repeat it unchanged to get its answer." + notTwice
	case stored.answer.Status >= http.StatusBadRequest:
		return fmt.Sprintf("It was refused with status %d, and that is final: another attempt needs a new key.",
			stored.answer.Status)
	case stored.answer.Location != "":
		return fmt.Sprintf("It was carried out with status %d: GET %s shows its result.", stored.answer.Status,
			stored.answer.Location) + notTwice
	}
	return fmt.Sprintf("It was carried out with status %d. Repeat it unchanged to get its answer.",
		stored.answer.Status) + notTwice
}
