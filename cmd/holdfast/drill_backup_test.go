package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres/pgtest"
)

// A dump of the oldest version is restored into each: pg_dump must not be older than the server that it dumps,
// pg_restore may be.
func TestDrill_Backup_DumpIsRestored_AndBookingsGoOn(t *testing.T) {
	t.Parallel()
	drillOn(t, func(t *testing.T, major int) {
		t.Helper()
		clients, version := clientsOf(t, "pg_dump")
		t.Logf("pg_dump %d, from PostgreSQL %d to %d", version, oldest, major)
		d := newDrill(t, oldest)
		d.clients = clients
		d.serve(t)
		d.open(t)
		d.requireOwnerCannotDump(t)
		d.do(t, "backup role")
		d.do(t, "dump")
		d.book(t, "second")
		late := d.shops[0].payUntilFinal(t, d.server, "late", d.booked[d.key("second", 0)].id(), "pm_ok")
		require.Equal(t, "201", late.outcome())
		d.server.Kill()
		d.machine.Kill()

		d.machine = pgtest.NewMachine(t, programsOf(t, major))
		d.machine.Init(t)
		d.machine.Start(t)
		printed, err := d.try(t, "restore the dump")
		require.NoError(t, err, printed)
		require.Contains(t, printed, `role "postgres" already exists`)
		d.afterRestore(t, late.id())
		d.requireRestored(t, []string{"first"}, []string{"second"})
	})
}

// requireOwnerCannotDump checks what the page warns of.
func (d *drill) requireOwnerCannotDump(t testing.TB) {
	t.Helper()
	d.pages += "\n<!-- drill: as the owner -->\n```sh\npg_dump --username=holdfast --data-only --table=bookings holdfast\n```\n" +
		"<!-- drill: with row security -->\n```sh\npg_dump --username=holdfast --enable-row-security --data-only --table=bookings " +
		"holdfast\n```\n"
	printed, err := d.try(t, "as the owner")
	require.Error(t, err)
	require.Contains(t, printed, "query would be affected by row-level security policy")
	require.NotContains(t, d.do(t, "with row security"), d.booked[d.key("first", 0)].id(), "no rows, and no error")
}

// afterRestore does what the page says, starts a server, and checks that readers of the feed begin anew and that
// payments of after the recovery point are told.
func (d *drill) afterRestore(t testing.TB, lostPayments ...string) {
	t.Helper()
	d.do(t, "before a server starts")
	d.do(t, "check")
	printed, err := d.try(t, "compare the payments")
	if len(lostPayments) > 0 {
		require.ErrorContains(t, err, "exit status 1")
	} else {
		require.NoError(t, err)
	}
	for _, id := range lostPayments {
		require.Contains(t, printed, id, "the provider took money that nobody here knows of")
	}
	// New transactions pass the ids of those that are gone: the ids alone no longer tell that the cursor is from
	// another life.
	d.sql(t, "DO $$BEGIN FOR i IN 1..2000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END$$")
	d.serve(t)
	gone, _ := d.feed(t, d.cursor)
	require.Equal(t, "410 cursor_expired", gone.outcome())
	anew, _ := d.feed(t, "")
	require.Equal(t, "200", anew.outcome())
	require.Contains(t, string(anew.body), d.booked[d.key("first", 0)].id())
}
