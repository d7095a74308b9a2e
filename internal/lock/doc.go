// Package lock holds the name of every advisory lock Holdfast takes.
//
// A name is text such as "{tenant}:{date}"; its key is the 64-bit FNV-1a hash of the name's bytes
// as the signed bigint that PostgreSQL's advisory locks take. Typed constructors build the names, so
// that one resource can't be locked under two keys, and docs/locks-registry.md lists each of them.
// This package takes no lock: internal/db does, and nobody else.
//
//	key.go       what all keys share: how many, and which errors
//	dates.go, balance.go, wallet.go  the locks of a tenant: its dates, a booking's money, its wallets
//	global.go    the locks of the whole database
//	set.go       all locks of one transaction, in order
//	name.go      names of keys, and reading them
//	resolver.go  which names a key may have
//	fnv.go       the hash, and its inverse
package lock
