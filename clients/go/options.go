package holdfast

import "net/http"

// Option says something of one request beside its parameters and its body.
type Option func(*call)

// call is a request that is being made.
type call struct {
	header   http.Header
	response *Response
}

// IdempotencyKey is the key of a POST, of at least 16 characters for a hold. Requests with the same key make one
// change. Without it a POST gets a random key, which only the method's own attempts share. Give a key, and store it
// before, if a change must not be made twice although your process ends.
func IdempotencyKey(key string) Option { return Header("Idempotency-Key", key) }

// IfMatch has a change refused with 412 version_mismatch unless what it changes has this ETag.
func IfMatch(etag string) Option { return Header("If-Match", etag) }

// IfNoneMatch has the answer left out while it would have this ETag: the method returns nil, and the status is 304.
func IfNoneMatch(etag string) Option { return Header("If-None-Match", etag) }

// Prefer asks for what the server may do: wait=5, stale=5, or return=minimal, with which a change returns nil.
func Prefer(preference string) Option {
	return func(c *call) { c.header.Add("Prefer", preference) }
}

// Header sets any other header of the request.
func Header(name, value string) Option {
	return func(c *call) { c.header.Set(name, value) }
}

// ResponseTo stores what the answer says beside its body, also that of a refusal. It is left alone without an answer.
func ResponseTo(response *Response) Option {
	return func(c *call) { c.response = response }
}

// Response is what an answer says beside its body.
type Response struct {
	// Status tells apart the successes of an operation, such as 201 and the 202 of a payment that goes on.
	Status int
	// ETag is the version of what the answer shows, for IfMatch and IfNoneMatch.
	ETag string
	// Location is the path of what was made.
	Location string
	// Replayed says that this is the stored answer of an earlier request with the same Idempotency-Key.
	Replayed bool
	// Header has all headers.
	Header http.Header
}

func responseOf(response *http.Response) Response {
	return Response{
		Status:   response.StatusCode,
		ETag:     response.Header.Get("ETag"),
		Location: response.Header.Get("Location"),
		Replayed: response.Header.Get("Idempotent-Replayed") == "true",
		Header:   response.Header,
	}
}
