package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres/pgtest"
)

// One base backup, and three recoveries from it: after a lost machine, to a time, and to a named moment.
func TestDrill_PITR_LastTimeAndName_AreRecovered_AndBookingsGoOn(t *testing.T) {
	t.Parallel()
	drillOn(t, func(t *testing.T, major int) {
		t.Helper()
		d := newDrill(t, major)
		programs := programsOf(t, major)
		d.do(t, "archive the log")
		d.machine.Stop()
		d.machine.Start(t)
		d.serve(t)
		d.open(t)
		d.baseBackup(t, major)
		d.book(t, "second")
		d.nameMoment(t)
		d.book(t, "third") // isn't archived
		d.server.Kill()
		d.machine.Kill()

		d.recover(t, programs, "")
		d.afterRestore(t)
		d.requireRestored(t, []string{"first", "second"}, []string{"third"})
		mistake := d.mistake(t)
		d.book(t, "fourth")
		d.server.Kill()
		d.machine.Stop() // archives all

		d.recover(t, programs, "recovery_target_time = '"+mistake+"'")
		d.afterRestore(t)
		d.requireRestored(t, []string{"first", "second", "third"}, []string{"fourth"})
		d.server.Kill()
		d.machine.Stop()

		d.recover(t, programs, "recovery_target_name = 'before the import'\nrecovery_target_timeline = '1'")
		d.afterRestore(t)
		d.requireRestored(t, []string{"first", "second"}, []string{"third", "fourth"})
	})
}

// baseBackup makes one with pg_basebackup, or by hand where it is older than the server.
func (d *drill) baseBackup(t testing.TB, major int) {
	t.Helper()
	clients, version := clientsOf(t, "pg_basebackup")
	if version < major {
		t.Logf("pg_basebackup is of PostgreSQL %d: the server is copied by hand", version)
		d.do(t, "base backup by hand")
		return
	}
	d.clients = clients
	d.do(t, "base backup")
}

// logPosition is a position in PostgreSQL's log.
var logPosition = regexp.MustCompile(`[0-9A-F]+/[0-9A-F]+`)

// nameMoment names a moment, and returns when the log up to it is in the archive. Nothing more gets there.
func (d *drill) nameMoment(t testing.TB) {
	t.Helper()
	printed := logPosition.FindAllString(d.do(t, "name a moment"), -1)
	require.Len(t, printed, 2, "of the moment, and where the log was switched")
	segment := query[string](t, d.url(), "SELECT pg_walfile_name($1::text::pg_lsn - 1)", printed[1])[0]
	eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(d.variables["ARCHIVE"], segment))
		return err == nil
	})
	d.sql(t, "ALTER SYSTEM SET archive_command = 'false'", "SELECT pg_reload_conf()")
	eventually(t, func() bool { return query[string](t, d.url(), "SHOW archive_command")[0] == "false" })
}

// mistake makes an operator's mistake, and returns the time before it.
func (d *drill) mistake(t testing.TB) (before string) {
	t.Helper()
	before = query[time.Time](t, d.url(), "SELECT clock_timestamp()")[0].Format("2006-01-02 15:04:05.000000-07:00")
	d.sql(t, "DELETE FROM claims", "UPDATE bookings SET status = 'cancelled'")
	return before
}

// recover brings up another machine from the base backup and the archive.
func (d *drill) recover(t testing.TB, programs, target string) {
	t.Helper()
	d.machine = pgtest.NewMachine(t, programs)
	d.makeDir(t, d.machine.Data)
	d.variables["TARGET"] = target
	d.do(t, "recover")
	d.machine.Start(t)
	eventually(t, func() bool { return strings.TrimSpace(d.do(t, "is it ready")) == "f" })
	d.do(t, "forget the target")
	eventually(t, func() bool {
		return query[string](t, d.url(),
			"SELECT current_setting('restore_command')")[0] == ""
	})
}
