package event_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/store"
)

// looked is what a look finds.
func (b *testBundle) looked(t *testing.T, within time.Duration, kinds ...string) []string {
	t.Helper()
	names, err := b.store.LookForWork(t.Context(), within, kinds)
	require.NoError(t, err)
	slices.Sort(names)
	return names
}

func TestLookForWork_FindsKindsThatAreDueAndLeasesThatHaveEnded(t *testing.T) {
	t.Parallel()
	const within, longAgo = time.Minute, time.Hour
	other := func(r row, kind string) row { r.kind = kind; return r }
	failed := func(r row) row { r.status = "failed"; return r }
	for name, c := range map[string]struct {
		rows  func(b *testBundle) []row
		names []string
	}{
		"nothing is there":    {func(*testBundle) []row { return nil }, []string{}},
		"due later":           {func(b *testBundle) []row { return []row{b.scheduled()} }, []string{}},
		"due":                 {func(b *testBundle) []row { return []row{b.scheduled().ready()} }, []string{testKind}},
		"due after it failed": {func(b *testBundle) []row { return []row{failed(b.scheduled().ready())} }, []string{testKind}},
		"due of two tenants":  {func(b *testBundle) []row { return []row{b.scheduled().ready(), b.scheduled().ready().of(uuid.New())} }, []string{testKind}},
		"due of two kinds": {func(b *testBundle) []row {
			return []row{b.scheduled().ready(), other(b.scheduled().ready(), "test.other")}
		}, []string{testKind, "test.other"}},
		"due of an unknown kind":   {func(b *testBundle) []row { return []row{other(b.scheduled().ready(), "test.unknown")} }, []string{}},
		"due long ago":             {func(b *testBundle) []row { return []row{b.scheduled().overdue(longAgo)} }, []string{}},
		"dead":                     {func(b *testBundle) []row { return []row{b.scheduled().ready().outOfTries()} }, []string{}},
		"lease ended":              {func(b *testBundle) []row { return []row{b.scheduled().abandoned(time.Second)} }, []string{store.WakeLeases}},
		"lease goes on":            {func(b *testBundle) []row { return []row{b.scheduled().abandoned(-longLease)} }, []string{}},
		"lease ended long ago":     {func(b *testBundle) []row { return []row{b.scheduled().abandoned(longAgo)} }, []string{}},
		"unknown kind, lease over": {func(b *testBundle) []row { return []row{other(b.scheduled().abandoned(time.Second), "test.unknown")} }, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if rows := c.rows(b); len(rows) > 0 {
				insertEach(t, rows)
			}
			require.Equal(t, c.names, b.looked(t, within, testKind, "test.other"))
		})
	}
}

func TestLookForWork_FindsChangesThatTheRelayHasNotPassed_OnceReadersSeeThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before, err := b.sql.Begin(t.Context()) // a transaction of another database holds changes up, too: the test doesn't expect them at once
	require.NoError(t, err)
	defer func() { _ = before.Rollback(t.Context()) }()
	_, err = before.Exec(t.Context(), "SELECT pg_current_xact_id()")
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		VALUES ($1, gen_random_uuid(), 'booking.created', 'booking', $2, 1, true, now(), '{}')`, b.tenant, uuid.New())
	require.NoError(t, err)
	require.Empty(t, b.looked(t, time.Minute, testKind), "a transaction before it is open")
	require.NoError(t, before.Commit(t.Context()))
	require.Eventually(t, func() bool { return slices.Equal(b.looked(t, time.Minute, testKind), []string{store.WakeFeed}) }, longestWait,
		5*time.Millisecond)
	require.Eventually(t, func() bool {
		n, err := b.store.RelayFeed(t.Context(), 10)
		return err == nil && n == 1
	}, longestWait, 5*time.Millisecond)
	require.Empty(t, b.looked(t, time.Minute, testKind))
}
