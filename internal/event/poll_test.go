package event_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/event"
)

// polled is what a poll finds.
func (b *testBundle) polled(t *testing.T, within time.Duration, kinds ...string) []string {
	t.Helper()
	names, err := event.PollWork(t.Context(), b.store, within, kinds)
	require.NoError(t, err)
	slices.Sort(names)
	return names
}

func TestPollWork_FindsKindsThatAreDueAndLeasesThatHaveEnded(t *testing.T) {
	t.Parallel()
	const within, longAgo = time.Minute, time.Hour
	const other = "test.other"
	of := func(kind string, r row) row { r.kind = kind; return r }
	failed := func(r row) row { r.status = "failed"; return r }
	for name, c := range map[string]struct {
		rows  func(r row) []row
		names []string
	}{
		"nothing is there":    {func(row) []row { return nil }, []string{}},
		"due later":           {func(r row) []row { return []row{r} }, []string{}},
		"due":                 {func(r row) []row { return []row{r.ready()} }, []string{testKind}},
		"due after it failed": {func(r row) []row { return []row{failed(r.ready())} }, []string{testKind}},
		"due of two tenants": {func(r row) []row { return []row{r.ready(), r.ready().of(uuid.New())} },
			[]string{testKind}},
		"due of two kinds": {func(r row) []row { return []row{r.ready(), of(other, r.ready())} },
			[]string{testKind, other}},
		"due of an unknown kind": {func(r row) []row { return []row{of("test.unknown", r.ready())} }, []string{}},
		"due long ago":           {func(r row) []row { return []row{r.overdue(longAgo)} }, []string{}},
		"dead":                   {func(r row) []row { return []row{r.ready().outOfTries()} }, []string{}},
		"lease ended": {func(r row) []row { return []row{r.abandoned(time.Second)} },
			[]string{db.WakeLeases}},
		"lease goes on":        {func(r row) []row { return []row{r.abandoned(-longLease)} }, []string{}},
		"lease ended long ago": {func(r row) []row { return []row{r.abandoned(longAgo)} }, []string{}},
		"lease of an unknown kind": {func(r row) []row { return []row{of("test.unknown", r.abandoned(time.Second))} },
			[]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if rows := c.rows(b.scheduled()); len(rows) > 0 {
				insertEach(t, rows)
			}
			require.Equal(t, c.names, b.polled(t, within, testKind, other))
		})
	}
}

func TestPollWork_FindsChangesThatTheRelayHasNotPassed_OnceReadersSeeThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = before.Rollback(t.Context()) }()
	_, err = before.Exec(t.Context(), "SELECT pg_current_xact_id()")
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		VALUES ($1, gen_random_uuid(), 'booking.created', 'booking', $2, 1, true, now(), '{}')`, b.tenant, uuid.New())
	require.NoError(t, err)
	require.Empty(t, b.polled(t, time.Minute, testKind), "a transaction before it is open")
	require.NoError(t, before.Commit(t.Context()))
	require.Eventually(t, func() bool { // a transaction of another database holds changes up, too
		return slices.Equal(b.polled(t, time.Minute, testKind), []string{db.WakeFeed})
	}, longestWait, 5*time.Millisecond)
	require.Eventually(t, func() bool {
		n, err := event.RelayFeed(t.Context(), b.store, 10)
		return err == nil && n == 1
	}, longestWait, 5*time.Millisecond)
	require.Empty(t, b.polled(t, time.Minute, testKind))
}
