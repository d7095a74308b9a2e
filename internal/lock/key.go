package lock

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// MaxKeys is the number of locks one transaction may take. PostgreSQL's lock table is shared by all
// sessions and sized max_locks_per_transaction × max_connections (64 × 100 by default); a transaction
// that stays below its own 64 entries can't starve others of theirs.
// Source: PostgreSQL manual, "Lock Management", max_locks_per_transaction.
const MaxKeys = 62

// Errors of the constructors. Callers turn them into a response of their own.
var (
	// ErrNoKeys says that a lock over nothing was asked for.
	ErrNoKeys = errors.New("lock: no keys")
	// ErrNoSuchDate says that a date is in no calendar, or beyond the year 9999.
	ErrNoSuchDate = errors.New("lock: no such date")
	// ErrOtherTenant says that locks of several tenants were asked for together.
	ErrOtherTenant = errors.New("lock: keys of several tenants")
	// ErrTooManyKeys says that more than MaxKeys different locks were asked for.
	ErrTooManyKeys = fmt.Errorf("lock: more than %d keys in one transaction", MaxKeys)
)

// Key is one advisory lock: its name and the bigint that stands for it. Keys are made by this
// package's constructors only.
type Key struct {
	name string
	id   int64
}

// Name returns the text that was hashed, as docs/locks-registry.md spells it.
func (k Key) Name() string { return k.name }

// ID returns the bigint that PostgreSQL locks: the FNV-1a hash of the name.
func (k Key) ID() int64 { return k.id }

func keyOf(name string) Key {
	return Key{name: name, id: int64(fnv1a(fnvOffset, name))}
}

// ordered sorts keys by id and drops repeated ids, so that transactions that lock several keys take
// them in one order and can't deadlock on each other. It sorts by id and not by name because two
// names that collide are one lock.
func ordered(keys []Key) ([]Key, error) {
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(a.id, b.id) })
	keys = slices.CompactFunc(keys, func(a, b Key) bool { return a.id == b.id })
	switch {
	case len(keys) == 0:
		return nil, ErrNoKeys
	case len(keys) > MaxKeys:
		return nil, ErrTooManyKeys
	}
	return keys, nil
}

// uuidText formats id in the canonical form, lower-case with hyphens: the form is part of the name.
func uuidText(id [16]byte) string {
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
