package catalog

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/timetable"
	"holdfast/internal/timezone"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := timezone.Load(name)
	require.NoError(t, err)
	return loc
}

// timesIn returns a block's times as text, each without its year.
func timesIn(t *testing.T, name string, s BlockSpec) string {
	t.Helper()
	b, err := s.Block(zone(t, name))
	require.NoError(t, err)
	var list []string
	for _, at := range b.Times {
		require.True(t, at.StartsAt.Before(at.EndsAt))
		list = append(list, at.StartsAt.Format("01-02T15:04Z07:00")+"/"+at.EndsAt.Format("01-02T15:04Z07:00"))
	}
	return strings.Join(list, " ")
}

// While clocks go back, a time can end before it begins by the clock. It can't be repeated.
func TestBlockTimes_EndsBeforeItBeginsByTheClock_IsRefusedWithARule(t *testing.T) {
	t.Parallel()
	loc := zone(t, "Europe/Berlin")
	spec := BlockSpec{StartsAt: new("2027-10-31T02:45:00+02:00"), EndsAt: new("2027-10-31T02:30:00+01:00")}
	b, err := spec.Block(loc)
	require.NoError(t, err)
	require.Len(t, b.Times, 1)
	spec.RRule = new("FREQ=WEEKLY;COUNT=4")
	_, err = spec.Block(loc)
	require.ErrorContains(t, err, "ends_at: not_after_start")
}

