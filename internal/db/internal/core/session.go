package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrPooled says that a connection doesn't keep a backend of its own. A session lock taken on it would stay with
// the backend that took it: other sessions would be granted it too, or none ever again.
var ErrPooled = errors.New("the connection changes or shares its backend, as behind a transaction pooler, and can't hold a session lock")

// sessionConfig is how sessions of their own are opened. Operators see their purpose in the application name.
func (d *DB) sessionConfig(purpose string) *pgx.ConnConfig {
	c := d.direct.Copy()
	if c.RuntimeParams["application_name"] == "holdfast" {
		c.RuntimeParams["application_name"] = "holdfast " + purpose
	}
	// No prepared statements: behind a pooler they would fail before it could be told that there is one.
	c.DefaultQueryExecMode = pgx.QueryExecModeExec
	return c
}

// openSession opens a connection outside of the pool, which might give it to somebody else or close it for its age,
// and checks that it keeps one backend. It returns ErrPooled if not.
func (d *DB) openSession(ctx context.Context, purpose string) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, d.sessionConfig(purpose))
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	other, err := pgx.ConnectConfig(ctx, d.sessionConfig(purpose))
	if err == nil {
		var pooled bool
		if pooled, err = ShareBackends(ctx, conn, other); err == nil && pooled {
			err = ErrPooled
		}
		_ = other.Close(context.WithoutCancel(ctx))
	} else {
		err = fmt.Errorf("connect again: %w", err)
	}
	if err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return conn, nil
}
