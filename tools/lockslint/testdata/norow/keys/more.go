package keys

import (
	"fmt"
	"hash/fnv"
)

// Wallet is a second lock that nobody listed.
func Wallet(shop, wallet int64) int64 { // want `Wallet makes a key and has no row in docs/locks-registry.md: add one with .keys/more.go:Wallet. as its constructor`
	return hash(fmt.Sprintf("%d:wallet:%d", shop, wallet))
}

// Direct hashes by itself.
func Direct(shop int64) int64 { // want `Direct makes a key and has no row`
	h := fnv.New64a()
	fmt.Fprintf(h, "%d:direct", shop)
	return int64(h.Sum64())
}

// Any makes every key.
func Any(name string) int64 { // want `Any makes a key of any text`
	return hash(name)
}

// Rebuild is a number that nobody listed.
const Rebuild int64 = 4712 // want `Rebuild is a lock's number and has no row`

type id int64

const vacuum id = 4713 // want `vacuum is a lock's number and has no row`

var _ = vacuum