func TestBlockTimes_ClocksChange_WallClockTimesStay(t *testing.T) {
	t.Parallel()
	moments := func(from, until, rule string) BlockSpec {
		return BlockSpec{StartsAt: &from, EndsAt: &until, RRule: &rule}
	}
	for _, c := range []struct {
		name, zone string
		spec       BlockSpec
		want       string
	}{
		{"summer time begins", "America/New_York",
			moments("2027-03-13T09:00:00-05:00", "2027-03-13T12:00:00-05:00", "FREQ=DAILY;COUNT=3"),
			"03-13T09:00-05:00/03-13T12:00-05:00 03-14T09:00-04:00/03-14T12:00-04:00 03-15T09:00-04:00/03-15T12:00-04:00"},
		{"a beginning that clocks skip is the change", "America/New_York",
			moments("2027-03-13T02:30:00-05:00", "2027-03-13T04:00:00-05:00", "FREQ=DAILY;COUNT=3"),
			"03-13T02:30-05:00/03-13T04:00-05:00 03-14T03:00-04:00/03-14T04:00-04:00 03-15T02:30-04:00/03-15T04:00-04:00"},
		{"an end that clocks skip is the change", "America/New_York",
			moments("2027-03-13T01:00:00-05:00", "2027-03-13T02:30:00-05:00", "FREQ=DAILY;COUNT=2"),
			"03-13T01:00-05:00/03-13T02:30-05:00 03-14T01:00-05:00/03-14T03:00-04:00"},
		{"a time that clocks skip is left out", "America/New_York",
			moments("2027-03-13T02:15:00-05:00", "2027-03-13T02:45:00-05:00", "FREQ=DAILY;COUNT=3"),
			"03-13T02:15-05:00/03-13T02:45-05:00 03-15T02:15-04:00/03-15T02:45-04:00"},
		{"a time that comes twice lasts over both", "Europe/London",
			moments("2027-10-30T01:15:00+01:00", "2027-10-30T01:45:00+01:00", "FREQ=DAILY;COUNT=3"),
			"10-30T01:15+01:00/10-30T01:45+01:00 10-31T01:15+01:00/10-31T01:45Z 11-01T01:15Z/11-01T01:45Z"},
		{"the first time is as it is said", "Europe/London",
			moments("2027-10-31T01:15:00+00:00", "2027-10-31T01:45:00+00:00", "FREQ=DAILY;COUNT=2"),
			"10-31T01:15Z/10-31T01:45Z 11-01T01:15Z/11-01T01:45Z"},
		{"clocks go back half an hour", "Australia/Lord_Howe",
			moments("2027-04-03T01:40:00+11:00", "2027-04-03T02:10:00+11:00", "FREQ=DAILY;COUNT=2"),
			"04-03T01:40+11:00/04-03T02:10+11:00 04-04T01:40+11:00/04-04T02:10+10:30"},
		{"over midnight, and clocks change before it", "America/Nuuk", // at 00:00 of 31 October they go back to 23:00
			moments("2027-10-29T22:30:00-01:00", "2027-10-30T00:30:00-01:00", "FREQ=DAILY;COUNT=3"),
			"10-29T22:30-01:00/10-30T00:30-01:00 10-30T22:30-01:00/10-31T00:30-02:00 10-31T22:30-02:00/11-01T00:30-02:00"},
		{"until midnight", "America/Nuuk",
			moments("2027-10-29T22:30:00-01:00", "2027-10-30T00:00:00-01:00", "FREQ=DAILY;COUNT=2"),
			"10-29T22:30-01:00/10-30T00:00-01:00 10-30T22:30-01:00/10-31T00:00-02:00"},
		{"an odd offset", "Asia/Kathmandu",
			moments("2027-01-31T09:00:00+05:45", "2027-01-31T10:00:00+05:45", "FREQ=MONTHLY;COUNT=2;BYMONTHDAY=-1"),
			"01-31T09:00+05:45/01-31T10:00+05:45 02-28T09:00+05:45/02-28T10:00+05:45"},
		{"another offset names the same moment", "Asia/Kathmandu",
			moments("2027-01-31T23:00:00Z", "2027-02-01T00:00:00Z", "FREQ=DAILY;COUNT=2"),
			"02-01T04:45+05:45/02-01T05:45+05:45 02-02T04:45+05:45/02-02T05:45+05:45"},
		{"a date that clocks skip is left out", "Pacific/Apia",
			moments("2011-12-29T09:00:00-10:00", "2011-12-29T10:00:00-10:00", "FREQ=DAILY;COUNT=3"),
			"12-29T09:00-10:00/12-29T10:00-10:00 12-31T09:00+14:00/12-31T10:00+14:00"},
		{"times that overlap follow each other", "Europe/London",
			moments("2027-06-01T12:00:00+01:00", "2027-06-02T18:00:00+01:00", "FREQ=DAILY;COUNT=2"),
			"06-01T12:00+01:00/06-02T18:00+01:00 06-02T18:00+01:00/06-03T18:00+01:00"},
		{"until a time", "Europe/London",
			moments("2027-06-01T12:00:00+01:00", "2027-06-01T13:00:00+01:00", "FREQ=DAILY;UNTIL=20270602T110000Z"),
			"06-01T12:00+01:00/06-01T13:00+01:00 06-02T12:00+01:00/06-02T13:00+01:00"},
		{"until a moment before a time", "Europe/London",
			moments("2027-06-01T12:00:00+01:00", "2027-06-01T13:00:00+01:00", "FREQ=DAILY;UNTIL=20270602T105959Z"),
			"06-01T12:00+01:00/06-01T13:00+01:00"},
		{"whole dates", "America/New_York",
			BlockSpec{From: new("2027-03-13"), To: new("2027-03-14"), RRule: new("FREQ=WEEKLY;COUNT=2")},
			"03-13T00:00-05:00/03-15T00:00-04:00 03-20T00:00-04:00/03-22T00:00-04:00"},
		{"whole dates over one that clocks skip", "Pacific/Apia",
			BlockSpec{From: new("2011-12-29"), To: new("2011-12-31")},
			"12-29T00:00-10:00/01-01T00:00+14:00"},
	} {
		require.Equal(t, c.want, timesIn(t, c.zone, c.spec), c.name)
	}
}

