package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres/pgtest"
)

func TestDrill_Failover_SynchronousStandbyIsPromoted_NothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	drillOn(t, func(t *testing.T, major int) {
		t.Helper()
		d, standby := newFailoverDrill(t, major)
		primary := d.machine
		for _, d.machine = range []*pgtest.Machine{standby, primary} {
			d.do(t, "wait for the standby")
		}
		d.awaitReady(t, "synchronous now: 1")
		d.open(t)
		d.book(t, "second")

		standby.Stop()
		for i, s := range d.shops {
			unknown, err := s.book(d.server, d.key("unknown", i), slot(1, d.next))
			require.NoError(t, err)
			require.Equal(t, "503 outcome_unknown", unknown.outcome())
		}
		d.awaitReady(t, "none is attached")
		printed, err := d.try(t, "see what commits wait for")
		require.ErrorContains(t, err, "exit status 1")
		require.Contains(t, printed, "commits            advice  commits wait for a standby: ")
		standby.Start(t)
		d.awaitReady(t, "synchronous now: 1")
		d.book(t, "unknown") // the same requests once more
		d.book(t, "third")

		primary.Kill()
		d.machine = standby
		d.do(t, "promote")
		d.awaitReady(t, "none is attached")
		d.do(t, "go on without a standby")
		d.awaitReady(t, "the disk of this server")
		goesOn, _ := d.feed(t, d.cursor)
		require.Equal(t, "200", goesOn.outcome(), "cursors stay valid")
		d.requireRestored(t, []string{"first", "second", "unknown", "third"}, nil)

		d.addStandby(t, major, "db1")
		d.do(t, "wait for the standby")
		d.awaitReady(t, "synchronous now: 1")
		d.book(t, "fourth")
	})
}

func TestDrill_Failover_AsynchronousStandbyIsPromoted_WhatItLackedIsLost(t *testing.T) {
	t.Parallel()
	drillOn(t, func(t *testing.T, major int) {
		t.Helper()
		d, standby := newFailoverDrill(t, major)
		primary := d.machine
		d.open(t)
		d.book(t, "second")
		eventually(t, func() bool {
			return query[int](t, standby.URL("postgres", "holdfast"),
				"SELECT count(*)::int FROM bookings")[0] == len(d.booked)
		})
		d.machine = standby
		d.sql(t, "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()") // the standby lags
		d.machine = primary
		eventually(t, func() bool { return !strings.Contains(d.do(t, "what would be lost"), "db2") })
		d.book(t, "third")

		primary.Kill()
		d.machine = standby
		d.do(t, "promote")
		d.server.stop(t)
		d.afterRestore(t)
		d.requireRestored(t, []string{"first", "second"}, []string{"third"})
	})
}

// newFailoverDrill starts a server, a primary and a standby, which isn't synchronous yet.
func newFailoverDrill(t *testing.T, major int) (d *drill, standby *pgtest.Machine) {
	t.Helper()
	d = newDrill(t, major)
	d.do(t, "replication role")
	standby = d.addStandby(t, major, "db2")
	require.Contains(t, d.do(t, "what would be lost"), "db2")
	d.hosts = []*pgtest.Machine{d.machine, standby}
	d.serve(t, "HOLDFAST_COMMIT_TIMEOUT=1s")
	return d, standby
}

// addStandby starts a standby of the drill's machine, which is the primary, and returns when it is attached.
func (d *drill) addStandby(t testing.TB, major int, name string) *pgtest.Machine {
	t.Helper()
	primary := d.machine
	standby := pgtest.NewMachine(t, programsOf(t, major))
	d.makeDir(t, standby.Data)
	d.variables["PRIMARY"], d.variables["SELF"] = primary.Dir, name
	clients, version := clientsOf(t, "pg_basebackup")
	if version < major {
		d.variables["BACKUP"] += "-" + name
		d.makeDir(t, d.variables["BACKUP"])
		d.do(t, "base backup by hand")
		d.machine = standby
		d.do(t, "make the standby by hand")
	} else {
		d.clients, d.machine = clients, standby
		d.do(t, "make the standby")
	}
	standby.Start(t)
	d.machine = primary
	eventually(t, func() bool {
		return query[int](t, d.url(), "SELECT count(*)::int FROM pg_stat_replication WHERE state = 'streaming'")[0] == 1
	})
	return standby
}

// awaitReady returns when /readyz says what it should. It answers 503 only where it says that no standby is attached.
func (d *drill) awaitReady(t testing.TB, says string) {
	t.Helper()
	var a answer
	defer func() { t.Logf("/readyz: %s", a) }()
	eventually(t, func() bool {
		var err error
		a, err = d.server.send(http.MethodGet, "/readyz", "", "", nil)
		require.NoError(t, err)
		return strings.Contains(string(a.body), says)
	})
	wanted := http.StatusOK
	if says == "none is attached" {
		wanted = http.StatusServiceUnavailable
	}
	require.Equal(t, wanted, a.status, "%s", a)
}
