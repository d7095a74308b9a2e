package timetable

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func FuzzTimetable(f *testing.F) {
	f.Add([]byte{1, 9, 17, 1, 18, 24, 2, 0, 24})
	f.Add([]byte{1, 9, 17, 1, 16, 24})
	f.Add([]byte{8, 9, 17, 8, 200, 0, 9, 200, 0})
	f.Add([]byte{5, 52, 4, 6, 8, 10, 9, 52, 4, 10, 10, 12})
	f.Fuzz(func(t *testing.T, raw []byte) {
		// Each three bytes are a period in half hours: of a weekday, or of a date, closed if it would end too late.
		var h Hours
		first := civil.Date{Year: 2027, Month: time.March, Day: 25}
		for ; len(raw) >= 3; raw = raw[3:] {
			kind, opens, closes := raw[0], 30*(int(raw[1])-8), 30*int(raw[2])
			if kind < 7 {
				h.Weekly = append(h.Weekly, WeeklyHours{Weekday: time.Weekday(kind), Opens: opens, Closes: closes})
				continue
			}
			h.Overrides = append(h.Overrides,
				DateHours{Date: first.AddDays(int(kind) % 7), Closed: closes > datetime.MinutesPerDay, Opens: opens,
					Closes: closes})
		}
		if h.Check() != nil {
			return
		}
		times := h.Times()
		for i := range 14 {
			d := first.AddDays(i)
			until := 0
			for _, s := range times.Intervals(d) {
				require.True(t, until <= s.From && s.From < datetime.MinutesPerDay && s.From < s.Until &&
					s.Until-s.From <= datetime.MinutesPerDay, "%s: %v", d, times.Intervals(d))
				until = s.Until
			}
		}
	})
}

func TestHours_Seasons_TheFirstThatHasTheDateWinsAndOverridesComeFirst(t *testing.T) {
	t.Parallel()
	weekly := func(opens int) (list []WeeklyHours) {
		for day := time.Sunday; day <= time.Saturday; day++ {
			list = append(list, WeeklyHours{Weekday: day, Opens: opens * 60, Closes: 20 * 60})
		}
		return list
	}
	body := HoursBody{Weekly: weeklyBodies(weekly(9)), Seasons: []SeasonBody{
		{From: "2027-07-01", To: "2027-07-31", Weekly: weeklyBodies(weekly(7))},
		{From: "06-01", To: "08-31", Weekly: weeklyBodies(weekly(8))},
		{From: "11-01", To: "02-29", Weekly: []WeeklyBody{}},
	}, Overrides: []OverrideBody{{Date: "2027-07-14", Opens: new("06:00"), Closes: new("20:00")}}}
	given, err := body.Hours()
	require.NoError(t, err)
	require.NoError(t, given.Check())
	require.Equal(t, ResourceHoursBody{HoursBody: body}, given.Body())
	stored, err := json.Marshal(given)
	require.NoError(t, err)
	var h Hours
	require.NoError(t, json.Unmarshal(stored, &h))
	require.Equal(t, given, h)
	times := h.Times()
	for text, opens := range map[string]int{
		"2027-05-31": 9, "2027-06-01": 8, "2027-06-30": 8, "2027-07-01": 7, "2027-07-14": 6, "2027-07-31": 7,
		"2027-08-01": 8,
		"2027-08-31": 8,
		"2027-09-01": 9, "2028-07-14": 8, "2027-10-31": 9, "2027-11-01": -1, "2027-12-31": -1, "2028-01-01": -1,
		"2028-02-29": -1,
		"2028-03-01": 9, "2027-02-28": -1, "2027-03-01": 9,
	} {
		on := times.Intervals(testtime.Parse(t, text))
		if opens < 0 {
			require.Empty(t, on, text)
			continue
		}
		require.Equal(t, []DayInterval{{opens * 60, 20 * 60}}, on, text)
	}
	require.Equal(t, 7*13, times.WeeklyStarts(60), "of the season with the most")
}

