package payment

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
)

// SetLease has leases on payments last so long, as far as a process may work on a payment for that time, and be renewed
// so often.
func SetLease(cfg *Config, lease, renewEvery time.Duration) {
	cfg.lease, cfg.renewEvery = lease, renewEvery
}

// ClaimedPayment is a payment on which a resolver has a lease.
type ClaimedPayment = leasedPayment

// Claim hands an open payment to the caller, as the resolver has it done.
func (s *Service) Claim(ctx context.Context, tenant, payment uuid.UUID, lease time.Duration) (*ClaimedPayment, error) {
	return s.leasePayment(ctx, tenant, payment, lease)
}

// CancelOpen has a payment of a booking cancelled at the provider.
func (s *Service) CancelOpen(ctx context.Context, tenant, booking, payment uuid.UUID) error {
	return s.ofBalance(ctx, nil, tenant, booking, balanceRead{}, func(tx *db.BalanceTx, st balanceState) error {
		cancelPayment(tx, payment, st.Now)
		return nil
	})
}

// Prolong prolongs the lease of a process that works on an open payment.
func (s *Service) Prolong(ctx context.Context, tenant, payment uuid.UUID, fence int64, lease time.Duration) error {
	return s.prolong(ctx, tenant, payment, fence, lease)
}
