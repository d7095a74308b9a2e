package timetable

// Item is a part of a booking's price. Amount is Quantity times UnitPrice, in minor units of the booking's currency.
type Item struct {
	Name      string `json:"name" example:"Adult"`
	UnitType  string `json:"unit_type,omitempty" example:"adult" doc:"The key of the service's unit type."`
	Nights    int    `json:"nights,omitempty" example:"3" doc:"Of a stay: for how many nights it is, one after the other at the same price. quantity counts each of them."`
	Periods   int    `json:"periods,omitempty" example:"3" doc:"Of a price per time: how many parts of price_per_minutes the booking has begun, if more than one. quantity counts each of them."`
	From      string `json:"from,omitempty" format:"date" example:"2027-07-01" doc:"Of a stay: the first of these nights."`
	To        string `json:"to,omitempty" format:"date" example:"2027-07-03" doc:"Of a stay: the last of these nights."`
	Quantity  int    `json:"quantity" example:"2"`
	UnitPrice int64  `json:"unit_price" example:"2500"`
	Amount    int64  `json:"amount" example:"5000" doc:"quantity times unit_price. The amounts add up to the booking's price."`
}

// PartyByType returns how many of each unit type a booking's items are for, nil of a service without unit types.
func PartyByType(items []Item) map[string]int {
	var units map[string]int
	for _, item := range items {
		if item.UnitType != "" {
			if units == nil {
				units = make(map[string]int)
			}
			units[item.UnitType] = item.Quantity / max(item.Nights, 1) / max(item.Periods, 1)
		}
	}
	return units
}
