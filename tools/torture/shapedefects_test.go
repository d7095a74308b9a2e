package torture_test

import (
	"testing"

	"holdfast/tools/torture"
	"holdfast/tools/torture/check"
)

// shapeDefects are planted where bookings take sessions, whole resources and several of them.
func shapeDefects() []defect {
	// The claims of further resources are taken a hundred years away. A second commit takes their time.
	later := func(parameter string) rewrite {
		return rewrite{where: []string{"-- name: ClaimInsert "}, old: " " + parameter + ",",
			by: " " + parameter +
				"::timestamptz - CASE WHEN $3::smallint > 1 THEN interval '876600 hours' ELSE interval '0' END,"}
	}
	return []defect{
		{
			name: "sessions and combinations under their locks alone", prepare: dropConstraint, plant: shapedCrowd,
			most: "create",
		},
		{
			name: "a session that is joined without the lock, constraint dropped", rules: soldTwice,
			prepare:  dropConstraint,
			rewrites: noLock, plant: shapedCrowd, always: true,
		},
		{
			name: "the second claim of a combination in another commit", rules: []string{check.RuleCalendar},
			detail:  "a commit at",
			prepare: dropConstraint, plant: shapedCrowd, actor: takeLate, always: true,
			rewrites: []rewrite{later("$6"), later("$7")},
		},
		{
			name: "a block that looks at bookings before it has the lock, constraint dropped", rules: soldTwice,
			detail:  "the block ",
			prepare: dropConstraint, plant: blockingCrowd, always: true, most: "create",
			rewrites: append([]rewrite{{
				where: []string{"-- name: ClaimListInTheWay "}, old: "FROM (",
				by: "FROM (SELECT pg_advisory_xact_lock(1) OFFSET 0) AS x, (",
			}}, noLock...),
		},
		{
			name: "an amendment that keeps its old further claim", rules: []string{check.RuleCalendar},
			detail: "a commit at",
			plant:  amendingCrowd, always: true, requests: 150,
			rewrites: []rewrite{
				{where: []string{"-- name: ClaimDelete "}, old: "AND d.owner_id = $2",
					by: "AND d.owner_id = $2 AND d.number = 1"},
				{where: []string{"-- name: ClaimInsert "}, old: "$8, $9)",
					by: "$8, $9) ON CONFLICT (tenant_id, owner_id, number) DO NOTHING"},
			},
		},
		{
			// A move in the same transaction has written the row at the same time.
			name: "an amendment that moves a hold and loses its confirmation", rules: []string{check.RuleChange},
			detail: "and its events say", plant: amendingCrowd,
			rewrites: []rewrite{{
				where: []string{"-- name: BookingUpdate "}, old: "SET status = $3,",
				by: "SET status = CASE WHEN b.updated_at = $13::timestamptz THEN b.status ELSE $3 END,",
			}},
		},
	}
}

// shapedCrowd has clients want the same sessions, boats, skippers and tables.
func shapedCrowd(t *testing.T, cfg *torture.Config) {
	t.Helper()
	movingCrowd(t, cfg)
	cfg.OnlyShaped = true
}

// blockingCrowd has clients book and block the same time.
func blockingCrowd(t *testing.T, cfg *torture.Config) {
	t.Helper()
	shapedCrowd(t, cfg)
	cfg.Operations = operations(map[string]int{"create": 10, "cancel": 8, "block": 6, "read": 1})
}

// amendingCrowd has clients book and amend: nothing else frees a claim.
func amendingCrowd(t *testing.T, cfg *torture.Config) {
	t.Helper()
	shapedCrowd(t, cfg)
	cfg.Operations = operations(map[string]int{"create": 6, "hold": 4, "amend": 10, "read": 1})
}
