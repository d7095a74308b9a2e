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

// Key is a lock.
type Key int64

// Item names the lock of an item.
func Item(shop, item int64) Key {
	return Key(hash(strconv.FormatInt(shop, 10) + ":item:" + strconv.FormatInt(item, 10)))
}

// Cart names the lock of a cart.
func Cart(cart int64) int64 { return hash("cart:" + strconv.FormatInt(cart, 10)) }

// Day names the lock of a day.
func Day(day int64) int64 { return hash("day:" + strconv.FormatInt(day, 10)) }

// Plain makes no key.
func Plain() int64 { return 1 }
