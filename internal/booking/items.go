package booking

import (
	"encoding/json"
	"fmt"
)

// Item is a part of a booking's price. Amount is Quantity times UnitPrice, in minor units of the booking's currency.
type Item struct {
	Name      string `json:"name" example:"Adult"`
	UnitType  string `json:"unit_type,omitempty" example:"adult" doc:"The key of the service's unit type."`
	Quantity  int    `json:"quantity" example:"2"`
	UnitPrice int64  `json:"unit_price" example:"2500"`
	Amount    int64  `json:"amount" example:"5000" doc:"quantity times unit_price. The amounts add up to the booking's price."`
}

// partyByType returns how many of each unit type a booking's items are for, nil of a service without unit types.
func partyByType(items []Item) map[string]int {
	var units map[string]int
	for _, item := range items {
		if item.UnitType != "" {
			if units == nil {
				units = make(map[string]int)
			}
			units[item.UnitType] = item.Quantity
		}
	}
	return units
}

// itemsOf reads a booking's items as they are stored.
func itemsOf(stored json.RawMessage) (items []Item, err error) {
	if len(stored) == 0 || string(stored) == "[]" {
		return nil, nil
	}
	if err := json.Unmarshal(stored, &items); err != nil {
		return nil, fmt.Errorf("read a booking's items: %w", err)
	}
	return items, nil
}
