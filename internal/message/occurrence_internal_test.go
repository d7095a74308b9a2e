package message

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
)

func TestTimeOf_GreetingWhoseDateChanged_WaitsOrIsPast(t *testing.T) {
	t.Parallel()
	claimed := time.Date(2027, 5, 1, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		of   civil.Date
		wait time.Time
		past bool
	}{
		"today": {of: civil.Date{Year: 1990, Month: 5, Day: 1}},
		"later this year": {of: civil.Date{Year: 1990, Month: 6, Day: 1},
			wait: time.Date(2027, 6, 1, 9, 0, 0, 0, time.UTC)},
		"earlier this year":           {of: civil.Date{Year: 1990, Month: 4, Day: 30}, past: true},
		"29 February of a leap year":  {of: civil.Date{Year: 1992, Month: 2, Day: 29}, past: true},
		"the first return is in 2028": {of: civil.Date{Year: 2027, Month: 5, Day: 1}, past: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wait, past, err := timeOf(event.Event{Occurrence: "2027", LeasedAt: claimed}, c.of, time.UTC)
			require.NoError(t, err)
			require.Equal(t, c.past, past)
			require.Equal(t, c.wait, wait.UTC())
		})
	}
	_, _, err := timeOf(event.Event{Occurrence: "x", LeasedAt: claimed}, civil.Date{Year: 1990, Month: 5, Day: 1},
		time.UTC)
	require.Error(t, err)
}

func TestYearsBefore_EachYearBackToTheOldestBooking(t *testing.T) {
	t.Parallel()
	day := func(year int, month time.Month, day int) civil.Date {
		return civil.Date{Year: year, Month: month, Day: day}
	}
	require.Equal(t, []dates{
		{first: day(2025, 12, 30), last: day(2026, 1, 3)}, {first: day(2026, 12, 30), last: day(2027, 1, 3)},
	}, yearsBefore(day(2027, 12, 30), day(2028, 1, 2), 2026), "around the end of a year")
	require.Equal(t, []dates{{first: day(2024, 2, 27), last: day(2024, 2, 29)}},
		yearsBefore(day(2025, 2, 27), day(2025, 2, 28), 2024),
		"29 February returns on 28 February")
	require.Empty(t, yearsBefore(day(2027, 5, 1), day(2027, 5, 3), 2027))
}
