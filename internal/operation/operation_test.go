package operation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/operation"
)

func TestListPermits_FollowTheRows(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]int{-1: 1, 0: 1, 1: 1, 50: 1, 51: 2, 200: operation.FullPage,
		1_000_000: operation.FullPage} {
		require.Equal(t, want, operation.ListPermits(limit), limit)
	}
}
