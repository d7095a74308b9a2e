package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/cell"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/postgres/pgtest"
)

// newMachines returns PostgreSQL servers of a test's own, with the programs of the server of a database.
func newMachines(t *testing.T, databaseURL string, n int) []*pgtest.Machine {
	t.Helper()
	programs := query[string](t, databaseURL, "SELECT setting FROM pg_config WHERE name = 'BINDIR'")[0]
	if _, err := os.Stat(filepath.Join(programs, "initdb")); err != nil {
		t.Skip("the programs of the server aren't on this machine")
	}
	machines := make([]*pgtest.Machine, n)
	for i := range machines {
		machines[i] = pgtest.NewMachine(t, programs)
		machines[i].Init(t)
		machines[i].Start(t)
	}
	return machines
}

// Clusters have roles, transaction ids, and a time at which they started, each of its own.
func TestServe_CellsOfSeveralClusters_AreFoundMoveAndFailAlone(t *testing.T) {
	t.Parallel()
	home := dbtest.Database(t)
	machines := newMachines(t, home, 2)
	urls := map[string]string{
		"home": home, "east": machines[0].URL("postgres", "postgres"), "west": machines[1].URL("postgres", "postgres"),
	}
	env := cellsFile(t, "home", urls["home"], "east", urls["east"], "west", urls["west"])
	dir := newDir(t)
	p := startCells(t, dir, env)
	q := startCells(t, newDir(t), env)
	shops, booked := map[string]shop{}, map[string]answer{}
	for name, url := range urls {
		shops[name] = newShop(t, p, cell.Header, name)
		booked[name] = shops[name].mustBook(t, q, "first", slot(3, 0))
		shops[name].requireSold(t, url, []string{booked[name].id()})
	}

	machines[0].Kill()
	p.awaitWarning(t, "east")
	for _, server := range []*proc{p, q} {
		refused, err := shops["east"].book(server, "down", slot(3, 1))
		require.NoError(t, err)
		require.Equal(t, "503 database_unavailable", refused.outcome())
	}
	for _, name := range []string{"home", "west"} {
		shops[name].mustBook(t, p, "down", slot(3, 1))
	}
	machines[0].Start(t)
	p.awaitWarning(t, "")
	q.awaitWarning(t, "")
	shops["east"].mustBook(t, q, "down", slot(3, 1))

	// From one of the clusters to another one, and the first one ends for good.
	moved := shops["east"]
	c := book(moved, p, q)
	c.awaitBookings(t, 5)
	m, code := run(t, dir, env, "cells", "move", "--all", "--cell", "east", "--to", "west")
	require.Zero(t, code, m.log())
	require.Contains(t, m.Stdout.String(), "Tenant "+moved.tenant.String()+" is in the cell west.")
	c.awaitBookings(t, 5)
	close(c.stop)
	c.done.Wait()
	require.Empty(t, c.errs)
	for outcome := range c.refused {
		require.Contains(t, []string{"503 tenant_moving", "503 tenant_moved"}, outcome)
	}
	require.Empty(t, query[uuid.UUID](t, urls["east"], "SELECT tenant_id FROM tenants"), "nothing is left behind")
	machines[0].Kill()
	p.awaitWarning(t, "east")
	again, err := moved.book(q, "first", slot(3, 0))
	require.NoError(t, err)
	require.Equal(t, string(booked["east"].body), string(again.body))
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	shops["west"].mustBook(t, q, "after", slot(3, 2))
	p.stop(t)
	q.stop(t)
}
