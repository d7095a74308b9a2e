package torture_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/tools/torture"
	"holdfast/tools/torture/check"
	"holdfast/tools/torture/cluster"
)

func moveDefects() []defect {
	return []defect{
		{
			name: "what is shipped, with bookings that move, constraint dropped", prepare: dropConstraint,
			plant: movingCrowd,
			most:  "reschedule",
		},
		{
			// The first commit frees the old time: the booking takes its units a hundred years away. A second one takes
			// the new time.
			name: "a reschedule in two commits, constraint dropped", rules: []string{check.RuleChange},
			detail:  "in a commit without an event",
			prepare: dropConstraint,
			rewrites: []rewrite{
				{where: []string{"-- name: ClaimInsert "}, old: " $6,",
					by: " $6::timestamptz - interval '876600 hours',"},
				{where: []string{"-- name: ClaimInsert "}, old: " $7,",
					by: " $7::timestamptz - interval '876600 hours',"},
			},
			actor: takeLate, plant: movingCrowd,
		},
		{
			name: "a confirmation that keeps the customer of the hold", rules: []string{check.RuleChange},
			detail: "the customer of the booking",
			rewrites: []rewrite{{
				where: []string{"-- name: BookingUpdate "}, old: "customer_id = $5,",
				by: "customer_id = coalesce(b.customer_id, $5),",
			}},
			plant: confirmingCrowd, always: true, requests: 100,
		},
		{
			// Locks are taken in the order of their keys, each by a statement of its own: the second one finds that
			// there is one.
			name: "only one of the dates of a move locked, constraint dropped", rules: soldTwice,
			prepare: dropConstraint,
			plant:   crowdedMoves,
			rewrites: []rewrite{{
				where: []string{"-- name: TransactionLock"}, old: "pg_catalog.pg_advisory_xact_lock($1::bigint)",
				by: `CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid())
					THEN ''
					ELSE pg_catalog.pg_advisory_xact_lock($1::bigint)::text END`,
			}},
			actor: slowly(nil),
		},
	}
}

// movingCrowd has clients book, cancel and above all move.
func movingCrowd(_ *testing.T, cfg *torture.Config) {
	cfg.Clients = 32
	cfg.Env = append(cfg.Env, "HOLDFAST_DATABASE_CONNS=16")
	cfg.Operations = operations(map[string]int{"create": 6, "hold": 3, "confirm": 2, "cancel": 3, "reschedule": 9,
		"extend": 2, "amend": 4,
		"read": 2, "availability": 2})
}

// confirmingCrowd has clients hold and confirm, with customers and without.
func confirmingCrowd(_ *testing.T, cfg *torture.Config) {
	cfg.Clients = 16
	cfg.Operations = operations(map[string]int{"hold": 10, "confirm": 10, "read": 1})
}

// crowdedMoves has clients move to places that others have just left: a defect shows where two of them meet.
func crowdedMoves(t *testing.T, cfg *torture.Config) {
	t.Helper()
	movingCrowd(t, cfg)
	cfg.Operations = operations(map[string]int{"create": 8, "cancel": 8, "reschedule": 14})
}

// takeLate takes the new times of bookings that have left their old ones.
func takeLate(ctx, load context.Context, c *cluster.Cluster) error {
	return beside(ctx, load, c, 50*time.Millisecond, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `
			UPDATE claims SET busy_from = busy_from + interval '876600 hours', busy_until = busy_until + interval '876600 hours'
			WHERE busy_until < '2000-01-01'`)
		return err
	})
}
