package testtime

import (
	"testing"
	"time"
)

// longestWait is how long Receive waits: a busy machine is slow.
const longestWait = time.Minute

// Receive returns what comes from a channel, or the zero value if it is closed. It fails the test if nothing comes
// within a minute.
func Receive[T any](t testing.TB, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(longestWait):
		t.Fatal("nothing came")
	}
	return value
}
