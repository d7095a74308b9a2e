package payment

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/event"
	"holdfast/internal/problem"
)

// maxCalls is how many payments a worker resolves at a time, each with a call of the provider.
const maxCalls = 4

// Resolution returns the kind of event that works on an open payment: it looks up unknown outcomes, takes over payments
// of dead processes, cancels payments that timed out, sends automatic refunds, and returns those of payments from
// wallets to the wallets. The payment's own lease and fence keep two processes from working on it. The event never
// dies.
func (s *Service) Resolution() event.Kind {
	return event.Kind{
		Name: event.KindPaymentResolution, Concurrency: maxCalls, Timeout: s.longestWork(),
		Backoff: event.Backoff{First: s.cfg.ResolveEvery, Longest: time.Minute},
		Handle: func(ctx context.Context, e event.Event) (event.Result, error) {
			// A leased payment is completed even if ctx ends. Otherwise it would wait until its lease expires.
			return s.resolveEvent(context.WithoutCancel(ctx), e.TenantID, e.Subject.ID)
		},
	}
}

func (s *Service) resolveEvent(ctx context.Context, tenant, id uuid.UUID) (event.Result, error) {
	c, err := s.leasePayment(ctx, tenant, id, s.lease())
	if err != nil {
		return event.Result{}, err
	}
	if c != nil {
		changed, err := s.resolve(ctx, *c)
		if changed || err != nil && !problem.Is(err, problem.NotFound) {
			return event.AlreadyRecorded(), err
		}
	}
	// The payment has a final outcome, or another process works on it, or has deleted it because its payment method
	// can't be used.
	p, err := s.row(ctx, tenant, id)
	switch {
	case problem.Is(err, problem.NotFound):
		return event.Done(), nil
	case err != nil || p.ResolveAt == nil:
		return event.Done(), err
	}
	at := *p.ResolveAt
	if p.LeasedUntil.After(at) {
		at = p.LeasedUntil
	}
	return event.Again(at), nil
}

// resolve works on a leased payment, and reports whether it recorded a result.
func (s *Service) resolve(ctx context.Context, c leasedPayment) (changed bool, err error) {
	p, err := s.row(ctx, c.TenantID, c.PaymentID)
	if err != nil {
		return false, err
	}
	if p.Fence != c.Fence {
		return false, nil // complete, or leased to another process
	}
	if p.Provider == walletProvider {
		rec, err := s.record(ctx, c.TenantID, p,
			callResult{outcome: Outcome{Result: Succeeded, Amount: p.Amount, Currency: p.Currency}, fence: p.Fence})
		return rec.changed, err
	}
	if p.Provider == offlineProvider { // a server of 0.1.0 began it
		rec, err := s.record(ctx, c.TenantID, p, callResult{outcome: Outcome{Result: Processing}, fence: p.Fence})
		return rec.changed, err
	}
	a := attempt{tenant: c.TenantID, payment: p, cancel: cancelDue(p, c.LeasedAt)}
	if p.RefundOf != nil {
		charge, err := s.row(ctx, c.TenantID, *p.RefundOf)
		if err != nil {
			return false, err
		}
		a.refunded = &charge
	}
	result := s.whileLeased(ctx, a, func() callResult {
		result := s.cancelOrLookUp(ctx, a)
		if !p.Automatic || !result.absent() {
			return result
		}
		// No client repeats this refund, so the resolver sends it until it is carried out.
		if a, err = s.prepareResend(ctx, a); err != nil || !a.send {
			return result
		}
		return s.sendOrder(ctx, a)
	})
	if err != nil {
		return false, err
	}
	rec, err := s.record(ctx, c.TenantID, a.payment, result)
	return rec.changed, err
}
