package store

import (
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
)

// takenNames are the names of bookings that are in use, of those that the requests of a transaction ask for, and those that the requests
// gave to bookings meanwhile.
type takenNames struct {
	ids                            []uuid.UUID
	references, externalReferences []string
}

// queueReads queues the reading of which names are in use. Most requests ask for none, and cost no statement.
func (n *takenNames) queueReads(tx db.Transaction, requests []bookRequest) {
	var ids []uuid.UUID
	var references, external []string
	for _, r := range requests {
		names := r.read.NamesInUse
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
		db.Query(unlocked.On(tx), "look for the ids", &n.ids, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
			return q.BookingIDsTaken(tx.Context(), tx.Tenant(), ids)
		})
	}
	if len(references) > 0 {
		db.Query(unlocked.On(tx), "look for the references", &n.references, func(q *dbsqlc.Queries) ([]string, error) {
			return q.BookingReferencesTaken(tx.Context(), tx.Tenant(), references)
		})
	}
	if len(external) > 0 {
		db.Query(unlocked.On(tx), "look for the external references", &n.externalReferences,
			func(q *dbsqlc.Queries) ([]string, error) {
				return q.BookingExternalReferencesTaken(tx.Context(), tx.Tenant(), external)
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
