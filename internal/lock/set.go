package lock

import (
	"slices"
	"strings"
)

// Set is the locks that one transaction takes: of one tenant, of one kind or of several, in the order in which they must be
// taken. The zero value locks nothing.
type Set struct {
	tenant [16]byte
	kind   string
	keys   []Key
}

// Locks are the locks of one constructor: CalendarKeys, BalanceKey or WalletKeys.
type Locks interface {
	Tenant() [16]byte
	Kind() string
	Keys() []Key
}

// Union returns all of the locks as one set, sorted by key, each once. A transaction takes one set of locks, because a second
// set would break the order that excludes deadlocks.
//
// It returns ErrNoKeys without locks, ErrOtherTenant for locks of several tenants, and ErrTooManyKeys above MaxKeys different
// locks.
func Union(all ...Locks) (Set, error) {
	var union Set
	var kinds []string
	for i, l := range all {
		if i > 0 && l.Tenant() != union.tenant {
			return Set{}, ErrOtherTenant
		}
		union.tenant = l.Tenant()
		union.keys = append(union.keys, l.Keys()...)
		if !slices.Contains(kinds, l.Kind()) {
			kinds = append(kinds, l.Kind())
		}
	}
	keys, err := ordered(union.keys)
	if err != nil {
		return Set{}, err
	}
	union.keys, union.kind = keys, strings.Join(kinds, "+")
	return union, nil
}

// Tenant returns the tenant whose locks these are.
func (s Set) Tenant() [16]byte { return s.tenant }

// Kind names the kinds of the locks, such as "calendar" or "balance+calendar", for metrics and errors.
func (s Set) Kind() string { return s.kind }

// Keys returns the locks in the order in which they must be taken, each once. The caller must not change them.
func (s Set) Keys() []Key { return s.keys }
