package email

// wordsForOwner are the words of emails to the tenant in one language.
type wordsForOwner struct {
	titles         map[OwnerEvent]string
	refundDeclined string

	booking, reference, service, when, before, people, customer, amount, method, price, paid, refunded, due,
	overpaid string
}

// ownerWords are the words by language: those of the booking page. Nothing writes to it.
var ownerWords = map[Language]wordsForOwner{
	"en": {
		titles: map[OwnerEvent]string{
			OwnerBookingConfirmed: "New booking", OwnerBookingCancelled: "Booking cancelled",
			OwnerBookingRescheduled: "Booking moved",
			OwnerPaymentSucceeded:   "Payment received", OwnerPaymentDeclined: "Payment declined",
			OwnerPaymentRefunded: "Refund made",
		},
		refundDeclined: "Refund declined",
		booking:        "Booking", reference: "Reference", service: "Service", when: "When", before: "Before",
		people:   "People",
		customer: "Customer", amount: "Amount", method: "Method", price: "Price", paid: "Paid", refunded: "Refunded",
		due:      "Still to pay",
		overpaid: "Paid too much",
	},
	"de": {
		titles: map[OwnerEvent]string{
			OwnerBookingConfirmed: "Neue Buchung", OwnerBookingCancelled: "Buchung storniert",
			OwnerBookingRescheduled: "Buchung verschoben", OwnerPaymentSucceeded: "Zahlung eingegangen",
			OwnerPaymentDeclined: "Zahlung abgelehnt", OwnerPaymentRefunded: "Betrag erstattet",
		},
		refundDeclined: "Erstattung abgelehnt",
		booking:        "Buchung", reference: "Referenz", service: "Leistung", when: "Zeit", before: "Vorher",
		people:   "Personen",
		customer: "Kunde", amount: "Betrag", method: "Zahlungsart",
		price: "Preis", paid: "Bezahlt", refunded: "Erstattet", due: "Noch zu zahlen",
		overpaid: "Zu viel bezahlt",
	},
	"es": {
		titles: map[OwnerEvent]string{
			OwnerBookingConfirmed: "Nueva reserva", OwnerBookingCancelled: "Reserva cancelada",
			OwnerBookingRescheduled: "Reserva cambiada",
			OwnerPaymentSucceeded:   "Pago recibido", OwnerPaymentDeclined: "Pago rechazado",
			OwnerPaymentRefunded: "Reembolso realizado",
		},
		refundDeclined: "Reembolso rechazado",
		booking:        "Reserva", reference: "Referencia", service: "Servicio", when: "Fecha y hora", before: "Antes",
		people:   "Personas",
		customer: "Cliente", amount: "Importe", method: "Forma de pago",
		price: "Precio", paid: "Pagado", refunded: "Reembolsado", due: "Pendiente",
		overpaid: "Pagado de más",
	},
}
