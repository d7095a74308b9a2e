package httpapi

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCosts_FollowTheDatesAndTheLimit(t *testing.T) {
	t.Parallel()
	for query, cost := range map[string]int{
		"from=2027-01-01&to=2027-01-01": 4, "from=2027-01-01&to=2027-01-31": 4, "from=2027-01-01&to=2027-02-01": 8,
		"from=2027-01-01&to=2027-12-31&slots=false": 8, "from=x&to=y": 8, "": 8,
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		require.Equal(t, cost, costOfAvailability(values), query)
	}
	for query, cost := range map[string]int{"": 1, "limit=1": 1, "limit=50": 1, "limit=51": 2, "limit=200": 4, "limit=1000000": 4, "limit=-1": 1, "limit=x": 1} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		require.Equal(t, cost, costOfList(values), query)
	}
}
