package booking

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
	"holdfast/internal/timetable"
)

func TestRules_Size_CountsTheTenantsHoursOnce(t *testing.T) {
	t.Parallel()
	hours := timetable.Hours{AlwaysOpen: true, Overrides: make([]timetable.DateHours, 1000)}
	plain, with := rules{}, rules{tenantHours: hours}
	plain.setResources(make([]catalog.Resource, 3))
	with.setResources(make([]catalog.Resource, 3))
	own := rules{}
	own.setResources([]catalog.Resource{{}, {}, {Hours: hours}})
	require.Greater(t, with.size(), plain.size()+50_000)
	require.Equal(t, own.size(), with.size())
}
