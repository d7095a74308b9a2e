package timetable

import "cloud.google.com/go/civil"

// What a price is for.
const (
	PerBooking = "booking"
	PerUnit    = "unit"
)

const (
	maxRates     = 100
	maxUnitTypes = 20
	maxAge       = 150
)

// Pricing is what a service's price depends on besides the service's own price. The zero value is one price per
// booking.
type Pricing struct {
	PricePer        string     `json:"price_per,omitempty" enum:"booking,unit" doc:"What price and the prices of rates are for: a booking, or each unit of party_size. booking if absent."`
	PricePerMinutes int        `json:"price_per_minutes,omitempty" minimum:"0" maximum:"10080" example:"60" doc:"Of a slot service that sells several durations: price, and the prices of rates and unit_types, are for each part of so many minutes that has begun. Without it, for the booking."`
	DepositPercent  int        `json:"deposit_percent,omitempty" minimum:"0" maximum:"100" example:"20" doc:"The deposit as a part of the booking's price, rounded half up to a minor unit, or to the smallest amount that can be paid by card, such as 10 fils of KWD; in place of deposit."`
	Rates           []Rate     `json:"rates,omitempty" maxItems:"100" nullable:"false" doc:"Prices of some dates. The first that matches the booking's date counts, and price if none does."`
	UnitTypes       []UnitType `json:"unit_types,omitempty" maxItems:"20" nullable:"false" doc:"Who can come, such as adults and children, each at its own price. A booking then gives party. price is charged once for the booking besides."`
}

// Rate is the prices of some dates: those on one of Weekdays that are neither before From nor after To. What is empty
// or nil doesn't bound them. The dates are civil dates in the tenant's time zone.
type Rate struct {
	Weekdays   []Weekday        `json:"weekdays,omitempty" minItems:"1" maxItems:"7" nullable:"false" doc:"Each weekday if absent."`
	From       *civil.Date      `json:"from,omitempty" format:"date" example:"2027-06-01" doc:"First date."`
	To         *civil.Date      `json:"to,omitempty" format:"date" example:"2027-08-31" doc:"Last date."`
	Price      int64            `json:"price" minimum:"0" maximum:"9007199254740991" example:"6000" doc:"In place of the service's price."`
	Deposit    *int64           `json:"deposit,omitempty" minimum:"0" maximum:"9007199254740991" example:"1500" doc:"In place of the service's deposit or deposit_percent."`
	Durations  []Duration       `json:"durations,omitempty" maxItems:"50" nullable:"false" doc:"Prices of durations, in place of their own."`
	UnitPrices map[string]int64 `json:"unit_prices,omitempty" doc:"Prices of unit types by their key, in place of their own."`
}

// UnitType is a kind of guest. Key names it in requests. Counts says whether one takes a unit of the capacity.
type UnitType struct {
	Key    string `json:"key" pattern:"^[a-z][a-z0-9_]*$" maxLength:"32" example:"adult" doc:"Lower-case letters, digits and _."`
	Name   string `json:"name" minLength:"1" maxLength:"200" example:"Adult"`
	Price  int64  `json:"price" minimum:"0" maximum:"9007199254740991" example:"2500" doc:"Of one."`
	Counts bool   `json:"counts" doc:"Whether one takes a unit of the capacity."`
	// MinAge and MaxAge are in years, both included; nil bounds nothing. No age of a guest is asked for or kept.
	MinAge *int `json:"min_age,omitempty" minimum:"0" maximum:"150" example:"4" doc:"The least age in years. Ages are shown to the people who book; nobody is asked for an age."`
	MaxAge *int `json:"max_age,omitempty" minimum:"0" maximum:"150" example:"12" doc:"The greatest age in years."`
	// MinCount is how many come at least.
	MinCount int    `json:"min_count,omitempty" minimum:"0" maximum:"1000" example:"1" doc:"How many of it a party has at least, such as one adult."`
	Note     string `json:"note,omitempty" maxLength:"200" example:"Bring a car seat." doc:"For the people who book."`
}
