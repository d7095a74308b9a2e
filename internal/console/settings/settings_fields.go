package settings

import (
	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

// settingsForm is the form of a tenant's settings. services are those that its booking page can sell.
func settingsForm(t tenant.Tenant, services []catalog.BookableService) form.Form {
	sold := make([]form.Option, len(services))
	for i := range services {
		sold[i] = form.Option{Value: services[i].ID.String(), Label: services[i].Name}
	}
	return form.Of[settings.Spec](t, []form.Group{
		{Label: "Business", Fields: []form.Field{
			{Name: "name", Label: "Name"},
			{Name: "unique_references", Label: "No reference twice",
				Help: "From now on no booking gets a reference that another one has."},
		}},
		{Label: "Emails", Help: "Without a sender no emails are sent.", Fields: []form.Field{
			{Name: "email.from.name", Label: "Sender’s name"},
			{Name: "email.from.email", Label: "Sender’s address"},
			{Name: "reminders", Label: "Reminders before a booking",
				Help: frame.HelpOfReminders, Fields: frame.ReminderFields("")},
			{Name: "follow_up_minutes", Label: "Follow-up after the end", Kind: form.KindSpan,
				Help: "Empty sends none."},
			{Name: "greetings.birthday", Label: "Greetings on birthdays"},
			{Name: "greetings.anniversary", Label: "Greetings a year after a booking"},
		}},
		{Label: "Reminder of what is still to pay",
			Help:   "So long before the start, or some days before at a time of day; empty sends none.",
			Fields: frame.ReminderFields("balance_due.")},
		{Label: "Emails about payments", Help: "They tell customers of their payments from now on.",
			Fields: []form.Field{
				{Name: "payment_emails.succeeded", Label: "A receipt of each payment"},
				{Name: "payment_emails.refunded", Label: "A notice of each refund"},
				{Name: "payment_emails.declined", Label: "After a payment was declined",
					Help: "Ten minutes later, if the booking still waits for the money."},
			}},
		{Label: "Emails to yourselves", Help: "Each address is told of the changes that you tick, whoever made them.",
			Fields: []form.Field{
				{Name: "owner_emails", Label: "Addresses", Fields: []form.Field{
					{Name: "email", Label: "Address"},
					{Name: "types", Label: "Emails about", Options: ownerEvents},
				}},
			}},
		{Label: "Booking page", Fields: []form.Field{
			{Name: "booking_page.enabled", Label: "People can book on it"},
			{Name: "booking_page.introduction", Label: "Introduction", Kind: form.KindLines},
			{Name: "booking_page.contact", Label: "Contact", Kind: form.KindLines},
			{Name: "booking_page.address", Label: "Address", Kind: form.KindLines,
				Help: "Where people come: at the end of each page and email, and the place of calendar entries."},
			{Name: "booking_page.terms", Label: "Terms", Kind: form.KindLines,
				Help: "Whoever books has to accept them."},
			{Name: colourField, Label: "Colour", Kind: form.KindColour},
			{Name: "booking_page.hold_minutes", Label: "Minutes to fill in the form", Help: "15 if empty."},
			{Name: "booking_page.customer_changes", Label: "Customers may", Labels: map[string]string{
				settings.CustomersChangeAll:    "move and cancel their bookings",
				settings.CustomersCancelOnly:   "cancel their bookings",
				settings.CustomersChangeNobody: "change nothing by themselves",
			}},
			{Name: "booking_page.languages", Label: "Languages", Kind: form.KindOrdered, Labels: languageNames,
				Help: "Number those that it is offered in: 1 is for people who want another one. All if none has a number."},
			{Name: "booking_page.service_ids", Label: "Services that it sells", Kind: form.KindOrdered, Options: sold,
				Help: "Number them in their order. All if none has a number."},
			{Name: "booking_page.embed_origins", Label: "Sites that may show it in a frame",
				Help: "One a line, such as https://www.harbour.example."},
		}},
		{Label: "Website", Fields: []form.Field{
			{Name: "website.origins", Label: "Sites whose pages may use publishable API keys",
				Help: "One a line, such as https://www.harbour.example."},
		}},
		{Label: "Limits for visitors",
			Help: "What people can take at once on your booking page and your website. What you book here has no such limits.",
			Fields: []form.Field{
				{Name: "website.limits.nights", Label: "Most nights or days", Help: "Of one booking. " + noLimit},
				{Name: "website.limits.units", Label: "Most people or units", Help: "Of one booking. " + noLimit},
				{Name: "website.limits.open_holds_per_email", Label: "Most holds of one email",
					Help: "Times that are held for somebody who hasn’t booked yet. " + noLimit},
			}},
		{Label: "Texts of emails", Rare: true, Fields: []form.Field{
			{Name: "email.templates", Label: "Templates in place of those of Holdfast", Kind: form.KindJSON,
				Help: `A list as the API has it, such as ` +
					`[{"template": "booking.reminder", "subject": "See you soon, {{customer_name}}"}].`},
		}},
	})
}

// colourField is the field of the booking page's colour.
const colourField = "booking_page.colour"

// noLimit is what a limit is that isn't filled in.
const noLimit = "Empty: no limit."

// ownerEvents are the changes that the tenant's own addresses can be told of.
var ownerEvents = []form.Option{
	{Value: "booking.confirmed", Label: "New bookings"},
	{Value: "booking.rescheduled", Label: "Moved bookings"},
	{Value: "booking.cancelled", Label: "Cancelled bookings"},
	{Value: "payment.succeeded", Label: "Payments"},
	{Value: "payment.refunded", Label: "Refunds"},
	{Value: "payment.declined", Label: "Declined payments and refunds"},
}

// languageNames are the names of the languages of the booking page.
var languageNames = map[string]string{"de": "German", "en": "English", "es": "Spanish"}
