package customer

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/store"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Archive takes a customer out of the lists, or puts it back. Bookings, greetings and new bookings go on as before. What is already so
// stays as it is and keeps its version. It locks the customer's row.
//
// Errors: problem.NotFound; problem.VersionMismatch; problem.InvalidState for an erased or merged customer; those of
// store.Request.Outcome and of store.Store.Write.
func (s *Service) Archive(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, archived bool,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	request := r.Of(t.ID)
	read := store.WriteRead{Customer: &store.CustomerRead{ID: id}}
	return request.Outcome(s.store.Write(ctx, t.ID, request, read, func(tx *store.WriteTx, st store.WriteState) error {
		if st.Customer == nil {
			return problem.Missing()
		}
		c := DetailsFromRow(*st.Customer)
		if err := allowed.Check("customer", c.Version); err != nil {
			return err
		}
		if err := c.CheckPresent(); err != nil {
			return err
		}
		if archived != (c.ArchivedAt != nil) {
			if c.ArchivedAt = nil; archived {
				c.ArchivedAt = &st.Now
			}
			c.Version++
			if err := QueueUpdate(tx, UpdatedEvent, *st.Customer, c); err != nil {
				return err
			}
		}
		return tx.Respond(idempotency.Changed(event.SubjectCustomer, c.ID, c.Version, c.Body()))
	}))
}
