package console

import (
	"time"

	"holdfast/internal/catalog"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// serviceForm is the form of a service of a kind. resources are those that can be chosen.
func serviceForm(t tenant.Tenant, kind timetable.ServiceKind, resources []catalog.Resource) form {
	return formOf[catalog.ServiceSpec](t, []group{
		{Label: "What it is", Fields: []field{
			{Name: "name", Label: "Name"},
			{Name: "description", Label: "Description", Kind: kindLines, Help: "For the people who book it."},
		}},
		{Label: "What a booking takes", Fields: []field{
			{Name: "resource_ids", Label: "Resources that can serve it", Kind: kindOrdered, Options: resourceOptions(resources),
				Help: "Number those that can: 1 is tried first."},
			{Name: "occupies", Label: "A booking takes", Labels: map[string]string{
				"units": "as many units as its party has", "whole": "all of the resource",
				"session": "a seat of a session that others join",
			}},
		}},
		{Label: "Several needs at once", Rare: true,
			Help: "A booking that needs several things at once, such as a room, a person and a device. " +
				"Then leave the resources above empty.",
			Fields: []field{{Name: "needs", Label: "Needs", Fields: []field{
				{Name: "resource_ids", Label: "One of these", Kind: kindOrdered, Options: resourceOptions(resources)},
				{Name: "units", Label: "Units", Help: "Empty for the first need: it takes the party."},
				{Name: "choose", Label: "Which one", Labels: map[string]string{
					"in_order": "the first that is free", "in_turn": "in turn", "least_booked": "the least booked",
				}},
				{Name: "join", Label: "Several can be joined"},
			}}}},
		timesOf(kind),
		priceGroup(kind),
		{Label: "Prices of some dates", Rare: true, Fields: []field{
			{Name: "rates", Label: "Rates", Kind: kindJSON,
				Help: `A list as the API has it, with amounts in minor units, such as [{"weekdays": ["saturday"], "price": 6000}].`},
		}},
		{Label: "When it can be booked", Fields: []field{
			{Name: "min_lead_minutes", Label: "Until how long before", Kind: kindSpan},
			{Name: "booking_window_days", Label: "How many days ahead", Zero: true, Help: "365 if empty."},
			{Name: "max_per_day", Label: "Most bookings a day"},
			{Name: "buffer_before_minutes", Label: "Minutes kept free before"},
			{Name: "buffer_after_minutes", Label: "Minutes kept free after"},
			{Name: "buffer_before_days", Label: "or days kept free before"},
			{Name: "buffer_after_days", Label: "or days kept free after"},
		}},
		{Label: "Cancellation", Fields: []field{
			{Name: "cancellation_policy.steps", Label: "What a cancellation costs",
				Toggle: "There is a policy", Help: "The earliest step first, each with a percentage of the price or an amount. " +
					"Before the first step it is free.",
				Fields: []field{
					{Name: "from_minutes", Label: "From so long before", Kind: kindSpan, Zero: true},
					{Name: "percent", Label: "Per cent", Zero: true},
					{Name: "amount", Label: "or amount in " + t.Currency, Kind: kindMoney},
				}},
			{Name: "cancellation_policy.no_show.percent", Label: "If nobody comes, per cent", Zero: true,
				Help: "The whole price if empty."},
			{Name: "cancellation_policy.no_show.amount", Label: "or amount in " + t.Currency, Kind: kindMoney},
			{Name: "confirm_on_deposit", Label: "A paid deposit confirms a hold"},
		}},
		{Label: "Reminders", Rare: true, Fields: []field{
			{Name: "reminders", Label: "Reminders before a booking", Help: helpOfReminders, Fields: reminderFields(""),
				Toggle: "This service has its own, in place of those in the settings"},
		}},
	})
}

// helpOfReminders says when reminders are sent.
const helpOfReminders = "Each so long before the start, or some days before at a time of day."

// reminderFields are the fields of a reminder, below a prefix.
func reminderFields(prefix string) []field {
	return []field{
		{Name: prefix + "before_minutes", Label: "So long before", Kind: kindSpan},
		{Name: prefix + "days_before", Label: "or days before", Zero: true},
		{Name: prefix + "at", Label: "at", Kind: kindClock},
	}
}

func resourceOptions(resources []catalog.Resource) []option {
	options := make([]option, len(resources))
	for i, r := range resources {
		options[i] = option{r.ID.String(), r.Name}
	}
	return options
}

// timesOf are the fields that say when and how long bookings of a kind are.
func timesOf(kind timetable.ServiceKind) group {
	switch kind {
	case timetable.KindStay:
		return group{Label: "Nights", Fields: []field{
			{Name: "check_in", Label: "Check-in from", Kind: kindClock, Required: true},
			{Name: "check_out", Label: "Check-out until", Kind: kindClock, Required: true},
			{Name: "min_nights", Label: "Least nights"},
			{Name: "max_nights", Label: "Most nights"},
			{Name: "arrival_weekdays", Label: "Arrival on", Help: "Each day if none is chosen."},
		}}
	case timetable.KindSlot:
		return group{Label: "How long", Help: "One length, or several of which a booking says one, or as long as a booking says.",
			Fields: []field{
				{Name: "duration_minutes", Label: "Minutes"},
				{Name: "duration_days", Label: "or days"},
				{Name: "slot_interval_minutes", Label: "Starts every … minutes"},
				{Name: "until_closing", Label: "Until closing time"},
				{Name: "durations", Label: "Several lengths", Fields: []field{
					{Name: "minutes", Label: "Minutes"},
					{Name: "days", Label: "or days"},
					{Name: "price", Label: "Price, if its own", Kind: kindMoney},
				}},
				{Name: "min_duration_minutes", Label: "As long as said: least minutes"},
				{Name: "max_duration_minutes", Label: "most minutes"},
				{Name: "duration_step_minutes", Label: "in steps of minutes"},
			}}
	default:
		return group{Label: "The day", Help: "From midnight to midnight, unless both times are given.", Fields: []field{
			{Name: "starts", Label: "Begins at", Kind: kindClock}, {Name: "ends", Label: "Ends at", Kind: kindClock},
		}}
	}
}

func priceGroup(kind timetable.ServiceKind) group {
	g := group{Label: "Price", Fields: []field{
		{Name: "price", Label: "Price", Kind: kindMoney},
		{Name: "price_per", Label: "for", Labels: map[string]string{"booking": "a booking", "unit": "each person"}},
		{Name: "deposit", Label: "Deposit", Kind: kindMoney, Help: "Due at once."},
		{Name: "deposit_percent", Label: "or deposit in per cent"},
		{Name: "unit_types", Label: "Kinds of guests",
			Help: "Such as adults and children, each at a price of its own. The price above is then charged once besides. " +
				"The key is what the API calls it: small letters, digits and _.",
			Fields: []field{
				{Name: "name", Label: "Name"},
				{Name: "key", Label: "Key"},
				{Name: "price", Label: "Price of one", Kind: kindMoney},
				{Name: "counts", Label: "Takes a unit"},
			}},
	}}
	switch kind {
	case timetable.KindDate:
	case timetable.KindStay:
		g.Fields[0].Label = "Price of a night"
	case timetable.KindSlot:
		g.Fields = append(g.Fields, field{Name: "price_per_minutes", Label: "The price is for each … minutes",
			Help: "Of a service with several lengths; empty for a price of the booking."})
	}
	return g
}

// weekdayOptions are the days of the week, as the API names them, from Monday on.
func weekdayOptions() []option {
	var options []option
	for i := range 7 {
		day := time.Weekday((i + 1) % 7)
		options = append(options, option{string(timetable.WeekdayOf(day)), day.String()})
	}
	return options
}
