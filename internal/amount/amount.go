// Package amount formats amounts of money for people: on receipts and in emails.
package amount

import "github.com/Rhymond/go-money"

// Format formats an amount of minor units with the decimals of its currency: 123450 EUR is "1,234.50 EUR", JPY "123,450 JPY", KWD
// "123.450 KWD". For an unknown currency it returns the number of minor units.
func Format(minor int64, currency string) string {
	c := money.GetCurrency(currency)
	if c == nil {
		return money.NewFormatter(0, "", ",", currency, "1 minor units of $").Format(minor)
	}
	return money.NewFormatter(c.Fraction, ".", ",", currency, "1 $").Format(minor)
}
