package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

type (
	// Receipt is a payment with what its receipt says. UpdatedAt of one that succeeded is when it did.
	Receipt = dbsqlc.ReceiptGetRow
	// ReceiptRefund is a refund that succeeded. UpdatedAt is when it did.
	ReceiptRefund = dbsqlc.ReceiptListRefundsRow
)

// Receipt returns what a payment's receipt says, with the refunds that succeeded; nil if the tenant has no payment of that
// id. Errors: problem.DatabaseUnavailable.
func (s *Store) Receipt(ctx context.Context, tenant, id uuid.UUID) (*Receipt, []ReceiptRefund, error) {
	var row Receipt
	var refunds []ReceiptRefund
	var found bool
	err := s.readOnly(ctx, "read a receipt", tenant, func(t *tx) {
		one(&t.batch, "read a receipt", &row, &found, func(q *dbsqlc.Queries) (Receipt, error) { return q.ReceiptGet(t.ctx, tenant, id) })
		many(&t.batch, "read a receipt's refunds", &refunds, func(q *dbsqlc.Queries) ([]ReceiptRefund, error) {
			return q.ReceiptListRefunds(t.ctx, tenant, id)
		})
	})
	if err != nil || !found {
		return nil, nil, err
	}
	return &row, refunds, nil
}
