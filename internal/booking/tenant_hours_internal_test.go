package booking

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
)

func TestRules_Size_CountsTheTenantsHoursOnce(t *testing.T) {
	t.Parallel()
	hours := catalog.Hours{AlwaysOpen: true, Overrides: make([]catalog.DateHours, 1000)}
	plain, with := rules{}, rules{tenantHours: hours}
	plain.setResources(make([]catalog.Resource, 3))
	with.setResources(make([]catalog.Resource, 3))
	own := rules{}
	own.setResources([]catalog.Resource{{}, {}, {Hours: hours}})
	require.Greater(t, with.size(), plain.size()+50_000)
	require.Equal(t, own.size(), with.size())
}
