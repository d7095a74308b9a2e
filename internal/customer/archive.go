package customer

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Archive takes a customer out of the lists, or puts it back. Bookings, greetings and new bookings go on as before. What is already so stays
// as it is and keeps its version. It locks the customer's row.
//
// Errors: problem.NotFound; problem.VersionMismatch; problem.InvalidState for an erased or merged customer; those of idempotency.Guard.Begin
// and of store.Store.Write.
func (s *Service) Archive(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, archived bool, allowed booking.Precondition) (resp idempotency.Response, err error) {
	turn, resp, err := s.guard.Begin(ctx, t.ID, r)
	if turn == nil {
		return resp, err
	}
	defer turn.End(&resp, &err)
	read := store.WriteRead{Key: r.Key(), Scope: t.ID, Customer: &store.CustomerRead{ID: id}}
	err = s.store.Write(ctx, t.ID, read, func(tx *store.WriteTx, st store.WriteState) error {
		if st.Customer == nil {
			return problem.Missing()
		}
		c := fromRow(*st.Customer)
		if err := allowed.Check("customer", c.Version); err != nil {
			return err
		}
		if err := c.checkPresent(); err != nil {
			return err
		}
		if archived != (c.ArchivedAt != nil) {
			if c.ArchivedAt = nil; archived {
				c.ArchivedAt = &st.Now
			}
			c.Version++
			if err := queue(tx, updatedEvent, *st.Customer, c); err != nil {
				return err
			}
		}
		if resp, err = idempotency.NewResponse(http.StatusOK, "", c.ETag(), c.Body()); err != nil {
			return err
		}
		tx.StoreResponse(r.Record(resp, st.Now))
		return nil
	})
	return resp, err
}
