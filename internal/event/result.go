package event

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
)

// Status is the state of an event.
type Status string

// The statuses.
const (
	Pending    Status = "pending"
	Processing Status = "processing"
	Completed  Status = "completed"
	// Failed: the last attempt failed. The next one is made when the event is due.
	Failed Status = "failed"
	// Dead: the last of all attempts failed. A person may replay the event.
	Dead Status = "dead"
	// Cancelled: the event was cancelled, or no longer made sense when it was due.
	Cancelled Status = "cancelled"
)

// Values returns every status there is.
func (Status) Values() []string {
	return []string{string(Pending), string(Processing), string(Completed), string(Failed), string(Dead),
		string(Cancelled)}
}

// UncountedRetry as the status of a FinishedEvent makes the event due at DueAt as if it had not been leased. No event
// is stored with it.
const UncountedRetry = "uncounted_retry"

// Result is what became of an event. Its zero value means completed.
type Result struct {
	status          Status
	due             time.Time
	reason          string
	alreadyRecorded bool
	next            []db.NewEvent
	notices         []db.Change
	basedOn         BasedOn
	log             json.RawMessage
	data            json.RawMessage
}

// BasedOn is the booking and the customer that a result was made from, each zero if it was made from none.
type BasedOn struct {
	Booking, Customer SubjectVersion
}

// SubjectVersion is a version of a booking or a customer, as the API shows it.
type SubjectVersion struct {
	ID      uuid.UUID
	Version int64
}

// Done completes the event.
func Done() Result { return Result{status: Completed} }

// CancelBecause cancels the event, because it no longer makes sense. The reason is shown to the tenant.
func CancelBecause(reason string) Result { return Result{status: Cancelled, reason: reason} }

// Again makes the event due at another time. That is not a failure: attempts are counted anew.
func Again(at time.Time) Result { return Result{status: Pending, due: at} }

// RetryUncounted makes the event due at another time, as if it had not been leased: the attempt isn't counted, and
// earlier ones still are.
func RetryUncounted(at time.Time) Result { return Result{status: UncountedRetry, due: at} }

// AlreadyRecorded says that a transaction of the handler has completed, cancelled or moved the event. The worker
// records nothing.
func AlreadyRecorded() Result { return Result{alreadyRecorded: true} }

// Plan adds events that are planned in the commit that records this result. One that was planned before stays as it is,
// unless it was cancelled for a reason, or is pending and would be due later.
func (r Result) Plan(next ...db.NewEvent) Result {
	r.next = append(r.next, next...)
	return r
}

// Notify adds notices that are written in the commit that records this result.
func (r Result) Notify(n ...db.Change) Result {
	r.notices = append(r.notices, n...)
	return r
}

// BasedOn says which versions of a booking and a customer the result was made from. If one of them has another version
// when the result would be recorded, or another transaction has locked it, the result is dropped: the event is due
// again after a second, as if it had not been leased.
func (r Result) BasedOn(versions BasedOn) Result {
	r.basedOn = versions
	return r
}

// Data replaces the event's data by a JSON object, such as the progress of an event that is due again.
func (r Result) Data(data json.RawMessage) Result {
	r.data = data
	return r
}

// Log adds to the history what the attempt did, as a JSON object, which is shown to the tenant.
func (r Result) Log(attempt json.RawMessage) Result {
	r.log = attempt
	return r
}

// AttemptError is a failed attempt. Reason is shown to the tenant; the wrapped error is only logged.
type AttemptError struct {
	Reason string
	// Permanent: another attempt would fail as well, so the event is dead.
	Permanent bool
	// RetryAt is when the next attempt is made; the zero time leaves that to the kind's backoff.
	RetryAt time.Time
	// Log is what the attempt did, for the history; nil adds nothing.
	Log json.RawMessage
	Err error
}

func (e *AttemptError) Error() string {
	if e.Err == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.Err.Error()
}

func (e *AttemptError) Unwrap() error { return e.Err }

// reasonOf returns why an attempt failed, as the tenant sees it. Errors that weren't made for callers say nothing.
func reasonOf(err error) string {
	var failed *AttemptError
	var p *problem.Error
	switch {
	case errors.As(err, &failed):
		return failed.Reason
	case errors.As(err, &p):
		return p.Detail
	}
	return "The attempt failed."
}
