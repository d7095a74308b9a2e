package dbtest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// LockOrder is a tracer that fails a test when a transaction takes advisory locks in a way that can deadlock, whether
// or not it deadlocked this time: in the opposite order of other transactions, or a second set after it has gone on to
// do something else. It fails one, too, that waits for rows in another order than RowOrder's. Orders are remembered by
// key for each database, over all tests and DBs of the process.
type LockOrder struct {
	t     testing.TB
	graph *lockGraph
}

// lockGraphs holds the process's graphs by the database's name. Keys mean nothing outside of their database, and two
// DBs on one database have to agree.
var lockGraphs sync.Map

// NewLockOrder returns a tracer for connections to the database at url, which may lead through a proxy.
func NewLockOrder(t testing.TB, url string) *LockOrder {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	graph, _ := lockGraphs.LoadOrStore(config.Database, &lockGraph{next: make(map[int64]map[int64]string)})
	return &LockOrder{t: t, graph: graph.(*lockGraph)}
}

// TraceQueryStart sees a statement that is sent by itself.
func (o *LockOrder) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	o.see(conn, data.SQL, data.Args)
	return ctx
}

// TraceQueryEnd does nothing.
func (o *LockOrder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart does nothing.
func (o *LockOrder) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery sees a statement of a batch, in the order in which they run. One that failed counts as well:
// a transaction that gave up waiting for a lock held its other locks while it waited.
func (o *LockOrder) TraceBatchQuery(_ context.Context, conn *pgx.Conn, data pgx.TraceBatchQueryData) {
	o.see(conn, data.SQL, data.Args)
}

// TraceBatchEnd does nothing.
func (o *LockOrder) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// taken is what the transaction of a connection has locked so far.
type taken struct {
	keys   []int64
	closed bool // it has gone on to do something else
	rows   int  // the line of RowOrder that it has reached
}

var boundary = regexp.MustCompile(`(?i)^\s*(begin|start transaction|commit|rollback|end)\b`)

func (o *LockOrder) see(conn *pgx.Conn, sql string, args []any) {
	const state = "dbtest: locks taken"
	tx, _ := conn.PgConn().CustomData()[state].(*taken)
	locks := strings.Contains(sql, "pg_advisory_xact_lock($") || strings.Contains(sql, "pg_try_advisory_xact_lock($")
	switch {
	case tx == nil || boundary.MatchString(sql):
		tx = &taken{}
		conn.PgConn().CustomData()[state] = tx
		if !locks {
			return
		}
	case !locks:
		tx.closed = len(tx.keys) > 0
		if line := rowLine(sql); line >= tx.rows {
			tx.rows = line
		} else if line >= 0 {
			o.t.Errorf("lock order: a transaction keeps rows of %v, and then of %v: see RowOrder", RowOrder[tx.rows],
				RowOrder[line])
		}
		return
	}
	key, ok := args[0].(int64)
	switch {
	case !ok:
		o.t.Errorf("lock order: the key of %q can't be seen", sql)
	case slices.Contains(tx.keys, key):
		o.t.Errorf("lock order: a transaction takes lock %d twice", key)
	case tx.closed:
		o.t.Errorf("lock order: a transaction that holds %v takes lock %d after it has gone on: all locks are taken in one set", tx.keys,
			key)
	case len(tx.keys) > 0:
		if others := o.graph.add(tx.keys[len(tx.keys)-1], key, o.t.Name()); others != "" {
			o.t.Errorf("lock order: inverted: a transaction takes lock %d after %v, but others took %s", key, tx.keys,
				others)
		}
	}
	tx.keys = append(tx.keys, key)
}

// lockGraph remembers which key was taken next after which, and in what test first.
type lockGraph struct {
	mu         sync.Mutex
	next       map[int64]map[int64]string
	descending bool
}

// add remembers that b was taken after a. If b was already known to come before a, directly or over others, it returns
// the way from b to a.
func (g *lockGraph) add(a, b int64, test string) (way string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.next[a][b]; known {
		return ""
	}
	if g.next[a] == nil {
		g.next[a] = make(map[int64]string)
	}
	g.next[a][b] = test
	g.descending = g.descending || b < a
	if !g.descending {
		return "" // no circle goes up all the way; this keeps sound tests fast
	}
	return g.way(b, a, make(map[int64]bool))
}

func (g *lockGraph) way(from, to int64, been map[int64]bool) string {
	been[from] = true
	for key, test := range g.next[from] {
		step := fmt.Sprintf("%d after %d (%s)", key, from, test)
		if key == to {
			return step
		}
		if !been[key] {
			if rest := g.way(key, to, been); rest != "" {
				return step + ", " + rest
			}
		}
	}
	return ""
}
