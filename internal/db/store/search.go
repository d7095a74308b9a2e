package store

// maxSearch bounds the matches of each column and text that a search looks at.
const maxSearch = 1000

// ranges returns the ranges of texts, compared as bytes, in which those lie that begin with one of some texts.
func ranges(beginnings []string) (low, high []string) {
	for _, b := range beginnings {
		low = append(low, b)
		high = append(high, b+"\U0010FFFF") // no assigned character is greater
	}
	return low, high
}
