package holdfast

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Retry says how requests are repeated. The zero value has the defaults.
//
// A PATCH, PUT or DELETE is repeated too. If it was carried out and only its answer was lost, then with IfMatch the
// next attempt gets 412 version_mismatch, since the version has grown, and a DELETE gets 404 not_found: read the thing
// before you conclude that another made a change.
type Retry struct {
	// Attempts is how often a request is sent at most; 0 means 5, and 1 repeats none.
	Attempts int
	// FirstPause is the longest first pause; 0 means 200 ms. Each pause may be twice as long as the one before.
	FirstPause time.Duration
	// LongestPause is the longest pause; 0 means 10 s. A response whose Retry-After is longer is returned.
	LongestPause time.Duration

	sleep func(context.Context, time.Duration) error // for tests
	draw  func() float64                             // for tests
}

// retrying is a Doer that sends a request again, with the same Idempotency-Key and body, if the network failed, after
// 503, and after 409 request_in_progress. It repeats nothing else: other answers are final. A POST without an
// Idempotency-Key is sent once.
type retrying struct {
	next Doer
	Retry
}

func newRetrying(next Doer, r Retry) *retrying {
	if r.Attempts == 0 {
		r.Attempts = 5
	}
	if r.FirstPause == 0 {
		r.FirstPause = 200 * time.Millisecond
	}
	if r.LongestPause == 0 {
		r.LongestPause = 10 * time.Second
	}
	if r.sleep == nil {
		r.sleep = sleep
	}
	if r.draw == nil {
		r.draw = rand.Float64
	}
	return &retrying{next, r}
}

// Do sends a request, and sends it again where that can help.
func (r *retrying) Do(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		var err error
		body, err = io.ReadAll(request.Body)
		_ = request.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("read the request's body: %w", err)
		}
	}
	ctx := request.Context()
	for attempt := 1; ; attempt++ {
		sent := request.Clone(ctx)
		if body != nil {
			sent.Body = io.NopCloser(bytes.NewReader(body))
		}
		response, err := r.next.Do(sent)
		unsafe := request.Method == http.MethodPost && request.Header.Get("Idempotency-Key") == ""
		if attempt >= r.Attempts || unsafe || ctx.Err() != nil {
			return response, err
		}
		pause := time.Duration(r.draw() * float64(min(r.LongestPause, r.FirstPause<<min(attempt-1, 20))))
		if err == nil {
			again, after, err := temporary(response)
			if err != nil || !again || after > r.LongestPause {
				return response, err
			}
			pause += after
			// What is read to its end leaves a connection that can be used again.
			_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
			_ = response.Body.Close()
		}
		if err := r.sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// temporary reports whether the same request may be answered otherwise later, and how long it has to wait at least.
func temporary(response *http.Response) (again bool, after time.Duration, err error) {
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		after = time.Duration(seconds) * time.Second
	}
	switch response.StatusCode {
	case http.StatusServiceUnavailable:
		return true, after, nil
	case http.StatusConflict:
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(body))
		if err != nil {
			return false, 0, fmt.Errorf("read the response: %w", err)
		}
		var problem struct{ Code ErrorCode }
		return json.Unmarshal(body, &problem) == nil && problem.Code == "request_in_progress", after, nil
	}
	return false, 0, nil
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
