package person

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// MergeRequest makes a customer a part of another one.
type MergeRequest struct {
	Into uuid.UUID `json:"into" format:"uuid" doc:"The customer that stays."`
}

// Merge makes a customer a part of another one, in one commit. The other one gets its bookings and wallets, and the
// phone, the time zone and the birthday that it lacks; it wants no greetings if one of the two wants none, and is
// archived only if both are. The customer stays as an id that tells whom it was merged into: nobody can change it or
// book for it. The response is the other customer.
//
// It locks the bookings of the customer, in the order of their ids, and then both customers in the order of theirs.
// allowed is compared with the version of the customer that is merged.
//
// Errors: problem.ValidationFailed if both are one; problem.NotFound; problem.VersionMismatch; problem.InvalidState if
// one of them was erased or merged; those of db.Request.Outcome and of db.DB.Write.
func (s *Service) Merge(ctx context.Context, t tenant.Tenant, r idempotency.Request, id, into uuid.UUID,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	if id == into {
		return idempotency.Outcome{}, problem.Invalid("into", "same_customer", "Expected another customer.")
	}
	return s.onceWhileBooking(ctx, t, r, []uuid.UUID{id, into},
		func(tx *db.WriteTx, st *stored) (customer.Details, error) {
			return merge(tx, st, allowed)
		})
}

// onceWhileBooking serves a request with the customer that decide returns, once the rows of customers are locked, and
// those of the first one's bookings. It runs decide until these bookings didn't change meanwhile.
func (s *Service) onceWhileBooking(ctx context.Context, t tenant.Tenant, r idempotency.Request, customers []uuid.UUID,
	decide func(*db.WriteTx, *stored) (customer.Details, error),
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	for range maxTries {
		err := s.db.Write(ctx, "change the tenant's data", t.ID, request, func(tx *db.WriteTx) func() error {
			st := readLocked(tx, customers...)
			return func() error {
				c, err := decide(tx, st)
				if err != nil {
					return err
				}
				return tx.Respond(idempotency.Changed(event.SubjectCustomer, c.ID, c.Version, c.Body()))
			}
		})
		if !errors.Is(err, errBookingsChanged) {
			return request.Outcome(err)
		}
	}
	return idempotency.Outcome{}, problem.New(problem.LockTimeout,
		"The customer's bookings keep changing. Try again.").Retry(time.Second)
}

func merge(tx *db.WriteTx, st *stored, allowed etag.Precondition) (customer.Details, error) {
	from, into := st.customers[0], st.customers[1]
	if from == nil || into == nil {
		return customer.Details{}, problem.Missing()
	}
	source, target := customer.DetailsFromRow(*from), customer.DetailsFromRow(*into)
	if err := allowed.Check("customer", source.Version); err != nil {
		return target, err
	}
	for _, c := range []customer.Details{source, target} {
		if err := c.CheckPresent(); err != nil {
			return target, err
		}
	}
	if err := st.bookingsChanged(); err != nil {
		return target, err
	}
	targetAfter := joined(target, source)
	targetAfter.Version++
	ids := make([]uuid.UUID, len(st.bookings))
	for i := range st.bookings {
		row := st.bookings[i]
		ids[i] = row.BookingID
		row.CustomerID = &targetAfter.ID
		c := targetAfter.Customer
		row.Email, row.Name, row.Phone, row.CustomerTimeZone, row.Birthday = c.Email, c.Name, c.Phone, c.TimeZone,
			c.Birthday
		if err := recordUpdated(tx, &row); err != nil {
			return target, err
		}
	}
	queueMerge(tx, source.ID, targetAfter.ID, ids)
	sourceAfter := source
	sourceAfter.Customer = customer.Customer{ID: source.ID, Email: customer.ErasedEmail(source.ID),
		Name: customer.Erased}
	sourceAfter.Version, sourceAfter.ErasedAt, sourceAfter.MergedInto = source.Version+1, new(tx.Now()), &targetAfter.ID
	if err := customer.QueueUpdate(tx, customer.UpdatedEvent, *from, sourceAfter); err != nil {
		return target, err
	}
	return targetAfter, customer.QueueUpdate(tx, customer.UpdatedEvent, *into, targetAfter)
}

// joined returns a customer with what it lacks of another one.
func joined(c, other customer.Details) customer.Details {
	c.Phone, c.TimeZone, c.Birthday = cmp.Or(c.Phone, other.Phone), cmp.Or(c.TimeZone, other.TimeZone),
		cmp.Or(c.Birthday, other.Birthday)
	if c.UnsubscribedAt == nil || other.UnsubscribedAt != nil && other.UnsubscribedAt.Before(*c.UnsubscribedAt) {
		c.UnsubscribedAt = other.UnsubscribedAt
	}
	if other.ArchivedAt == nil {
		c.ArchivedAt = nil
	}
	return c
}
