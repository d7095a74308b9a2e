// Package pgxpool has the shapes of the pool's types and does nothing.
package pgxpool

import (
	"context"

	"github.com/jackc/pgx/v5"
)

type Pool struct{}

func (p *Pool) Acquire(ctx context.Context) (*Conn, error)                    { return new(Conn), nil }
func (p *Pool) Begin(ctx context.Context) (pgx.Tx, error)                     { return nil, nil }
func (p *Pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row { return nil }
func (p *Pool) Exec(ctx context.Context, sql string, args ...any) (pgx.CommandTag, error) {
	return pgx.CommandTag{}, nil
}

type Conn struct{}

func (c *Conn) Begin(ctx context.Context) (pgx.Tx, error)                    { return nil, nil }
func (c *Conn) Conn() *pgx.Conn                                              { return nil }
func (c *Conn) Hijack() *pgx.Conn                                            { return nil }
func (c *Conn) Release()                                                     {}
func (c *Conn) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults { return nil }
func (c *Conn) Exec(ctx context.Context, sql string, args ...any) (pgx.CommandTag, error) {
	return pgx.CommandTag{}, nil
}
