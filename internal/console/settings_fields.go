package console

import (
	"holdfast/internal/catalog"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

// settingsForm is the form of a tenant's settings. services are those that its booking page can sell.
func settingsForm(t tenant.Tenant, services []catalog.BookableService) form {
	sold := make([]option, len(services))
	for i := range services {
		sold[i] = option{services[i].ID.String(), services[i].Name}
	}
	return formOf[settings.Spec](t, []group{
		{Label: "Business", Fields: []field{
			{Name: "name", Label: "Name"},
			{Name: "unique_references", Label: "No reference twice",
				Help: "From now on no booking gets a reference that another one has."},
		}},
		{Label: "Emails", Help: "Without a sender no emails are sent.", Fields: []field{
			{Name: "email.from.name", Label: "Sender’s name"},
			{Name: "email.from.email", Label: "Sender’s address"},
			{Name: "reminders", Label: "Reminders before a booking",
				Help: helpOfReminders, Fields: reminderFields("")},
			{Name: "follow_up_minutes", Label: "Follow-up after the end", Kind: kindSpan, Help: "Empty sends none."},
			{Name: "greetings.birthday", Label: "Greetings on birthdays"},
			{Name: "greetings.anniversary", Label: "Greetings a year after a booking"},
		}},
		{Label: "Reminder of what is still to pay",
			Help:   "So long before the start, or some days before at a time of day; empty sends none.",
			Fields: reminderFields("balance_due.")},
		{Label: "Emails about payments", Help: "They tell customers of their payments from now on.", Fields: []field{
			{Name: "payment_emails.succeeded", Label: "A receipt of each payment"},
			{Name: "payment_emails.refunded", Label: "A notice of each refund"},
			{Name: "payment_emails.declined", Label: "After a payment was declined",
				Help: "Ten minutes later, if the booking still waits for the money."},
		}},
		{Label: "Emails to yourselves", Help: "Each address is told of the changes that you tick, whoever made them.", Fields: []field{
			{Name: "owner_emails", Label: "Addresses", Fields: []field{
				{Name: "email", Label: "Address"},
				{Name: "types", Label: "Emails about", Options: ownerEvents},
			}},
		}},
		{Label: "Booking page", Fields: []field{
			{Name: "booking_page.enabled", Label: "People can book on it"},
			{Name: "booking_page.introduction", Label: "Introduction", Kind: kindLines},
			{Name: "booking_page.contact", Label: "Contact", Kind: kindLines},
			{Name: "booking_page.address", Label: "Address", Kind: kindLines,
				Help: "Where people come: at the end of each page and email, and the place of calendar entries."},
			{Name: "booking_page.terms", Label: "Terms", Kind: kindLines, Help: "Whoever books has to accept them."},
			{Name: "booking_page.colour", Label: "Colour", Max: len(settings.DefaultPageColour),
				Help: "Such as " + settings.DefaultPageColour + "."},
			{Name: "booking_page.hold_minutes", Label: "Minutes to fill in the form", Help: "15 if empty."},
			{Name: "booking_page.customer_changes", Label: "Customers may", Labels: map[string]string{
				settings.CustomersChangeAll:    "move and cancel their bookings",
				settings.CustomersCancelOnly:   "cancel their bookings",
				settings.CustomersChangeNobody: "change nothing by themselves",
			}},
			{Name: "booking_page.languages", Label: "Languages", Kind: kindOrdered, Labels: languageNames,
				Help: "Number those that it is offered in: 1 is for people who want another one. All if none has a number."},
			{Name: "booking_page.service_ids", Label: "Services that it sells", Kind: kindOrdered, Options: sold,
				Help: "Number them in their order. All if none has a number."},
			{Name: "booking_page.embed_origins", Label: "Sites that may show it in a frame",
				Help: "One a line, such as https://www.harbour.example."},
		}},
		{Label: "Website", Fields: []field{
			{Name: "website.origins", Label: "Sites whose pages may use publishable API keys",
				Help: "One a line, such as https://www.harbour.example."},
		}},
		{Label: "Limits for visitors",
			Help: "What people can take at once on your booking page and your website. What you book here has no such limits.",
			Fields: []field{
				{Name: "website.limits.nights", Label: "Most nights or days", Help: "Of one booking. " + noLimit},
				{Name: "website.limits.units", Label: "Most people or units", Help: "Of one booking. " + noLimit},
				{Name: "website.limits.open_holds_per_email", Label: "Most holds of one email",
					Help: "Times that are held for somebody who hasn’t booked yet. " + noLimit},
			}},
		{Label: "Texts of emails", Rare: true, Fields: []field{
			{Name: "email.templates", Label: "Templates in place of those of Holdfast", Kind: kindJSON,
				Help: `A list as the API has it, such as ` +
					`[{"template": "booking.reminder", "subject": "See you soon, {{customer_name}}"}].`},
		}},
	})
}

// noLimit is what a limit is that isn't filled in.
const noLimit = "Empty: no limit."

// ownerEvents are the changes that the tenant's own addresses can be told of.
var ownerEvents = []option{
	{"booking.confirmed", "New bookings"}, {"booking.rescheduled", "Moved bookings"}, {"booking.cancelled", "Cancelled bookings"},
	{"payment.succeeded", "Payments"}, {"payment.refunded", "Refunds"}, {"payment.declined", "Declined payments and refunds"},
}

// languageNames are the names of the languages of the booking page.
var languageNames = map[string]string{"de": "German", "en": "English", "es": "Spanish"}
