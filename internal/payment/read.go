package payment

import (
	"context"

	"github.com/google/uuid"
)

// BalanceSummary returns what was paid for a booking and what is due. Errors of all reads: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Service) BalanceSummary(ctx context.Context, tenant, booking uuid.UUID) (BalanceSummary, error) {
	v, err := s.view(ctx, tenant, booking)
	return summarize(v.Booking, v.Sum, v.Now), err
}

// Get returns a payment or refund.
func (s *Service) Get(ctx context.Context, tenant, id uuid.UUID) (Payment, error) {
	row, err := s.row(ctx, tenant, id)
	return fromRow(row), err
}
