package payment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"holdfast/internal/store"
)

// Resolve works on open payments until ctx ends: it looks up unknown outcomes, takes over payments of dead processes,
// cancels payments that timed out, and sends automatic refunds. It also ends the payments of ended bookings. Any number of
// instances may run it. A lease keeps two of them from working on the same payment.
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
		select {
		case <-time.After(s.cfg.ResolveEvery/2 + rand.N(s.cfg.ResolveEvery)): //nolint:gosec // chance spreads instances and protects nothing
		case <-ctx.Done():
		}
	}
}

// ResolveOnce works on the open payments that are due, at most 20, and returns how many there were. Errors of single
// payments are logged, and these payments are polled again later.
func (s *Service) ResolveOnce(ctx context.Context) (int, error) {
	batch, err := s.store.ClaimPayments(ctx, claimLimit, s.lease())
	if err != nil {
		return 0, fmt.Errorf("claim open payments: %w", err)
	}
	inParallel(batch, func(c store.ClaimedPayment) {
		// A claimed payment is completed even if ctx ends. Otherwise it would wait until its lease expires.
		if err := s.resolve(context.WithoutCancel(ctx), c); err != nil {
			s.log.Error("resolve a payment", "tenant", c.TenantID, "payment", c.PaymentID, "error", err)
		}
	})
	return len(batch), nil
}

func (s *Service) resolve(ctx context.Context, c store.ClaimedPayment) error {
	p, err := s.store.Payment(ctx, c.TenantID, c.PaymentID)
	if err != nil {
		return err
	}
	if p.Fence != c.Fence {
		return nil // complete, or leased to another process
	}
	a := attempt{tenant: c.TenantID, payment: p, cancel: s.cancelDue(p, c.ClaimedAt)}
	if p.RefundOf != nil {
		charge, err := s.store.Payment(ctx, c.TenantID, *p.RefundOf)
		if err != nil {
			return err
		}
		a.chargeID = providerID(&charge)
	}
	result := s.cancelOrLookUp(ctx, a)
	if p.Automatic && result.absent() {
		// No client repeats this refund, so the resolver sends it until it is carried out.
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
