package customer

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Create makes a customer without a booking. Of two requests with one email, the unique key refuses one.
//
// Errors: problem.ValidationFailed; problem.AlreadyExists if a customer has the email; those of idempotency.Guard.Begin and of store.Store.Write.
func (s *Service) Create(ctx context.Context, t tenant.Tenant, r idempotency.Request, given booking.Customer) (resp idempotency.Response, err error) {
	c := Customer{booking.CustomerDetails{Customer: given, Version: 1}}
	c.ID, c.Email = uuid.Must(uuid.NewV7()), strings.ToLower(strings.TrimSpace(given.Email))
	if err := c.Check("", t, time.Now()); err != nil {
		return resp, err
	}
	turn, resp, err := s.guard.Begin(ctx, t.ID, r)
	if turn == nil {
		return resp, err
	}
	defer turn.End(&resp, &err)
	err = s.store.Write(ctx, t.ID, store.WriteRead{Key: r.Key(), Scope: t.ID}, func(tx *store.WriteTx, st store.WriteState) error {
		c.CreatedAt = st.Now
		created, err := c.record(createdEvent)
		if err != nil {
			return err
		}
		tx.CreateCustomer(c.row(store.Customer{CustomerID: c.ID}), created)
		if resp, err = idempotency.NewResponse(http.StatusCreated, "/v1/customers/"+c.ID.String(), c.ETag(), c.Body()); err != nil {
			return err
		}
		tx.StoreResponse(r.Record(resp, st.Now))
		return nil
	})
	return resp, err
}
