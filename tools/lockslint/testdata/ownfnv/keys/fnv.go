package keys

import (
	"encoding/hex"
	"strconv"
)

const (
	offset uint64 = 0xcbf29ce484222325
	prime  uint64 = 0x100000001b3
)

func sum(h uint64, text string) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return h
}

func hash(name string) int64 { return int64(sum(offset, name)) }

// Item names the lock of an item.
func Item(shop int64, item [16]byte) int64 {
	return hash(strconv.FormatInt(shop, 10) + ":item:" + uuidText(item))
}

func uuidText(id [16]byte) string {
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// Search looks for a shop and makes no key.
func Search(shops []int64, wanted uint64) bool {
	for _, s := range shops {
		if sum(offset, strconv.FormatInt(s, 10)) == wanted {
			return true
		}
	}
	return false
}
