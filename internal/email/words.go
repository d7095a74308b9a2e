package email

import (
	"fmt"
	"time"

	"holdfast/internal/amount"
)

// Language is one of Holdfast's own texts, by its tag: those of emails and of the booking page.
type Language string

// Languages are all of them, with the one first that stands for all others.
var Languages = []Language{"en", "de", "es"}

// Values returns the tags.
func (Language) Values() []string {
	tags := make([]string, len(Languages))
	for i, l := range Languages {
		tags[i] = string(l)
	}
	return tags
}

// Method is how a payment was made, or how money was given back.
type Method string

// The methods.
const (
	MethodCard          Method = "card" // or another means of the payment provider
	MethodCredit        Method = "credit"
	MethodCardAndCredit Method = "card_and_credit"
	MethodCash          Method = "cash"
	MethodTransfer      Method = "transfer"
	MethodTerminal      Method = "terminal"
)

// words are the words and the forms of emails in one language. The texts are templates.
type words struct {
	code     string    // such as en
	weekdays [7]string // from Sunday
	months   [12]string
	// date says where weekday, day, month and year stand.
	date string
	// to stands between the beginning and the end of a booking.
	to     string
	amount amount.Style
	// methods and refundedTo are how a payment was made, and where a refund goes.
	methods, refundedTo map[Method]string

	hello, people, price, due, paid, refunded, overpaid, surplus, reference, booking, lookForward, thanks string
	unsubscribe, unsubscribeLink                                                                          string

	emails map[Kind]opening
}

// opening is how an email of a kind begins.
type opening struct{ subject, text string }

// wordsIn returns the words of a language, the first of Languages for one that has none.
func wordsIn(language Language) words {
	switch language {
	case "de":
		return german
	case "es":
		return spanish
	default:
		return english
	}
}

// dateOf returns a date as people write it.
func (w words) dateOf(t time.Time) string {
	return fmt.Sprintf(w.date, w.weekdays[t.Weekday()], t.Day(), w.months[t.Month()-1], t.Year())
}

var english = words{
	code:     "en",
	weekdays: [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
	months: [12]string{
		"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
		"December",
	},
	date:   "%[1]s %[2]d %[3]s %[4]d",
	to:     "to",
	amount: amount.Style{Decimal: ".", Thousands: ","},
	methods: map[Method]string{
		MethodCard: "card", MethodCredit: "credit", MethodCardAndCredit: "card and credit", MethodCash: "cash",
		MethodTransfer: "bank transfer", MethodTerminal: "card terminal",
	},
	refundedTo: map[Method]string{
		MethodCard: "the card or account that you paid with", MethodCredit: "your credit with us",
		MethodCardAndCredit: "your card or account and your credit with us", MethodCash: "you in cash",
		MethodTransfer: "your bank account", MethodTerminal: "your card",
	},
	hello:           "Hello {{customer_name}},",
	people:          "People",
	price:           "Price",
	due:             "Still to pay",
	paid:            "Paid",
	refunded:        "Refunded",
	overpaid:        "Paid too much",
	surplus:         "You have paid {{amount_overpaid}} more than it costs now. Ask us how you get it back.",
	reference:       "Reference",
	booking:         "Your booking",
	lookForward:     "We look forward to seeing you.",
	thanks:          "Thank you.",
	unsubscribe:     "To get no more emails like this",
	unsubscribeLink: "Unsubscribe",
	emails: map[Kind]opening{
		BookingHeld: {
			"We are holding your booking: {{service_name}}, {{date}}",
			"We are holding this for you until {{hold_expires_at}}. Please confirm it before then.",
		},
		BookingConfirmed: {"Your booking is confirmed: {{service_name}}, {{date}}",
			"Thank you. Your booking is confirmed."},
		BookingRescheduled: {
			"Your booking has a new time: {{service_name}}, {{date}}",
			"Your booking has been moved. This is when it takes place now:",
		},
		BookingCancelled: {"Your booking is cancelled: {{service_name}}, {{date}}", "Your booking has been cancelled."},
		BookingWithdrawn: {
			"No longer your booking: {{service_name}}, {{date}}",
			"This booking is no longer in your name, and its entry is taken out of your calendar.",
		},
		BookingReminder: {"See you soon: {{service_name}}, {{date}}", "This is a reminder of your booking."},
		BookingFollowUp: {
			"Thank you for your visit",
			"Thank you for your visit on {{date}}. We hope that you enjoyed it: {{service_name}}.\n\n" +
				"If you want to tell us anything, just reply to this email.",
		},
		BookingAnniversary: {
			"Do you remember? {{service_name}}, {{date}}",
			"You were with us on {{date}}: {{service_name}}. We would be happy to see you again.",
		},
		CustomerBirthday: {"Happy birthday, {{customer_name}}!", "Happy birthday! We wish you a wonderful day."},
		PaymentBalanceDue: {
			"Payment due: {{amount_due}} for {{service_name}}, {{date}}",
			"An amount of {{amount_due}} for your booking is still to be paid.",
		},
		PaymentSucceeded: {
			"Your payment: {{payment_amount}} for {{service_name}}, {{date}}",
			"Thank you. We have received your payment of {{payment_amount}}{{#payment_method}} ({{payment_method}}){{/payment_method}}.",
		},
		PaymentDeclined: {
			"Your payment was declined: {{service_name}}, {{date}}",
			"Your payment of {{payment_amount}} was declined. Please try again, with another card if need be.",
		},
		PaymentRefunded: {
			"Your refund: {{payment_amount}} for {{service_name}}, {{date}}",
			"We have returned {{payment_amount}}{{#refunded_to}} to {{refunded_to}}{{/refunded_to}}.",
		},
	},
}
