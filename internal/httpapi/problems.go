package httpapi

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// problemTypeBase and a code make a problem's type: a URI reference that resolves to the page on which this
// server explains its codes.
const problemTypeBase = "/docs/errors#"

// outcome is how a code reads over HTTP.
type outcome struct {
	status int
	title  string
	// detail, where set, replaces the error's own: the answer must not depend on why.
	detail string
}

// outcomes turns every code into HTTP. It is a constant in all but Go's grammar: nothing writes to it.
// docs/errors.md tells the same to people; a test holds the two together.
var outcomes = map[problem.Code]outcome{
	problem.AlreadyExists:         {status: http.StatusConflict, title: "Already exists"},
	problem.BodyTooLarge:          {status: http.StatusRequestEntityTooLarge, title: "Request body too large"},
	problem.DatabaseUnavailable:   {status: http.StatusServiceUnavailable, title: "Database unavailable"},
	problem.Forbidden:             {status: http.StatusForbidden, title: "Forbidden"},
	problem.HoldExpired:           {status: http.StatusConflict, title: "Hold expired"},
	problem.IdempotencyKeyInvalid: {status: http.StatusBadRequest, title: "Idempotency key invalid"},
	problem.IdempotencyKeyMissing: {status: http.StatusBadRequest, title: "Idempotency key missing"},
	problem.IdempotencyKeyReused:  {status: http.StatusUnprocessableEntity, title: "Idempotency key reused"},
	problem.Internal: {
		status: http.StatusInternalServerError, title: "Internal error",
		detail: "Something went wrong on our side. The Request-Id finds it in the server's log.",
	},
	problem.InvalidState:     {status: http.StatusConflict, title: "Not possible in this state"},
	problem.LockTimeout:      {status: http.StatusServiceUnavailable, title: "Waited too long for others"},
	problem.MalformedRequest: {status: http.StatusBadRequest, title: "Malformed request"},
	problem.MethodNotAllowed: {status: http.StatusMethodNotAllowed, title: "Method not allowed"},
	problem.NotAcceptable:    {status: http.StatusNotAcceptable, title: "Not acceptable"},
	problem.NotFound: {
		status: http.StatusNotFound, title: "Not found",
		detail: "There is nothing here, or nothing that this key may see.",
	},
	problem.OutcomeUnknown:       {status: http.StatusServiceUnavailable, title: "Outcome unknown"},
	problem.OutsideBookingWindow: {status: http.StatusUnprocessableEntity, title: "Outside the booking window"},
	problem.OutsideOpeningHours:  {status: http.StatusUnprocessableEntity, title: "Outside opening hours"},
	problem.Overloaded:           {status: http.StatusServiceUnavailable, title: "Overloaded"},
	problem.Overpayment:          {status: http.StatusUnprocessableEntity, title: "More than is due"},
	problem.PaymentDeclined:      {status: http.StatusPaymentRequired, title: "Payment declined"},
	problem.PaymentInProgress:    {status: http.StatusConflict, title: "Payment in progress"},
	problem.ProviderUnavailable:  {status: http.StatusServiceUnavailable, title: "Payment provider unavailable"},
	problem.RateLimited:          {status: http.StatusTooManyRequests, title: "Too many requests"},
	problem.RefundExceedsPayment: {status: http.StatusUnprocessableEntity, title: "More than was paid"},
	problem.RequestInProgress:    {status: http.StatusConflict, title: "Request in progress"},
	problem.RequestTimeout:       {status: http.StatusRequestTimeout, title: "Request timeout"},
	problem.ShuttingDown:         {status: http.StatusServiceUnavailable, title: "Shutting down"},
	problem.SlotUnavailable:      {status: http.StatusConflict, title: "Slot unavailable"},
	problem.TooManyDates:         {status: http.StatusUnprocessableEntity, title: "Too many dates"},
	problem.Unauthenticated:      {status: http.StatusUnauthorized, title: "Unauthenticated"},
	problem.UnsupportedMediaType: {status: http.StatusUnsupportedMediaType, title: "Unsupported media type"},
	problem.ValidationFailed:     {status: http.StatusUnprocessableEntity, title: "Validation failed"},
	problem.VersionMismatch:      {status: http.StatusPreconditionFailed, title: "Version mismatch"},
}

