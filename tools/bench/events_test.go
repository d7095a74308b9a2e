package main

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/tools/bench/strategies"
)

func TestOutbox_ServerBuiltWithoutIt_BooksAndWritesNoEvent(t *testing.T) {
	t.Parallel()
	b, err := start(t.Context(), 300*time.Millisecond, 0, smallSize, t.Output())
	require.NoError(t, err)
	t.Cleanup(b.stop)
	conn, err := pgx.Connect(t.Context(), b.database.URL())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	count := func() (bookings, events int) {
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM bookings), (SELECT count(*) FROM outbox_events)").Scan(&bookings, &events))
		return bookings, events
	}
	dir := t.TempDir()
	binary, err := buildWithoutOutbox(t.Context(), dir)
	require.NoError(t, err)
	without, err := startServer(t.Context(), dir, binary, b.database.URL())
	require.NoError(t, err)
	defer func() { require.NoError(t, without.Stop(startLimit)) }()

	bookings, events := count()
	for i, s := range []*server{b.server, without} {
		c := client{addr: s.addr}
		err := b.bookThrough(t.Context(), &c, strategies.Order{Seller: b.seller(0), Start: b.fixture.Day(hotDay + i)})
		c.close()
		require.NoError(t, err)
		moreBookings, moreEvents := count()
		require.Equal(t, bookings+i+1, moreBookings)
		require.Equal(t, events+1, moreEvents, "only today's server tells of a booking")
	}
}

func TestQueues_EachOfThem_CompletesAllEvents(t *testing.T) {
	t.Parallel()
	c, err := measureQueues(t.Context(), 2500, 1, t.Output())
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
		pending: []int{2 * claimsDue, 3 * claimsDue}, open: time.Second, rounds: 1, duration: 500 * time.Millisecond,
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

func TestOutbox_SourceThatChanged_IsRefused(t *testing.T) {
	t.Parallel()
	_, err := withoutOutboxIn("main.go")
	require.ErrorContains(t, err, "adapt the benchmark")
	text, err := withoutOutboxIn(filepath.Join("..", "..", filepath.FromSlash(outboxSource)))
	require.NoError(t, err)
	require.NotContains(t, text, outboxMethod)
	require.Contains(t, text, withoutOutbox)
}
