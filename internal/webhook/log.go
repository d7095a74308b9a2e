package webhook

import "time"

// maxLoggedRequest bounds the part of a request's body that is logged, in bytes. The whole is in the feed.
const maxLoggedRequest = 4 << 10

// newAttemptLog returns what is logged of an exchange. Signatures are left out.
func newAttemptLog(url string, at time.Time, body []byte, response Response, failure *Failure) AttemptLog {
	l := AttemptLog{Request: &RequestLog{URL: url, Timestamp: at.UTC().Truncate(time.Second)}, TookMS: response.Took.Milliseconds()}
	l.Request.Body, l.Request.Truncated = storable(string(body), maxLoggedRequest)
	if failure != nil {
		l.Failure = failure.Reason
		return l
	}
	l.Response = &ResponseLog{
		Status: response.Status, ContentType: response.ContentType, RetryAfter: response.RetryAfter, Body: response.Body,
		Truncated: response.Truncated,
	}
	return l
}
