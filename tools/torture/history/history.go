// Package history is the record of a torture run: what each client asked for and what it was answered. It is kept
// outside of the program under test, on disk, and the invocation is there before its request is sent, so that no
// crash of a server, a database or the run itself can hide an operation.
package history

import (
	"encoding/json"
	"time"
)

// Outcome is what a client knows of an operation.
type Outcome string

const (
	// Done is a 2xx answer. The change is promised.
	Done Outcome = "done"
	// Refused is an answer after which the operation has changed nothing, by the contract of its status and code.
	Refused Outcome = "refused"
	// Unknown is no answer, or one that doesn't tell. The change may be there already, come later, or never.
	Unknown Outcome = "unknown"
)

// Operation is one request of one client. Times are since the start of the run, on one monotonic clock.
type Operation struct {
	// ID numbers the run's operations in the order in which they were invoked.
	ID     int64 `json:"id"`
	Client int   `json:"client"`
	// Kind names the operation: "create", "hold", "confirm", "cancel", "pay", "refund", "read" and so on.
	Kind string `json:"kind"`
	// Tenant is the tenant's id, and Key the idempotency key, empty for a read. Operations with one tenant and key are
	// tries of one request.
	Tenant string `json:"tenant"`
	Key    string `json:"key,omitempty"`
	// Server says which server process was asked.
	Server  int             `json:"server"`
	Method  string          `json:"method"`
	Path    string          `json:"path"`
	Request json.RawMessage `json:"request,omitempty"`
	// IfMatch is the entity tag that the request names, empty for none.
	IfMatch string        `json:"if_match,omitempty"`
	Invoked time.Duration `json:"invoked"`

	// Returned is zero while the operation is open.
	Returned time.Duration `json:"returned,omitempty"`
	Outcome  Outcome       `json:"outcome,omitempty"`
	// Status is the HTTP status, zero without an answer; Code the problem's code.
	Status   int    `json:"status,omitempty"`
	Code     string `json:"code,omitempty"`
	Replayed bool   `json:"replayed,omitempty"`
	// ETag is the entity tag of what is in the answer.
	ETag     string          `json:"etag,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	// Error is what went wrong without an answer.
	Error string `json:"error,omitempty"`
}
