package core

// Handle stands for a DB to packages that must not use it: it has nothing that they could call or read.
type Handle struct{ db *DB }

// Handle returns what stands for d.
func (d *DB) Handle() Handle { return Handle{d} }

// Of returns the DB that h stands for. Only packages below internal/db can call it.
func Of(h Handle) *DB { return h.db }
