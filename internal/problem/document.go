package problem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"
)

// MediaType is the media type of problem documents.
const MediaType = "application/problem+json"

// typeBase and a code make a problem's type: a URI reference to the page on which this server explains its codes.
const typeBase = "/docs/errors#"

// Document is the body of every refusal and failure (RFC 9457). It is an error, so that a prepared one can be returned
// as such.
type Document struct {
	Type   string  `json:"type" format:"uri-reference" doc:"Where the code is explained."`
	Title  string  `json:"title" doc:"What the code means, in a few words."`
	Status int     `json:"status" doc:"The HTTP status."`
	Detail string  `json:"detail" doc:"What happened this time, for people."`
	Code   Code    `json:"code" doc:"What happened, for programs. Codes are stable."`
	Errors []Field `json:"errors,omitempty" doc:"The parts of the request that were refused."`

	// PaymentID is of declined and of open payments, DeclineCode and TryAgain of declined ones.
	PaymentID   string `json:"payment_id,omitempty" format:"uuid" doc:"With payment_declined: the payment that was declined. With payment_in_progress: the payment or refund that is open. POST /v1/payments/{id}/cancel ends a payment; a refund ends by itself."`
	DeclineCode string `json:"decline_code,omitempty" doc:"With payment_declined: the provider's reason." example:"insufficient_funds"`
	TryAgain    *bool  `json:"try_again,omitempty" doc:"With payment_declined: a new payment with the same method may succeed later."`

	// BookingIDs and BookingCount are of changes of the catalog.
	BookingIDs   []string `json:"booking_ids,omitempty" format:"uuid" doc:"With bookings_in_the_way: the bookings that stand in the way, by their beginning; at most 100."`
	BlockIDs     []string `json:"block_ids,omitempty" format:"uuid" doc:"With block_in_the_way: the other blocks."`
	BookingCount int      `json:"booking_count,omitempty" doc:"With bookings_in_the_way: how many bookings stand in the way." example:"3"`

	// Price and Fee are of changes at a price or a fee that was expected.
	Price *int64 `json:"price,omitempty" doc:"With price_changed: the price that the booking would have, in minor units of its currency." example:"4500"`
	Fee   *int64 `json:"fee,omitempty" doc:"With price_changed: what the cancellation would cost, in minor units of the booking's currency." example:"2250"`

	// Current is of changes of what has changed meanwhile.
	Current any `json:"current,omitempty" doc:"With version_mismatch: what was to be changed as it is now, as GET shows it. The header ETag is its version."`

	retryAfter time.Duration
	etag       string // of Current
	cause      error

	// body and headers are set by Prepare.
	body    []byte
	headers http.Header
}

// DocumentOf returns the document that tells a caller of an error: the error itself if it is a Document. An error that
// has no Error in its chain becomes internal_error and says nothing; the error itself goes to the log.
func DocumentOf(err error) *Document {
	var document *Document
	if errors.As(err, &document) {
		return document
	}
	var known *Error
	switch {
	case errors.As(err, &known):
	case errors.Is(err, context.Canceled):
		// The client has gone and reads no response; a 5xx would only accuse the server in its own metrics.
		known = New(RequestTimeout, "The request was given up before it was answered.")
	default:
		known = New(Internal, "")
	}
	m, ok := meanings[known.Code]
	if !ok {
		known, m = New(Internal, ""), meanings[Internal]
	}
	document = &Document{
		Type:       typeBase + string(known.Code),
		Title:      m.title,
		Status:     m.status,
		Detail:     known.Detail,
		Code:       known.Code,
		Errors:     known.Fields,
		PaymentID:  known.PaymentID,
		retryAfter: known.RetryAfter,
		cause:      err,
	}
	if m.detail != "" {
		document.Detail = m.detail
	}
	return document
}

// WithCurrent returns the document of a change that was refused because of another one. current is what was to be
// changed as it is now, etag its entity tag.
func (d *Document) WithCurrent(etag string, current any) *Document {
	changed := *d
	changed.etag, changed.Current = etag, current
	changed.body, changed.headers = nil, nil
	return &changed
}

// Error returns the cause's text, for the log.
func (d *Document) Error() string {
	if d.cause != nil {
		return d.cause.Error()
	}
	return string(d.Code) + ": " + d.Detail
}

// Unwrap returns the error that the document was made of.
func (d *Document) Unwrap() error { return d.cause }

// GetStatus returns the HTTP status.
func (d *Document) GetStatus() int { return d.Status }

// ContentType returns the media type of problem documents, whatever was negotiated.
func (d *Document) ContentType(string) string { return MediaType }

// GetHeaders returns the headers that belong to the document. Don't change them.
func (d *Document) GetHeaders() http.Header {
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
	if d.etag != "" {
		h.Set("ETag", d.etag)
	}
	return h
}

// Prepare makes the body and the headers once for a document that is sent often, and returns the document.
func (d *Document) Prepare() *Document {
	d.body, d.headers = d.JSON(), d.GetHeaders()
	return d
}

// JSON returns the document's body, without HTML escaping and with a newline at its end.
func (d *Document) JSON() []byte {
	if d.body != nil {
		return d.body
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return nil // strings and numbers always encode
	}
	return b.Bytes()
}
