package email_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
)

func TestForOwner_When_IsToldInFigures(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("Europe/Berlin", 7200)
	at := func(day, hour int) time.Time { return time.Date(2027, time.July, day, hour, 0, 0, 0, zone) }
	for want, d := range map[string]email.Data{
		"When: 2027-07-01 10:00 – 12:00 (Europe/Berlin)\n":            {Starts: at(1, 10), Ends: at(1, 12)},
		"When: 2027-07-01 10:00 – 2027-07-02 02:00 (Europe/Berlin)\n": {Starts: at(1, 10), Ends: at(2, 2)},
		"When: 2027-07-01\n":              {Starts: at(1, 0), Ends: at(2, 0), AllDay: true},
		"When: 2027-07-01 – 2027-07-03\n": {Starts: at(1, 0), Ends: at(4, 0), AllDay: true},
	} {
		require.Contains(t, email.ForOwner{Event: email.OwnerBookingConfirmed, Code: "K7", Data: d}.Content("en").Text,
			want)
	}
}

func TestForOwner_EachLanguageOfThePage_HasAllWords(t *testing.T) {
	t.Parallel()
	kinds := []email.OwnerEvent{
		email.OwnerBookingConfirmed, email.OwnerBookingCancelled, email.OwnerBookingRescheduled,
		email.OwnerPaymentSucceeded,
		email.OwnerPaymentDeclined, email.OwnerPaymentRefunded,
	}
	amount := email.Amount{Minor: 100, Currency: "EUR"}
	starts := time.Date(2027, time.July, 1, 10, 0, 0, 0, time.UTC)
	d := email.Data{
		CustomerName:  "Ada",
		Reference:     "Table 4",
		ServiceName:   "Tour",
		Starts:        starts,
		Ends:          starts.Add(time.Hour),
		PartySize:     2,
		Price:         amount,
		Paid:          amount,
		Refunded:      amount,
		Due:           amount,
		Payment:       amount,
		Overpaid:      amount,
		PaymentMethod: email.MethodCash,
	}
	titles := map[string]bool{}
	for _, language := range email.Languages {
		for _, kind := range kinds {
			for _, refund := range []bool{false, true} {
				c := email.ForOwner{Event: kind, RefundDeclined: refund, Code: "K7", Data: d, FormerStarts: starts,
					FormerEnds: starts}.
					Content(language)
				require.NotRegexp(t, `(?m)^: `, c.Text, "%s %s", language, kind)
				require.Regexp(t, `^[^:]+: K7, Tour, 2027-07-01 10:00$`, c.Subject)
				titles[c.Subject] = true
			}
		}
	}
	require.Len(t, titles, 3*7, "%v", slices.Collect(maps.Keys(titles)))
	require.Contains(t, email.ForOwner{Event: email.OwnerBookingConfirmed, Data: d}.Content("fr").Subject,
		"New booking")
}
