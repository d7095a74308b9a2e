package move_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// exec runs statements on a tenant's rows, in which 'T' is the tenant and i(n) an id.
func (c cell) exec(t testing.TB, tenant uuid.UUID, sql string) {
	t.Helper()
	_, err := c.sql.Exec(t.Context(), strings.ReplaceAll(sql, "'T'", "'"+tenant.String()+"'::uuid"))
	require.NoError(t, err)
}

func TestCopyAhead_SourceServesOn_TargetShowsNobodyTheCopy(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenants := a.newTenants(t, 2)
	there := b.newTenants(t, 1)[0]
	a.seen(t)
	m := newMove(a, b, tenants[0])
	m.run(t, stepAhead, stepAhead)
	require.Equal(t, a.rows(t, tenants[0]), b.rows(t, tenants[0]))
	a.requireServed(t, tenants[0])
	require.Equal(t, map[uuid.UUID]int{tenants[0]: 5, tenants[1]: 5}, a.claimed(t, "test"), "its workers go on")
	b.requireAway(t, tenants[0])
	b.seen(t)
	require.Equal(t, map[uuid.UUID]int{there: 5}, b.claimed(t, "test"))
	listed, err := tenant.NewService(b.store).List(t.Context(), tenant.Filter{}, uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.Equal(t, there, listed[0].ID)
}

func TestCopyAhead_WorkerHoldsAnEvent_ItComesAtTheHandOver(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	// of which an attempt is told
	a.exec(t, tenant, "UPDATE scheduled_events SET status = 'failed' WHERE event_id = I(1)")
	require.Len(t, a.claimed(t, "test"), 1)
	m := newMove(a, b, tenant)
	m.run(t, stepAhead, stepAhead)
	require.NotContains(t, b.rows(t, tenant)["scheduled_events"], "3 rows ")
	require.Equal(t, "0 rows ", b.rows(t, tenant)["event_attempts"])
	a.exec(t, tenant, "UPDATE scheduled_events SET status = 'pending', lease = NULL, leased_until = NULL")
	m.run(t, stepBegin, stepFreeze)
	before := a.rows(t, tenant)
	m.run(t, stepHandOver, stepDelete)
	require.Equal(t, before, b.rows(t, tenant))
}

func TestHandOver_RowsOfEveryKindChangedSinceTheCopy_ArriveAsTheyAre(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	a.exec(t, tenant, `
		INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
			SELECT 'T', I(n), 1, I(2), '{[1,)}', at, at + interval '1 hour'
			FROM (SELECT n, '2027-04-01'::timestamptz + n * interval '1 hour' AS at FROM generate_series(60, 63) n) s;
		INSERT INTO payments (tenant_id, payment_id, booking_id, kind, status, amount, currency, method, provider, fence, leased_until,
			first_sent_at, last_sent_at, created_at, updated_at, resolve_at)
			VALUES ('T', I(7), I(2), 'amount', 'started', 100, 'EUR', 'm', 'sandbox', 1, now(), now(), now(), now(), now(), now())`)
	m := newMove(a, b, tenant)
	m.run(t, stepAhead, stepAhead)
	for range 2 {
		a.change(t, tenant)
	}
	// Each statement is one that a copy could trip over.
	for _, change := range []struct{ what, sql string }{
		{"a claim takes the time that another left", `
			UPDATE claims SET busy_from = '2027-05-01', busy_until = '2027-05-02' WHERE owner_id = I(61);
			UPDATE claims SET busy_from = '2027-04-03 13:00+00', busy_until = '2027-04-03 14:00+00' WHERE owner_id = I(60)`},
		{"a seat goes to another session, and its session ends", `
			INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
				VALUES ('T', I(51), 1, I(1), '{[1,)}', '2027-03-02 12:00+00', '2027-03-02 13:00+00');
			UPDATE claims SET session_id = I(51), resource_id = I(51), busy_from = '2027-03-02 12:00+00', busy_until = '2027-03-02 13:00+00'
				WHERE owner_id = I(1);
			DELETE FROM claims WHERE owner_id = I(50)`},
		{"the time of a claim that ended is sold again", `
			DELETE FROM claims WHERE owner_id = I(62);
			INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
				VALUES ('T', I(49), 1, I(2), '{[1,)}', '2027-04-03 14:00+00', '2027-04-03 15:00+00')`},
		{"two customers change their emails", `
			UPDATE customers SET email = 'aside' WHERE customer_id = I(1);
			UPDATE customers SET email = '1@example.com' WHERE customer_id = I(2);
			UPDATE customers SET email = '2@example.com' WHERE customer_id = I(1)`},
		{"an attempt ends, and another begins", `
			UPDATE payments SET status = 'declined', resolve_at = NULL WHERE payment_id = I(7);
			INSERT INTO payments (tenant_id, payment_id, booking_id, kind, status, amount, currency, method, provider, fence, leased_until,
				first_sent_at, last_sent_at, created_at, updated_at, resolve_at)
				VALUES ('T', I(6), I(2), 'amount', 'started', 90, 'EUR', 'm', 'sandbox', 1, now(), now(), now(), now(), now(), now())`},
		{"an event is planned anew", `
			DELETE FROM scheduled_events WHERE event_id = I(3);
			INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone,
				attempts, version, data, created_at, updated_at)
				VALUES ('T', I(8), 'test', 'booking', I(3), '', 'pending', now(), 'UTC', 0, 1, '{}', now(), now())`},
		{"an event and its attempts are deleted",
			"DELETE FROM event_attempts; DELETE FROM scheduled_events WHERE event_id = I(1)"},
		{"a person's words are erased", `UPDATE changes SET data = '{"erased": true}' WHERE version = 1`},
		{"a key's time is over", "DELETE FROM idempotency_keys"},
		{"a service has another resource", `
			UPDATE services SET spec = '{"name": "Steam",  "kind":"slot"}';
			INSERT INTO service_resources VALUES ('T', I(1), I(3), 3)`},
		{"a logo goes, a link is used", "DELETE FROM logos; DELETE FROM sign_in_links"},
		{"a wallet is debited", `
			INSERT INTO wallet_entries (tenant_id, wallet_id, version, movement_id, type, amount, balance, held, occurred_at)
				VALUES ('T', I(1), 3, I(3), 'debited', 40, 60, 10, now());
			UPDATE wallets SET balance = 60, version = 3`},
		{"a booking is cancelled", "UPDATE bookings SET status = 'cancelled', version = 2 WHERE booking_id = I(4)"},
	} {
		t.Log(change.what)
		a.exec(t, tenant, change.sql)
	}
	m.run(t, stepBegin, stepFreeze)
	before := a.rows(t, tenant)
	m.run(t, stepHandOver, stepHandOver)
	require.Equal(t, before, b.rows(t, tenant))
	m.run(t, stepFinish, stepDelete)
	b.requireServed(t, tenant)
	a.requireNothing(t, tenant)
}

func TestHandOver_TargetDeletedOldRowsOfTheCopy_ArriveAllTheSame(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	m := newMove(a, b, tenant)
	m.run(t, stepAhead, stepFreeze)
	b.exec(t, tenant, "DELETE FROM idempotency_keys; DELETE FROM event_attempts; DELETE FROM scheduled_events WHERE status = 'dead'")
	before := a.rows(t, tenant)
	m.run(t, stepHandOver, stepHandOver)
	require.Equal(t, before, b.rows(t, tenant))
}

func TestCopyAhead_ConnectionsAreCut_GoesOnAndHasWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	m := newMove(a, b, tenant)
	commits := 0
	proxy := dbtest.NewProxy(t, b.url, func(p *dbtest.Proxy) {
		p.AfterCommit = func() bool { commits++; return commits == inTheMiddle }
	})
	cut := m
	cut.to.store = dbtest.Open(t, db.Config{URL: proxy.URL})
	require.Error(t, cut.steps()[stepAhead](t.Context()))
	b.requireAway(t, tenant)
	require.Contains(t, b.rows(t, tenant)["resources"], "3 rows ")
	require.Equal(t, "0 rows ", b.rows(t, tenant)["event_attempts"])
	require.True(t, problem.Is(m.steps()[stepHandOver](t.Context()), problem.InvalidState), "it isn't complete")
	a.exec(t, tenant, "UPDATE resources SET capacity = 9; UPDATE bookings SET version = 7; DELETE FROM logos")
	m.run(t, stepAhead, stepFreeze)
	before := a.rows(t, tenant)
	m.run(t, stepHandOver, stepDelete)
	require.Equal(t, before, b.rows(t, tenant))
	b.requireServed(t, tenant)
}

