package main

import (
	"bytes"
	"os/exec"
	"path"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/servertest"
	"holdfast/tools/bench/strategies"
)

func TestOmission_ServerBuiltWithoutAPart_BooksAndWritesAllElse(t *testing.T) {
	t.Parallel()
	if !soaks() {
		t.Skip("make soak builds two more servers")
	}
	b, err := start(t.Context(), briefly, 0, smallSize, t.Output())
	require.NoError(t, err)
	t.Cleanup(b.stop)
	conn, err := pgx.Connect(t.Context(), b.database.URL())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	type rows struct{ bookings, events, history int }
	count := func() (n rows) {
		require.NoError(t, conn.QueryRow(t.Context(),
			"SELECT (SELECT count(*) FROM bookings), (SELECT count(*) FROM outbox_events), (SELECT count(*) FROM history)").Scan(&n.bookings, &n.events, &n.history))
		return n
	}
	other := func(o omission) *server {
		dir := t.TempDir()
		binary, err := o.build(t.Context(), dir)
		require.NoError(t, err)
		s, err := startServer(t.Context(), dir, binary, b.database.URL())
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Stop(startLimit) })
		return s
	}
	for i, test := range []struct {
		server *server
		more   rows
	}{{b.server, rows{1, 1, 1}}, {other(withoutOutbox), rows{1, 0, 1}}, {other(withoutHistory), rows{1, 1, 0}}} {
		before := count()
		c := client{addr: test.server.addr}
		err := b.bookThrough(t.Context(), &c, strategies.Order{Seller: b.seller(0), Start: b.fixture.Day(hotDay + i)})
		c.close()
		require.NoError(t, err)
		after := count()
		more := rows{after.bookings - before.bookings, after.events - before.events, after.history - before.history}
		require.Equal(t, test.more, more, "server %d", i)
	}
}

func TestQueues_EachOfThem_CompletesAllEvents(t *testing.T) {
	t.Parallel()
	c, err := measureQueues(t.Context(), 500, 1, t.Output())
	require.NoError(t, err)
	require.Len(t, c.queues, 3)
	for _, q := range c.queues {
		require.Len(t, q.rounds, 1)
		require.Positive(t, q.rounds[0].insert)
		require.Positive(t, q.rounds[0].work)
	}
	var out bytes.Buffer
	require.NoError(t, c.write(&out))
	require.Regexp(t, `(?m)^\| Holdfast \| concurrency \d+ \| \d+ \(\d+ to \d+\) \|`, out.String())
	require.Regexp(t, `(?m)^\| × River \| \d+\.\d\d \(`, out.String())
}

func TestClaims_TwoSizes_AreMeasuredInTurnsAndBesideAnOpenTransaction(t *testing.T) {
	t.Parallel()
	c, err := measureClaims(t.Context(), eventConfig{
		pending: []int{2 * claimsDue, 3 * claimsDue}, open: briefly, rounds: 1, duration: briefly,
	}, t.Output())
	require.NoError(t, err)
	require.Len(t, c.tables, 2)
	for _, table := range c.tables {
		require.Len(t, table.rounds, 1)
		require.NotEmpty(t, table.rounds[0].oldest)
		require.NotEmpty(t, table.rounds[0].workers)
	}
	require.NotEmpty(t, c.during.workers)
	require.Positive(t, c.during.completed)
	require.Positive(t, c.dead)
	var out bytes.Buffer
	require.NoError(t, c.write(&out))
	require.Regexp(t, `(?m)^\| a worker's \| \d+\.\d, \d+\.\d \| \d+\.\d, \d+\.\d; p99 × \d+\.\d\d \(`, out.String())
	require.Regexp(t, `(?m)^\| a worker's \| \d+\.\d, \d+\.\d \| \d+\.\d, \d+\.\d \| × \d+\.\d\d \|`, out.String())
}

func TestOmission_SourceThatChanged_IsRefused(t *testing.T) {
	t.Parallel()
	root, err := servertest.Root(t.Context())
	require.NoError(t, err)
	for _, o := range []omission{withoutOutbox, withoutHistory} {
		_, err := o.in("main.go")
		require.ErrorContains(t, err, "adapt the benchmark")
		text, err := o.in(filepath.Join("..", "..", filepath.FromSlash(o.source)))
		require.NoError(t, err)
		require.NotContains(t, text, o.lines)
		require.Contains(t, text, o.others)
		// The package compiles.
		overlay, err := o.overlay(root, t.TempDir())
		require.NoError(t, err)
		compile := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-overlay", overlay, "./"+path.Dir(o.source))
		compile.Dir = root
		output, err := compile.CombinedOutput()
		require.NoError(t, err, string(output))
	}
}
