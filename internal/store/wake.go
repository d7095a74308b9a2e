package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"holdfast/internal/store/internal/dbsqlc"
)

// WakeFeed is the name under which the readers of the feed are woken: the relay, and the streams of the feed. No kind has it.
const WakeFeed = "feed"

// wakePause is how long notifications are collected. A NOTIFY in each booking's transaction would commit bookings one after the other
// (PostgreSQL manual, "NOTIFY"). So a separate statement sends them, at most every 50 ms.
const wakePause = 50 * time.Millisecond

// wakeups collects the kinds of which something is due, for the next notification.
type wakeups struct {
	mu    sync.Mutex
	kinds []string
}

// wake notifies the workers of all instances that events of some kinds are due. A notification that is lost costs time only: workers
// also look by themselves.
func (s *Store) wake(kinds ...string) {
	if len(kinds) == 0 {
		return
	}
	w := &s.wakeups
	w.mu.Lock()
	defer w.mu.Unlock()
	first := len(w.kinds) == 0
	for _, k := range kinds {
		if !slices.Contains(w.kinds, k) {
			w.kinds = append(w.kinds, k)
		}
	}
	if first {
		s.background.Go(func() {
			time.Sleep(wakePause)
			w.mu.Lock()
			text := strings.Join(w.kinds, " ")
			w.kinds = nil
			w.mu.Unlock()
			ctx, cancel := context.WithTimeout(context.Background(), finishTimeout)
			defer cancel()
			if err := dbsqlc.New(s.pool).EventNotify(ctx, text); err != nil {
				s.log.Debug("notify the workers", "error", err)
			}
		})
	}
}

// Listen calls woken with the kinds of which events are due, and once without kinds when it begins to listen, until ctx ends. It has a
// connection of its own. Errors: ErrPooled behind a transaction pooler, which loses notifications; others when the connection is
// lost.
func (s *Store) Listen(ctx context.Context, woken func(kinds []string)) error {
	conn, err := s.openSession(ctx, "notifications")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := dbsqlc.New(conn).EventListen(ctx); err != nil {
		return fmt.Errorf("listen for notifications: %w", err)
	}
	woken(nil)
	for {
		n, err := conn.WaitForNotification(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("wait for a notification: %w", err)
		default:
			woken(strings.Fields(n.Payload))
		}
	}
}
