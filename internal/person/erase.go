package person

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// erasedEvent is the type of the change of a customer who was erased.
const erasedEvent = "customer.erased"

// maxTries is how often an erasure or a merge begins again because the customer's bookings changed meanwhile.
const maxTries = 10

// Erase takes a customer's personal data out of everything that is stored, in one commit: the customer, its bookings'
// details and reasons, the records of changes, stored responses, recorded attempts, and what was said of wallets'
// entries. Money, dates and ids stay. Events about the customer, and reminders, emails and greetings about its
// bookings, end. A stored response that shows the customer becomes problem.Erased.
//
// Customers who were merged into this one are erased with it, and what was told of bookings that another customer has
// now.
//
// It locks the customer's bookings, in the order of their ids, and then the customer. An erased customer is shown as it
// is.
//
// Errors: problem.NotFound; problem.VersionMismatch; problem.InvalidState for a merged customer; those of
// db.Request.Outcome and of db.DB.Write.
func (s *Service) Erase(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	return s.onceWhileBooking(ctx, t, r, []uuid.UUID{id}, func(tx *db.WriteTx, st *stored) (customer.Details, error) {
		return erase(tx, st, allowed)
	})
}

func erase(tx *db.WriteTx, st *stored, allowed etag.Precondition) (customer.Details, error) {
	was := st.customers[0]
	if was == nil {
		return customer.Details{}, problem.Missing()
	}
	c := customer.DetailsFromRow(*was)
	if err := allowed.Check("customer", c.Version); err != nil {
		return c, err
	}
	if c.MergedInto != nil {
		return c, c.CheckPresent() // erasing the other one erases this one too
	}
	if c.ErasedAt != nil {
		return c, nil
	}
	if err := st.bookingsChanged(); err != nil {
		return c, err
	}
	c.Customer = customer.Customer{ID: c.ID, Email: customer.ErasedEmail(c.ID), Name: customer.Erased}
	c.Version++
	c.ErasedAt = new(tx.Now())
	instead := problem.DocumentOf(problem.New(problem.Erased, "The response showed a customer who was erased since."))
	e := erasure{
		customers: append(st.earlierMerged, c.ID),
		wallets:   st.wallets,
		delivery:  event.KindWebhookDelivery,
		status:    instead.Status,
		body:      instead.JSON(),
		ended: []string{
			event.KindBirthday, event.KindAnniversary, event.KindBookingReminder, event.KindBalanceDue,
			event.KindBookingFollowUp,
			event.KindEmail, event.KindPaymentEmail, event.KindOwnerEmail,
		},
		reason:  "The customer was erased.",
		details: booking.NamesOfDetails(),
	}
	for i := range st.bookings {
		row := &st.bookings[i]
		e.bookings = append(e.bookings, row.BookingID)
		changed, err := eraseBooking(tx, row, c.Customer)
		if err != nil {
			return c, err
		}
		if changed {
			e.changed = append(e.changed, row.BookingID)
		}
	}
	for _, id := range st.formerBookings {
		if !slices.Contains(e.bookings, id) {
			e.former = append(e.former, id)
		}
	}
	queueErasure(tx, e)
	return c, customer.QueueUpdate(tx, erasedEvent, *was, c)
}

// eraseBooking queues the change of a booking whose texts are erased. It reports whether there are any.
func eraseBooking(tx *db.WriteTx, row *booking.Row, c customer.Customer) (bool, error) {
	if string(row.Details) == "{}" && row.CancellationReason == nil {
		return false, nil
	}
	row.Details, row.CancellationReason = json.RawMessage("{}"), nil
	row.Contact, row.Email, row.Name, row.Phone, row.CustomerTimeZone, row.Birthday = nil, c.Email, c.Name, nil, nil,
		nil
	return true, recordUpdated(tx, row)
}

// recordUpdated queues the record of a booking's update. row gets its next version.
func recordUpdated(tx *db.WriteTx, row *booking.Row) error {
	row.Version, row.UpdatedAt = row.Version+1, tx.Now()
	version, body, err := booking.BodyOf(row)
	if err != nil {
		return err
	}
	data, err := idempotency.Encode(body)
	if err != nil {
		return err
	}
	tx.AddChange(db.Change{
		ID: uuid.Must(uuid.NewV7()), Type: booking.UpdatedEvent, SubjectType: event.SubjectBooking,
		SubjectID: row.BookingID,
		Version:   version,
		Data:      data,
	})
	return nil
}