func TestHours_ThatOverlapOverMidnight_AreRefused(t *testing.T) {
	t.Parallel()
	friday := civil.Date{Year: 2027, Month: 7, Day: 9}
	at := func(d time.Weekday, opens, closes int) WeeklyHours { return WeeklyHours{d, opens * 60, closes * 60} }
	on := func(days, opens, closes int) DateHours {
		return DateHours{Date: friday.AddDays(days), Opens: opens * 60, Closes: closes * 60}
	}
	for name, test := range map[string]struct {
		hours Hours
		field string // empty if the hours are right
	}{
		"over midnight": {Hours{Weekly: []WeeklyHours{at(time.Friday, 22, 2)}}, ""},
		"to midnight, said as 0": {
			Hours{Weekly: []WeeklyHours{at(time.Friday, 22, 0), at(time.Saturday, 0, 2)}}, ""},
		"into the next day's hours": {
			Hours{Weekly: []WeeklyHours{at(time.Friday, 22, 2), at(time.Saturday, 1, 5)}}, "weekly[1]"},
		"into the next day's, said before": {
			Hours{Weekly: []WeeklyHours{at(time.Saturday, 1, 5), at(time.Friday, 22, 2)}}, "weekly[1]"},
		"up to the next day's hours": {
			Hours{Weekly: []WeeklyHours{at(time.Friday, 22, 2), at(time.Saturday, 2, 5)}}, ""},
		"from Saturday into Sunday": {
			Hours{Weekly: []WeeklyHours{at(time.Saturday, 22, 2), at(time.Sunday, 1, 5)}}, "weekly[1]"},
		"from Saturday into Sunday, reversed": {
			Hours{Weekly: []WeeklyHours{at(time.Sunday, 1, 5), at(time.Saturday, 22, 2)}}, "weekly[1]"},
		"two nights of one day": {
			Hours{Weekly: []WeeklyHours{at(time.Friday, 22, 2), at(time.Friday, 23, 3)}}, "weekly[1]"},
		"nearly a whole day, every day": {Hours{Weekly: []WeeklyHours{at(time.Friday, 5, 4), at(time.Saturday, 5, 4),
			at(time.Sunday, 5, 4)}}, ""},
		"opens is closes": {Hours{Weekly: []WeeklyHours{at(time.Friday, 22, 22)}},
			"weekly[0].closes"},
		"0 to 0": {Hours{Weekly: []WeeklyHours{at(time.Friday, 0, 0)}},
			"weekly[0].closes"},
		"the whole day": {Hours{Weekly: []WeeklyHours{at(time.Friday, 0, 24)}}, ""},
		"opens at the end of the day": {Hours{Weekly: []WeeklyHours{at(time.Friday, 24, 1)}},
			"weekly[0].closes"},
		"an override into the next": {Hours{Overrides: []DateHours{on(0, 22, 2), on(1, 1, 5)}},
			"overrides[1]"},
		"an override into the next, reversed": {Hours{Overrides: []DateHours{on(1, 1, 5), on(0, 22, 2)}},
			"overrides[1]"},
		"an override up to the next": {Hours{Overrides: []DateHours{on(0, 22, 2), on(1, 2, 5),
			{Date: friday.AddDays(2), Closed: true}}}, ""},
		"an override before a closed date": {
			Hours{Overrides: []DateHours{on(0, 22, 2), {Date: friday.AddDays(1), Closed: true}}}, ""},
		"an override into the weekly hours": {Hours{Weekly: []WeeklyHours{at(time.Saturday, 1, 5)},
			Overrides: []DateHours{on(0, 22, 2)}},
			""},
	} {
		err := test.hours.Check()
		if test.field == "" {
			require.NoError(t, err, name)
			continue
		}
		var refused *problem.Error
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, test.field, refused.Fields[0].Name, name)
	}
}

func TestHours_Stored_KeepTheirMeaning(t *testing.T) {
	t.Parallel()
	monday := civil.Date{Year: 2027, Month: 7, Day: 5}
	for stored, open := range map[string][]DayInterval{
		`{}`: {{0, datetime.MinutesPerDay}}, // made before hours could say always or never
		`{"overrides":[{"date":"2027-12-24","closed":true}]}`: {{0, datetime.MinutesPerDay}},
		`{"weekly":[{"weekday":1,"opens":540,"closes":720}]}`: {{540, 720}},
		`{"weekly":[]}`: nil,
		`{"weekly":[{"weekday":1,"opens":1320,"closes":120}]}`:                    {{1320, 1560}},
		`{"weekly":[],"overrides":[{"date":"2027-07-05","opens":0,"closes":60}]}`: {{0, 60}},
	} {
		var h Hours
		require.NoError(t, json.Unmarshal([]byte(stored), &h))
		require.Equal(t, open, h.Times().Intervals(monday), stored)
		again, err := json.Marshal(h)
		require.NoError(t, err)
		require.JSONEq(t, strings.ReplaceAll(stored, `"opens":0,`, ""), string(again))
	}
}
