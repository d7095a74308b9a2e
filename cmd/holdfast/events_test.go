package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/testtime"
)

// eventsBundle is a database with two tenants.
type eventsBundle struct {
	dir, url string
	sql      *pgxpool.Pool
	a, b     uuid.UUID
}

func newEventsBundle(t *testing.T) *eventsBundle {
	t.Helper()
	b := &eventsBundle{dir: newDir(t), url: dbtest.Database(t), a: uuid.New(), b: uuid.New()}
	b.sql = dbtest.SQL(t, b.url)
	_, err := b.sql.Exec(t.Context(), `INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
		VALUES ($1, 'tenant-a', 'A', 'UTC', 'EUR', now()), ($2, 'tenant-b', 'B', 'UTC', 'EUR', now())`, b.a, b.b)
	require.NoError(t, err)
	return b
}

// insert writes n events of a tenant, due some time ago, and returns their ids.
func (b *eventsBundle) insert(t *testing.T, tenant uuid.UUID, kind, status string, since time.Duration, n int,
) []string {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = uuid.Must(uuid.NewV7()).String()
	}
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, lease, leased_until, last_error, data, created_at, updated_at)
		SELECT $1, e::uuid, $2, 'booking', gen_random_uuid(), '', $3, now() - $4 * interval '1 second', 'Europe/Berlin', 2, 3,
			CASE $3 WHEN 'processing' THEN gen_random_uuid() END, CASE $3 WHEN 'processing'
				THEN now() END, E'No\nanswer.', '{}', now(), now()
		FROM unnest($5::text[]) AS e`, tenant, kind, status, since.Seconds(), ids)
	require.NoError(t, err)
	return ids
}

// run runs holdfast events with arguments, and returns what it printed and its exit code.
func (b *eventsBundle) run(t *testing.T, arguments ...string) (printed string, code int) {
	t.Helper()
	p, code := run(t, b.dir, []string{"HOLDFAST_DATABASE_URL=" + b.url}, append([]string{"events"}, arguments...)...)
	return p.Stdout.String() + p.log(), code
}

func (b *eventsBundle) mustRun(t *testing.T, arguments ...string) string {
	t.Helper()
	printed, code := b.run(t, arguments...)
	require.Zero(t, code, printed)
	return printed
}

func (b *eventsBundle) count(t *testing.T, where string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM scheduled_events WHERE "+where,
		args...).Scan(&n))
	return n
}

func TestEventsList_TwoTenants_ShowsBothAndFiltersCompose(t *testing.T) {
	t.Parallel()
	b := newEventsBundle(t)
	reminder := b.insert(t, b.a, "booking.reminder", "dead", time.Hour, 1)[0]
	birthday := b.insert(t, b.a, "customer.birthday", "dead", 2*time.Hour, 1)[0]
	theirs := b.insert(t, b.b, "booking.reminder", "pending", -time.Hour, 1)[0]

	all := b.mustRun(t, "list")
	require.Regexp(t, reminder+
		` +tenant-a +booking.reminder +dead +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d CES?T +2 +booking [0-9a-f-]{36} +No answer\.\n`, all)
	require.Contains(t, all, birthday)
	require.Contains(t, all, theirs)
	for _, test := range []struct {
		flags []string
		want  []string
	}{
		{[]string{"--tenant=tenant-b"}, []string{theirs}},
		{[]string{"--tenant=" + b.b.String()}, []string{theirs}},
		{[]string{"--kind=booking.reminder", "--status=dead"}, []string{reminder}},
		{[]string{"--due-before=" + testtime.Now().Add(-90*time.Minute).UTC().Format(time.RFC3339)},
			[]string{birthday}},
		{[]string{"--status=completed"}, []string{}},
		{[]string{"--subject=" + uuid.NewString()}, []string{}},
	} {
		var document struct {
			Events []struct {
				ID         string
				TenantSlug string `json:"tenant_slug"`
				DueAt      string `json:"due_at"`
			}
			More bool
		}
		printed := b.mustRun(t, append([]string{"list", "--json"}, test.flags...)...)
		require.NoError(t, json.Unmarshal([]byte(printed), &document), printed)
		found := []string{}
		for _, e := range document.Events {
			found = append(found, e.ID)
		}
		require.Equal(t, test.want, found, test.flags)
		require.False(t, document.More)
	}
	require.Contains(t, b.mustRun(t, "list", "--limit=2"), "There are more than these 2")
	printed, code := b.run(t, "list", "--tenant=nobody")
	require.Equal(t, 1, code)
	require.Contains(t, printed, `there is no tenant "nobody"`)
	for _, flag := range []string{"tenant", "kind", "subject"} {
		printed, code := b.run(t, "cancel", "--all", "--"+flag+"=", "--yes")
		require.NotZero(t, code)
		require.Contains(t, printed, "--"+flag+" is empty")
	}
	require.Zero(t, b.count(t, "status = 'cancelled'"))
}

func TestEventsStats_CountsTheRows(t *testing.T) {
	t.Parallel()
	b := newEventsBundle(t)
	b.insert(t, b.a, "booking.reminder", "dead", time.Hour, 3)
	b.insert(t, b.b, "booking.reminder", "dead", time.Hour, 2)
	b.insert(t, b.a, "booking.reminder", "failed", time.Hour, 2)
	b.insert(t, b.a, "booking.reminder", "failed", -time.Hour, 1)
	printed := b.mustRun(t, "stats")
	require.Regexp(t, `booking.reminder +dead +5 +0 +– +10 +2\n`, printed)
	require.Regexp(t, `booking.reminder +failed +3 +2 +1h0m\d+s +6 +2\n`, printed)
	require.Contains(t, printed, "events: 8  due: 2  dead: 5\n")
	require.Contains(t, b.mustRun(t, "stats", "--tenant=tenant-b"), "events: 2  due: 0  dead: 2\n")
	var stats []struct {
		Status     string
		Events     int
		LagSeconds float64 `json:"lag_seconds"`
	}
	require.NoError(t, json.Unmarshal([]byte(b.mustRun(t, "stats", "--json", "--status=failed")), &stats))
	require.Len(t, stats, 1)
	require.Equal(t, 3, stats[0].Events)
	require.InDelta(t, 3600, stats[0].LagSeconds, 300)
}

func TestEventsReplay_All_ChangesWhatTheFiltersLeaveAfterYes(t *testing.T) {
	t.Parallel()
	b := newEventsBundle(t)
	b.insert(t, b.a, "booking.reminder", "dead", time.Hour, 1200) // more than one transaction, and more than one page
	b.insert(t, b.b, "booking.reminder", "dead", time.Hour, 3)
	b.insert(t, b.b, "customer.birthday", "dead", time.Hour, 4)
	b.insert(t, b.b, "booking.reminder", "completed", time.Hour, 5)
	filters := []string{"replay", "--all", "--kind=booking.reminder", "--status=dead"}
	require.Equal(t, "1203 events would be replayed. Repeat the command with --yes.\n", b.mustRun(t, filters...))
	require.Zero(t, b.count(t, "version <> 3"), "without --yes nothing is changed")
	require.Equal(t, "1203 events are to be replayed.\nReplayed 1203 events.\n",
		b.mustRun(t, append(filters, "--yes")...))
	require.Equal(t, 1203, b.count(t,
		"status = 'pending' AND due_at <= now() AND due_at > now() - interval '30 minutes' AND attempts = 0 AND version = 4 AND "+
			"last_error IS NULL"))
	require.Equal(t, 9, b.count(t, "version = 3"), "other kinds and other statuses stay")
}

func TestEventsCancel_All_SparesWhatHoldsPaymentsAndMessagesNeed(t *testing.T) {
	t.Parallel()
	b := newEventsBundle(t)
	for _, kind := range []string{
		"booking.hold_expiry", "payment.resolution", "payment.ended_booking", "wallet.credit_expiry", "message.plan",
		"message.plan_ahead",
		"booking.reminder",
	} {
		b.insert(t, b.a, kind, "pending", time.Hour, 2)
	}
	b.insert(t, b.a, "booking.reminder", "processing", time.Hour, 1)
	b.insert(t, b.a, "booking.reminder", "completed", time.Hour, 1)
	b.insert(t, b.b, "booking.reminder", "pending", time.Hour, 1)
	require.Contains(t, b.mustRun(t, "cancel", "--all", "--tenant=tenant-a", "--yes"), "Cancelled 3 events.\n")
	require.Equal(t, 3, b.count(t, `status = 'cancelled' AND kind = 'booking.reminder' AND lease IS NULL AND cancelled_on_request
		AND tenant_id = $1`, b.a))
	require.Equal(t, 13, b.count(t, "status = 'pending'"))
}

func TestEventsCancel_TenantIsAmbiguous_IsRefused(t *testing.T) {
	t.Parallel()
	b := newEventsBundle(t)
	b.insert(t, b.a, "booking.reminder", "pending", time.Hour, 1)
	b.insert(t, b.b, "booking.reminder", "pending", time.Hour, 1)
	_, err := b.sql.Exec(t.Context(), "UPDATE tenants SET slug = $1 WHERE tenant_id = $2", b.a.String(), b.b)
	require.NoError(t, err)
	printed, code := b.run(t, "cancel", "--all", "--tenant="+b.a.String(), "--yes")
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, "is the slug of one tenant and the id of another")
	require.Zero(t, b.count(t, "version <> 3"))
	b.mustRun(t, "cancel", "--all", "--tenant=tenant-a", "--yes")
	require.Equal(t, 1, b.count(t, "status = 'cancelled' AND tenant_id = $1", b.a))
}

func TestEventsChange_ByIDs_ChangesTheseOrRefusesAll(t *testing.T) {
	t.Parallel()
	b := newEventsBundle(t)
	dead := b.insert(t, b.a, "booking.reminder", "dead", time.Hour, 2)
	theirs := b.insert(t, b.b, "booking.reminder", "failed", time.Hour, 1)[0]
	held := b.insert(t, b.b, "booking.hold_expiry", "pending", time.Hour, 1)[0]
	done := b.insert(t, b.b, "booking.reminder", "completed", time.Hour, 1)[0]
	for _, test := range []struct {
		arguments []string
		message   string
		status    int
	}{
		{[]string{"cancel", dead[0], held, "--yes"}, "can't be cancelled", 1},
		{[]string{"cancel", dead[0], done, "--yes"}, "can't be cancelled any more", 1},
		{[]string{"replay", dead[0], held, "--yes"}, "it is still to come", 1},
		{[]string{"replay", dead[0], uuid.Nil.String(), "--yes"}, "there is no event", 1},
		{[]string{"replay", theirs, "--tenant=tenant-a", "--yes"}, "there is no event", 1},
		{[]string{"replay", "--yes"}, "expected either ids, or --all", 2},
		{[]string{"replay", dead[0], "--all", "--yes"}, "expected either ids, or --all", 2},
		{[]string{"replay", "--all", "--kind=booking.reminder", "--yes"}, "expected --status", 2},
		{[]string{"replay", "x", "--yes"}, "the id of an event", 2},
		{[]string{"list", "--subject=x"}, "--subject", 2},
		{[]string{"list", "--status=late"}, "--status", 2},
		{[]string{"list", "--kind=nope"}, "--kind: expected one of booking.anniversary, booking.follow_up,", 2},
		{[]string{"replay", "--all", "--kind=nope", "--status=dead", "--yes"}, "--kind: expected one of", 2},
	} {
		printed, code := b.run(t, test.arguments...)
		require.Equal(t, test.status, code, printed)
		require.Contains(t, printed, test.message, test.arguments)
	}
	require.Zero(t, b.count(t, "version <> 3"), "a refused command changes nothing")
	require.Contains(t, b.mustRun(t, "cancel", dead[0], theirs, "--yes"), "Cancelled 2 events.\n")
	require.Contains(t, b.mustRun(t, "replay", dead[0], dead[1], "--yes"), "Replayed 2 events.\n")
	require.Equal(t, 1, b.count(t, "cancelled_on_request"))
	require.Equal(t, 2, b.count(t, "status = 'pending' AND tenant_id = $1", b.a))
	require.Equal(t, 1, b.count(t, "status = 'cancelled' AND tenant_id = $1", b.b))
}

func TestEvents_BesideAServerAndAlone_UseItsDatabase(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	server := start(t, dir)
	for range 2 {
		p, code := run(t, dir, nil, "events", "stats")
		require.Zero(t, code, p.log())
		require.Contains(t, p.Stdout.String(), "events: 0  due: 0  dead: 0\n")
		if server != nil {
			server.stop(t)
		}
		server = nil
	}
}
