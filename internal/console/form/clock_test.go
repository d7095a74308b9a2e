package form_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/console/form"
)

func TestClock_AsPeopleWriteIt_IsRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"9": "09:00", "09": "09:00", "9:00": "09:00", "9:05": "09:05", "9.30": "09:30", "0930": "09:30", "930": "09:30",
		"9h": "09:00", "9h30": "09:30", " 9 ": "09:00", "9 am": "09:00", "9AM": "09:00", "9 p.m.": "21:00", "12am": "00:00",
		"12 pm": "12:00", "9:30pm": "21:30", "21 Uhr": "21:00", "21:30 Uhr": "21:30", "0": "00:00", "00:00": "00:00",
		"24": "24:00", "24:00": "24:00", "23:59": "23:59",
	} {
		got, ok := form.Clock(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "25", "24:01", "9:60", "9:5", "13pm", "0am", "nine", "9-10", "-9", "9:00:00",
		"99999", "９"} {
		_, ok := form.Clock(text)
		require.False(t, ok, text)
	}
}

func TestPeriods_AsPeopleWriteThem_AreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][][2]string{
		"9-22":                     {{"09:00", "22:00"}},
		"9–12.30, 13:30 - 18":      {{"09:00", "12:30"}, {"13:30", "18:00"}},
		"9am-5pm; 22-2":            {{"09:00", "17:00"}, {"22:00", "02:00"}},
		"0-24":                     {{"00:00", "24:00"}},
		"08:00-12:00,14:00-18:00 ": {{"08:00", "12:00"}, {"14:00", "18:00"}},
	} {
		got, err := form.Periods("week", text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "9", "9-", "-22", "24-2", "9-22,", "all day"} {
		_, err := form.Periods("week", text)
		require.ErrorContains(t, err, "week: invalid_format", text)
	}
}
