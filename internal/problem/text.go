package problem

import (
	"strings"
	"unicode"
)

// directions are the embeddings, overrides and isolates of text direction, with the characters that end them. They make
// a text read as something else.
var directions = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x202a, Hi: 0x202e, Stride: 1},
	{Lo: 0x2066, Hi: 0x2069, Stride: 1}}}

// CheckText returns problem.ValidationFailed about the named field for a text that nobody can read: one of blanks and
// invisible characters alone, or with line breaks, other control characters or changes of the writing direction.
func CheckText(field, text string) error {
	switch {
	case HasControl(text):
		return Invalid(field, "control_character",
			"Expected no control characters, such as line breaks or changes of the writing direction.")
	case strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }) == "":
		return Invalid(field, "blank", "Expected a text that is not blank.")
	}
	return nil
}

// CheckLines returns problem.ValidationFailed about the named field for a text that has control characters besides line
// breaks, or changes of the writing direction. The text may be empty.
func CheckLines(field, text string) error {
	for line := range strings.Lines(text) {
		if HasControl(strings.TrimRight(line, "\r\n")) {
			return Invalid(field, "control_character",
				"Expected no control characters besides line breaks, and no changes of the writing direction.")
		}
	}
	return nil
}

// HasControl reports whether a text has control characters, line separators or changes of the writing direction.
func HasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, directions)
	})
}
