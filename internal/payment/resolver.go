package payment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"holdfast/internal/store"
)

const (
	claimLimit = 20 // payments that a resolver has in hand at most
	maxCalls   = 4  // calls of the provider at a time
)

// Resolve settles open payments until ctx ends: those whose outcome is unknown, those whose process died, those whose time is
// over, which it cancels, and the refunds that we make ourselves. It also ends the payments of bookings that ended. Any number
// of instances may run it; each payment is in one hand at a time.
func (s *Service) Resolve(ctx context.Context) {
	for ctx.Err() == nil {
		ended, err := s.ProcessEndedBookings(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Error("end the payments of ended bookings", "error", err)
		}
		n, err := s.ResolveOnce(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Error("resolve payments", "error", err)
		}
		if n == claimLimit || ended == claimLimit {
			continue
		}
		pause := time.NewTimer(s.cfg.ResolveEvery/2 + rand.N(s.cfg.ResolveEvery)) //nolint:gosec // chance spreads instances and protects nothing
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
	}
}

// ResolveOnce looks at the open payments that are due, at most 20, and returns how many there were. What a payment's look
// failed of goes to the log; the payment is looked at again later.
func (s *Service) ResolveOnce(ctx context.Context) (int, error) {
	batch, err := s.store.ClaimPayments(ctx, claimLimit, s.lease())
	if err != nil {
		return 0, fmt.Errorf("claim open payments: %w", err)
	}
	inParallel(batch, func(c store.ClaimedPayment) {
		// A claimed payment is finished: giving it up in the middle would only make it wait for its lease.
		if err := s.resolve(context.WithoutCancel(ctx), c); err != nil {
			s.log.Error("resolve a payment", "tenant", c.TenantID, "payment", c.PaymentID, "error", err)
		}
	})
	return len(batch), nil
}

// inParallel calls do for each item, at most atOnce at a time, and returns when all have returned.
func inParallel[T any](items []T, do func(T)) {
	var running sync.WaitGroup
	permits := make(chan struct{}, maxCalls)
	for _, item := range items {
		permits <- struct{}{}
		running.Go(func() {
			defer func() { <-permits }()
			do(item)
		})
	}
	running.Wait()
}

func (s *Service) resolve(ctx context.Context, c store.ClaimedPayment) error {
	p, err := s.store.Payment(ctx, c.TenantID, c.PaymentID)
	if err != nil {
		return err
	}
	if p == nil || p.Fence != c.Fence {
		return nil // settled, or in other hands
	}
	a := attempt{tenant: c.TenantID, payment: *p, cancel: s.cancelDue(*p, c.ClaimedAt)}
	if p.RefundOf != nil {
		charge, err := s.store.Payment(ctx, c.TenantID, *p.RefundOf)
		if err != nil {
			return err
		}
		a.chargeID = chargeID(charge)
	}
	result := s.cancelOrLookUp(ctx, a)
	if p.Automatic && result.absent() {
		// Nobody will ask for this refund again, so it is sent until it is done.
		if a, err = s.prepareResend(ctx, a); err != nil {
			return err
		}
		if a.send {
			result = s.sendOrder(ctx, a)
		}
	}
	_, err = s.recordResult(ctx, c.TenantID, a.payment, result)
	return err
}

// errLeaseLost says that a payment is in other hands.
var errLeaseLost = errors.New("payment: in other hands")
