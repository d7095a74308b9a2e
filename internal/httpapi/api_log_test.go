package httpapi_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app/apptest"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/problem"
)

// logBuffer is a log that several requests write to.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// line returns the line of a request.
func (l *logBuffer) line(requestID string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		if strings.Contains(line, "request_id="+requestID) {
			return line
		}
	}
	return ""
}

func TestRequestLog_StoredRefusal_HasItsCodeAlsoWhenReplayed(t *testing.T) {
	t.Parallel()
	log := new(logBuffer)
	s := serveAPI(t, apptest.Options{Log: slog.New(slog.NewTextHandler(log, nil))}, admission.Limits{})
	c := s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "slot", object{"price": 4500}, c.newResource(t, 9))
	booking := c.book(t, service, at(future(0), 10, 0)).id(t)
	for _, refused := range []struct {
		method string
		amount int
		status int
		code   problem.Code
	}{
		{"pm_declined", 4500, 402, problem.PaymentDeclined},
		{"pm_ok", 4501, 422, problem.Overpayment},
	} {
		key := uuid.NewString()
		for _, replayed := range []string{"", "true"} {
			a := c.payWith(t, booking, refused.method, refused.amount, "Idempotency-Key", key)
			require.Equal(t, refused.status, a.status, a.body)
			require.Equal(t, replayed, a.header.Get("Idempotent-Replayed"))
			id := a.header.Get("Request-Id")
			require.Eventually(t, func() bool { return log.line(id) != "" }, time.Minute, time.Millisecond)
			require.Contains(t, log.line(id), "code="+string(refused.code))
		}
	}
}
