package catalog

import (
	"net/url"

	"holdfast/internal/console/form"
	"holdfast/internal/timetable"
)

// preset is something that businesses sell: with which form its service begins.
type preset struct {
	// Key names it in addresses, Name and Words are what people read.
	Key, Name, Words string
	kind             timetable.ServiceKind
	// start is what stands in the form, and first the fields that aren't folded. One with a label has that in place of
	// its own.
	start url.Values
	first []form.Field
}

// presets are what the page of a new service offers.
var presets = []preset{
	{
		Key: "tour", Name: "A tour or trip with seats", Words: "Strangers share a boat, a bus or a guide; each pays a seat.",
		kind:  timetable.KindSlot,
		start: url.Values{"occupies": {"session"}, "price_per": {"unit"}},
		first: []form.Field{
			{Name: "name"}, {Name: "resource_ids", Label: "On which of these"}, {Name: "duration_minutes"},
			{Name: "start_times", Label: "Starts at these times"}, {Name: "price", Label: "Price of a seat"},
			{Name: "min_party_size"}, {Name: "deposit_percent", Label: "Deposit in per cent"},
		},
	},
	{
		Key: "charter", Name: "A whole boat, room or vehicle", Words: "For some hours, to one party alone.",
		kind:  timetable.KindSlot,
		start: url.Values{"occupies": {"whole"}, "slot_interval_minutes": {"60"}, "price": {"0"}},
		first: []form.Field{
			{Name: "name"}, {Name: "resource_ids", Label: "Which of these"},
			{Name: "durations", Label: "For how long, each at its price"}, {Name: "slot_interval_minutes"},
			{Name: "deposit_percent", Label: "Deposit in per cent"}, {Name: "min_lead_minutes"},
		},
	},
	{
		Key: "class", Name: "A class or course", Words: "Yoga on Monday at 18:00: people book a place in a group.",
		kind:  timetable.KindSlot,
		start: url.Values{"occupies": {"session"}, "price_per": {"unit"}},
		first: []form.Field{
			{Name: "name"}, {Name: "resource_ids", Label: "In which of these"}, {Name: "duration_minutes"},
			{Name: "start_times", Label: "Starts at these times"}, {Name: "price", Label: "Price of a person"},
		},
	},
	{
		Key: "appointment", Name: "An appointment", Words: "A haircut, a massage, a lesson: with one of your people.",
		kind: timetable.KindSlot,
		first: []form.Field{
			{Name: "name"}, {Name: "resource_ids", Label: "Who can do it"}, {Name: "duration_minutes"},
			{Name: "slot_interval_minutes"}, {Name: "buffer_after_minutes"}, {Name: "price"},
		},
	},
	{
		Key: "room", Name: "A room or house by the night", Words: "From a check-in to a check-out.",
		kind:  timetable.KindStay,
		start: url.Values{"occupies": {"whole"}, "check_in": {"15:00"}, "check_out": {"10:00"}},
		first: []form.Field{
			{Name: "name"}, {Name: "resource_ids", Label: "Which of these"}, {Name: "check_in"}, {Name: "check_out"},
			{Name: "min_nights"}, {Name: "price"}, {Name: "deposit_percent", Label: "Deposit in per cent"},
		},
	},
	{
		Key: "rental", Name: "Something to rent by the day", Words: "A bicycle, a car, a hall: picked up and brought back.",
		kind: timetable.KindDate,
		first: []form.Field{
			{Name: "name"}, {Name: "resource_ids", Label: "Which of these"},
			{Name: "starts", Label: "Picked up at"}, {Name: "ends", Label: "Brought back at"},
			{Name: "price"}, {Name: "deposit_percent", Label: "Deposit in per cent"},
		},
	},
}

// presetOf returns the preset of a key, nil if there is none.
func presetOf(key string) *preset {
	for i := range presets {
		if presets[i].Key == key {
			return &presets[i]
		}
	}
	return nil
}
