package timetable

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"
)

func TestRules_Size_CountsTheTenantsHoursOnce(t *testing.T) {
	t.Parallel()
	hours := Hours{AlwaysOpen: true}
	for i := range 1000 {
		day := civil.Date{Year: 2027, Month: time.January, Day: 1}.AddDays(i)
		hours.Overrides = append(hours.Overrides, DateHours{Date: day, Closed: true})
	}
	open, of := Hours{}.Times(), hours.Times()
	inheriting := func(tenant *Times) (r Rules) {
		times := Hours{}.TimesIn(tenant)
		r.SetResources([]Resource{{Times: open}, {Times: times}, {Times: times}})
		return r
	}
	plain, with := inheriting(&open), inheriting(&of)
	own := Rules{}
	own.SetResources([]Resource{{Times: open}, {Times: open}, {Times: of}})
	require.Greater(t, with.Size(), plain.Size()+50_000)
	require.InDelta(t, own.Size(), with.Size(), 1000)
}
