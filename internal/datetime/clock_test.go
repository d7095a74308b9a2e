package datetime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/datetime"
	"holdfast/internal/timezone"
)

// Berlin sets its clocks back from 03:00 to 02:00 on October 31, 2027, and forward from 02:00 to 03:00 on March 28.
func TestClock_TimeThatHappensTwice_HasItsOffset(t *testing.T) {
	t.Parallel()
	berlin, err := timezone.Load("Europe/Berlin")
	require.NoError(t, err)
	for utc, want := range map[string]string{
		"2027-10-30T23:59:59Z": "01:59",
		"2027-10-31T00:00:00Z": "02:00 (UTC+2)",
		"2027-10-31T00:59:59Z": "02:59 (UTC+2)",
		"2027-10-31T01:00:00Z": "02:00 (UTC+1)",
		"2027-10-31T01:59:59Z": "02:59 (UTC+1)",
		"2027-10-31T02:00:00Z": "03:00",
		"2027-03-28T00:59:59Z": "01:59",
		"2027-03-28T01:00:00Z": "03:00",
	} {
		at, err := time.Parse(time.RFC3339, utc)
		require.NoError(t, err)
		require.Equal(t, want, datetime.Clock(at.In(berlin)), utc)
	}
}
