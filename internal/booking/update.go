package booking

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/mergepatch"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Update is what a request changes of a booking without moving it. What it doesn't give stays.
type Update struct {
	// Metadata is a JSON Merge Patch of the object; null empties it, and nil keeps it.
	Metadata json.RawMessage
	// CustomerChoice names another customer; without one the booking keeps its own.
	CustomerChoice
	ReferenceChange
}

// check returns problem.ValidationFailed, and otherwise brings the customer into the form that is stored. now may be this server's clock.
func (u *Update) check(t tenant.Tenant, now time.Time) error {
	if err := u.ReferenceChange.check(); err != nil {
		return err
	}
	return u.CustomerChoice.check(t, now)
}

// applyTo returns the booking after the update. It changes neither version nor tables. Without a customer the booking keeps its own.
// Errors: problem.NotFound for a customer that doesn't exist; problem.AlreadyExists for a reference that another booking has;
// problem.HoldExpired and problem.InvalidState for a customer of a booking that is neither held nor confirmed.
func (u *Update) applyTo(b Booking, st store.BookState) (Booking, error) {
	var err error
	if b.Metadata, err = u.metadataAfter(b.Metadata); err != nil {
		return b, err
	}
	if err := u.setReferences(&b, st.Taken); err != nil {
		return b, err
	}
	if !u.given() {
		return b, nil
	}
	if err := b.State().checkOpen(st.Now); err != nil {
		return b, err
	}
	customer, err := u.of(st)
	b.Customer, b.Known = customer.shown, customer.known
	return b, err
}

// metadataAfter returns metadata after the update. Errors: problem.ValidationFailed for too much.
func (u *Update) metadataAfter(before json.RawMessage) (json.RawMessage, error) {
	switch string(u.Metadata) {
	case "":
		return before, nil
	case "null":
		return json.RawMessage("{}"), nil
	}
	after, err := mergepatch.Of[json.RawMessage](string(u.Metadata)).Apply(before)
	if err != nil {
		return before, err
	}
	return after, catalog.Metadata(after).Check()
}

// Update changes what a booking has that doesn't move it, under the date locks of its dates. The metadata and the references of every
// booking can be changed, the customer and the contact of one that is held or confirmed. Another address gets what is still to be sent of
// the booking, and an email of its own that tells of the booking; the former one gets the withdrawal of its calendar entry. An update to
// what is already so writes nothing and keeps the version.
//
// Errors: problem.ValidationFailed, problem.NotFound (booking, customer), problem.AlreadyExists (a reference), problem.VersionMismatch,
// problem.HoldExpired, problem.InvalidState; those of store.Store.Dates. No refusal writes anything.
func (s *Service) Update(ctx context.Context, t tenant.Tenant, id uuid.UUID, u Update,
	allowed etag.Precondition,
) (after Booking, err error) {
	if err := u.check(t, time.Now()); err != nil {
		return after, err
	}
	err = s.retryWhileChanging(ctx, t, id, nil, func(seen Booking, rs *rules) (err error) {
		after, err = s.updateBy(ctx, t, seen, u, allowed, rs)
		return err
	})
	return after, err
}

// updateBy updates a booking that was seen at a time. It returns errMoved if the booking isn't there any more once that time is locked, and
// errStaleRules if rs aren't its service's rules any more.
func (s *Service) updateBy(ctx context.Context, t tenant.Tenant, seen Booking, u Update, allowed etag.Precondition,
	rs *rules,
) (after Booking, err error) {
	var read store.BookRead
	u.read(&read)
	read.Taken = u.names(rs.uniqueReferences)
	err = s.atItsTime(ctx, t.ID, nil, read, seen, func(tx *store.DatesTx, st store.DatesState, b Booking) error {
		if err := allowed.Check("booking", b.Version); err != nil {
			return err
		}
		if st.CatalogVersion != rs.version {
			return errStaleRules
		}
		if after, err = u.applyTo(b, st.BookState); err != nil {
			return err
		}
		if u.given() {
			u.put(&tx.BookTx, st.BookState, after.Known)
		}
		if reflect.DeepEqual(after.Body(), b.Body()) {
			return nil // more may be known of the customer now
		}
		after.Version, after.UpdatedAt = b.Version+1, st.Now
		contact, err := after.storedContact()
		if err != nil {
			return err
		}
		tx.UpdateBooking(store.UpdatedBooking{
			BookingID: b.ID, Version: b.storedVersion, CustomerID: after.customerID(), Contact: contact,
			Former:   b.customerID(),
			Metadata: after.Metadata, Reference: after.Reference, ExternalReference: after.ExternalReference,
			UniqueReferences: rs.uniqueReferences,
		})
		tx.LeaveCustomer(b.ID, b.customerID(), after.Customer.ID, after.Version)
		resp, err := after.changed()
		if err != nil {
			return err
		}
		tx.AddChange(after.Record(UpdatedEvent, resp.Body))
		return nil
	})
	return after, err
}
