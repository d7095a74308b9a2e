package customer

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// Create makes a customer without a booking. Of two requests with one email, the unique key refuses one.
//
// Errors: problem.ValidationFailed; problem.AlreadyExists if a customer has the email; those of db.Request.Outcome
// and of db.DB.Write.
func (s *Service) Create(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	given Customer,
) (idempotency.Outcome, error) {
	c := Details{Customer: given, Version: 1}
	c.ID, c.Email = uuid.Must(uuid.NewV7()), NormalEmail(given.Email)
	request := r.DBRequest(t.ID)
	if err := c.Check("", t, time.Now()); err != nil {
		return idempotency.Outcome{}, err
	}
	return request.Outcome(s.db.Write(ctx, changing, t.ID, request, func(tx *db.WriteTx) func() error {
		return func() error {
			c.CreatedAt = tx.Now()
			created, err := c.record(createdEvent)
			if err != nil {
				return err
			}
			queueCreate(tx, c.row(Row{CustomerID: c.ID}), created)
			return tx.Respond(idempotency.Made(event.SubjectCustomer, c.ID, c.Version, c.Body()))
		}
	}))
}
