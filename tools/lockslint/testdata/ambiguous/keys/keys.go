// Package keys names the locks.
package keys

import (
	"fmt"
	"hash/fnv"
)

// Order is ambiguous: a shop named "a:order:1" has the orders of the shop "a".
func Order(shop string, order int64) int64 {
	return hash(fmt.Sprintf("%s:order:%d", shop, order)) // want `"shop" may be any text, also one with the separator in it`
}

// File is not: what may be anything comes last.
func File(path string) int64 { return hash("file:" + path) }

// Digits has a part of a fixed length at its end only.
func Digits(number int64, digits int8) int64 { return hash(fmt.Sprintf("%d%02d", number, digits)) }

func hash(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return int64(h.Sum64())
}