// problemDocument is the body of every refusal and failure (RFC 9457).
type problemDocument struct {
	Type   string         `json:"type" format:"uri-reference" doc:"Where the code is explained."`
	Title  string         `json:"title" doc:"What the code means, in a few words."`
	Status int            `json:"status" doc:"The HTTP status."`
	Detail string         `json:"detail" doc:"What happened this time, for people."`
	Code   problem.Code   `json:"code" doc:"What happened, for programs. Codes are stable."`
	Errors []problemField `json:"errors,omitempty" doc:"The parts of the request that were refused."`

	PaymentID   *uuid.UUID `json:"payment_id,omitempty" format:"uuid" doc:"With payment_declined, and with a payment method that can't be used: the payment that was declined."`
	DeclineCode string     `json:"decline_code,omitempty" doc:"With payment_declined: the provider's reason." example:"insufficient_funds"`
	TryAgain    *bool      `json:"try_again,omitempty" doc:"With payment_declined: a new payment with the same method may succeed later."`

	retryAfter time.Duration
	cause      error

	// body and headers are what encode and GetHeaders return, where prepare was called.
	body    []byte
	headers http.Header
}

// problemField is one refused part of the request.
type problemField struct {
	Field  string `json:"field" doc:"Path of the field, such as customer.email."`
	Code   string `json:"code" doc:"Why it was refused, such as required."`
	Detail string `json:"detail" doc:"Why it was refused, for people."`
}

var (
	_ huma.StatusError       = (*problemDocument)(nil)
	_ huma.ContentTypeFilter = (*problemDocument)(nil)
	_ huma.HeadersError      = (*problemDocument)(nil)
)

// toProblem turns any error into the document that the caller gets. What isn't a problem.Error is an internal
// error that says nothing; the error itself goes to the log.
func toProblem(err error) *problemDocument {
	var document *problemDocument
	if errors.As(err, &document) {
		return document
	}
	var known *problem.Error
	switch {
	case errors.As(err, &known):
	case errors.Is(err, context.Canceled):
		// The client has gone and reads no answer; a 5xx would only accuse the server in its own metrics.
		known = problem.New(problem.RequestTimeout, "The request was given up before it was answered.")
	default:
		known = problem.New(problem.Internal, "")
	}
	row, ok := outcomes[known.Code]
	if !ok {
		known, row = problem.New(problem.Internal, ""), outcomes[problem.Internal]
	}
	document = &problemDocument{
		Type:       problemTypeBase + string(known.Code),
		Title:      row.title,
		Status:     row.status,
		Detail:     known.Detail,
		Code:       known.Code,
		retryAfter: known.RetryAfter,
		cause:      err,
	}
	if row.detail != "" {
		document.Detail = row.detail
	}
	for _, f := range known.Fields {
		document.Errors = append(document.Errors, problemField{Field: f.Name, Code: f.Code, Detail: f.Detail})
	}
	return document
}

// Error returns the cause's text, for the log.
func (d *problemDocument) Error() string {
	if d.cause != nil {
		return d.cause.Error()
	}
	return string(d.Code) + ": " + d.Detail
}

// Unwrap returns the error that the document was made of.
func (d *problemDocument) Unwrap() error { return d.cause }

// GetStatus returns the HTTP status.
func (d *problemDocument) GetStatus() int { return d.Status }

// ContentType returns the media type of problem documents, whatever was negotiated.
func (d *problemDocument) ContentType(string) string { return "application/problem+json" }

// GetHeaders returns the headers that belong to the document. They are not to be changed.
func (d *problemDocument) GetHeaders() http.Header {
	if d.headers != nil {
		return d.headers
	}
	h := http.Header{}
	if d.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(d.retryAfter.Seconds()))))
	}
	if d.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	return h
}

// prepare does now what else is done each time that the document is answered, and returns it.
func (d *problemDocument) prepare() *problemDocument {
	d.body, d.headers = d.encode(), d.GetHeaders()
	return d
}

// encode returns the document as huma writes it, to the byte.
func (d *problemDocument) encode() []byte {
	if d.body != nil {
		return d.body
	}
	var b bytes.Buffer
	if err := huma.DefaultJSONFormat.Marshal(&b, d); err != nil {
		return nil // strings and numbers always encode
	}
	return b.Bytes()
}

// writeProblem answers with err's problem document and ends the chain of gin handlers.
func writeProblem(c *gin.Context, err error) {
	document := toProblem(err)
	noteProblem(c.Request.Context(), document)
	for name, values := range document.GetHeaders() {
		c.Writer.Header()[name] = values
	}
	c.Abort()
	c.Data(document.Status, document.ContentType(""), document.encode())
}
