package wallet

import (
	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
)

// record returns the change of a wallet: the wallet after an entry, and the entry.
func (c change) record() (db.Change, error) {
	data, err := idempotency.Encode(c.wallet.bodyWith(c.entry))
	return db.Change{
		ID: uuid.Must(uuid.NewV7()), Type: "wallet." + string(c.entry.Type), SubjectType: event.SubjectWallet,
		SubjectID: c.wallet.ID,
		Version:   c.entry.Version, Data: data,
	}, err
}
