package holdfast

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error is a refusal or failure. Code tells programs what happened; it is empty if the answer was no problem document,
// such as that of a proxy. Codes that aren't among the constants come with newer servers: treat them by the status.
type Error struct {
	Status int
	Code   ErrorCode
	Detail string
	// Problem is the whole document, nil if there is none.
	Problem *ProblemDocument
	// RequestID finds the request in the server's log.
	RequestID string
	// RetryAfter is how long to wait before the request is sent again; zero if the server doesn't say.
	RetryAfter time.Duration
}

// Error returns the code and the detail.
func (e *Error) Error() string {
	if e.Problem == nil {
		return fmt.Sprintf("holdfast: HTTP %d", e.Status)
	}
	return fmt.Sprintf("holdfast: %s: %s", e.Code, e.Detail)
}

// errorOf returns the error of a response that is no success.
func errorOf(response *http.Response, body []byte) *Error {
	e := &Error{Status: response.StatusCode, RequestID: response.Header.Get("Request-Id")}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	var problem ProblemDocument
	if json.Unmarshal(body, &problem) == nil && problem.Code != "" {
		e.Problem, e.Code, e.Detail = &problem, problem.Code, problem.Detail
	}
	return e
}
