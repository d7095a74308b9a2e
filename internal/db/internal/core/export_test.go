package core

import "github.com/jackc/pgx/v5/pgxpool"

// Pool returns the pool.
func (d *DB) Pool() *pgxpool.Pool { return d.pool }
