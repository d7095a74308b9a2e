package workload

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"holdfast/tools/torture/history"
)

// answerLimit is how long a client waits for an answer: longer than a server needs that is well, shorter than one that
// is frozen.
const answerLimit = 8 * time.Second

// Request is what an operation sends.
type Request struct {
	Method, Path string
	// Body is encoded as JSON; nil for none.
	Body any
	// IfMatch is the entity tag that the subject must have; empty for none.
	IfMatch string
	// Subject is whatever the operation wants to find again when the answer is there.
	Subject *Booking
	// Wallet is that of an operation on one wallet.
	Wallet *Wallet
	// Visitor says that a visitor of the tenant's website sends it, with the publishable key.
	Visitor bool
	// Cell is where the operator's request belongs; empty for all others.
	Cell string
}

// keyed reports whether the request has an idempotency key. A PATCH has none, and isn't repeated.
func (r Request) keyed() bool { return r.Method == http.MethodPost }

// Answer is what came of a request.
type Answer struct {
	Outcome  history.Outcome
	Status   int
	Code     string
	Replayed bool
	ETag     string
	Body     []byte
}

// outcomes503 are the codes of 503. Most say that nothing was written.
var outcomes503 = map[string]history.Outcome{
	"database_unavailable": history.Refused,
	"lock_timeout":         history.Refused,
	"shutting_down":        history.Refused,
	"tenant_moving":        history.Refused,
	"tenant_moved":         history.Refused,
	// The payment was begun, and an earlier try may have been carried out.
	"provider_unavailable": history.Unknown,
	"outcome_unknown":      history.Unknown,
}

// outcomeOf reads the contract: docs/errors.md.
func outcomeOf(status int, code string) history.Outcome {
	switch {
	case status >= http.StatusOK && status < http.StatusMultipleChoices:
		return history.Done
	case status == http.StatusServiceUnavailable && outcomes503[code] != "":
		return outcomes503[code]
	case status == http.StatusRequestTimeout:
		return history.Unknown
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		return history.Refused
	}
	return history.Unknown
}

// inProgress reports whether the answer says that another request is in progress: this one isn't refused for good.
func (a Answer) inProgress() bool {
	return a.Status == http.StatusAccepted || a.Code == "request_in_progress" || a.Code == "payment_in_progress"
}

// transport opens a connection for each request: on one that is kept the standard library would send a request with an
// idempotency key a second time by itself.
func transport() *http.Transport {
	dialer := net.Dialer{Timeout: answerLimit}
	return &http.Transport{DisableKeepAlives: true, DialContext: dialer.DialContext}
}

// send makes one request to one server and returns the answer. apiKey is the tenant's.
func send(ctx context.Context, client *http.Client, server, apiKey, key string, r Request) (answer Answer, err error) {
	var body io.Reader = http.NoBody
	if r.Body != nil {
		encoded, err := json.Marshal(r.Body)
		if err != nil {
			return answer, fmt.Errorf("encode a request: %w", err)
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, server+r.Path, body)
	if err != nil {
		return answer, fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+apiKey)
	if r.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	if r.Cell != "" {
		request.Header.Set("Holdfast-Cell", r.Cell)
	}
	if r.IfMatch != "" {
		request.Header.Set("If-Match", r.IfMatch)
	}
	answer.Outcome = history.Unknown
	response, err := client.Do(request)
	if err != nil {
		return answer, err
	}
	defer func() { _ = response.Body.Close() }()
	if answer.Body, err = io.ReadAll(response.Body); err != nil {
		return answer, err
	}
	if !json.Valid(answer.Body) {
		return answer, fmt.Errorf("an answer of status %d that is no JSON: %q", response.StatusCode, answer.Body)
	}
	answer.Status, answer.Replayed = response.StatusCode, response.Header.Get("Idempotent-Replayed") == "true"
	answer.ETag = response.Header.Get("ETag")
	if answer.Status >= http.StatusBadRequest {
		var problem struct{ Code string }
		_ = json.Unmarshal(answer.Body, &problem) // an answer without a code is judged by its status
		answer.Code = problem.Code
	}
	answer.Outcome = outcomeOf(answer.Status, answer.Code)
	return answer, nil
}
