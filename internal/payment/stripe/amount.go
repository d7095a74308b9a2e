package stripe

import (
	"errors"
	"fmt"
	"math"
	"strings"

	api "github.com/stripe/stripe-go/v85"
)

// unit says how Stripe's amounts in a currency relate to ISO 4217's minor units.
// Stripe's rules: https://docs.stripe.com/currencies#minor-units
type unit struct {
	// multiplier is what an amount is multiplied by for Stripe.
	multiplier int64
	// divisor is what an amount is divided by for Stripe, without a remainder.
	divisor int64
	// step is what the amount must be a multiple of at Stripe.
	step int64
}

// units has the currencies in which Stripe's unit isn't ISO 4217's, or not every amount can be charged. In all others
// an amount is the same number on both sides. HUF and TWD are among these: Stripe wants whole units of them in
// payouts only.
var units = map[string]unit{
	// No decimals in ISO 4217, two at Stripe, which are always 00. Stripe's page has UGX among the currencies without
	// decimals as well, but its API refuses amounts that are no multiple of 100.
	"ISK": {multiplier: 100, divisor: 1, step: 1},
	"UGX": {multiplier: 100, divisor: 1, step: 1},
	// Two decimals in ISO 4217, though an ariary has five parts; none at Stripe.
	"MGA": {multiplier: 1, divisor: 100, step: 1},
	// Three decimals, of which the last must be 0.
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

// toStripe converts an amount in minor units of an ISO 4217 currency. It refuses what Stripe can't represent.
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

// fromStripe converts an amount of Stripe's back to minor units.
func fromStripe(amount int64, currency api.Currency) (int64, error) {
	u := unitOf(isoCode(currency))
	if amount < 0 || amount%u.multiplier != 0 || amount > math.MaxInt64/u.divisor {
		return 0, fmt.Errorf("stripe: an amount of %d isn't in minor units of %s", amount, isoCode(currency))
	}
	return amount * u.divisor / u.multiplier, nil
}

func isoCode(currency api.Currency) string { return strings.ToUpper(string(currency)) }
