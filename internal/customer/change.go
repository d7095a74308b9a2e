package customer

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Types of the changes of customers.
const (
	createdEvent = "customer.created"
	updatedEvent = "customer.updated"
	erasedEvent  = "customer.erased"
	// bookingUpdated tells of a booking whose texts were erased, or whose customer was merged.
	bookingUpdated = "booking.updated"
)

// Change is what a request changes of a customer. What it doesn't give stays.
type Change struct {
	Name     *string `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Ada Lovelace"`
	Email    *string `json:"email,omitempty" minLength:"3" maxLength:"254" example:"ada@example.com" doc:"409 already_exists if another customer has it."`
	Phone    *string `json:"phone,omitempty" maxLength:"50" example:"+49 30 901820" doc:"An empty text removes it."`
	TimeZone *string `json:"time_zone,omitempty" maxLength:"64" example:"Europe/London" doc:"An empty text removes it."`
	Birthday *string `json:"birthday,omitempty" example:"1990-12-10" doc:"A date. An empty text removes it."`
}

// applyTo changes a customer. Errors: problem.ValidationFailed.
func (c Change) applyTo(to *booking.Customer) error {
	if c.Name != nil {
		to.Name = *c.Name
	}
	if c.Email != nil {
		to.Email = strings.ToLower(strings.TrimSpace(*c.Email))
	}
	if c.Phone != nil {
		to.Phone = unlessEmpty(c.Phone)
	}
	if c.TimeZone != nil {
		to.TimeZone = unlessEmpty(c.TimeZone)
	}
	if c.Birthday == nil {
		return nil
	}
	if to.Birthday = nil; *c.Birthday == "" {
		return nil
	}
	birthday, err := booking.ParseDate("birthday", *c.Birthday)
	to.Birthday = &birthday
	return err
}

func unlessEmpty(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}

// Change changes a customer. A change to what is already so writes nothing and keeps the version.
//
// Errors: problem.NotFound; problem.ValidationFailed; problem.VersionMismatch; problem.InvalidState for an erased or merged customer;
// problem.AlreadyExists if another customer has the email; those of store.Store.Write.
func (s *Service) Change(ctx context.Context, t tenant.Tenant, id uuid.UUID, c Change, allowed booking.Precondition) (changed Customer, err error) {
	read := store.WriteRead{Scope: t.ID, Customer: &store.CustomerRead{ID: id}}
	err = s.store.Write(ctx, t.ID, read, func(tx *store.WriteTx, st store.WriteState) error {
		if st.Customer == nil {
			return problem.Missing()
		}
		before := fromRow(*st.Customer)
		if err := allowed.Check("customer", before.Version); err != nil {
			return err
		}
		if err := before.checkPresent(); err != nil {
			return err
		}
		changed = before
		if err := c.applyTo(&changed.Customer); err != nil {
			return err
		}
		if err := changed.Check("", t, st.Now); err != nil {
			return err
		}
		if changed.Customer.Equal(before.Customer) {
			return nil
		}
		changed.Version++
		return queue(tx, updatedEvent, *st.Customer, changed)
	})
	return changed, err
}

// queue queues a customer with its next version, and its change.
func queue(tx *store.WriteTx, changeType string, row store.Customer, after Customer) error {
	c, err := after.record(changeType)
	if err != nil {
		return err
	}
	tx.UpdateCustomer(after.row(row), c)
	return nil
}

// record returns the record of a change that made the customer so.
func (c Customer) record(changeType string) (store.Change, error) {
	body, err := idempotency.Encode(c.Body())
	return store.Change{
		ID: uuid.Must(uuid.NewV7()), Type: changeType, SubjectType: event.SubjectCustomer, SubjectID: c.ID, Version: c.Version, Data: body,
	}, err
}
