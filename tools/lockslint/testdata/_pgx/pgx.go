// Package pgx has the shapes of the driver's types and does nothing.
package pgx

import "context"

type Rows interface{ Close() }

type Row interface{ Scan(dest ...any) error }

type CommandTag struct{}

type Tx interface {
	Exec(ctx context.Context, sql string, args ...any) (CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) Row
	SendBatch(ctx context.Context, b *Batch) BatchResults
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
	Conn() *Conn
}

type Batch struct{}

func (b *Batch) Queue(sql string, args ...any) {}

type BatchResults interface{ Close() error }

type Conn struct{}

func Connect(ctx context.Context, url string) (*Conn, error) { return new(Conn), nil }

func (c *Conn) Begin(ctx context.Context) (Tx, error)                     { return nil, nil }
func (c *Conn) Close(ctx context.Context) error                           { return nil }
func (c *Conn) QueryRow(ctx context.Context, sql string, args ...any) Row { return nil }
func (c *Conn) SendBatch(ctx context.Context, b *Batch) BatchResults      { return nil }
func (c *Conn) Exec(ctx context.Context, sql string, args ...any) (CommandTag, error) {
	return CommandTag{}, nil
}

// BeginFunc runs f in a transaction.
func BeginFunc(ctx context.Context, c interface {
	Begin(ctx context.Context) (Tx, error)
}, f func(Tx) error) error {
	return nil
}
