package timetable

import (
	"fmt"
	"slices"
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/problem"
)

func TestStartTimes_DatesBeforePartsOfTheYearBeforeTheRest(t *testing.T) {
	t.Parallel()
	christmas := civil.Date{Year: 2027, Month: 12, Day: 24}
	svc := Spec{StartTimes: []StartTime{
		{Weekdays: []Weekday{"monday"}, At: []Clock{"18:00"}},
		{Weekdays: []Weekday{"monday", "thursday"}, At: []Clock{"07:00"}},
		{PartOfYear: PartOfYear{From: "06-01", To: "08-31"}, Weekdays: []Weekday{"monday"}, At: []Clock{"20:30"}},
		{PartOfYear: PartOfYear{From: "11-15", To: "02-15"}, At: []Clock{"10:00"}},
		{PartOfYear: PartOfYear{From: "2028-04-01"}, At: []Clock{"11:00"}},
		{PartOfYear: PartOfYear{To: "2026-12-31"}, At: []Clock{"12:00"}},
		{Dates: []civil.Date{christmas, christmas.AddDays(1)}, At: []Clock{"14:00"}},
		{Dates: []civil.Date{christmas}, At: []Clock{"15:30"}},
		{Dates: []civil.Date{christmas.AddDays(2)}, At: []Clock{}},
	}}
	for text, want := range map[string][]int{
		"2027-05-31": {18 * 60, 7 * 60},     // a Monday
		"2027-06-03": nil,                   // a Thursday of a part of the year that has Mondays only
		"2027-06-07": {20*60 + 30},          // its first Monday
		"2027-08-30": {20*60 + 30},          // its last Monday
		"2027-09-02": {7 * 60},              // a Thursday after it
		"2027-11-15": {10 * 60},             // over new year
		"2028-02-15": {10 * 60},             // until here
		"2028-02-16": nil,                   // a Wednesday
		"2028-03-31": nil,                   // a Friday, the day before a date with a year
		"2028-04-01": {11 * 60},             // from then on
		"2029-01-01": {10 * 60, 11 * 60},    // two parts of the year count together
		"2026-10-01": {12 * 60},             // until a date with a year
		"2027-12-24": {14 * 60, 15*60 + 30}, // dates count alone, and together
		"2027-12-25": {14 * 60},             // the other date of a list
		"2027-12-26": nil,                   // a date without any
		"2027-12-27": {10 * 60},             // the date after
		"2027-06-02": nil,                   // a Wednesday
		"2026-12-31": {10 * 60, 12 * 60},    // the last date of two parts
	} {
		d, err := civil.ParseDate(text)
		require.NoError(t, err)
		require.Equal(t, want, svc.startsOn(d), text)
	}
}

func TestStartTimes_OutOfBounds_AreRefused(t *testing.T) {
	t.Parallel()
	dates := []civil.Date{{Year: 2027, Month: 7, Day: 1}}
	for name, test := range map[string]struct {
		of          StartTime
		field, code string
	}{
		"a time of no day":   {StartTime{At: []Clock{"24:00"}}, "at[0]", "invalid_format"},
		"another form":       {StartTime{At: []Clock{"9:00"}}, "at[0]", "invalid_format"},
		"a time twice":       {StartTime{At: []Clock{"09:00", "09:00"}}, "at[1]", "duplicate"},
		"dates and weekdays": {StartTime{Dates: dates, Weekdays: []Weekday{"monday"}}, "dates", "excluded"},
		"dates in a part of the year": {StartTime{Dates: dates, PartOfYear: PartOfYear{From: "2027-01-01"}}, "dates",
			"excluded"},
		"a date out of all bounds": {StartTime{Dates: []civil.Date{{Year: 1, Month: 1, Day: 1}}}, "dates[0]", "out_of_range"},
		"no weekday":               {StartTime{Weekdays: []Weekday{"holiday"}}, "weekdays[0]", "not_one_of"},
		"a weekday twice":          {StartTime{Weekdays: []Weekday{"monday", "monday"}}, "weekdays[1]", "duplicate"},
		"a beginning of each year": {StartTime{PartOfYear: PartOfYear{From: "06-01"}}, "to", "invalid_format"},
		"an end of each year":      {StartTime{PartOfYear: PartOfYear{To: "06-01"}}, "to", "invalid_format"},
		"two forms": {StartTime{PartOfYear: PartOfYear{From: "06-01", To: "2027-07-01"}}, "to",
			"invalid_format"},
		"a day that doesn't exist": {StartTime{PartOfYear: PartOfYear{From: "02-31", To: "03-01"}}, "from", "invalid_format"},
		"the end before": {StartTime{PartOfYear: PartOfYear{From: "2027-07-02", To: "2027-07-01"}}, "to",
			"before_from"},
		"a year out of all bounds": {StartTime{PartOfYear: PartOfYear{From: "0001-07-02"}}, "from", "out_of_range"},
		"too many times":           {StartTime{At: make([]Clock, maxStartsADay+1)}, "at", "too_large"},
	} {
		svc := Spec{Kind: KindSlot, DurationMinutes: 60, StartTimes: []StartTime{{At: []Clock{"09:00"}}, test.of},
			ResourceIDs: []uuid.UUID{uuid.New()}}
		err := svc.WithDefaults().Check()
		var refused *problem.Error
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, []string{"start_times[1]." + test.field, test.code},
			[]string{refused.Fields[0].Name, refused.Fields[0].Code}, name)
	}
	for _, kind := range []Spec{{Kind: KindDate}, {Kind: KindStay, CheckIn: "15:00", CheckOut: "10:00"}} {
		kind.StartTimes, kind.ResourceIDs = []StartTime{{At: []Clock{"09:00"}}}, []uuid.UUID{uuid.New()}
		require.ErrorContains(t, kind.WithDefaults().Check(), "start_times: not_for_kind")
	}
}

