package customer

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/store"
)

// Unsubscribe ends greetings and follow-ups to a customer, or to the one whom the customer was merged into: a link of an email may be older
// than the merge. What is planned of them ends when it is due. A customer who has unsubscribed before, who was erased or who doesn't exist
// stays as it is. It locks the customer's row. Errors: those of store.Store.Write.
func (s *Service) Unsubscribe(ctx context.Context, tenant, id uuid.UUID) error {
	var into *uuid.UUID
	err := s.store.Write(ctx, tenant, nil, store.WriteRead{Customer: &store.CustomerRead{ID: id}},
		func(tx *store.WriteTx, st store.WriteState) error {
			if into = nil; st.Customer == nil {
				return nil
			}
			before := DetailsFromRow(*st.Customer)
			into = before.MergedInto
			if before.ErasedAt != nil || before.UnsubscribedAt != nil {
				return nil
			}
			after := before
			after.UnsubscribedAt = &st.Now
			after.Version++
			return QueueUpdate(tx, UpdatedEvent, *st.Customer, after)
		})
	if err != nil || into == nil {
		return err
	}
	return s.Unsubscribe(ctx, tenant, *into)
}
