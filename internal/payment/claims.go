package payment

import "golang.org/x/sync/errgroup"

const (
	claimLimit = 20 // payments that a resolver claims at a time
	maxCalls   = 4  // provider calls at a time
)

// inParallel calls do for each item, at most maxCalls at a time, and returns when all calls have returned.
func inParallel[T any](items []T, do func(T)) {
	var running errgroup.Group
	running.SetLimit(maxCalls)
	for _, item := range items {
		running.Go(func() error {
			do(item)
			return nil
		})
	}
	_ = running.Wait() // no call returns an error
}
