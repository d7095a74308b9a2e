package customer

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
)

// Unsubscribe ends greetings and follow-ups to a customer, or to the one whom the customer was merged into: a link of
// an email may be older than the merge. What is planned of them ends when it is due. A customer who has unsubscribed
// before, who was erased or who doesn't exist stays as it is. It locks the customer's row. Errors: those of
// db.DB.Write.
func (s *Service) Unsubscribe(ctx context.Context, tenant, id uuid.UUID) error {
	var into *uuid.UUID
	err := s.db.Write(ctx, changing, tenant, nil, func(tx *db.WriteTx) func() error {
		read := ReadLocked(tx, id)
		return func() error {
			row := read[0]
			if into = nil; row == nil {
				return nil
			}
			before := DetailsFromRow(*row)
			into = before.MergedInto
			if before.ErasedAt != nil || before.UnsubscribedAt != nil {
				return nil
			}
			after := before
			after.UnsubscribedAt = new(tx.Now())
			after.Version++
			return QueueUpdate(tx, UpdatedEvent, *row, after)
		}
	})
	if err != nil || into == nil {
		return err
	}
	return s.Unsubscribe(ctx, tenant, *into)
}
