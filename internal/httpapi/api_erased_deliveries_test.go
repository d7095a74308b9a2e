package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// delivered waits until nothing is left to deliver of what was told.
func (c client) delivered(t testingT) {
	t.Helper()
	require.Eventually(t, func() bool {
		return c.count(t, "SELECT count(*) FROM changes WHERE subject_type <> 'webhook_endpoint'") ==
			c.count(t, "SELECT count(*) FROM scheduled_events WHERE kind = 'webhook.delivery' AND status = 'completed'")
	}, time.Minute, 20*time.Millisecond)
}

// The erasure has been at the changes and the deliveries, and isn't committed. A worker that comes now waits for it.
func TestErase_DeliveriesThatBeginMeanwhile_RecordNothingOfThePerson(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.echoed(t)
	word := "Qzx" + strings.ReplaceAll(uuid.NewString(), "-", "")
	_, customer := c.bookFor(t, c.newService(t, "date", nil, c.newResource(t, 1)), 3,
		object{"name": word, "email": word + "@example.com"})
	ahead, err := c.sql.Begin(t.Context())
	require.NoError(t, err)
	// The erasure waits to see whether its own change has its version to itself. It writes that last.
	_, err = ahead.Exec(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		SELECT tenant_id, gen_random_uuid(), 'customer.erased', 'customer', subject_id, 2, false, now(), '{}' FROM changes
			WHERE subject_id = $1`, customer)
	require.NoError(t, err)
	erased := c.later(t, http.MethodPost, customerPath(customer)+"/erase", nil)
	c.blocked(t, 1)

	c.startWorker(t)
	require.Eventually(t, func() bool {
		waiting := c.count(t,
			"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
		return waiting > 1 || c.count(t, "SELECT count(*) FROM event_attempts") > 0
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, ahead.Rollback(t.Context()))
	(<-erased).ok(t)
	c.delivered(t)
	require.Empty(t, c.holding(t, word))
}

// An endpoint has got the person and answers only after the erasure. What it answers isn't recorded, and it gets the
// event as it is now.
func TestErase_DeliveryThatIsUnderWay_IsMadeAgainWithoutThePerson(t *testing.T) {
	t.Parallel()
	c := setup(t)
	word := "Qzx" + strings.ReplaceAll(uuid.NewString(), "-", "")
	reached, released := make(chan struct{}), make(chan struct{})
	var once sync.Once
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), word) {
			once.Do(func() { close(reached) })
			<-released
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(slow.Close)
	c.created(t, c.post(t, "/v1/webhook-endpoints", object{"url": slow.URL, "types": []any{"*"}}))
	_, customer := c.bookFor(t, c.newService(t, "date", nil, c.newResource(t, 1)), 3,
		object{"name": word, "email": word + "@example.com"})
	c.startWorker(t)
	select {
	case <-reached:
	case <-time.After(time.Minute):
		require.Fail(t, "nothing was delivered")
	}
	c.erased(t, customer)
	close(released)
	c.delivered(t)
	require.Empty(t, c.holding(t, word))
}
