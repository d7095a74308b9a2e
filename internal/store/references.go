package store

import (
	"bytes"
	"context"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/store/internal/dbsqlc"
)

// takenNames are the names of bookings that are in use, of those that the requests of a transaction ask for, and those that the requests gave to
// bookings meanwhile.
type takenNames struct {
	ids                            []uuid.UUID
	references, externalReferences []string
}

// queueReads queues the reading of which names are in use. Most requests ask for none, and cost no statement.
func (n *takenNames) queueReads(t *tx, requests []*bookRequest) {
	var ids []uuid.UUID
	var references, external []string
	for _, r := range requests {
		names := r.read.Taken
		if names.ID != nil {
			ids = append(ids, *names.ID)
		}
		if names.Reference != nil {
			references = append(references, *names.Reference)
		}
		if names.ExternalReference != nil {
			external = append(external, *names.ExternalReference)
		}
	}
	if len(ids) > 0 {
		query(&t.batch, "look for the ids", &n.ids, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
			return q.BookingIDsTaken(t.ctx, t.tenant, ids)
		})
	}
	if len(references) > 0 {
		query(&t.batch, "look for the references", &n.references, func(q *dbsqlc.Queries) ([]string, error) {
			return q.BookingReferencesTaken(t.ctx, t.tenant, references)
		})
	}
	if len(external) > 0 {
		query(&t.batch, "look for the external references", &n.externalReferences, func(q *dbsqlc.Queries) ([]string, error) {
			return q.BookingExternalReferencesTaken(t.ctx, t.tenant, external)
		})
	}
}

// add takes the names of a booking that is written later in the same transaction.
func (n *takenNames) add(b NewBooking) {
	n.ids = append(n.ids, b.BookingID)
	if b.Reference != nil {
		n.references = append(n.references, *b.Reference)
	}
	if b.ExternalReference != nil {
		n.externalReferences = append(n.externalReferences, *b.ExternalReference)
	}
}

// among returns the names that are in use.
func (n *takenNames) among(asked BookingNames) (taken BookingNames) {
	if asked.ID != nil && slices.Contains(n.ids, *asked.ID) {
		taken.ID = asked.ID
	}
	if asked.Reference != nil && slices.Contains(n.references, *asked.Reference) {
		taken.Reference = asked.Reference
	}
	if asked.ExternalReference != nil && slices.Contains(n.externalReferences, *asked.ExternalReference) {
		taken.ExternalReference = asked.ExternalReference
	}
	return taken
}

// What the failures of writing a booking mean. The next run finds an id or a reference in use, makes another code, and finds the customer that
// another booking made.
var (
	timeTaken = failure{state: sqlExclusionViolation, means: func(cause error) error {
		return problem.Wrap(cause, problem.SlotUnavailable, "The time is taken.")
	}}
	nameTaken = failure{state: sqlUniqueViolation, again: true, means: nameInUse}
	otherCame = failure{state: sqlForeignKeyViolation, again: true}
)

func nameInUse(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "The id or the reference was taken at the same time.")
}

// bookingsByCode lists the booking of a code, if the rest of the filter lets it pass. No index has the order of the list for a code, and needs to: a
// tenant has one booking of it.
func (s *Store) bookingsByCode(ctx context.Context, tenant uuid.UUID, b BookingFilter) (list []Booking, err error) {
	var found *Booking
	err = s.readOnly(ctx, "read a booking by its code", tenant, func(t *tx) {
		optional(&t.batch, "read a booking by its code", &found, func(q *dbsqlc.Queries) (Booking, error) {
			row, err := q.BookingGetByCode(t.ctx, dbsqlc.BookingGetByCodeParams{TenantID: tenant, Code: *b.Code, FromDate: b.From})
			return Booking(row), err
		})
	})
	if err == nil && found != nil && b.Limit > 0 && b.passes(found) {
		list = []Booking{*found}
	}
	return list, err
}

// passes reports whether a booking is in the list.
func (b BookingFilter) passes(row *Booking) bool {
	follows := row.Date.After(b.AfterDate) || row.Date == b.AfterDate && bytes.Compare(row.BookingID[:], b.AfterID[:]) > 0
	return follows && !row.Date.After(b.To) && isOrNil(b.Status, &row.Status) && isOrNil(b.ServiceID, &row.ServiceID) &&
		isOrNil(b.ResourceID, &row.ResourceID) && isOrNil(b.CustomerID, row.CustomerID) && isOrNil(b.Email, &row.Email) &&
		isOrNil(b.Reference, row.Reference) && isOrNil(b.ExternalReference, row.ExternalReference)
}

// isOrNil reports whether nothing is asked for, or what is there.
func isOrNil[T comparable](asked, there *T) bool {
	return asked == nil || there != nil && *asked == *there
}
