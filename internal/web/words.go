package web

import (
	"fmt"
	"strings"

	"holdfast/internal/amount"
)

// style is how the consoles write amounts. They are in English, as the API and its refusals are.
var style = amount.Style{Decimal: ".", Thousands: ",", Template: "$1"}

// Money returns an amount of minor units as people write it.
func Money(minor int64, currency string) string {
	if minor < 0 {
		return "−" + style.Format(-minor, currency)
	}
	return style.Format(minor, currency)
}

// Named returns a name of the API, such as no_show, as people read it.
func Named(name any) string {
	text := strings.ReplaceAll(fmt.Sprint(name), "_", " ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
