package email

import "holdfast/internal/amount"

var german = words{
	code:     "de",
	weekdays: [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
	months: [12]string{
		"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
		"Dezember",
	},
	date:   "%[1]s, %[2]d. %[3]s %[4]d",
	to:     "bis",
	amount: amount.Style{Decimal: ",", Thousands: "."},
	methods: map[Method]string{
		MethodCard: "Karte", MethodCredit: "Guthaben", MethodCardAndCredit: "Karte und Guthaben", MethodCash: "bar",
		MethodTransfer: "Überweisung", MethodTerminal: "Kartenterminal",
	},
	refundedTo: map[Method]string{
		MethodCard: "auf Ihre Karte oder Ihr Konto", MethodCredit: "als Guthaben bei uns",
		MethodCardAndCredit: "auf Ihre Karte oder Ihr Konto und als Guthaben bei uns", MethodCash: "in bar",
		MethodTransfer: "per Überweisung", MethodTerminal: "auf Ihre Karte",
	},
	hello:    "Guten Tag {{customer_name}},",
	people:   "Personen",
	price:    "Preis",
	due:      "Noch zu zahlen",
	paid:     "Bezahlt",
	refunded: "Erstattet",
	overpaid: "Zu viel bezahlt",
	surplus: "Sie haben {{amount_overpaid}} mehr bezahlt, als es jetzt kostet. " +
		"Fragen Sie uns, wie Sie den Betrag zurückbekommen.",
	reference:       "Referenz",
	booking:         "Ihre Buchung",
	lookForward:     "Wir freuen uns auf Sie.",
	thanks:          "Vielen Dank.",
	unsubscribe:     "Wenn Sie keine solchen E-Mails mehr möchten",
	unsubscribeLink: "Abmelden",
	emails: map[Kind]opening{
		BookingHeld: {
			"Wir halten Ihre Buchung: {{service_name}}, {{date}}",
			"Wir halten das für Sie bis {{hold_expires_at}}. Bitte bestätigen Sie es bis dahin.",
		},
		BookingConfirmed: {"Ihre Buchung ist bestätigt: {{service_name}}, {{date}}",
			"Vielen Dank. Ihre Buchung ist bestätigt."},
		BookingRescheduled: {
			"Ihre Buchung hat eine neue Zeit: {{service_name}}, {{date}}",
			"Ihre Buchung wurde verschoben. Das ist der neue Termin:",
		},
		BookingCancelled: {"Ihre Buchung ist storniert: {{service_name}}, {{date}}", "Ihre Buchung wurde storniert."},
		BookingWithdrawn: {
			"Nicht mehr Ihre Buchung: {{service_name}}, {{date}}",
			"Diese Buchung läuft nicht mehr auf Ihren Namen. Ihr Eintrag wird aus Ihrem Kalender entfernt.",
		},
		BookingReminder: {"Bis bald: {{service_name}}, {{date}}", "Wir erinnern Sie an Ihre Buchung."},
		BookingFollowUp: {
			"Vielen Dank für Ihren Besuch",
			"Vielen Dank für Ihren Besuch am {{date}}. Wir hoffen, es hat Ihnen gefallen: {{service_name}}.\n\n" +
				"Wenn Sie uns etwas sagen möchten, antworten Sie einfach auf diese E-Mail.",
		},
		BookingAnniversary: {
			"Erinnern Sie sich? {{service_name}}, {{date}}",
			"Am {{date}} waren Sie bei uns: {{service_name}}. Wir würden uns freuen, Sie wiederzusehen.",
		},
		CustomerBirthday: {
			"Alles Gute zum Geburtstag, {{customer_name}}!",
			"Alles Gute zum Geburtstag! Wir wünschen Ihnen einen schönen Tag.",
		},
		PaymentBalanceDue: {
			"Noch zu zahlen: {{amount_due}} für {{service_name}}, {{date}}",
			"Für Ihre Buchung ist noch ein Betrag von {{amount_due}} zu zahlen.",
		},
		PaymentSucceeded: {
			"Ihre Zahlung: {{payment_amount}} für {{service_name}}, {{date}}",
			"Vielen Dank. Wir haben Ihre Zahlung von {{payment_amount}}{{#payment_method}} ({{payment_method}}){{/payment_method}} " +
				"erhalten.",
		},
		PaymentDeclined: {
			"Ihre Zahlung wurde abgelehnt: {{service_name}}, {{date}}",
			"Ihre Zahlung von {{payment_amount}} wurde abgelehnt. Bitte versuchen Sie es noch einmal, wenn nötig mit einer anderen Karte.",
		},
		PaymentRefunded: {
			"Ihre Erstattung: {{payment_amount}} für {{service_name}}, {{date}}",
			"Wir haben Ihnen {{payment_amount}}{{#refunded_to}} {{refunded_to}}{{/refunded_to}} erstattet.",
		},
	},
}
