package catalog

import (
	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/idempotency"
)

// changeRecorder is a transaction that records changes.
type changeRecorder interface{ AddChange(db.Change) }

// recordChange queues the record of a change of the catalog. body is the subject after it, as the API shows it.
func recordChange(tx changeRecorder, changeType, subjectType string, subject uuid.UUID, version int64, body any) error {
	data, err := idempotency.Encode(body)
	if err == nil {
		tx.AddChange(db.Change{
			ID: uuid.Must(uuid.NewV7()), Type: changeType, SubjectType: subjectType, SubjectID: subject,
			Version: version, Data: data,
		})
	}
	return err
}
