package timetable

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
	"github.com/teambition/rrule-go"
	"pgregory.net/rapid"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// The examples are those of RFC 5545, section 3.8.5.3, as far as their frequency and parts are a block's, with fewer
// dates where the RFC has more than a block may.
func TestRecurrence_ExamplesOfTheRFC_GiveTheirDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, rule, want string }{
		{"1997-09-02", "FREQ=DAILY;COUNT=10", "09-02 09-03 09-04 09-05 09-06 09-07 09-08 09-09 09-10 09-11"},
		{"1997-09-02", "FREQ=DAILY;INTERVAL=10;COUNT=5", "09-02 09-12 09-22 10-02 10-12"},
		{"1997-09-02", "FREQ=WEEKLY;UNTIL=19971006T235959Z;WKST=SU;BYDAY=TU,TH",
			"09-02 09-04 09-09 09-11 09-16 09-18 09-23 09-25 09-30 10-02"},
		{"1997-09-01", "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971223;WKST=SU;BYDAY=MO,WE,FR",
			"09-01 09-03 09-05 09-15 09-17 09-19 09-29 10-01 10-03 10-13 10-15 10-17 10-27 10-29 10-31 11-10 11-12 11-14 11-24 11-26 " +
				"11-28 12-08 12-10 12-12 12-22"},
		{"1997-09-05", "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
			"09-05 10-03 11-07 12-05 01-02 02-06 03-06 04-03 05-01 06-05"},
		{"1997-09-07", "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
			"09-07 09-28 11-02 11-30 01-04 01-25 03-01 03-29 05-03 05-31"},
		{"1997-09-22", "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO", "09-22 10-20 11-17 12-22 01-19 02-16"},
		{"1997-09-28", "FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=6", "09-28 10-29 11-28 12-29 01-29 02-26"},
		{"1997-09-30", "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
			"09-30 10-01 10-31 11-01 11-30 12-01 12-31 01-01 01-31 02-01"},
		{"1997-06-10", "FREQ=YEARLY;COUNT=4;BYMONTH=6,7", "06-10 07-10 06-10 07-10"},
		{"1997-05-19", "FREQ=YEARLY;BYDAY=20MO;COUNT=3", "05-19 05-18 05-17"},
		{"1997-03-13", "FREQ=YEARLY;BYMONTH=3;BYDAY=TH;COUNT=11",
			"03-13 03-20 03-27 03-05 03-12 03-19 03-26 03-04 03-11 03-18 03-25"},
		{"1998-02-13", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=4", "02-13 03-13 11-13 08-13"},
		{"1996-11-05", "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=3",
			"11-05 11-07 11-02"},
		{"1997-09-04", "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "09-04 10-07 11-06"},
		{"1997-09-29", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=7",
			"09-29 10-30 11-27 12-30 01-29 02-26 03-30"},
		{"1997-08-05", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "08-05 08-10 08-19 08-24"},
		{"1997-08-05", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "08-05 08-17 08-19 08-31"},
		{"2007-01-15", "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", "01-15 01-30 02-15 03-15 03-30"},
		{"2024-02-29", "FREQ=YEARLY;COUNT=3", "02-29 02-29 02-29"}, // dates that don't exist are left out
		{"2027-01-31", "freq=monthly;count=3", "01-31 03-31 05-31"},
	} {
		r, err := ParseRecurrence(c.rule, time.UTC)
		require.NoError(t, err, c.rule)
		dates, err := r.dates(testtime.Parse(t, c.first), time.UTC)
		require.NoError(t, err, c.rule)
		var got []string
		for _, d := range dates {
			got = append(got, d.String()[5:])
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.rule)
	}
}

// TestRecurrence_DrawnRules_GiveTheDatesOfAnotherImplementation compares with rrule-go, which isn't used itself: it was
// last released in January 2023, and panics for BYDAY=53MO of a month.
func TestRecurrence_DrawnRules_GiveTheDatesOfAnotherImplementation(t *testing.T) {
	t.Parallel()
	first := testtime.Parse(t, "2027-01-01")
	rapid.Check(t, func(t *rapid.T) {
		freq := rapid.SampledFrom([]string{"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}).Draw(t, "freq")
		rule := fmt.Sprintf("FREQ=%s;COUNT=%d;INTERVAL=%d", freq, rapid.IntRange(1, 62).Draw(t, "count"),
			rapid.SampledFrom([]int{1, 1, 2, 3, 7}).Draw(t, "interval"))
		part := func(name string, values *rapid.Generator[string]) {
			if rapid.IntRange(0, 2).Draw(t, name) == 0 {
				rule += ";" + name + "=" +
					strings.Join(rapid.SliceOfNDistinct(values, 1, 4, rapid.ID).Draw(t, "values"), ",")
			}
		}
		number := func(high int, signed bool) *rapid.Generator[string] {
			return rapid.Map(rapid.IntRange(1, high), func(n int) string {
				if signed && n%3 == 0 {
					n = -n
				}
				return strconv.Itoa(n)
			})
		}
		weekday := rapid.SampledFrom([]string{"MO", "TU", "WE", "TH", "FR", "SA", "SU"})
		part("BYMONTH", number(12, false))
		if freq != "WEEKLY" {
			part("BYMONTHDAY", number(31, true))
		}
		if freq == "MONTHLY" || freq == "YEARLY" {
			numbers := []string{""}
			if rapid.Bool().Draw(t, "numbered") { // the other one takes only the dates that both kinds have
				numbers = []string{"1", "+2", "3", "-1", "-2"}
			}
			part("BYDAY", rapid.Custom(func(t *rapid.T) string {
				return rapid.SampledFrom(numbers).Draw(t, "n") + weekday.Draw(t, "weekday")
			}))
			part("BYSETPOS", number(5, true))
		} else {
			part("BYDAY", weekday)
		}
		if rapid.Bool().Draw(t, "starts") {
			rule += ";WKST=" + weekday.Draw(t, "week starts")
		}
		option, err := rrule.StrToROption(rule)
		require.NoError(t, err, rule)
		start := first.AddDays(rapid.IntRange(0, 3000).Draw(t, "start"))
		var want []time.Time
		for range 2 { // the second time from a date of the rule, if it has any
			option.Dtstart, option.Until = start.In(time.UTC), start.AddDays(maxRecurrenceDays).In(time.UTC)
			other, err := rrule.NewRRule(*option)
			require.NoError(t, err, rule)
			if want = other.All(); len(want) > 0 {
				start = civil.DateOf(want[0])
			}
		}

		r, err := ParseRecurrence(rule, time.UTC)
		require.NoError(t, err, rule)
		got, err := r.dates(start, time.UTC)
		switch {
		case len(want) == 0 || !want[0].Equal(start.In(time.UTC)):
			require.True(t, problem.Is(err, problem.ValidationFailed), "%s: %v", rule, err)
		case len(want) < option.Count:
			require.Error(t, err, rule)
		default:
			require.NoError(t, err, rule)
			require.Len(t, got, len(want), rule)
			for i := range got {
				require.Equal(t, want[i], got[i].In(time.UTC), rule)
			}
		}
	})
}

func TestRecurrence_HostileRules_AreRefused(t *testing.T) {
	t.Parallel()
	first := testtime.Parse(t, "2027-01-04") // a Monday
	for _, c := range []struct {
		rule, code string
	}{
		{"", "invalid_format"},
		{"COUNT=3", "invalid_format"},
		{"FREQ=DAILY", "invalid_format"}, // without an end
		{"FREQ=DAILY;COUNT=3;UNTIL=20270110", "invalid_format"},
		{"FREQ=SECONDLY;COUNT=3", "invalid_format"},
		{"FREQ=MINUTELY;COUNT=3", "invalid_format"},
		{"FREQ=HOURLY;COUNT=3", "invalid_format"},
		{"FREQ=DAILY;COUNT=3;BYHOUR=9,10", "invalid_format"},
		{"FREQ=DAILY;COUNT=3;BYWEEKNO=2", "invalid_format"},
		{"FREQ=DAILY;COUNT=3;COUNT=4", "invalid_format"},
		{"FREQ=DAILY;COUNT=0", "invalid_format"},
		{"FREQ=DAILY;COUNT=-1", "invalid_format"},
		{"FREQ=DAILY;COUNT=99999999999999999999", "invalid_format"},
		{"FREQ=DAILY;INTERVAL=0;COUNT=3", "invalid_format"},
		{"FREQ=DAILY;INTERVAL=1001;COUNT=3", "invalid_format"},
		{"FREQ=DAILY;COUNT=3;", "invalid_format"},
		{"RRULE:FREQ=DAILY;COUNT=3", "invalid_format"},
		{"FREQ=DAILY;COUNT=3\nDTSTART:19970101", "invalid_format"},
		{"FREQ=DAILY;UNTIL=2027", "invalid_format"},
		{"FREQ=DAILY;UNTIL=20271301", "invalid_format"},
		{"FREQ=DAILY;UNTIL=20270110T120000", "invalid_format"}, // of no time zone
		{"FREQ=DAILY;UNTIL=99991231", "invalid_format"},
		{"FREQ=DAILY;UNTIL=00010101", "invalid_format"},
		{"FREQ=WEEKLY;COUNT=3;BYDAY=1MO", "invalid_format"},
		{"FREQ=DAILY;COUNT=3;BYDAY=1MO", "invalid_format"},
		{"FREQ=MONTHLY;COUNT=3;BYDAY=54MO", "invalid_format"},
		{"FREQ=MONTHLY;COUNT=3;BYDAY=0MO", "invalid_format"},
		{"FREQ=MONTHLY;COUNT=3;BYDAY=MO,", "invalid_format"},
		{"FREQ=MONTHLY;COUNT=3;BYDAY=XX", "invalid_format"},
		{"FREQ=WEEKLY;COUNT=3;WKST=1MO", "invalid_format"},
		{"FREQ=WEEKLY;COUNT=3;BYMONTHDAY=4", "invalid_format"},
		{"FREQ=MONTHLY;COUNT=3;BYMONTHDAY=0", "invalid_format"},
		{"FREQ=MONTHLY;COUNT=3;BYMONTHDAY=32", "invalid_format"},
		{"FREQ=MONTHLY;COUNT=3;BYMONTH=13", "invalid_format"},
		{"FREQ=MONTHLY;COUNT=3;BYMONTHDAY=4;BYSETPOS=0", "invalid_format"},
		{"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=2", "first_not_in_rule"}, // never
		{"FREQ=MONTHLY;COUNT=3;BYDAY=53MO", "first_not_in_rule"},
		{"FREQ=MONTHLY;COUNT=3;BYDAY=-53MO", "first_not_in_rule"},
		{"FREQ=WEEKLY;COUNT=3;BYDAY=TU", "first_not_in_rule"},
		{"FREQ=YEARLY;COUNT=12", "too_far"},
		{"FREQ=YEARLY;INTERVAL=1000;COUNT=2", "too_far"},
		{"FREQ=DAILY;INTERVAL=1000;UNTIL=20370301", "too_far"},
		{"FREQ=DAILY;UNTIL=20270103", "before_from"},
		{"FREQ=DAILY;UNTIL=20270103T235959Z", "before_from"},
		{"FREQ=DAILY;COUNT=63", ""},
		{"FREQ=DAILY;COUNT=1000000", ""},
		{"FREQ=DAILY;UNTIL=20370101", ""},
		{"FREQ=DAILY;UNTIL=20270307", ""},
	} {
		r, err := ParseRecurrence(c.rule, time.UTC)
		if err == nil {
			_, err = r.dates(first, time.UTC)
		}
		require.Error(t, err, c.rule)
		if c.code == "" {
			require.True(t, problem.Is(err, problem.TooManyDates), "%s: %v", c.rule, err)
			continue
		}
		fields := problem.DocumentOf(err).Errors
		require.Len(t, fields, 1, "%s: %v", c.rule, err)
		require.Equal(t, [2]string{"rrule", c.code}, [2]string{fields[0].Name, fields[0].Code}, c.rule)
	}
	r, err := ParseRecurrence("FREQ=DAILY;UNTIL=20270306", time.UTC)
	require.NoError(t, err)
	dates, err := r.dates(first, time.UTC)
	require.NoError(t, err)
	require.Len(t, dates, 62)
}

func FuzzRecurrence(f *testing.F) {
	for _, rule := range []string{
		"FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20271231", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=12",
		"FREQ=YEARLY;BYDAY=53MO,-53SU;COUNT=2",
		"FREQ=DAILY;INTERVAL=1000;COUNT=3;BYSETPOS=-366", "FREQ=MONTHLY;BYMONTHDAY=-31;COUNT=62",
	} {
		f.Add(rule, 0)
	}
	f.Fuzz(func(t *testing.T, rule string, days int) {
		first := civil.Date{Year: 2027, Month: time.January, Day: 1}.AddDays(days % 1_000_000)
		r, err := ParseRecurrence(rule, time.UTC)
		if err != nil {
			return
		}
		dates, err := r.dates(first, time.UTC)
		if err != nil {
			return
		}
		require.NotEmpty(t, dates)
		require.LessOrEqual(t, len(dates), 62)
		require.Equal(t, first, dates[0])
		for i := range dates[1:] {
			require.True(t, dates[i].Before(dates[i+1]))
		}
	})
}