func TestCopyAhead_CopyOfAMoveThatWasAborted_IsDeletedByTheNextOne(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	first := newMove(a, b, tenant)
	first.run(t, stepAhead, stepBegin)
	require.NoError(t, first.abort(t))
	b.exec(t, tenant, "UPDATE resources SET capacity = 99") // a copy that can't be trusted
	next := newMove(a, b, tenant)
	next.run(t, stepAhead, stepFreeze)
	before := a.rows(t, tenant)
	next.run(t, stepHandOver, stepDelete)
	require.Equal(t, before, b.rows(t, tenant))
}

func TestHandOver_SourceIsOfAnotherHistory_IsRefused(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	m := newMove(a, b, tenant)
	m.run(t, stepAhead, stepFreeze)
	for _, sql := range []string{
		"UPDATE tenant_moves SET copied_from = 'another timeline'",
		"UPDATE tenant_moves SET copied_since = copied_since + 1000000", // a restore went back before the copy
	} {
		saved := b.rows(t, tenant)
		_, err := b.sql.Exec(t.Context(), sql)
		require.NoError(t, err)
		err = m.steps()[stepHandOver](t.Context())
		require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
		require.Equal(t, saved, b.rows(t, tenant))
	}
	require.NoError(t, m.abort(t))
	a.requireServed(t, tenant)
}

