package wallet

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/event"
	"holdfast/internal/store"
)

// outboxEvent returns the event that tells of an entry: the wallet after it, and the entry.
func (c change) outboxEvent() (store.OutboxEvent, error) {
	data, err := json.Marshal(c.wallet.bodyWith(c.entry))
	if err != nil {
		return store.OutboxEvent{}, fmt.Errorf("encode a wallet: %w", err)
	}
	return store.OutboxEvent{
		EventID: uuid.Must(uuid.NewV7()), Type: "wallet." + string(c.entry.Type), SubjectType: event.SubjectWallet, SubjectID: c.wallet.ID,
		Sequence: c.entry.Version, Data: data,
	}, nil
}
