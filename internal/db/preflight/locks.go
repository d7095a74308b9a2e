package preflight

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

const (
	// preflightPause is how long a second connection waits for a lock that another one holds.
	preflightPause = 50 * time.Millisecond
	// beginTimeout is how long a second transaction may take to begin beside a first one.
	beginTimeout = 3 * time.Second
)

func (p *probe) lockFunctions(ctx context.Context) (string, error) {
	err := core.WithConns(ctx, p.direct, 1, func(conns []*pgx.Conn) error {
		own, err := dbsqlc.New(conns[0]).PreflightFunctions(ctx)
		if err == nil && (!own.XactLock || !own.TryLock || !own.Unlock) {
			err = &failedCheck{
				meaning: "a function in the search_path shadows PostgreSQL's own lock functions, for people, migrations and other programs",
				advice:  "drop it, or take its schema out of the search_path of the database and the role",
			}
		}
		return err
	})
	return "they are PostgreSQL's own", err
}

func (p *probe) sessionLocks(ctx context.Context) (string, error) {
	err := core.WithPair(ctx, p.direct, func(a, b *pgx.Conn) error {
		shared, err := core.ShareBackends(ctx, a, b)
		if err != nil {
			return err
		}
		if shared {
			return &failedCheck{
				meaning: "the direct connection goes through a transaction pooler, which gives a session's lock to the next client",
				advice:  "set HOLDFAST_DIRECT_DATABASE_URL to an address of PostgreSQL itself, or of a pool in session mode",
			}
		}
		return checkSessionLock(ctx, dbsqlc.New(a), dbsqlc.New(b), randomKey())
	})
	return "they exclude and stay with the direct connection", err
}

func checkSessionLock(ctx context.Context, q1, q2 *dbsqlc.Queries, key int64) error {
	wrong := func(meaning string) error {
		return &failedCheck{meaning: meaning, advice: "use PostgreSQL's own lock functions"}
	}
	switch mine, err := q1.PreflightSessionTry(ctx, key); {
	case err != nil:
		return err
	case !mine:
		return wrong("a session lock that nobody holds can't be taken")
	}
	switch theirs, err := q2.PreflightSessionTry(ctx, key); {
	case err != nil:
		return err
	case theirs:
		return wrong("a second connection got a session lock that another one holds: session locks don't exclude")
	}
	switch unlocked, err := q1.PreflightSessionUnlock(ctx, key); {
	case err != nil:
		return err
	case !unlocked:
		return wrong("a session lock doesn't stay with its connection")
	}
	switch theirs, err := q2.PreflightSessionTry(ctx, key); {
	case err != nil:
		return err
	case !theirs:
		return wrong("a session lock that was released can't be taken")
	}
	_, err := q2.PreflightSessionUnlock(ctx, key)
	return err
}

// transactionLocks has a second connection ask for a lock that a first one holds. The database ends the wait, so that a
// slow machine changes nothing: the lock is not available, or the function doesn't exclude.
func (p *probe) transactionLocks(ctx context.Context) (string, error) {
	key := randomKey()
	err := p.besideEachOther(ctx, func(first, second pgx.Tx) error {
		if err := dbsqlc.New(first).PreflightLock(ctx, key); err != nil {
			return err
		}
		q := dbsqlc.New(second)
		if err := q.SessionLockTimeout(ctx, strconv.FormatInt(preflightPause.Milliseconds(), 10)); err != nil {
			return err
		}
		err := q.PreflightLock(ctx, key)
		switch {
		case core.StateOf(err) == core.LockNotAvailable:
			err = nil
		case err == nil:
			err = &failedCheck{
				meaning: "a second connection got a lock that another one holds: transaction locks don't exclude",
				advice:  "use PostgreSQL's own lock functions",
			}
		}
		return cmp.Or(err, second.Rollback(ctx), first.Rollback(ctx))
	})
	return "they exclude", err
}

