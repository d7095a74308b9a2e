package customer

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Merge makes a customer a part of another one, in one commit. The other one gets its bookings and wallets, and the phone, the time zone and the
// birthday that it lacks; it wants no greetings if one of the two wants none, and is archived only if both are. The customer stays as an id
// that tells whom it was merged into: nobody can change it or book for it. The response is the other customer.
//
// It locks the bookings of the customer, in the order of their ids, and then both customers in the order of theirs. allowed is compared with the
// version of the customer that is merged.
//
// Errors: problem.ValidationFailed if both are one; problem.NotFound; problem.VersionMismatch; problem.InvalidState if one of them was erased or
// merged; those of idempotency.Guard.Begin and of store.Store.Write.
func (s *Service) Merge(ctx context.Context, t tenant.Tenant, r idempotency.Request, id, into uuid.UUID, allowed booking.Precondition) (resp idempotency.Response, err error) {
	if id == into {
		return resp, problem.Invalid("into", "same_customer", "Expected another customer.")
	}
	turn, resp, err := s.guard.Begin(ctx, t.ID, r)
	if turn == nil {
		return resp, err
	}
	defer turn.End(&resp, &err)
	read := store.WriteRead{
		Key: r.Key(), Scope: t.ID,
		Customer: &store.CustomerRead{ID: id, Into: into, Bookings: true},
	}
	return s.retryWhileBooking(ctx, t, read, func(tx *store.WriteTx, st store.WriteState) (resp idempotency.Response, err error) {
		merged, err := merge(tx, st, allowed)
		if err != nil {
			return resp, err
		}
		if resp, err = idempotency.NewResponse(http.StatusOK, "", merged.ETag(), merged.Body()); err != nil {
			return resp, err
		}
		tx.StoreResponse(r.Record(resp, st.Now))
		return resp, nil
	})
}

// retryWhileBooking runs decide until the customer's bookings didn't change meanwhile.
func (s *Service) retryWhileBooking(
	ctx context.Context, t tenant.Tenant, read store.WriteRead, decide func(*store.WriteTx, store.WriteState) (idempotency.Response, error),
) (resp idempotency.Response, err error) {
	for range maxTries {
		err = s.store.Write(ctx, t.ID, read, func(tx *store.WriteTx, st store.WriteState) (err error) {
			resp, err = decide(tx, st)
			return err
		})
		if !errors.Is(err, store.ErrBookingsChanged) {
			return resp, err
		}
	}
	return resp, problem.New(problem.LockTimeout, "The customer's bookings keep changing. Try again.").Retry(time.Second)
}

func merge(tx *store.WriteTx, st store.WriteState, allowed booking.Precondition) (Customer, error) {
	if st.Customer == nil || st.Into == nil {
		return Customer{}, problem.Missing()
	}
	source, target := fromRow(*st.Customer), fromRow(*st.Into)
	if err := allowed.Check("customer", source.Version); err != nil {
		return target, err
	}
	for _, c := range []Customer{source, target} {
		if err := c.checkPresent(); err != nil {
			return target, err
		}
	}
	if err := st.BookingsChanged(); err != nil {
		return target, err
	}
	targetAfter := target.with(source)
	targetAfter.Version++
	ids := make([]uuid.UUID, len(st.Bookings))
	for i := range st.Bookings {
		row := st.Bookings[i]
		ids[i] = row.BookingID
		row.CustomerID = &targetAfter.ID
		c := targetAfter.Customer
		row.Email, row.Name, row.Phone, row.CustomerTimeZone, row.Birthday = c.Email, c.Name, c.Phone, c.TimeZone, c.Birthday
		if err := recordUpdated(tx, &row, st.Now); err != nil {
			return target, err
		}
	}
	tx.Merge(source.ID, targetAfter.ID, ids)
	sourceAfter := source
	sourceAfter.Customer = booking.Customer{ID: source.ID, Email: booking.ErasedEmail(source.ID), Name: booking.Erased}
	sourceAfter.Version, sourceAfter.ErasedAt, sourceAfter.MergedInto = source.Version+1, &st.Now, &targetAfter.ID
	if err := queue(tx, updatedEvent, *st.Customer, sourceAfter); err != nil {
		return target, err
	}
	return targetAfter, queue(tx, updatedEvent, *st.Into, targetAfter)
}

// with returns the customer with what it lacks of another one.
func (c Customer) with(other Customer) Customer {
	c.Phone, c.TimeZone, c.Birthday = cmp.Or(c.Phone, other.Phone), cmp.Or(c.TimeZone, other.TimeZone), cmp.Or(c.Birthday, other.Birthday)
	if c.UnsubscribedAt == nil || other.UnsubscribedAt != nil && other.UnsubscribedAt.Before(*c.UnsubscribedAt) {
		c.UnsubscribedAt = other.UnsubscribedAt
	}
	if other.ArchivedAt == nil {
		c.ArchivedAt = nil
	}
	return c
}
