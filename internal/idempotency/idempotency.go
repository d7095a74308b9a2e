// Package idempotency makes a request that is sent twice happen once. A key belongs to a tenant; the response to
// its first request is stored in the transaction that did the work, and given again, byte for byte, to every
// later request with the same key and the same content. A refusal that wrote nothing is not stored and leaves
// the key free. Keys whose life is over are deleted by a Cleanup, one instance at a time.
package idempotency

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// Lifetime is how long a stored response is given again.
const Lifetime = 30 * 24 * time.Hour

// MaxKeyBytes bounds a key's length.
const MaxKeyBytes = 255

// Request identifies a request that must not happen twice.
type Request struct {
	key         string
	fingerprint [sha256.Size]byte
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

// canonical returns a body in the form of RFC 8785: without blanks, with its names sorted and as few escapes as possible; numbers stay as they are
// written. A client that writes the same value in another way, for example after an update of its library, then repeats its request. A body that
// isn't one JSON value, or that has a name twice in one object, stays as it is, so bodies that decode differently never have the same form.
func canonical(body []byte) []byte {
	form, _ := jsontext.AppendFormat(make([]byte, 0, len(body)), body, jsontext.ReorderRawObjects(true)) // with an error, the body
	return form
}

// Key returns the Idempotency-Key.
func (r Request) Key() string { return r.key }

// Response is an HTTP response as it is stored and given again.
type Response struct {
	Status   int
	Location string
	ETag     string
	Body     []byte
	// Replayed says that the response is a stored one.
	Replayed bool
}

// NewResponse returns a response whose body is v as JSON, as every response of the API is written: without HTML escaping and
// with a newline at its end. location and etag may be empty.
func NewResponse(status int, location, etag string, v any) (Response, error) {
	body, err := Encode(v)
	return Response{Status: status, Location: location, ETag: etag, Body: body}, err
}

// Encode returns the body of a response that shows v. A change whose data are encoded so is stored once, with the response that points at
// it.
func Encode(v any) ([]byte, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode a response: %w", err)
	}
	return body.Bytes(), nil
}

// Record returns the response in the form in which it is stored at now, the database's clock.
func (r Request) Record(resp Response, now time.Time) store.StoredResponse {
	return store.StoredResponse{
		Fingerprint: r.fingerprint[:],
		Status:      resp.Status,
		Location:    resp.Location,
		ETag:        resp.ETag,
		Body:        resp.Body,
		ExpiresAt:   now.Add(Lifetime),
	}
}

// Match returns problem.IdempotencyKeyReused when a was stored for another request. The error says what became of that one, because a client that
// takes it for a refusal and sends the change with a new key makes it twice.
func (r Request) Match(a *store.StoredResponse) error {
	if bytes.Equal(a.Fingerprint, r.fingerprint[:]) {
		return nil
	}
	return problem.New(problem.IdempotencyKeyReused, "This Idempotency-Key belongs to an earlier request with another method, path or body. "+
		outcomeOf(a)+" This request did nothing. If it was meant as a repetition, don't send it with a new key: that makes the change twice.")
}

// outcomeOf says what became of the request that a was stored for.
func outcomeOf(a *store.StoredResponse) string {
	switch {
	case a.Unfinished:
		return "It was begun and has no answer yet. Repeat it unchanged to get its answer."
	case a.Status >= http.StatusBadRequest:
		return fmt.Sprintf("It was refused with status %d, and that is final. Repeated unchanged, it gets the same answer.", a.Status)
	case a.Location != "":
		return fmt.Sprintf("It was carried out with status %d: GET %s shows its result.", a.Status, a.Location)
	}
	return fmt.Sprintf("It was carried out with status %d. Repeat it unchanged to get its answer.", a.Status)
}

// Replay returns the response that was stored under the request's key. It returns problem.IdempotencyKeyReused when the
// key was first used for another request, and problem.RequestInProgress when that one has no answer yet.
func (r Request) Replay(a *store.StoredResponse) (Response, error) {
	if err := r.Match(a); err != nil {
		return Response{}, err
	}
	if a.Unfinished {
		return Response{}, inProgress()
	}
	return Response{Status: a.Status, Location: a.Location, ETag: a.ETag, Body: a.Body, Replayed: true}, nil
}

func inProgress() error {
	return problem.New(problem.RequestInProgress, "A request with the same Idempotency-Key is still running.").Retry(time.Second)
}
