package store

import (
	"context"
	"hash/fnv"

	"github.com/jackc/pgx/v5"
)

func number(ctx context.Context, tx pgx.Tx) {
	_, _ = tx.Exec(ctx, take, 815) // want `the number 815 is no lock of docs/locks-registry.md`
}

func sum(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return int64(h.Sum64())
}

func inline(ctx context.Context, tx pgx.Tx, shop string) {
	_, _ = tx.Exec(ctx, take, sum(shop+":order")) // want `the key is hashed here: write a constructor for it`
}

func variable(ctx context.Context, tx pgx.Tx, shop string) {
	key := sum(shop + ":order") // want `the key is hashed here: write a constructor for it`
	_, _ = tx.Exec(ctx, take, key)
}

func inSQL(ctx context.Context, tx pgx.Tx) {
	_, _ = tx.Exec(ctx, "SELECT pg_advisory_xact_lock(4712)") // want `the number in pg_advisory_xact_lock has no row`
}

func hashedInSQL(ctx context.Context, tx pgx.Tx, name string) {
	_, _ = tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", name) // want `the key of pg_advisory_xact_lock is made in SQL`
}

func pair(ctx context.Context, tx pgx.Tx) {
	_, _ = tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1, $2)", nil, nil) // want `is a pair of integers`
}

func unlisted(ctx context.Context, tx pgx.Tx, key int64) {
	_, _ = tx.Exec(ctx, take, key) // want `unlisted takes a lock, and neither it nor who calls it`
}
