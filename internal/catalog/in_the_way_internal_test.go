package catalog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/store"
)

func TestLapsed_IsAHoldFromTheMomentOfItsExpiry(t *testing.T) {
	t.Parallel()
	expiry := time.Date(2026, time.July, 14, 10, 0, 0, 0, time.UTC)
	hold := store.Claim{ExpiresAt: &expiry}
	require.False(t, Lapsed(hold, expiry.Add(-time.Microsecond)))
	require.True(t, Lapsed(hold, expiry))
	require.True(t, Lapsed(hold, expiry.Add(time.Microsecond)))
	require.False(t, Lapsed(store.Claim{}, expiry), "a claim that isn't a hold's stays")
}
