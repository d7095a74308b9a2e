package email

import "strings"

// Default returns the template of tenants who wrote none for the kind, in English. It is empty for an unknown kind.
func Default(kind Kind) Template {
	d := defaults[kind]
	if d.text == "" {
		return Template{}
	}
	text := "Hello {{customer_name}},\n\n" + d.text
	if kind.Unsubscribable() {
		text += unsubscribe
	}
	return Template{Subject: d.subject, Text: text, HTML: paragraphs(text)}
}

// details tells of the booking. A section's tag on a line of its own leaves no line.
const details = `{{service_name}}
{{when}}{{#start_time}} ({{time_zone}}){{/start_time}}
{{#resource_name}}
{{resource_name}}
{{/resource_name}}
{{#party_size}}
People: {{party_size}}
{{/party_size}}
`

const price = `{{#price}}
Price: {{price}}
{{/price}}
{{#amount_due}}
Still to pay: {{amount_due}}
{{/amount_due}}
`

// balance tells what was paid, and what is left to pay.
const balance = `{{#price}}
Price: {{price}}
{{/price}}
{{#amount_paid}}
Paid: {{amount_paid}}
{{/amount_paid}}
{{#amount_refunded}}
Refunded: {{amount_refunded}}
{{/amount_refunded}}
{{#amount_due}}
Still to pay: {{amount_due}}
{{/amount_due}}
`

const reference = `{{#reference}}
Reference: {{reference}}
{{/reference}}
`

// manage leads to the booking.
const manage = `{{#manage_url}}

Your booking: {{manage_url}}
{{/manage_url}}
`

const lookForward = "\nWe look forward to seeing you.\n"

const farewell = "\n{{tenant_name}}\n"

const unsubscribe = `{{#unsubscribe_url}}

To get no more emails like this: {{unsubscribe_url}}
{{/unsubscribe_url}}
`

var defaults = map[Kind]struct{ subject, text string }{
	BookingHeld: {
		"We are holding your booking: {{service_name}}, {{date}}",
		"We are holding this for you until {{hold_expires_at}}. Please confirm it before then.\n\n" + details + price + reference + manage +
			farewell,
	},
	BookingConfirmed: {
		"Your booking is confirmed: {{service_name}}, {{date}}",
		"Thank you. Your booking is confirmed.\n\n" + details + price + reference + manage + lookForward + farewell,
	},
	BookingRescheduled: {
		"Your booking has a new time: {{service_name}}, {{date}}",
		"Your booking has been moved. This is when it takes place now:\n\n" + details + reference + manage + lookForward +
			farewell,
	},
	BookingCancelled: {
		"Your booking is cancelled: {{service_name}}, {{date}}",
		"Your booking has been cancelled.\n\n" + details + reference + manage + farewell,
	},
	BookingWithdrawn: {
		"No longer your booking: {{service_name}}, {{date}}",
		"This booking is no longer in your name, and its entry is taken out of your calendar.\n\n" + details + reference + farewell,
	},
	BookingReminder: {
		"See you soon: {{service_name}}, {{date}}",
		"This is a reminder of your booking.\n\n" + details + reference + manage + lookForward + farewell,
	},
	BookingFollowUp: {
		"Thank you for your visit",
		"Thank you for your visit on {{date}}. We hope that you enjoyed it: {{service_name}}.\n\n" +
			"If you want to tell us anything, just reply to this email.\n" + farewell,
	},
	BookingAnniversary: {
		"Do you remember? {{service_name}}, {{date}}",
		"You were with us on {{date}}: {{service_name}}. We would be happy to see you again.\n" + farewell,
	},
	CustomerBirthday: {
		"Happy birthday, {{customer_name}}!",
		"Happy birthday! We wish you a wonderful day.\n" + farewell,
	},
	PaymentBalanceDue: {
		"Payment due: {{amount_due}} for {{service_name}}, {{date}}",
		"An amount of {{amount_due}} for your booking is still to be paid.\n\n" +
			details + "{{#price}}\nPrice: {{price}}\n{{/price}}\n" + reference + manage + "\nThank you.\n" + farewell,
	},
	PaymentSucceeded: {
		"Your payment: {{payment_amount}} for {{service_name}}, {{date}}",
		"Thank you. We have received your payment of {{payment_amount}}{{#payment_method}} ({{payment_method}}){{/payment_method}}.\n\n" +
			details + balance + reference + manage + farewell,
	},
	PaymentDeclined: {
		"Your payment was declined: {{service_name}}, {{date}}",
		"Your payment of {{payment_amount}} was declined. Please try again, with another card if need be.\n\n" +
			details + balance + reference + manage + farewell,
	},
	PaymentRefunded: {
		"Your refund: {{payment_amount}} for {{service_name}}, {{date}}",
		"We have returned {{payment_amount}} to {{refunded_to}}.\n\n" + details + balance + reference + manage + farewell,
	},
}

// paragraphs returns a default text as HTML. The texts have no character that HTML escapes.
func paragraphs(text string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<body style=\"font-family: sans-serif; line-height: 1.5\">\n<p>\n")
	for line := range strings.Lines(withLinks.Replace(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			b.WriteString("</p>\n<p>\n")
		case isSection(line):
			b.WriteString(line + "\n")
		default:
			b.WriteString(line + "<br>\n")
		}
	}
	b.WriteString("</p>\n</body>\n</html>\n")
	return b.String()
}

// withLinks makes links of the URLs of a default text.
var withLinks = strings.NewReplacer("Your booking: {{manage_url}}", `<a href="{{manage_url}}">Your booking</a>`,
	"{{unsubscribe_url}}", `<a href="{{unsubscribe_url}}">Unsubscribe</a>`)

// isSection reports whether a line is the tag of a section and nothing else.
func isSection(line string) bool {
	return (strings.HasPrefix(line, "{{#") || strings.HasPrefix(line, "{{/")) && strings.Index(line, "}}") == len(line)-2
}