// A row that was written before the snapshot by a transaction that committed after it has an older number than rows of
// the copy.
func TestHandOver_TransactionWasOpenAtTheCopy_ArrivesWithIt(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	late := a.open(t, tenant)
	a.change(t, tenant)
	m := newMove(a, b, tenant)
	m.run(t, stepAhead, stepAhead)
	require.Contains(t, b.rows(t, tenant)["former_customers"], "1 rows ")
	require.NoError(t, late.Commit(t.Context()))
	m.run(t, stepBegin, stepHandOver)
	require.Contains(t, b.rows(t, tenant)["former_customers"], "2 rows ")
	require.Equal(t, a.rows(t, tenant), b.rows(t, tenant))
}

// inTheMiddle is the commit of a copy before which bookings are written, and claims aren't yet.
const inTheMiddle = 14

// copyHalf begins the copy of a move, and returns in its middle: before a commit, with the snapshot of the source open.
// goOn lets it go on, and copied then has its end.
func (m moving) copyHalf(t testing.TB) (goOn func(), copied <-chan error) {
	t.Helper()
	reached, resume := make(chan struct{}), make(chan struct{})
	commits := 0
	proxy := dbtest.NewProxy(t, m.to.url, func(p *dbtest.Proxy) {
		p.BeforeCommit = func() bool {
			if commits++; commits == inTheMiddle {
				close(reached)
				<-resume
			}
			return false
		}
	})
	m.to.store = dbtest.Open(t, db.Config{URL: proxy.URL})
	end := make(chan error, 1)
	go func() { end <- m.steps()[stepAhead](t.Context()) }()
	<-reached
	return func() { close(resume) }, end
}

func TestCopyAhead_OvertakenByAnotherMove_WritesNothingMore(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	goOn, overtaken := newMove(a, b, tenant).copyHalf(t)
	a.exec(t, tenant, "UPDATE bookings SET version = 9; UPDATE wallets SET held = 1") // its snapshot is older
	next, done := newMove(a, b, tenant), make(chan error, 1)
	go func() { done <- next.steps()[stepAhead](t.Context()) }()
	require.Eventually(t, func() bool {
		var waiting bool
		require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waiting))
		return waiting
	}, time.Minute, 5*time.Millisecond)
	goOn()
	err := <-overtaken
	require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
	require.NoError(t, <-done)
	next.run(t, stepBegin, stepFreeze)
	before := a.rows(t, tenant)
	next.run(t, stepHandOver, stepDelete)
	require.Equal(t, before, b.rows(t, tenant))
}

func TestFreeze_CopyOfAnotherTenantIsUnderWay_IsNotWaitedFor(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenants := a.newTenants(t, 2)
	a.seen(t)
	goOn, copied := newMove(a, b, tenants[0]).copyHalf(t)
	newMove(a, b, tenants[1]).run(t, stepAhead, stepDelete)
	goOn()
	require.NoError(t, <-copied)
}