// plainStarts says by a text of each date when slots start.
func plainStarts(list []StartTime, d civil.Date) map[int]bool {
	within := func(s StartTime) bool {
		text := d.String()
		if len(s.From) == len("06-01") {
			text = text[len("2027-"):]
			if s.From > s.To {
				return text >= s.From || text <= s.To
			}
		}
		return text >= s.From && (s.To == "" || text <= s.To)
	}
	tiers := map[string][]StartTime{}
	for _, s := range list {
		switch {
		case len(s.Dates) > 0 && slices.Contains(s.Dates, d):
			tiers["dates"] = append(tiers["dates"], s)
		case len(s.Dates) > 0:
		case s.From+s.To == "":
			tiers["rest"] = append(tiers["rest"], s)
		case within(s):
			tiers["year"] = append(tiers["year"], s)
		}
	}
	starts := map[int]bool{}
	for _, tier := range []string{"dates", "year", "rest"} {
		for _, s := range tiers[tier] {
			if len(s.Weekdays) > 0 && !slices.Contains(s.Weekdays, WeekdayOf(d.Weekday())) {
				continue
			}
			for _, at := range s.At {
				starts[MinuteOf(string(at))] = true
			}
		}
		if len(tiers[tier]) > 0 {
			break
		}
	}
	return starts
}

func TestStartTimes_RandomEntries_AreThoseOfAPlainModel(t *testing.T) {
	t.Parallel()
	some := 0
	rapid.Check(t, func(rt *rapid.T) {
		first := civil.Date{Year: 2027, Month: 12, Day: 1}
		date := func(name string) civil.Date { return first.AddDays(rapid.IntRange(0, 60).Draw(rt, name)) }
		var svc Spec
		for range rapid.IntRange(1, 5).Draw(rt, "entries") {
			var s StartTime
			for _, day := range weekdays {
				if rapid.IntRange(0, 4).Draw(rt, "on") == 0 {
					s.Weekdays = append(s.Weekdays, day)
				}
			}
			from, to := date("from"), date("to")
			switch rapid.IntRange(0, 5).Draw(rt, "when") {
			case 0:
				s.Dates, s.Weekdays = []civil.Date{from, to}, nil
			case 1:
				s.From, s.To = from.String()[5:], to.String()[5:]
			case 2:
				s.From, s.To = min(from.String(), to.String()), max(from.String(), to.String())
			case 3:
				s.From = from.String()
			case 4:
				s.To = to.String()
			}
			for range rapid.IntRange(0, 3).Draw(rt, "times") {
				at := Clock(fmt.Sprintf("%02d:00", rapid.IntRange(0, 23).Draw(rt, "at")))
				if !slices.Contains(s.At, at) {
					s.At = append(s.At, at)
				}
			}
			require.NoError(rt, s.check(""))
			svc.StartTimes = append(svc.StartTimes, s)
		}
		for n := -3; n < 64; n++ {
			d := first.AddDays(n)
			got := map[int]bool{}
			for _, minute := range svc.startsOn(d) {
				got[minute] = true
				some++
			}
			require.Equal(rt, plainStarts(svc.StartTimes, d), got, "%s", d)
		}
	})
	require.Positive(t, some)
}
