// Package idempotency makes a request that is sent twice happen once. A key belongs to a tenant; the response to its
// first request is stored in the transaction that did the work, and given again, byte for byte, to every later request
// with the same key and the same content. A refusal is stored only if it is final, as those of money are; any other
// leaves the key free. Keys whose life is over are deleted by a Cleanup, one instance at a time.
package idempotency

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
)

// MaxKeyBytes bounds a key's length.
const MaxKeyBytes = 255

// MinPublicKeyBytes is the least length of a key of a public namespace: whoever guesses the key and the content of a
// request is given its stored response.
const MinPublicKeyBytes = 16

// Namespace keeps the keys of some requests of a tenant apart from all its other keys. A request that anyone may send
// must neither use up the keys of the tenant's applications nor get their stored responses.
type Namespace string

// The public namespaces. Without one, a key is of the tenant's applications.
const (
	// Website is of requests with a publishable API key.
	Website Namespace = "website"
	// Page is of requests of the pages that Holdfast serves to visitors.
	Page Namespace = "page"
)

// namespaceEnd stands behind a namespace in a stored key. It isn't printable, so that no Idempotency-Key reaches into a
// namespace.
const namespaceEnd = "\t"

// Request identifies a request that must not happen twice.
type Request struct {
	key         string
	fingerprint [sha256.Size]byte
	public      bool    // in a public namespace
	served      *served // nil without a Guard
}

// served is what a guard learns of a use case: which request its transactions served last.
type served struct{ request *db.Request }

// refused reports whether the last transaction decided on err.
func (s *served) refused(err error) bool { return s.request != nil && s.request.Refused(err) }

// DBRequest returns what a use case's transactions serve. scope is the tenant of the key, the nil uuid for
// administrators.
func (r Request) DBRequest(scope uuid.UUID) *db.Request {
	request := r.stored(scope)
	if r.served != nil {
		r.served.request = request
	}
	return request
}

func (r Request) stored(scope uuid.UUID) *db.Request {
	request := db.NewRequest(scope, r.key, r.fingerprint[:])
	if r.public {
		request.MakePublic()
	}
	return request
}

// NewRequest returns the request with the given Idempotency-Key headers and content. Its fingerprint is the
// SHA-256 of method, path and the canonical form of the body.
//
// Errors: problem.IdempotencyKeyMissing; problem.IdempotencyKeyInvalid for a key that is longer than
// MaxKeyBytes, not printable ASCII, or given twice.
func NewRequest(keys []string, method, path string, body []byte) (Request, error) {
	switch {
	case len(keys) == 0 || len(keys) == 1 && keys[0] == "":
		return Request{}, problem.New(problem.IdempotencyKeyMissing,
			"This request needs an Idempotency-Key header: a new value for every new change, the same one for every retry.")
	case len(keys) > 1:
		return Request{}, problem.New(problem.IdempotencyKeyInvalid, "There is more than one Idempotency-Key header.")
	case len(keys[0]) > MaxKeyBytes:
		return Request{}, problem.New(problem.IdempotencyKeyInvalid, "The Idempotency-Key is longer than 255 bytes.")
	}
	for _, c := range []byte(keys[0]) {
		if c < 0x20 || c > 0x7e {
			return Request{}, problem.New(problem.IdempotencyKeyInvalid, "The Idempotency-Key is not printable ASCII.")
		}
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(method), []byte(path), canonical(body)} {
		_, _ = h.Write(part) // a hash.Hash never returns an error
		_, _ = h.Write([]byte{0})
	}
	return Request{key: keys[0], fingerprint: [sha256.Size]byte(h.Sum(nil))}, nil
}

// Qualify returns the request with its key in a public namespace. The response to another request with the key stays
// secret. Errors: problem.IdempotencyKeyInvalid for a key that is shorter than MinPublicKeyBytes.
func (r Request) Qualify(n Namespace) (Request, error) {
	if len(r.key) < MinPublicKeyBytes {
		return Request{}, problem.New(problem.IdempotencyKeyInvalid, fmt.Sprintf(
			"Here the Idempotency-Key must have at least %d characters, and be hard to guess: a random UUID is best.",
			MinPublicKeyBytes))
	}
	r.key, r.public = string(n)+namespaceEnd+r.key, true
	return r, nil
}

// canonical returns a body in the form of RFC 8785: without blanks, with its names sorted and as few escapes as
// possible; numbers stay as they are written. A client that writes the same value in another way, for example after an
// update of its library, then repeats its request. A body that isn't one JSON value, or that has a name twice in one
// object, stays as it is, so bodies that decode differently never have the same form.
func canonical(body []byte) []byte {
	// with an error, the body
	form, _ := jsontext.AppendFormat(make([]byte, 0, len(body)), body, jsontext.ReorderRawObjects(true))
	return form
}

// Key returns the key as it is stored: the Idempotency-Key, behind its namespace if it is in one.
func (r Request) Key() string { return r.key }

// Outcome is what a request came to.
type Outcome = db.Outcome

// Made returns the outcome of a request that made a thing; body is what the API shows of it. version is 0 for a thing
// without.
func Made(kind string, id uuid.UUID, version int64, body any) (Outcome, error) {
	encoded, err := Encode(body)
	return Outcome{Kind: kind, ID: id, Version: version, Made: true, Body: encoded}, err
}

// Changed returns the outcome of a request that changed a thing, or left it as it was; body is what the API shows of
// it. version is 0 for a thing without.
func Changed(kind string, id uuid.UUID, version int64, body any) (Outcome, error) {
	o, err := Made(kind, id, version, body)
	o.Made = false
	return o, err
}

// Encode returns the body of a response that shows v. A change whose data are encoded so is stored once, with the
// response that points at it.
func Encode(v any) ([]byte, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode a response: %w", err)
	}
	return body.Bytes(), nil
}
