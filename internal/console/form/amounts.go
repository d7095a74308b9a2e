package form

import (
	"strconv"
	"strings"

	currencies "github.com/Rhymond/go-money"

	"holdfast/internal/problem"
)

// maxWholeDigits bounds the digits of an amount before its decimals.
const maxWholeDigits = 15

// decimalsOf returns how many decimals amounts of a currency have.
func decimalsOf(currency string) int {
	if c := currencies.GetCurrency(currency); c != nil {
		return c.Fraction
	}
	return 0
}

// MinorUnits returns an amount that a person wrote, such as 12.50 or 12,50, in minor units. Errors:
// problem.ValidationFailed.
func MinorUnits(field, text, currency string) (int64, error) {
	invalid := problem.Invalid(field, "invalid_format", "Expected an amount such as 12.50, without other separators.")
	whole, fraction, _ := strings.Cut(strings.Replace(strings.TrimSpace(text), ",", ".", 1), ".")
	decimals := decimalsOf(currency)
	other := func(r rune) bool { return r < '0' || r > '9' }
	if whole == "" || len(whole) > maxWholeDigits || len(fraction) > decimals ||
		strings.ContainsFunc(whole+fraction, other) {
		return 0, invalid
	}
	minor, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	if err != nil {
		return 0, invalid
	}
	return minor, nil
}

// Amount returns an amount of minor units as a form's field has it, such as 12.50.
func Amount(minor int64, currency string) string {
	decimals := decimalsOf(currency)
	text := strconv.FormatInt(minor, 10)
	if decimals == 0 {
		return text
	}
	for len(text) <= decimals {
		text = "0" + text
	}
	return text[:len(text)-decimals] + "." + text[len(text)-decimals:]
}
