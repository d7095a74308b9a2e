package email_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
	"holdfast/internal/timezone"
)

func TestRender_TimesOfARepeatedHour_NameTheirOffset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, starts, ends, wanted string
	}{
		// Berlin repeats 02:00 to 03:00 on this day.
		{"Europe/Berlin", "2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z",
			"Sunday 31 October 2027, 02:30 (UTC+2) to 02:30 (UTC+1)"},
		{"Europe/Berlin", "2027-10-30T23:59:00Z", "2027-10-31T00:00:00Z",
			"Sunday 31 October 2027, 01:59 to 02:00 (UTC+2)"},
		{"Europe/Berlin", "2027-10-31T00:59:59Z", "2027-10-31T01:00:00Z",
			"Sunday 31 October 2027, 02:59 (UTC+2) to 02:00 (UTC+1)"},
		{"Europe/Berlin", "2027-10-31T01:59:59Z", "2027-10-31T02:00:00Z",
			"Sunday 31 October 2027, 02:59 (UTC+1) to 03:00"},
		// It skips 02:00 to 03:00 on this one.
		{"Europe/Berlin", "2027-03-28T00:30:00Z", "2027-03-28T01:30:00Z", "Sunday 28 March 2027, 01:30 to 03:30"},
		// Lord Howe Island sets its clocks back by half an hour, from 02:00 to 01:30.
		{"Australia/Lord_Howe", "2027-04-03T14:15:00Z", "2027-04-03T14:45:00Z",
			"Sunday 4 April 2027, 01:15 to 01:45 (UTC+11)"},
		{"Australia/Lord_Howe", "2027-04-03T14:45:00Z", "2027-04-03T15:15:00Z",
			"Sunday 4 April 2027, 01:45 (UTC+11) to 01:45 (UTC+10:30)"},
		{"Australia/Lord_Howe", "2027-04-03T15:29:00Z", "2027-04-03T15:30:00Z",
			"Sunday 4 April 2027, 01:59 (UTC+10:30) to 02:00"},
		// St. John's is west of Greenwich.
		{"America/St_Johns", "2027-11-07T04:00:00Z", "2027-11-07T05:00:00Z",
			"Sunday 7 November 2027, 01:30 (UTC-2:30) to 01:30 (UTC-3:30)"},
		{"UTC", "2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z", "Sunday 31 October 2027, 00:30 to 01:30"},
	} {
		zone, err := timezone.Load(c.zone)
		require.NoError(t, err)
		at := func(text string) time.Time {
			parsed, err := time.Parse(time.RFC3339, text)
			require.NoError(t, err)
			return parsed.In(zone)
		}
		data := email.Data{Starts: at(c.starts), Ends: at(c.ends)}
		content, err := email.Render(email.BookingConfirmed, email.Template{Subject: "s", Text: "{{when}}"}, data)
		require.NoError(t, err)
		require.Equal(t, c.wanted, content.Text)
		content, err = email.Render(email.BookingConfirmed,
			email.Template{Subject: "s", Text: "{{starts_at}} to {{end_time}}"}, data)
		require.NoError(t, err)
		require.Equal(t, c.wanted, content.Text)
	}
}

func TestRender_EndOfAHoldInARepeatedHour_NamesItsOffset(t *testing.T) {
	t.Parallel()
	berlin, err := timezone.Load("Europe/Berlin")
	require.NoError(t, err)
	ends := time.Date(2027, time.October, 31, 1, 30, 0, 0, time.UTC).In(berlin)
	content, err := email.Render(email.BookingHeld, email.Template{Subject: "s", Text: "{{hold_expires_at}}"},
		email.Data{HoldExpiresAt: ends})
	require.NoError(t, err)
	require.Equal(t, "Sunday 31 October 2027, 02:30 (UTC+1)", content.Text)
}