func (p *probe) visibility(ctx context.Context) (string, error) {
	if _, err := p.commits(ctx); err != nil { // the COMMIT below would wait too
		return "", err
	}
	// The row is an idempotency key that no request can have. It isn't expired, because another server may be deleting
	// expired keys.
	name, now := "preflight "+uuid.NewString(), time.Now()
	expiresAt := now.Add(time.Hour)
	err := p.handOver(ctx, func(q *dbsqlc.Queries) error {
		if err := q.SessionTenantUnfenced(ctx, uuid.Nil.String()); err != nil {
			return err
		}
		return q.PreflightKeyInsert(ctx, dbsqlc.PreflightKeyInsertParams{
			TenantID: uuid.Nil, Key: name, Fingerprint: make([]byte, 32), Now: now, ExpiresAt: expiresAt,
		})
	}, func(q *dbsqlc.Queries) error {
		if err := q.SessionTenantUnfenced(ctx, uuid.Nil.String()); err != nil {
			return err
		}
		if rows, err := q.IdempotencyList(ctx, uuid.Nil, []string{name}); err != nil || len(rows) == 0 {
			return &failedCheck{
				meaning: "what was committed under a lock isn't seen by the next holder",
				advice:  "use an address at which every connection reaches one primary",
				cause:   err,
			}
		}
		return q.IdempotencyDeleteExpired(ctx,
			dbsqlc.IdempotencyDeleteExpiredParams{TenantID: uuid.Nil, Key: name, Now: expiresAt})
	})
	return "what is committed under a lock is seen by the next holder", err
}

// handOver passes a transaction lock of a random key from one connection to another. holding runs while the first
// holds it and the second waits; next runs when the second has it.
func (p *probe) handOver(ctx context.Context, holding, next func(q *dbsqlc.Queries) error) error {
	key := randomKey()
	return p.besideEachOther(ctx, func(first, second pgx.Tx) error {
		q1, q2 := dbsqlc.New(first), dbsqlc.New(second)
		if err := q1.PreflightLock(ctx, key); err != nil {
			return err
		}
		var lockErr error
		taken := make(chan struct{})
		go func() {
			defer close(taken)
			lockErr = q2.PreflightLock(ctx, key)
		}()
		if err := holding(q1); err != nil {
			_ = first.Rollback(ctx) // err says more
			<-taken
			return cmp.Or(lockErr, err)
		}
		err := first.Commit(ctx)
		<-taken
		if err != nil {
			return err
		}
		if lockErr != nil {
			return lockErr
		}
		if err := next(q2); err != nil {
			return err
		}
		return second.Commit(ctx)
	})
}

// besideEachOther runs work with a transaction of each of two connections to one server.
func (p *probe) besideEachOther(ctx context.Context, work func(first, second pgx.Tx) error) error {
	return core.WithPair(ctx, p.url, func(a, b *pgx.Conn) error {
		first, err := a.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite})
		if err != nil {
			return err
		}
		second, err := beginBeside(ctx, b)
		if err != nil {
			return err
		}
		if err := checkSameServer(ctx, dbsqlc.New(first), dbsqlc.New(second)); err != nil {
			return err
		}
		return work(first, second)
	})
}

// beginBeside begins a transaction while another one is open, for which a pool may be too small.
func beginBeside(ctx context.Context, conn *pgx.Conn) (pgx.Tx, error) {
	limited, cancel := context.WithTimeout(ctx, beginTimeout)
	defer cancel()
	tx, err := conn.BeginTx(limited, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite})
	if err != nil {
		return nil, &failedCheck{"a transaction can't begin while another one is open",
			"give the login and the pooler room for more connections", err}
	}
	return tx, nil
}

// checkSameServer compares two connections that are in transactions, and so on backends of their own.
func checkSameServer(ctx context.Context, q1, q2 *dbsqlc.Queries) error {
	a, err := q1.PreflightFacts(ctx)
	if err != nil {
		return err
	}
	b, err := q2.PreflightFacts(ctx)
	if err != nil {
		return err
	}
	if !sameDatabase(a, b) {
		return differentServers(a, b)
	}
	return nil
}

func randomKey() int64 {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return int64(binary.BigEndian.Uint64(random[:]))
}
