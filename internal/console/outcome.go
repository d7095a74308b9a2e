package console

import (
	"fmt"
	"unicode/utf8"

	"holdfast/internal/problem"
)

// checkLength returns problem.ValidationFailed for a text of fewer or more characters, as the API's schema does.
func checkLength(field, text string, low, high int) error {
	switch n := utf8.RuneCountInString(text); {
	case n < low && low == 1:
		return problem.Invalid(field, "too_short", "Fill it in.")
	case n < low:
		return problem.Invalid(field, "too_short", fmt.Sprintf("Expected at least %d characters.", low))
	case n > high:
		return problem.Invalid(field, "too_long", fmt.Sprintf("Expected at most %d characters.", high))
	}
	return nil
}

// optional returns nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// oneOf returns problem.ValidationFailed for a text that a list lacks. An empty text is none.
func oneOf[T ~string](field, text string, list []T) error {
	if text == "" {
		return nil
	}
	for _, known := range list {
		if string(known) == text {
			return nil
		}
	}
	return problem.Invalid(field, "not_one_of", "Choose one of the list.")
}
