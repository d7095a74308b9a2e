package payment

import (
	"context"
	"sync"
	"time"
)

// lease is how long the lease of a process lasts that works on a payment: it renews the lease while it calls the
// provider. A process that lost the lease can no longer record that the payment is open.
func (s *Service) lease() time.Duration { return min(s.cfg.lease, s.longestWork()) }

// longestWork is how long a process may work on a payment: a look-up, a sending, and recording the outcome.
func (s *Service) longestWork() time.Duration { return 3 * s.cfg.CallTimeout }

// whileLeased makes calls of the provider for an attempt, and renews its lease meanwhile. The lease goes on until the
// outcome is recorded, which no renewal that is under way may follow: it would keep the payment from others that nobody
// works on any more.
func (s *Service) whileLeased(ctx context.Context, a attempt, call func() callResult) callResult {
	renewing, stop := context.WithCancel(ctx)
	var renewals sync.WaitGroup
	renewals.Go(func() { s.renewLease(renewing, a) })
	defer renewals.Wait()
	defer stop()
	return call()
}

// renewLease renews the lease of an attempt again and again, for as long as a process may work on a payment or until
// ctx ends. A lease that another process has taken over stays as it is. Without a database the lease ends: others then
// look the payment up, and the provider carries an order out once, whoever sends it.
func (s *Service) renewLease(ctx context.Context, a attempt) {
	ends := time.NewTimer(s.longestWork())
	defer ends.Stop()
	again := time.NewTicker(s.cfg.renewEvery)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			if err := s.prolong(ctx, a.tenant, a.payment.PaymentID, a.payment.Fence, s.lease()); err != nil &&
				ctx.Err() == nil {
				s.log.WarnContext(ctx, "renew the lease of a payment", "tenant", a.tenant, "payment",
					a.payment.PaymentID, "error", err)
			}
		case <-ends.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
