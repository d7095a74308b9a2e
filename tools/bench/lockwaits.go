package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// watchEvery is the pause between two looks at who waits for a lock. Shorter waits aren't seen.
const watchEvery = 10 * time.Millisecond

// waiter is who waited for locks: a name of a connection, in a phase.
type waiter struct {
	phase int
	name  string
}

// lockWait is a wait for a lock.
type lockWait struct {
	took      time.Duration // when it was last seen
	what      string        // that was waited for
	statement string        // that waited
}

// migrationSeen is a migration whose row in goose's table was seen.
type migrationSeen struct {
	version int64
	at      time.Time // when it was seen
}

// watchDatabase keeps the longest wait of each waiter and the time of each migration, until ctx ends.
func (u *upgrade) watchDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, u.urlOf("watch"))
	if err != nil {
		return fmt.Errorf("connect to watch the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var version int64
	if err := conn.QueryRow(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied").Scan(&version); err != nil {
		return fmt.Errorf("read the last migration: %w", err)
	}
	u.waits = map[waiter]lockWait{}
	for {
		if err := u.seeWaits(ctx, conn); err != nil {
			return err
		}
		if version, err = u.seeMigrations(ctx, conn, version); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchEvery):
		}
	}
}

func (u *upgrade) seeWaits(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT a.application_name, l.mode || ' on ' || COALESCE('table ' || l.relation::regclass::text, l.locktype),
			EXTRACT(epoch FROM clock_timestamp() - l.waitstart)::float8, left(regexp_replace(a.query, '\s+', ' ', 'g'), 120)
		FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND l.waitstart IS NOT NULL AND a.application_name <> ''`)
	if err != nil {
		return fmt.Errorf("read who waits for a lock: %w", err)
	}
	by := waiter{phase: int(u.phaseNow.Load())}
	var w lockWait
	var seconds float64
	_, err = pgx.ForEachRow(rows, []any{&by.name, &w.what, &seconds, &w.statement}, func() error {
		w.took = time.Duration(seconds * float64(time.Second))
		if w.took > u.waits[by].took {
			u.waits[by] = w
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read who waits for a lock: %w", err)
	}
	return nil
}

// seeMigrations records the migrations that came after a version, and returns the last version.
func (u *upgrade) seeMigrations(ctx context.Context, conn *pgx.Conn, after int64) (int64, error) {
	rows, err := conn.Query(ctx, "SELECT version_id FROM goose_db_version WHERE is_applied AND version_id > $1 ORDER BY id", after)
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	versions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	for _, v := range versions {
		u.migrations = append(u.migrations, migrationSeen{version: v, at: time.Now()})
		after = max(after, v)
	}
	return after, nil
}
