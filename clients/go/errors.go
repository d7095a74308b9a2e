package holdfast

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Error is a refusal or failure. Code tells programs what happened; it is empty if the answer was no problem document, such as that of a
// proxy. Codes that aren't among the constants come with newer servers: treat them by the status.
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

// Decode returns what a response shows: holdfast.Decode[holdfast.Booking](client.CreateBooking(ctx, nil, body)). Its error is an *Error if
// the request was refused or failed.
func Decode[T any](response *http.Response, err error) (T, error) {
	var value T
	if err != nil {
		return value, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return value, fmt.Errorf("read the response: %w", err)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return value, errorOf(response, body)
	}
	if len(body) == 0 { // Prefer: return=minimal
		return value, nil
	}
	if err := json.Unmarshal(body, &value); err != nil {
		return value, fmt.Errorf("decode the response: %w", err)
	}
	return value, nil
}
