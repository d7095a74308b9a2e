package claim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/claim"
)

func TestLapsed_IsAHoldFromTheMomentOfItsExpiry(t *testing.T) {
	t.Parallel()
	expiry := time.Date(2026, time.July, 14, 10, 0, 0, 0, time.UTC)
	hold := claim.Claim{ExpiresAt: &expiry}
	require.False(t, hold.Lapsed(expiry.Add(-time.Microsecond)))
	require.True(t, hold.Lapsed(expiry))
	require.True(t, hold.Lapsed(expiry.Add(time.Microsecond)))
	require.False(t, claim.Claim{}.Lapsed(expiry), "a claim that isn't a hold's stays")
}
