package stripe

import (
	"errors"
	"fmt"
	"math"
	"strings"

	api "github.com/stripe/stripe-go/v85"
)

// unit converts between Stripe's amounts in a currency and ISO 4217's minor units. Stripe's rules:
// https://docs.stripe.com/currencies#minor-units
type unit struct {
	// multiplier multiplies an amount for Stripe.
	multiplier int64
	// divisor divides an amount for Stripe, without a remainder.
	divisor int64
	// step is the smallest amount at Stripe; amounts must be multiples of it.
	step int64
}

// units lists the currencies whose unit at Stripe isn't ISO 4217's, or in which Stripe rejects some amounts. In all
// others the amount is the same number on both sides. HUF and TWD are among these: Stripe requires whole units of them
// only in payouts.
var units = map[string]unit{
	// No decimals in ISO 4217, two at Stripe, which are always 00. Stripe's page also lists UGX as a currency without
	// decimals, but its API rejects amounts that are no multiple of 100.
	"ISK": {multiplier: 100, divisor: 1, step: 1},
	"UGX": {multiplier: 100, divisor: 1, step: 1},
	// Two decimals in ISO 4217, although an ariary has five parts; none at Stripe.
	"MGA": {multiplier: 1, divisor: 100, step: 1},
	// Three decimals; the last must be 0.
	"BHD": {multiplier: 1, divisor: 1, step: 10},
	"JOD": {multiplier: 1, divisor: 1, step: 10},
	"KWD": {multiplier: 1, divisor: 1, step: 10},
	"OMR": {multiplier: 1, divisor: 1, step: 10},
	"TND": {multiplier: 1, divisor: 1, step: 10},
}

func unitOf(currency string) unit {
	if u, ok := units[currency]; ok {
		return u
	}
	return unit{multiplier: 1, divisor: 1, step: 1}
}

// toStripe converts an amount in minor units of an ISO 4217 currency. It returns an error for amounts that Stripe can't
// represent.
func toStripe(amount int64, currency string) (int64, error) {
	u := unitOf(currency)
	switch {
	case amount <= 0:
		return 0, errors.New("the amount is not positive")
	case amount%u.divisor != 0:
		return 0, fmt.Errorf("fractions of %s can't be charged", currency)
	case amount%u.step != 0:
		return 0, fmt.Errorf("amounts in %s must be multiples of %d minor units", currency, u.step)
	case amount > math.MaxInt64/u.multiplier:
		return 0, errors.New("the amount is too large")
	}
	return amount * u.multiplier / u.divisor, nil
}

// feeToStripe converts a fee, which is 0 for none.
func feeToStripe(fee int64, currency string) (int64, error) {
	if fee == 0 {
		return 0, nil
	}
	return toStripe(fee, currency)
}

// fromStripe converts Stripe's amount back to minor units.
func fromStripe(amount int64, currency api.Currency) (int64, error) {
	u := unitOf(isoCode(currency))
	if amount < 0 || amount%u.multiplier != 0 || amount > math.MaxInt64/u.divisor {
		return 0, fmt.Errorf("stripe: an amount of %d isn't in minor units of %s", amount, isoCode(currency))
	}
	return amount * u.divisor / u.multiplier, nil
}

func isoCode(currency api.Currency) string { return strings.ToUpper(string(currency)) }
