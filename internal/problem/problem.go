// Package problem holds the one error type that every package may return, and the problem document that a caller gets
// for it.
//
//   - problem.go: codes and the error type; it knows no HTTP.
//   - status.go: the table from code to HTTP status and title.
//   - document.go: the document (RFC 9457), for responses now and for stored ones.
package problem

import (
	"errors"
	"fmt"
	"time"
)

// Code names a kind of refusal or failure. Codes are part of the API: docs/errors.md lists them, and one
// that was released never changes its meaning.
type Code string

// The codes. docs/errors.md gives their meaning and HTTP status.
const (
	AlreadyExists          Code = "already_exists"
	DepositDue             Code = "deposit_due"
	Erased                 Code = "erased"
	BlockInTheWay          Code = "block_in_the_way"
	BodyTooLarge           Code = "body_too_large"
	BookingsInTheWay       Code = "bookings_in_the_way"
	CellRequired           Code = "cell_required"
	CursorExpired          Code = "cursor_expired"
	DatabaseUnavailable    Code = "database_unavailable"
	Forbidden              Code = "forbidden"
	HoldExpired            Code = "hold_expired"
	IdempotencyKeyInvalid  Code = "idempotency_key_invalid"
	IdempotencyKeyMissing  Code = "idempotency_key_missing"
	IdempotencyKeyReused   Code = "idempotency_key_reused"
	InsufficientFunds      Code = "insufficient_funds"
	Internal               Code = "internal_error"
	InvalidState           Code = "invalid_state"
	LockTimeout            Code = "lock_timeout"
	MalformedRequest       Code = "malformed_request"
	MethodNotAllowed       Code = "method_not_allowed"
	NotAcceptable          Code = "not_acceptable"
	NotFound               Code = "not_found"
	OutcomeUnknown         Code = "outcome_unknown"
	OutsideBookingWindow   Code = "outside_booking_window"
	OutsideOpeningHours    Code = "outside_opening_hours"
	Overloaded             Code = "overloaded"
	Overpayment            Code = "overpayment"
	PaymentDeclined        Code = "payment_declined"
	PaymentInProgress      Code = "payment_in_progress"
	PaymentAccountNotReady Code = "payment_account_not_ready"
	PaymentsNotConfigured  Code = "payments_not_configured"
	PriceChanged           Code = "price_changed"
	ProviderUnavailable    Code = "provider_unavailable"
	RateLimited            Code = "rate_limited"
	RefundExceedsPayment   Code = "refund_exceeds_payment"
	RequestInProgress      Code = "request_in_progress"
	RequestTimeout         Code = "request_timeout"
	ShuttingDown           Code = "shutting_down"
	SlotUnavailable        Code = "slot_unavailable"
	TenantMoved            Code = "tenant_moved"
	TenantMoving           Code = "tenant_moving"
	TooManyDates           Code = "too_many_dates"
	TenantSuspended        Code = "tenant_suspended"
	Unauthenticated        Code = "unauthenticated"
	UnsupportedMediaType   Code = "unsupported_media_type"
	ValidationFailed       Code = "validation_failed"
	VersionConflict        Code = "version_conflict"
	VersionMismatch        Code = "version_mismatch"
)

// Field is one part of the request that was refused.
type Field struct {
	// Name is the field's path in the request, such as "customer.email".
	Name string `json:"field" doc:"Path of the field, such as customer.email."`
	// Code names the reason within validation_failed, such as "required".
	Code string `json:"code" doc:"Why it was refused, such as required."`
	// Detail says it in words. It never repeats the value.
	Detail string `json:"detail" doc:"Why it was refused, for people."`
}

// Error is a refusal or failure with a stable code.
type Error struct {
	Code   Code
	Detail string
	Fields []Field
	// RetryAfter is how long the caller should wait before it tries again; zero says nothing about it.
	RetryAfter time.Duration
	// PaymentID is the payment that the refusal is about, empty for none.
	PaymentID string

	cause error
}

// New returns an error with a code and one sentence for the caller.
func New(code Code, detail string) *Error { return &Error{Code: code, Detail: detail} }

// Wrap returns an error with a code and one sentence for the caller that keeps its cause for the log. The
// cause is never shown to the caller.
func Wrap(cause error, code Code, detail string) *Error {
	return &Error{Code: code, Detail: detail, cause: cause}
}

// Invalid returns a validation_failed error about one field.
func Invalid(field, code, detail string) *Error {
	return &Error{
		Code:   ValidationFailed,
		Detail: "The request is not valid; see errors.",
		Fields: []Field{{Name: field, Code: code, Detail: detail}},
	}
}

// CheckRange returns a validation_failed error about a field whose value isn't from low to high.
func CheckRange[T int | int64](field string, value, low, high T) error {
	switch {
	case value < low:
		return Invalid(field, "too_small", fmt.Sprintf("Expected at least %d.", low))
	case value > high:
		return Invalid(field, "too_large", fmt.Sprintf("Expected at most %d.", high))
	}
	return nil
}

// Missing returns the not_found error. It is the same for everything that isn't there, so that an id of another
// tenant can't be told from one that doesn't exist.
func Missing() *Error { return New(NotFound, "There is no such thing.") }

// Retry says after how long the caller should try again and returns the error.
func (e *Error) Retry(after time.Duration) *Error {
	e.RetryAfter = after
	return e
}

// About names the payment that the refusal is about and returns the error.
func (e *Error) About(payment string) *Error {
	e.PaymentID = payment
	return e
}

// Error returns code, detail and cause, for the log.
func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Detail
	for _, f := range e.Fields {
		text += " [" + f.Name + ": " + f.Code + "]"
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code of the first Error in err's chain, and Internal for any other error.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Is reports whether err carries the code.
func Is(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
