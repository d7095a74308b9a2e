package db

import (
	"context"

	"holdfast/internal/db/internal/core"
)

// DB runs transactions on one database. It is safe for concurrent use.
type DB struct {
	core *core.DB
}

// New returns the door to a database that is open.
func New(open *core.DB) *DB { return &DB{core: open} }

// Core stands for the core, which the packages below this one use by core.Of: checks of a database, and moves of
// tenants. No other package can import that function, and without it there is nothing to do with a handle.
func (d *DB) Core() core.Handle { return d.core.Handle() }

// ExpireCursors ends the validity of every cursor of the feed, of all tenants: readers get problem.CursorExpired and
// begin anew. It is for a database that lost commits. Its readers may have seen changes that are gone, and would miss
// new ones that have their places. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (d *DB) ExpireCursors(ctx context.Context) error { return d.core.ExpireCursors(ctx) }

// Give makes an outcome that isn't stored the one of a request.
func (d *DB) Give(r *Request, o Outcome) { d.core.Give(r, o) }
