package timetable

import (
	"cmp"

	"github.com/google/uuid"

	"holdfast/internal/datetime"
)

// Spec is what a service sells: what decides when it can be booked, what a booking takes, and what it costs.
type Spec struct {
	Kind                ServiceKind   `json:"kind" enum:"date,slot,stay" doc:"date sells whole dates, slot a duration inside the opening hours, stay nights from a check-in to a check-out."`
	ResourceIDs         []uuid.UUID   `json:"resource_ids,omitempty" minItems:"1" maxItems:"100" nullable:"false" format:"uuid" doc:"What can serve it, in the order in which it is tried. Either this or needs."`
	Needs               []Need        `json:"needs,omitempty" minItems:"1" maxItems:"5" nullable:"false" doc:"What a booking needs at once, such as a room, a person and a device: one of each. A booking gets all or nothing. With several needs, slots start by the hours of the first need's resources; the others must be open and free meanwhile."`
	Occupies            Occupies      `json:"occupies" required:"false" enum:"units,whole,session" doc:"What a booking takes of its resource; units if absent. units: as many as its party has; others can book the rest. whole: all of it. session: the first booking of a start takes all of it for that time, and later bookings of the same start join it while there are seats, as many as the resource has units; buffers count once, and the last booking that leaves frees it."`
	DurationMinutes     int           `json:"duration_minutes" required:"false" minimum:"0" maximum:"10080" example:"60" doc:"For a slot service: how long a slot lasts. Either this, or duration_days, or until_closing, or several durations."`
	DurationDays        int           `json:"duration_days,omitempty" minimum:"0" maximum:"7" doc:"For a slot service: a slot ends so many days later at the same time of day, also when clocks change meanwhile."`
	UntilClosing        bool          `json:"until_closing,omitempty" doc:"For a slot service: a slot lasts until the opening hours in which it starts end. Resources that close at different times have slots of their own."`
	SlotIntervalMinutes int           `json:"slot_interval_minutes" required:"false" minimum:"0" maximum:"1440" example:"30" doc:"For a slot service: slots start this often, by the clock, from the opening time on, unless there are start_times. If absent: duration_minutes, or the shortest duration, but at most a day; a day with duration_days or until_closing."`
	StartTimes          []StartTime   `json:"start_times,omitempty" maxItems:"50" nullable:"false" doc:"For a slot service: when slots start, in place of slot_interval_minutes, such as a tour at 19:00. Its resources must be open for all of the slot. Of a date, the entries that list it in dates count alone; else those with from and to that have it; else the others."`
	Starts              string        `json:"starts,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"09:00" doc:"For a date service: when a booking begins, by the clock on its date, such as a pick-up. Either both starts and ends, or neither: then it lasts from midnight to midnight. It takes the whole date all the same."`
	Ends                string        `json:"ends,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"18:00" doc:"For a date service: when a booking ends, such as a return; on the next date if it is not after starts, of which the booking then takes all too."`
	CheckIn             string        `json:"check_in,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"15:00" doc:"For a stay: when it begins, by the clock on the check-in date. Not before check_out."`
	CheckOut            string        `json:"check_out,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"10:00" doc:"For a stay: when it ends, by the clock on the check-out date."`
	MinNights           int           `json:"min_nights,omitempty" minimum:"0" maximum:"61" example:"2" doc:"For a stay: least nights; 1 if absent."`
	MaxNights           int           `json:"max_nights,omitempty" minimum:"0" maximum:"61" example:"14" doc:"For a stay: most nights; 28 if absent. A stay touches at most 62 dates, its check-out date and its buffers included."`
	ArrivalWeekdays     []Weekday     `json:"arrival_weekdays,omitempty" maxItems:"7" nullable:"false" doc:"For a stay: on which days it can begin; each day if absent."`
	DepartureWeekdays   []Weekday     `json:"departure_weekdays,omitempty" maxItems:"7" nullable:"false" doc:"For a stay: on which days it can end; each day if absent."`
	NightsMultiple      int           `json:"nights_multiple,omitempty" minimum:"0" maximum:"61" example:"7" doc:"For a stay: its nights are a multiple of this, such as 7 for whole weeks; 1 if absent."`
	ArrivalRules        []ArrivalRule `json:"arrival_rules,omitempty" maxItems:"100" nullable:"false" doc:"For a stay: other nights for stays that begin on some dates, such as at least 3 on Fridays or whole weeks in summer. The first that has the check-in date counts."`
	SellGaps            bool          `json:"sell_gaps,omitempty" doc:"For a stay: a stay may have fewer nights than the least, and no multiple, if it fills all nights between what is taken, blocked or closed before it and after it."`
	BufferBeforeMinutes int           `json:"buffer_before_minutes" required:"false" minimum:"0" maximum:"1440" doc:"Kept free before a booking. Either this or buffer_before_days."`
	BufferBeforeDays    int           `json:"buffer_before_days,omitempty" minimum:"0" maximum:"7" doc:"Kept free before a booking, in days: whole dates for a date service and a stay, else until the same time of day."`
	BufferAfterMinutes  int           `json:"buffer_after_minutes" required:"false" minimum:"0" maximum:"1440" doc:"Kept free after a booking. Either this or buffer_after_days."`
	BufferAfterDays     int           `json:"buffer_after_days,omitempty" minimum:"0" maximum:"7" doc:"Kept free after a booking, in days: whole dates for a date service and a stay, else until the same time of day. Of a stay: how many days after a check-out the next guest can arrive."`
	MinLeadMinutes      int           `json:"min_lead_minutes" required:"false" minimum:"0" maximum:"527040" doc:"How long before it begins it must be booked: a date begins at midnight or at starts, a stay with its check-in. 0: a date can be booked until it ends, and a stay until its check-in date does. At most the booking window."`
	BookingWindowDays   *int          `json:"booking_window_days,omitempty" minimum:"0" maximum:"3650" example:"365" doc:"How many days after today can be booked; 365 if absent."`
	MaxPerDay           *int          `json:"max_per_day,omitempty" minimum:"1" maximum:"1000000" doc:"Most bookings that start on one date; of a service that occupies by session, most sessions."`
	MinPartySize        int           `json:"min_party_size,omitempty" minimum:"0" maximum:"1000" example:"2" doc:"The least party_size of a booking; 1 if absent. A booking that has fewer keeps them."`
	Price               int64         `json:"price" minimum:"0" maximum:"9007199254740991" example:"4500" doc:"Minor units of the tenant's currency; 0 if it is free. Of a stay: of each night."`
	Deposit             int64         `json:"deposit" required:"false" minimum:"0" maximum:"9007199254740991" example:"1000" doc:"Part of the price that is due at once."`

	Durations
	Pricing
}

