package lock

import (
	"slices"
	"strings"
)

// Set is the locks that one transaction takes: of one tenant, of one kind or of several, in the order in which they
// must be taken. The zero value locks nothing. DateKeys, BalanceKey and WalletKeys are sets of one kind.
type Set struct {
	tenant [16]byte
	kind   string
	keys   []Key
}

// Union returns all of the locks as one set, sorted by key, each once. A transaction takes one set of locks, because a
// second set would break the order that excludes deadlocks.
//
// It returns ErrNoKeys without locks, ErrOtherTenant for locks of several tenants, and ErrTooManyKeys above MaxKeys
// different locks.
func Union(all ...Set) (Set, error) {
	var union Set
	var kinds []string
	for i, s := range all {
		if i > 0 && s.tenant != union.tenant {
			return Set{}, ErrOtherTenant
		}
		union.tenant = s.tenant
		union.keys = append(union.keys, s.keys...)
		if !slices.Contains(kinds, s.kind) {
			kinds = append(kinds, s.kind)
		}
	}
	return newSet(union.tenant, strings.Join(kinds, "+"), union.keys)
}

// newSet returns ErrNoKeys and ErrTooManyKeys.
func newSet(tenant [16]byte, kind string, keys []Key) (Set, error) {
	keys, err := ordered(keys)
	if err != nil {
		return Set{}, err
	}
	return Set{tenant: tenant, kind: kind, keys: keys}, nil
}

// Tenant returns the tenant whose locks these are.
func (s Set) Tenant() [16]byte { return s.tenant }

// Kind names the kinds of the locks, such as "date" or "balance+date", for metrics and errors.
func (s Set) Kind() string { return s.kind }

// Keys returns the locks in the order in which they must be taken, each once. The caller must not change them.
func (s Set) Keys() []Key { return s.keys }
