package tenant

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"holdfast/internal/problem"
)

// MaxSearch bounds the matches of each column and text that a search looks at.
const MaxSearch = 1000

// Beginnings returns what a name that is searched for by its beginning may begin with: the text as it is, in small
// letters, in capitals, with a capital at the beginning, and with one at the beginning of each word. Blanks around the
// text don't count. field is the request's. Errors: problem.ValidationFailed.
func Beginnings(field, text string) ([]string, error) {
	if problem.HasControl(text) {
		return nil, problem.Invalid(field, "control_character", "Expected text without control characters.")
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, problem.Invalid(field, "blank", "Expected text that is not blank.")
	}
	small := strings.ToLower(text)
	before := ' '
	words := strings.Map(func(r rune) rune {
		defer func() { before = r }()
		if unicode.IsSpace(before) || before == '-' {
			return unicode.ToUpper(r)
		}
		return r
	}, small)
	first, size := utf8.DecodeRuneInString(small)
	list := []string{text, small, strings.ToUpper(text), string(unicode.ToUpper(first)) + small[size:], words}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// Ranges returns the ranges of texts, compared as bytes, in which those lie that begin with one of some texts.
func Ranges(beginnings []string) (low, high []string) {
	for _, b := range beginnings {
		low = append(low, b)
		high = append(high, b+"\U0010FFFF") // no assigned character is greater
	}
	return low, high
}