// WindowDays returns how many days ahead the service can be booked.
func (svc Spec) WindowDays() int {
	if svc.BookingWindowDays == nil {
		return defaultBookingWindowDays
	}
	return *svc.BookingWindowDays
}

// windowMinutes is how far ahead, at most, a booking can begin: with a longer lead time nothing could be booked. A slot
// can begin until the last date of the window ends.
func (svc Spec) windowMinutes() int {
	days := svc.WindowDays()
	if !svc.Kind.WholeDates() {
		days++
	}
	return days * datetime.MinutesPerDay
}

// WithDefaults returns the spec with what it doesn't say: the interval of its slots, which is the duration in minutes,
// but at most a day; a price per booking; units that it occupies; the booking window.
func (svc Spec) WithDefaults() Spec {
	if k, known := kinds[svc.Kind]; known {
		k.defaults(&svc)
	}
	svc.Occupies = cmp.Or(svc.Occupies, OccupiesUnits)
	svc.setNeeds()
	svc.PricePer = cmp.Or(svc.PricePer, PerBooking)
	if svc.BookingWindowDays == nil {
		days := defaultBookingWindowDays
		svc.BookingWindowDays = &days
	}
	if len(svc.Rates) == 0 {
		svc.Rates = nil // no list and an empty one are the same
	}
	if len(svc.StartTimes) == 0 {
		svc.StartTimes = nil
	}
	if len(svc.ArrivalWeekdays) == 0 {
		svc.ArrivalWeekdays = nil
	}
	if len(svc.DepartureWeekdays) == 0 {
		svc.DepartureWeekdays = nil
	}
	if len(svc.ArrivalRules) == 0 {
		svc.ArrivalRules = nil
	}
	if len(svc.Durations.Durations) == 0 {
		svc.Durations.Durations = nil
	}
	if len(svc.UnitTypes) == 0 {
		svc.UnitTypes = nil
	}
	return svc
}

// LongestMinutes returns the longest time that a booking of the service can occupy a resource, its buffers included.
func (svc Spec) LongestMinutes() int {
	longest := func(minutes, days int) int {
		if days > 0 {
			return (days-1)*datetime.MinutesPerDay + LongestDayMinutes
		}
		return minutes
	}
	days := 0
	if k, known := kinds[svc.Kind]; known {
		days = k.longestDays(svc)
	}
	duration := longest(svc.DurationMinutes, days)
	for _, l := range svc.bounds() {
		duration = max(duration, longest(l.Minutes, l.Days))
	}
	return longest(svc.BufferBeforeMinutes, svc.BufferBeforeDays) + duration +
		longest(svc.BufferAfterMinutes, svc.BufferAfterDays)
}
