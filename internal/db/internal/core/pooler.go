package core

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"holdfast/internal/db/internal/dbsqlc"
)

// poolerRounds is how often the backends of two connections are compared. On a busy pooler two samples can differ by
// chance, one time in five or so: it must not happen in every round. Only a pooler in session mode makes them go
// through all.
const poolerRounds = 20

// maxBetweenRounds bounds the transactions between two rounds.
const maxBetweenRounds = 4

// backendWait is how long one of two connections waits for a backend while the other one keeps its own. Without an end,
// processes that start together behind a pooler with few backends would keep them all and wait for each other.
const backendWait = 3 * time.Second

// statements decides once, with the first connection, whether statements are prepared. A pooler in transaction mode
// hands each transaction to whichever backend is free, and what was prepared is on another one: then statements are
// only described once, and parsed and planned by each transaction anew, in as many round trips.
type statements struct {
	mu      sync.Mutex
	decided bool
	mode    pgx.QueryExecMode
	log     *slog.Logger
}

// apply sets the mode of a connection that is about to be made.
func (st *statements) apply(ctx context.Context, cfg *pgx.ConnConfig) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.decided {
		var pooler bool
		if err := WithPair(ctx, cfg, func(a, b *pgx.Conn) (err error) {
			pooler, err = ShareBackends(ctx, a, b)
			return err
		}); err != nil {
			return fmt.Errorf("look for a pooler: %w", err)
		}
		st.decided, st.mode = true, cfg.DefaultQueryExecMode
		if pooler {
			st.mode = pgx.QueryExecModeCacheDescribe
			st.log.Info("there is a transaction pooler in front of the database: statements are not prepared")
		}
	}
	cfg.DefaultQueryExecMode = st.mode
	return nil
}

// lost reports whether err says that the backend doesn't have a statement that the connection prepared, or has one that
// the connection didn't prepare: there is a pooler that apply hasn't noticed, or that has come since. From then on no
// statement is prepared.
func (st *statements) lost(err error) bool {
	if state := StateOf(err); state != noSuchStatement && state != statementExists {
		return false
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.decided || st.mode != pgx.QueryExecModeCacheDescribe {
		st.decided, st.mode = true, pgx.QueryExecModeCacheDescribe
		st.log.Warn("there is a transaction pooler in front of the database after all: statements are no longer prepared", "error", err)
	}
	return true
}

// ShareBackends reports whether the transactions of two connections run on the same backends in turn, as they do
// behind a pooler in transaction mode.
//
// A server tells a connection the backend's process number when it begins, but a pooler tells one of its own. Behind
// a pooler it depends on its mode and order: if it takes the backend that was used last, the second connection is
// given the first one's; if it takes turns, the first one's changes, or the second one is given it a round later.
func ShareBackends(ctx context.Context, a, b *pgx.Conn) (bool, error) {
	first, err := backend(ctx, a)
	if err != nil || uint32(first) == a.PgConn().PID() {
		return false, err
	}
	for range poolerRounds {
		if again, err := backendDuring(ctx, a, b, first); err != nil || again != first {
			return err == nil, err
		}
		// Processes that start together could keep in step, so that a always gets the backend that another process has
		// just given back.
		for range rand.IntN(maxBetweenRounds) { //nolint:gosec // chance spreads processes and protects nothing
			if again, err := backend(ctx, a); err != nil || again != first {
				return err == nil, err
			}
		}
	}
	return false, nil
}

// backendDuring returns a's backend while b is in a transaction. It returns 0 when b runs on first, which is a's, and
// when a gets no backend in time: only connections that share backends wait for one.
func backendDuring(ctx context.Context, a, b *pgx.Conn, first int32) (int32, error) {
	tx, err := b.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	other, err := backend(ctx, tx)
	if err != nil || other == first {
		return 0, err
	}
	limited, cancel := context.WithTimeout(ctx, backendWait)
	defer cancel()
	again, err := backend(limited, a)
	if limited.Err() != nil && ctx.Err() == nil {
		return 0, nil
	}
	return again, err
}

func backend(ctx context.Context, db dbsqlc.DBTX) (int32, error) {
	facts, err := dbsqlc.New(db).PreflightFacts(ctx)
	return facts.Backend, err
}

// WithPair runs use with two new connections, which prepare nothing.
func WithPair(ctx context.Context, cfg *pgx.ConnConfig, use func(a, b *pgx.Conn) error) error {
	const pair = 2
	return WithConns(ctx, cfg, pair, func(conns []*pgx.Conn) error { return use(conns[0], conns[1]) })
}

// WithConns runs use with n new connections, which prepare nothing, and send no cancel requests: PgBouncer 1.18 can end
// by one under load.
func WithConns(ctx context.Context, shared *pgx.ConnConfig, n int, use func([]*pgx.Conn) error) error {
	conns := make([]*pgx.Conn, n)
	defer func() {
		for _, conn := range conns {
			if conn != nil {
				_ = conn.Close(context.WithoutCancel(ctx))
			}
		}
	}()
	var all errgroup.Group
	for i := range conns {
		all.Go(func() (err error) {
			cfg := shared.Copy()
			cfg.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
			sendNoCancelRequests(cfg)
			conns[i], err = pgx.ConnectConfig(ctx, cfg)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return use(conns)
}
