package booking

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/timetable"
)

func TestRules_Size_CountsTheTenantsHoursOnce(t *testing.T) {
	t.Parallel()
	hours := timetable.Hours{AlwaysOpen: true}
	for i := range 1000 {
		day := civil.Date{Year: 2027, Month: time.January, Day: 1}.AddDays(i)
		hours.Overrides = append(hours.Overrides, timetable.DateHours{Date: day, Closed: true})
	}
	open, of := timetable.Hours{}.Times(), hours.Times()
	inheriting := func(tenant *timetable.Times) (r rules) {
		times := timetable.Hours{}.TimesIn(tenant)
		r.setResources([]timetable.Resource{{Times: open}, {Times: times}, {Times: times}})
		return r
	}
	plain, with := inheriting(&open), inheriting(&of)
	own := rules{}
	own.setResources([]timetable.Resource{{Times: open}, {Times: open}, {Times: of}})
	require.Greater(t, with.size(), plain.size()+50_000)
	require.InDelta(t, own.size(), with.size(), 1000)
}
