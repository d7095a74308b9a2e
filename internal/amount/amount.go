// Package amount formats amounts of money for people: on receipts and in emails.
package amount

import (
	"strings"

	"github.com/Rhymond/go-money"
	"golang.org/x/text/unicode/bidi"
)

// Format formats an amount of minor units with the decimals of its currency: 123450 EUR is "1,234.50 EUR", JPY "123,450
// JPY", KWD "123.450 KWD". For an unknown currency it returns the number of minor units.
func Format(minor int64, currency string) string {
	return Style{Decimal: ".", Thousands: ","}.FormatCode(minor, currency)
}

// Style is how a language writes amounts.
type Style struct {
	// Decimal and Thousands separate the digits.
	Decimal, Thousands string
	// Template has 1 where the number stands and $ where the currency's sign stands.
	Template string
}

// FormatCode is Format in the style: 123450 EUR is "1.234,50 EUR" in German. It needs no Template.
func (s Style) FormatCode(minor int64, currency string) string {
	c := money.GetCurrency(currency)
	if c == nil {
		return money.NewFormatter(0, "", ",", currency, "1 minor units of $").Format(minor)
	}
	return money.NewFormatter(c.Fraction, s.Decimal, s.Thousands, currency, "1 $").Format(minor)
}

// Format is Format in the style, with the currency's sign: 123450 EUR is "€1,234.50" in English and "1.234,50 €" in
// German. Without minor units of its own the amount has no decimals: 250000 EUR is "€2,500".
func (s Style) Format(minor int64, currency string) string {
	c := money.GetCurrency(currency)
	if c == nil {
		return Format(minor, currency)
	}
	if strings.ContainsFunc(c.Grapheme, isRightToLeft) { // a number beside it would move
		return s.FormatCode(minor, currency)
	}
	fraction, unit := c.Fraction, int64(1)
	for range fraction {
		unit *= 10
	}
	if minor%unit == 0 {
		fraction, minor = 0, minor/unit
	}
	return money.NewFormatter(fraction, s.Decimal, s.Thousands, c.Grapheme, s.Template).Format(minor)
}

func isRightToLeft(r rune) bool {
	properties, _ := bidi.LookupRune(r)
	return properties.Class() == bidi.R || properties.Class() == bidi.AL
}
