package booking

import (
	"encoding/json"
	"fmt"

	"holdfast/internal/timetable"
)

// itemsOf reads a booking's items as they are stored.
func itemsOf(stored json.RawMessage) (items []timetable.Item, err error) {
	if len(stored) == 0 || string(stored) == "[]" {
		return nil, nil
	}
	if err := json.Unmarshal(stored, &items); err != nil {
		return nil, fmt.Errorf("read a booking's items: %w", err)
	}
	return items, nil
}
