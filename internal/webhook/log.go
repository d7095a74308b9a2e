package webhook

import "time"

// maxLoggedRequest bounds the part of a request's body that is logged, in bytes. The whole is in the feed.
const maxLoggedRequest = 4 << 10

// newAttemptLog returns what is logged of an exchange. Signatures are left out.
func newAttemptLog(url string, at time.Time, body []byte, response Response, failure *Failure) AttemptLog {
	l := AttemptLog{Request: &RequestLog{URL: url, Timestamp: at.UTC().Truncate(time.Second)},
		TookMS: response.Took.Milliseconds()}
	l.Request.Body, l.Request.Truncated = storable(string(body), maxLoggedRequest)
	if failure != nil {
		l.Failure = failure.Reason
		return l
	}
	l.Response = &ResponseLog{
		Status: response.Status, ContentType: response.ContentType, RetryAfter: response.RetryAfter,
		Body:      response.Body,
		Truncated: response.Truncated,
	}
	return l
}

// withoutBodies returns the log without what was sent and answered. An erasure, and the deletion of a tenant, take it
// out of the logs of the tenant, and not out of the operator's.
func (l AttemptLog) withoutBodies() AttemptLog {
	if l.Request != nil {
		request := *l.Request
		request.Truncated, request.Body = request.Truncated || request.Body != "", ""
		l.Request = &request
	}
	if l.Response != nil {
		response := *l.Response
		response.Truncated, response.Body = response.Truncated || response.Body != "", ""
		l.Response = &response
	}
	return l
}
