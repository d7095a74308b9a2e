package db

import "holdfast/internal/db/internal/core"

// DB runs transactions on one database. It is safe for concurrent use.
type DB struct {
	core *core.DB
}

// New returns the door to a database that is open.
func New(open *core.DB) *DB { return &DB{core: open} }
