package core

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/internal/db/internal/dbsqlc"
)

// wakePause is how long notifications are collected. A NOTIFY in each booking's transaction would commit bookings one
// after the other (PostgreSQL manual, "NOTIFY"). So a separate statement sends them, at most every 50 ms.
const wakePause = 50 * time.Millisecond

// notifier collects the kinds of which something is due, for the next notification.
type notifier struct {
	pool       *pgxpool.Pool
	background *sync.WaitGroup
	log        *slog.Logger

	mu    sync.Mutex
	kinds []string
}

// wake notifies the workers of all instances that events of some kinds are due. A notification that is lost costs time
// only: workers also look by themselves.
func (n *notifier) wake(kinds []string) {
	if len(kinds) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	first := len(n.kinds) == 0
	for _, k := range kinds {
		if !slices.Contains(n.kinds, k) {
			n.kinds = append(n.kinds, k)
		}
	}
	if first {
		n.background.Go(func() {
			time.Sleep(wakePause)
			n.mu.Lock()
			text := strings.Join(n.kinds, " ")
			n.kinds = nil
			n.mu.Unlock()
			ctx, cancel := context.WithTimeout(context.Background(), finishTimeout)
			defer cancel()
			if err := dbsqlc.New(n.pool).EventNotify(ctx, text); err != nil {
				n.log.Debug("notify the workers", "error", err)
			}
		})
	}
}
