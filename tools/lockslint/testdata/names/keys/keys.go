// Package keys names the locks.
package keys

import (
	"hash/fnv"
	"strconv"
)

// Numbers.
const (
	Sweep  int64 = 4711
	Vacuum int64 = 4711
)

// Order names the lock of an order.
func Order(shop, order int64) int64 {
	return hash(strconv.FormatInt(shop, 10) + ":" + strconv.FormatInt(order, 10))
}

// Item names the lock of an item.
func Item(shop, item int64) int64 {
	return hash(strconv.FormatInt(shop, 10) + ":" + strconv.FormatInt(item, 10))
}

func hash(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return int64(h.Sum64())
}
