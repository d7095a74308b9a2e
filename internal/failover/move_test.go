package failover_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/move"
)

// The next step of a move relies on the steps before it. A step that is made again must not believe what a promotion
// would lose.
func TestBeginMove_CommitIsCancelled_IsDoneOnlyWhenTheStandbyHasIt(t *testing.T) {
	t.Parallel()
	b := setup(t, db.Config{})
	m := move.Move{ID: uuid.Must(uuid.NewV7()), Tenant: b.tenant.ID, ToCell: "other"}
	require.NoError(t, b.replicas.Standby.Freeze(t.Context()))
	begin := func(ctx context.Context) <-chan error {
		done := make(chan error, 1)
		go func() { done <- move.Begin(ctx, b.process.store, m) }()
		return done
	}
	cancelled := begin(t.Context())
	b.waitForCommits(t, 1, 0)
	b.cancelCommits(t)
	require.Error(t, <-cancelled)

	again := begin(t.Context())
	b.waitForCommits(t, 1, 100*time.Millisecond)
	require.Empty(t, again, "the move is there, and the standby lacks it")
	require.NoError(t, b.replicas.Standby.Thaw())
	require.NoError(t, <-again)
}
