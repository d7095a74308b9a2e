package payment

import "github.com/Rhymond/go-money"

// FormatAmount writes an amount of minor units for people, with as many decimals as its currency has: 123450 of EUR is
// "1,234.50 EUR", of JPY "123,450 JPY", of KWD "123.450 KWD". Of a currency whose decimals aren't known it says so.
func FormatAmount(amount int64, currency string) string {
	c := money.GetCurrency(currency)
	if c == nil {
		return money.NewFormatter(0, "", ",", currency, "1 minor units of $").Format(amount)
	}
	return money.NewFormatter(c.Fraction, ".", ",", currency, "1 $").Format(amount)
}
