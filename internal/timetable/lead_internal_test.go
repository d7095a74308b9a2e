package timetable

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

func TestCheckWindow_LeadTimeOfDateService_CountsToTheBeginningOfTheDate(t *testing.T) {
	t.Parallel()
	berlin, err := timezone.Load("Europe/Berlin")
	require.NoError(t, err)
	now := time.Date(2027, time.May, 3, 15, 37, 0, 0, berlin)
	for _, test := range []struct {
		lead  int
		now   time.Time
		first int // day of the month
	}{
		{0, now, 3},
		{1, now, 4},
		{8 * 60, now, 4}, // the 4th begins in 8 h 23 min
		{9 * 60, now, 5},
		{1440, now, 5}, // the 4th begins in less than a day
		{1440, time.Date(2027, time.May, 4, 0, 0, 0, 0, berlin), 5},
		{1440, time.Date(2027, time.May, 4, 0, 0, 0, 1, berlin), 6},
	} {
		r := &Rules{Service: Service{Spec: Spec{
			Kind: KindDate, MinLeadMinutes: test.lead,
			BookingWindowDays: new(30),
		}}, Loc: berlin}
		require.Equal(t, civil.Date{Year: 2027, Month: time.May, Day: test.first}, r.firstDate(test.now),
			"%d minutes at %s", test.lead,
			test.now)
		for day := 2; day < 8; day++ {
			d := civil.Date{Year: 2027, Month: time.May, Day: day}
			at, err := r.BookingTimeOf(When{Date: &d})
			require.NoError(t, err)
			err = r.checkWindow(at, test.now)
			require.Equal(t, day < test.first, problem.Is(err, problem.OutsideBookingWindow),
				"%s with %d minutes at %s", d, test.lead,
				test.now)
		}
	}
}
