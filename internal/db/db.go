package db

import "holdfast/internal/db/internal/core"

// DB runs transactions on one database. It is safe for concurrent use.
type DB struct {
	core *core.DB
}

// New returns the door to a database that is open.
func New(open *core.DB) *DB { return &DB{core: open} }

// Give makes an outcome that isn't stored the one of a request.
func (d *DB) Give(r *Request, o Outcome) { d.core.Give(r, o) }
