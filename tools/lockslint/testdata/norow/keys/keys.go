// Package keys names the locks.
package keys

import (
	"hash/fnv"
	"strconv"
)

// Sweep lets one process sweep.
const Sweep int64 = 4711

// MaxKeys is no lock: it isn't a 64-bit integer by declaration.
const MaxKeys = 62

// Order names the lock of one order of a shop.
func Order(shop, order int64) int64 {
	return hash(strconv.FormatInt(shop, 10) + ":order:" + strconv.FormatInt(order, 10))
}

func hash(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return int64(h.Sum64())
}
