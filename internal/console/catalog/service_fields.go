package catalog

import (
	"slices"
	"time"

	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// serviceForm is the form of a service, of which a new one has nothing but its kind. resources are those that can be
// chosen.
func serviceForm(t tenant.Tenant, svc catalog.ServiceSpec, resources []catalog.Resource) form.Form {
	return form.Of[catalog.ServiceSpec](t, []form.Group{
		{Label: "What it is", Fields: []form.Field{
			{Name: "name", Label: "Name"},
			{Name: "description", Label: "Description", Kind: form.KindLines, Help: "For the people who book it."},
		}},
		{Label: "What a booking takes", Fields: []form.Field{
			{Name: "resource_ids", Label: "Resources that can serve it", Kind: form.KindTicked,
				Options: resourceOptions(resources),
				Help:    "Tick those that can."},
			{Name: "min_party_size", Label: "Least people"},
			{Name: "occupies", Label: "A booking takes", Labels: map[string]string{
				"units": "as many units as its party has", "whole": "all of the resource",
				"session": "a seat of a session that others join",
			}},
		}},
		{Label: "Several needs at once", Rare: true,
			Help: "A booking that needs several things at once, such as a room, a person and a device. " +
				"Then leave the resources above empty.",
			Fields: []form.Field{{Name: "needs", Label: "Needs", Fields: []form.Field{
				{Name: "resource_ids", Label: "One of these", Kind: form.KindTicked,
					Options: resourceOptions(resources)},
				{Name: "units", Label: "Units", Help: "Empty for the first need: it takes the party."},
				{Name: "choose", Label: "Which one", Labels: map[string]string{
					"in_order": "the first that is free", "in_turn": "in turn", "least_booked": "the least booked",
				}},
				{Name: "join", Label: "Several can be joined"},
			}}}},
		timesOf(svc.Kind),
		priceGroup(svc.Kind),
		{Label: "Prices of some dates", Rare: true, Fields: []form.Field{ratesField(svc)}},
		{Label: "When it can be booked", Fields: []form.Field{
			{Name: "min_lead_minutes", Label: "Until how long before", Kind: form.KindSpan},
			{Name: "booking_window_days", Label: "How many days ahead", Zero: true, Help: "365 if empty."},
			{Name: "max_per_day", Label: "Most bookings a day"},
			{Name: "buffer_before_minutes", Label: "Minutes kept free before"},
			{Name: "buffer_after_minutes", Label: "Minutes kept free after"},
			{Name: "buffer_before_days", Label: "or days kept free before"},
			{Name: "buffer_after_days", Label: "or days kept free after"},
		}},
		{Label: "Cancellation", Fields: []form.Field{
			{Name: "cancellation_policy.steps", Label: "What a cancellation costs",
				Toggle: "There is a policy",
				Help: "The earliest step first, each with a percentage of the price or an amount. " +
					"Before the first step it is free.",
				Fields: []form.Field{
					{Name: "from_minutes", Label: "From so long before", Kind: form.KindSpan, Zero: true},
					{Name: "percent", Label: "Per cent", Zero: true},
					{Name: "amount", Label: "or amount in " + t.Currency, Kind: form.KindMoney},
				}},
			{Name: "cancellation_policy.no_show.percent", Label: "If nobody comes, per cent", Zero: true,
				Help: "The whole price if empty."},
			{Name: "cancellation_policy.no_show.amount", Label: "or amount in " + t.Currency, Kind: form.KindMoney},
			{Name: "confirm_on_deposit", Label: "A paid deposit confirms a hold"},
		}},
		{Label: "Reminders", Rare: true, Fields: []form.Field{
			{Name: "reminders", Label: "Reminders before a booking", Help: frame.HelpOfReminders,
				Fields: frame.ReminderFields(""),
				Toggle: "This service has its own, in place of those in the settings"},
		}},
	})
}

// ratesField is the field of the prices of some dates, with a price for each kind of guest that the service has. Prices
// of lengths by the date are too rare for fields.
func ratesField(svc catalog.ServiceSpec) form.Field {
	rates := form.Field{Name: "rates", Label: "Prices of some dates",
		Help: "The first row that has the date counts: special days first, then weekdays."}
	if slices.ContainsFunc(svc.Rates, func(r timetable.Rate) bool { return len(r.Durations) > 0 }) {
		rates.Kind = form.KindJSON
		return rates
	}
	rates.Fields = []form.Field{
		{Name: "price", Label: "Price", Kind: form.KindMoney},
		{Name: "weekdays", Label: "On", Help: "Each day if none is chosen."},
		{Name: "from", Label: "From"},
		{Name: "to", Label: "To"},
		{Name: "deposit", Label: "Deposit, if another", Kind: form.KindMoney},
	}
	for _, u := range svc.UnitTypes {
		rates.Fields = append(rates.Fields, form.Field{Name: "unit_prices." + u.Key, Label: "Price for " + u.Name,
			Kind: form.KindMoney, Own: true})
	}
	return rates
}

func resourceOptions(resources []catalog.Resource) []form.Option {
	options := make([]form.Option, len(resources))
	for i, r := range resources {
		options[i] = form.Option{Value: r.ID.String(), Label: r.Name}
	}
	return options
}

// timesOf are the fields that say when and how long bookings of a kind are.
func timesOf(kind timetable.ServiceKind) form.Group {
	switch kind {
	case timetable.KindStay:
		return form.Group{Label: "Nights", Fields: []form.Field{
			{Name: "check_in", Label: "Check-in from", Kind: form.KindClock, Required: true},
			{Name: "check_out", Label: "Check-out until", Kind: form.KindClock, Required: true},
			{Name: "min_nights", Label: "Least nights"},
			{Name: "max_nights", Label: "Most nights"},
			{Name: "nights_multiple", Label: "Nights are a multiple of", Help: "Such as 7 for whole weeks."},
			{Name: "arrival_weekdays", Label: "Arrival on", Help: "Each day if none is chosen."},
			{Name: "departure_weekdays", Label: "Departure on", Help: "Each day if none is chosen."},
			{Name: "arrival_rules", Label: "Other nights for some arrivals",
				Help: "The first row that has the day of arrival counts.",
				Fields: append([]form.Field{
					{Name: "min_nights", Label: "Least nights"},
					{Name: "max_nights", Label: "Most nights"},
					{Name: "nights_multiple", Label: "Multiple of"},
					{Name: "weekdays", Label: "Arrival on"},
				}, form.PartOfYear()...)},
			{Name: "sell_gaps", Label: "Sell gaps",
				Help: "Fewer nights may be booked if they fill all that is free between two stays."},
		}}
	case timetable.KindSlot:
		return form.Group{Label: "How long",
			Help: "One length, or several of which a booking says one, or as long as a booking says.",
			Fields: []form.Field{
				{Name: "duration_minutes", Label: "Minutes"},
				{Name: "duration_days", Label: "or days"},
				{Name: "until_closing", Label: "Until closing time"},
				{Name: "slot_interval_minutes", Label: "Starts every … minutes"},
				{Name: "start_times", Label: "or starts at these times", Help: "A row for some weekdays or some dates. " +
					"A row of dates counts before a row with from and to, and that before the others.",
					Fields: slices.Concat([]form.Field{
						{Name: "at", Label: "Times", Kind: form.KindClocks,
							Help: "Such as 9, 19:30. Empty: none on these dates."},
						{Name: "weekdays", Label: "On", Help: "Each day if none is chosen."},
					}, form.PartOfYear(), []form.Field{
						{Name: "dates", Label: "or on these dates", Kind: form.KindDates,
							Help: "Such as 2027-12-24, 2027-12-25."},
					})},
				{Name: "durations", Label: "Several lengths", Fields: []form.Field{
					{Name: "minutes", Label: "Minutes"},
					{Name: "days", Label: "or days"},
					{Name: "price", Label: "Price, if its own", Kind: form.KindMoney},
				}},
				{Name: "min_duration_minutes", Label: "As long as said: least minutes"},
				{Name: "max_duration_minutes", Label: "most minutes"},
				{Name: "duration_step_minutes", Label: "in steps of minutes"},
			}}
	default:
		return form.Group{Label: "The day", Help: "From midnight to midnight, unless both times are given.",
			Fields: []form.Field{
				{Name: "starts", Label: "Begins at", Kind: form.KindClock},
				{Name: "ends", Label: "Ends at", Kind: form.KindClock},
			}}
	}
}

func priceGroup(kind timetable.ServiceKind) form.Group {
	g := form.Group{Label: "Price", Fields: []form.Field{
		{Name: "price", Label: "Price", Kind: form.KindMoney},
		{Name: "price_per", Label: "for", Labels: map[string]string{"booking": "a booking", "unit": "each person"}},
		{Name: "deposit", Label: "Deposit", Kind: form.KindMoney, Help: "Due at once."},
		{Name: "deposit_percent", Label: "or deposit in per cent"},
		{Name: "unit_types", Label: "Kinds of guests",
			Help: "Such as adults and children, each at a price of its own. The price above is then charged once besides. " +
				"The key is what the API calls it: small letters, digits and _.",
			Fields: []form.Field{
				{Name: "name", Label: "Name"},
				{Name: "key", Label: "Key"},
				{Name: "price", Label: "Price of one", Kind: form.KindMoney},
				{Name: "counts", Label: "Takes a unit"},
				{Name: "min_age", Label: "From age", Zero: true},
				{Name: "max_age", Label: "to age", Zero: true},
				{Name: "min_count", Label: "At least so many"},
				{Name: "note", Label: "Note"},
			}},
	}}
	switch kind {
	case timetable.KindDate:
	case timetable.KindStay:
		g.Fields[0].Label = "Price of a night"
	case timetable.KindSlot:
		g.Fields = append(g.Fields, form.Field{Name: "price_per_minutes", Label: "The price is for each … minutes",
			Help: "Of a service with several lengths; empty for a price of the booking."})
	}
	return g
}

// weekdayOptions are the days of the week, as the API names them, from Monday on.
func weekdayOptions() []form.Option {
	var options []form.Option
	for i := range 7 {
		day := time.Weekday((i + 1) % 7)
		options = append(options, form.Option{Value: string(timetable.WeekdayOf(day)), Label: day.String()})
	}
	return options
}
