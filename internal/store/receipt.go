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

// Receipt returns what a payment's receipt says, with the refunds that succeeded. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Store) Receipt(ctx context.Context, tenant, id uuid.UUID) (row Receipt, refunds []ReceiptRefund, err error) {
	err = s.readOnly(ctx, "read a receipt", tenant, func(t *tx) {
		query(&t.batch, "read a receipt", &row, func(q *dbsqlc.Queries) (Receipt, error) { return q.ReceiptGet(t.ctx, tenant, id) })
		query(&t.batch, "read a receipt's refunds", &refunds, func(q *dbsqlc.Queries) ([]ReceiptRefund, error) {
			return q.ReceiptListRefunds(t.ctx, tenant, id)
		})
	})
	return row, refunds, err
}
