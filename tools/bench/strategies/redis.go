package strategies

import (
	"context"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

// redisRetry is how long a client waits before it asks for a lock again. It is short: redsync's own 50 to 250 ms leave
// a hot date idle most of the time.
const redisRetry = 4 * time.Millisecond

// Redis takes a lock of redsync in one Redis around plain SQL, and lets go of it after COMMIT.
func (f *Fixture) Redis(client *redis.Client) Strategy {
	locks := redsync.New(goredis.NewPool(client))
	return Strategy{"Redis lock", func(ctx context.Context, o Order) error {
		mutex := locks.NewMutex(o.ID().String()+":"+o.Start.Format(time.DateOnly),
			redsync.WithExpiry(8*time.Second), redsync.WithTries(5000), redsync.WithRetryDelay(redisRetry))
		if err := mutex.LockContext(ctx); err != nil {
			return err
		}
		err := f.book(ctx, o, beginReadCommitted, nil)
		if _, unlocking := mutex.UnlockContext(context.WithoutCancel(ctx)); err == nil {
			err = unlocking
		}
		return err
	}}
}
