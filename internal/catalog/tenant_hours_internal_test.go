package catalog

import (
	"encoding/json"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// TestTimetableIn_InheritedHours_AreTheTenantsWithOverridesInFront compares with hours that say the same without a
// tenant.
func TestTimetableIn_InheritedHours_AreTheTenantsWithOverridesInFront(t *testing.T) {
	t.Parallel()
	first := civil.Date{Year: 2027, Month: time.December, Day: 20}
	rapid.Check(t, func(rt *rapid.T) {
		weekly := func() []timetable.WeeklyHours {
			list := []timetable.WeeklyHours{}
			for day := time.Sunday; day <= time.Saturday; day++ {
				if rapid.Bool().Draw(rt, "open") {
					list = append(list,
						timetable.WeeklyHours{Weekday: day, Opens: rapid.IntRange(0, 700).Draw(rt, "opens"),
							Closes: 720})
				}
			}
			return list
		}
		overrides := func() (list []timetable.DateHours) {
			for i := range 14 {
				switch rapid.IntRange(0, 3).Draw(rt, "override") {
				case 0:
					list = append(list, timetable.DateHours{Date: first.AddDays(i), Closed: true})
				case 1:
					list = append(
						list,
						timetable.DateHours{Date: first.AddDays(i), Opens: rapid.IntRange(0, 700).Draw(rt, "opens"),
							Closes: 721},
					)
				}
			}
			return list
		}
		tenant := timetable.Hours{AlwaysOpen: true, Overrides: overrides()}
		if rapid.Bool().Draw(rt, "weekly") {
			tenant.AlwaysOpen, tenant.Weekly = false, weekly()
		}
		if rapid.Bool().Draw(rt, "season") {
			tenant.Seasons = []timetable.Season{{From: civil.Date{Month: 12, Day: 24}, To: civil.Date{Month: 1, Day: 1},
				Weekly: weekly()}}
		}
		own, merged := timetable.Hours{Overrides: overrides()}, tenant
		require.NoError(rt, own.Check())
		require.NoError(rt, tenant.Check())
		mine := make(map[civil.Date]bool)
		for _, o := range own.Overrides {
			mine[o.Date] = true
		}
		merged.Overrides = own.Overrides
		for _, o := range tenant.Overrides {
			if !mine[o.Date] {
				merged.Overrides = append(merged.Overrides, o)
			}
		}
		followed := tenant.Times()
		got, want := own.TimesIn(&followed), merged.Times()
		for i := range 16 {
			d := first.AddDays(i - 1)
			require.Equal(rt, want.Intervals(d), got.Intervals(d), d)
		}
		require.Equal(rt, want.WeeklyStarts(30), got.WeeklyStarts(30))
		for _, not := range []timetable.Hours{{AlwaysOpen: true, Overrides: own.Overrides},
			{Weekly: weekly(), Overrides: own.Overrides}} {
			got, want := not.TimesIn(&followed), not.Times()
			for i := range 16 {
				require.Equal(rt, want.Intervals(first.AddDays(i)), got.Intervals(first.AddDays(i)),
					"hours of its own have nothing of the tenant's")
			}
			require.Equal(rt, want.WeeklyStarts(30), got.WeeklyStarts(30))
		}
	})
}

// TestHours_AlwaysOpen_IsToldFromInheritedAndReadBy010 reads what is stored as this server does, and as 0.1.0 did:
// without knowing the field always_open.
func TestHours_AlwaysOpen_IsToldFromInheritedAndReadBy010(t *testing.T) {
	t.Parallel()
	override := timetable.OverrideBody{Date: "2027-12-24", Closed: true}
	closed := timetable.Hours{Weekly: []timetable.WeeklyHours{}}.Times()
	for _, test := range []struct {
		body      timetable.ResourceHoursBody
		stored    string
		inherited bool
	}{
		{timetable.ResourceHoursBody{Inherited: true}, `{}`, true},
		{timetable.ResourceHoursBody{Inherited: true,
			HoursBody: timetable.HoursBody{Overrides: []timetable.OverrideBody{override}}},
			`{"overrides":[{"date":"2027-12-24","closed":true}]}`, true},
		{timetable.ResourceHoursBody{HoursBody: timetable.HoursBody{AlwaysOpen: true}}, `{"always_open":true}`, false},
		{timetable.ResourceHoursBody{HoursBody: timetable.HoursBody{AlwaysOpen: true,
			Overrides: []timetable.OverrideBody{override}}},
			`{"always_open":true,"overrides":[{"date":"2027-12-24","closed":true}]}`, false},
		{timetable.ResourceHoursBody{HoursBody: timetable.HoursBody{Weekly: []timetable.WeeklyBody{}}}, `{"weekly":[]}`,
			false},
	} {
		given, err := test.body.Hours()
		require.NoError(t, err)
		stored, err := json.Marshal(given)
		require.NoError(t, err)
		require.JSONEq(t, test.stored, string(stored))
		res, err := resourceFromRow(resourceRow{Hours: stored})
		require.NoError(t, err)
		require.Equal(t, test.inherited, res.Hours.Inherited(), test.stored)
		require.Equal(t, given, res.Hours)
		again, err := res.Body().Hours.Hours()
		require.NoError(t, err)
		require.Equal(t, given, again, "what is shown can be sent")
		openOn := func(text string) bool { return len(res.Open(&closed).Times.Intervals(testtime.Parse(t, text))) > 0 }
		require.Equal(t, test.body.AlwaysOpen, openOn("2027-12-23"), test.stored)
		require.False(t, openOn("2027-12-24") && len(test.body.Overrides) > 0, test.stored)

		var of010 struct {
			Weekly    []timetable.WeeklyHours `json:"weekly,omitzero"`
			Overrides []timetable.DateHours   `json:"overrides,omitempty"`
		}
		require.NoError(t, json.Unmarshal(stored, &of010))
		require.Equal(t, test.body.Weekly == nil, of010.Weekly == nil, "nil is always open in 0.1.0")
		require.Len(t, of010.Overrides, len(test.body.Overrides))
	}
}

func TestTenantHours_NeverSet_AreAlwaysOpen(t *testing.T) {
	t.Parallel()
	h, err := hoursFromRow(tenantHoursRow{Hours: []byte(`{}`), SettingsVersion: 7})
	require.NoError(t, err)
	require.Equal(t, timetable.HoursBody{AlwaysOpen: true, Overrides: []timetable.OverrideBody{}}, h.Body())
	require.Equal(t, `"7"`, h.ETag())
	times := h.Times()
	require.Equal(t, []timetable.DayInterval{{From: 0, Until: 1440}}, times.Intervals(testtime.Parse(t, "2027-12-24")))
}
