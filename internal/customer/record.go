package customer

import (
	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
)

// Types of the changes of customers.
const (
	createdEvent = "customer.created"
	// UpdatedEvent is of a customer who was changed, archived or merged.
	UpdatedEvent = "customer.updated"
)

// QueueUpdate queues a customer with its next version, and its change. row is the customer as it was read. Errors:
// those of encoding the customer.
func QueueUpdate(tx *db.WriteTx, changeType string, row Row, after Details) error {
	c, err := after.record(changeType)
	if err != nil {
		return err
	}
	queueSet(tx, after.row(row), c)
	return nil
}

// record returns the record of a change that made the customer so.
func (c Details) record(changeType string) (db.Change, error) {
	body, err := idempotency.Encode(c.Body())
	return db.Change{
		ID: uuid.Must(uuid.NewV7()), Type: changeType, SubjectType: event.SubjectCustomer, SubjectID: c.ID,
		Version: c.Version, Data: body,
	}, err
}
