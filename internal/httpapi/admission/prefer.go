package admission

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/problem"
)

// maxPreferred bounds preferences that are a time. No request runs that long.
const maxPreferred = time.Hour

// PreferredTime returns the first preference of a name, which is a number of seconds, such as wait (RFC 7240, section
// 4.3). One that can't be read, or that is 0 or more than an hour, is ignored, as section 2 asks for.
func PreferredTime(h http.Header, name string) (time.Duration, bool) {
	value, ok := Preference(h, name)
	if !ok {
		return 0, false
	}
	seconds, err := strconv.ParseUint(value, 10, 16)
	preferred := time.Duration(seconds) * time.Second
	return preferred, err == nil && preferred > 0 && preferred <= maxPreferred
}

// Preference returns the value of the first preference of a name in the Prefer headers (RFC 7240, section 2), without
// its parameters.
func Preference(h http.Header, name string) (value string, ok bool) {
	for _, line := range h.Values("Prefer") {
		for preference := range splitUnquoted(line, ',') {
			token, _, _ := strings.Cut(preference, ";") // parameters; no value that is read here has a semicolon
			found, value, _ := strings.Cut(token, "=")
			if !strings.EqualFold(strings.TrimSpace(found), name) {
				continue
			}
			value = strings.TrimSpace(value)
			if len(value) > 2 && value[0] == '"' && value[len(value)-1] == '"' { // section 2: the same as without
				value = value[1 : len(value)-1]
			}
			return value, true
		}
	}
	return "", false
}

// splitUnquoted yields the parts of a list whose separators may stand in quoted strings as well.
func splitUnquoted(list string, separator byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		quoted, start := false, 0
		for i := 0; i < len(list); i++ {
			switch {
			case list[i] == '\\' && quoted:
				i++
			case list[i] == '"':
				quoted = !quoted
			case list[i] == separator && !quoted:
				if !yield(list[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(list[start:])
	}
}

// errOutOfTime ends the work of a request whose wait deadline is over. It is a cancellation, because
// all that waits for a permit, a lock or a connection already gives up on one without leaving anything half done.
var errOutOfTime error = problem.Wrap(context.Canceled, problem.Overloaded,
	"This couldn't be done within the time that Prefer: wait gave. Nothing was written.").Retry(time.Second)

// waitContext is a request's context that ends with errOutOfTime at the wait deadline.
type waitContext struct {
	context.Context
	deadline time.Time
}

// withWaitDeadline returns a context that ends at a deadline, and what frees its timer.
func withWaitDeadline(ctx context.Context, deadline time.Time) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(time.Until(deadline), func() { cancel(errOutOfTime) })
	return waitContext{ctx, deadline}, func() {
		timer.Stop()
		cancel(nil)
	}
}

// Deadline returns the wait deadline.
func (p waitContext) Deadline() (time.Time, bool) { return p.deadline, true }

// Err tells a wait deadline that is over from a client that has gone.
func (p waitContext) Err() error {
	err := p.Context.Err()
	if err != nil && errors.Is(context.Cause(p.Context), errOutOfTime) {
		return errOutOfTime
	}
	return err
}
