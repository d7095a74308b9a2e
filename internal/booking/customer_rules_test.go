package booking_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// Public reports: calcom/cal.com 14742 and 17977, derhansen/sf_event_mgt 739.
func TestCustomerRules_CheckMoveAndCheckCancel_EndWhenTheBookingBegins(t *testing.T) {
	t.Parallel()
	start := testtime.At(0, 10, 0, time.UTC)
	rules := &booking.CustomerRules{MayMove: true, MayCancel: true}
	confirmed := booking.Booking{Status: booking.Confirmed, StartsAt: start, Price: 8000}
	inStatus := func(status booking.Status) booking.Booking { return booking.Booking{Status: status, StartsAt: start} }
	withFee := confirmed
	half := catalog.CancellationFee{Percent: new(50)}
	withFee.CancellationPolicy = catalog.CancellationPolicy{Steps: []catalog.CancellationStep{{FromMinutes: 60,
		CancellationFee: half}}}
	for name, c := range map[string]struct {
		rules        *booking.CustomerRules
		booking      booking.Booking
		paying       bool
		at           time.Time
		move, cancel problem.Code
	}{
		"before the start": {rules: rules, booking: confirmed, at: start.Add(-time.Nanosecond)},
		"at the start":     {rules, confirmed, false, start, problem.Forbidden, problem.Forbidden},
		"days later": {rules, confirmed, false, start.AddDate(0, 0, 9), problem.Forbidden,
			problem.Forbidden},
		"by the tenant": {booking: confirmed, at: start.AddDate(0, 0, 9)},
		"not allowed": {&booking.CustomerRules{}, confirmed, false, start.Add(-time.Hour), problem.Forbidden,
			problem.Forbidden},
		"only cancelling": {&booking.CustomerRules{MayCancel: true}, confirmed, false, start.Add(-time.Hour),
			problem.Forbidden, ""},
		"while it costs a fee":  {rules, withFee, false, start.Add(-time.Hour), problem.Forbidden, ""},
		"before it costs a fee": {rules: rules, booking: withFee, at: start.Add(-2 * time.Hour)},
		"while a rest is paid":  {rules: rules, booking: confirmed, paying: true, at: start.Add(-time.Hour)},
		"a hold":                {rules: &booking.CustomerRules{}, booking: inStatus(booking.Held), at: start},
		"a hold that is paid": {rules, inStatus(booking.Held), true, start, problem.PaymentInProgress,
			problem.PaymentInProgress},
		"one that is completed": {rules, inStatus(booking.Completed), false, start, problem.Forbidden,
			problem.Forbidden},
		"one that was cancelled": {rules, inStatus(booking.Cancelled), false, start, problem.Forbidden,
			problem.Forbidden},
	} {
		requireCode(t, name+": move", c.rules.CheckMove(c.booking, c.paying, c.at), c.move)
		requireCode(t, name+": cancel", c.rules.CheckCancel(c.booking, c.paying, c.at), c.cancel)
	}
}

func TestCustomerRules_CheckDetails_AreThoseOfAHoldThatIsNotPaidFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules  *booking.CustomerRules
		status booking.Status
		paying bool
		want   problem.Code
	}{
		"a hold":              {&booking.CustomerRules{}, booking.Held, false, ""},
		"a hold that is paid": {&booking.CustomerRules{}, booking.Held, true, problem.PaymentInProgress},
		"a confirmed one": {&booking.CustomerRules{MayMove: true, MayCancel: true}, booking.Confirmed, false,
			problem.Forbidden},
		"one that was cancelled": {&booking.CustomerRules{MayMove: true, MayCancel: true}, booking.Cancelled, false,
			problem.Forbidden},
		"a paid one, by the shop": {nil, booking.Held, true, ""},
		"confirmed, by the shop":  {nil, booking.Confirmed, false, ""},
	} {
		requireCode(t, name, c.rules.CheckDetails(booking.Booking{Status: c.status}, c.paying), c.want)
	}
}

func requireCode(t *testing.T, name string, err error, code problem.Code) {
	t.Helper()
	if code == "" {
		require.NoError(t, err, name)
		return
	}
	require.True(t, problem.Is(err, code), "%s: %v", name, err)
}
