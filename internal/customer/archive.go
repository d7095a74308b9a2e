package customer

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// Archive takes a customer out of the lists, or puts it back. Bookings, greetings and new bookings go on as before.
// What is already so stays as it is and keeps its version. It locks the customer's row.
//
// Errors: problem.NotFound; problem.VersionMismatch; problem.InvalidState for an erased or merged customer; those of
// db.Request.Outcome and of db.DB.Write.
func (s *Service) Archive(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, archived bool,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	return request.Outcome(s.change(ctx, t.ID, request, id, func(tx *db.WriteTx, row Row) error {
		c := DetailsFromRow(row)
		if err := allowed.Check("customer", c.Version); err != nil {
			return err
		}
		if err := c.CheckPresent(); err != nil {
			return err
		}
		if archived != (c.ArchivedAt != nil) {
			if c.ArchivedAt = nil; archived {
				c.ArchivedAt = new(tx.Now())
			}
			c.Version++
			if err := QueueUpdate(tx, UpdatedEvent, row, c); err != nil {
				return err
			}
		}
		return tx.Respond(idempotency.Changed(event.SubjectCustomer, c.ID, c.Version, c.Body()))
	}))
}