func TestBlockTimes_CutAtEachDate_NoPartIsLongerThanItsDate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"America/New_York", "Pacific/Apia", "America/Nuuk"} {
		loc := zone(t, name)
		b, err := BlockSpec{From: new("2011-12-01"), To: new("2012-01-31")}.Block(loc)
		require.NoError(t, err)
		cut := timetable.PerDate(b.Times, loc)
		at := b.Times[0].StartsAt
		for _, part := range cut {
			require.True(t, part.StartsAt.Equal(at), "no gap, no overlap")
			require.LessOrEqual(t, part.EndsAt.Sub(part.StartsAt), timetable.LongestDayMinutes*time.Minute)
			at = part.EndsAt
		}
		require.True(t, at.Equal(b.Times[0].EndsAt))
		dates, err := timetable.BlockedDates(b.Times, loc)
		require.NoError(t, err)
		require.Len(t, dates, 62, "also the date that clocks skip has a lock")
	}
}

func TestBlockSpec_WhatIsNoTime_IsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec        BlockSpec
		field, code string
	}{
		{BlockSpec{}, "starts_at", "required"},
		{BlockSpec{StartsAt: new("2027-06-01T12:00:00Z")}, "ends_at", "required"},
		{BlockSpec{EndsAt: new("2027-06-01T12:00:00Z")}, "starts_at", "required"},
		{BlockSpec{From: new("2027-06-01")}, "to", "required"},
		{BlockSpec{To: new("2027-06-01")}, "from", "required"},
		{BlockSpec{From: new("2027-06-01"), EndsAt: new("2027-06-01T12:00:00Z")}, "from", "excluded"},
		{BlockSpec{From: new("2027-06-02"), To: new("2027-06-01")}, "to", "before_from"},
		{BlockSpec{From: new("2027-06-32"), To: new("2027-06-01")}, "from", "invalid_format"},
		{BlockSpec{From: new("1800-06-01"), To: new("2027-06-01")}, "from", "out_of_range"},
		{BlockSpec{From: new("2027-06-01"), To: new("9999-06-01")}, "to", "out_of_range"},
		{BlockSpec{StartsAt: new("2027-06-01T12:00:00Z"), EndsAt: new("2027-06-01T12:00:00Z")}, "ends_at",
			"not_after_start"},
		{BlockSpec{StartsAt: new("2027-06-01T12:00:01Z"), EndsAt: new("2027-06-01T13:00:00Z")}, "starts_at",
			"not_a_minute"},
		{BlockSpec{StartsAt: new("2027-06-01T12:00:00Z"), EndsAt: new("2027-06-01T13:00:00.5Z")}, "ends_at",
			"not_a_minute"},
		{BlockSpec{StartsAt: new("2027-03-28T01:30:00+01:00"), EndsAt: new("2027-03-28T04:00:00+01:00")}, "starts_at",
			"nonexistent_time"},
		{BlockSpec{StartsAt: new("2027-03-28T00:30:00Z"), EndsAt: new("2027-03-28T01:30:00+01:00")}, "ends_at",
			"nonexistent_time"},
		{BlockSpec{From: new("2027-06-01"), To: new("2027-06-01"), Reason: " "}, "reason", "blank"},
	} {
		_, err := c.spec.Block(zone(t, "Europe/London"))
		require.Error(t, err, "%+v", c)
		fields := problem.DocumentOf(err).Errors
		require.Len(t, fields, 1, "%v", err)
		require.Equal(t, [2]string{c.field, c.code}, [2]string{fields[0].Name, fields[0].Code})
	}
	_, err := BlockSpec{From: new("2011-12-30"), To: new("2011-12-30")}.Block(zone(t, "Pacific/Apia"))
	require.Equal(t, "nonexistent_time", problem.DocumentOf(err).Errors[0].Code)
	for _, to := range []string{"2027-08-02", "8999-12-31"} {
		_, err = BlockSpec{From: new("2027-06-01"), To: &to}.Block(time.UTC)
		require.True(t, problem.Is(err, problem.TooManyDates), "%v", err)
	}
}
