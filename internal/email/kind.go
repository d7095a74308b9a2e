package email

// Kind names what an email tells of. It is also the name of the template.
type Kind string

// The kinds of email.
const (
	// BookingHeld tells how long a booking is held. It makes sense for a hold of hours or days; a hold that only lasts
	// a checkout ends before anyone reads the email.
	BookingHeld        Kind = "booking.held"
	BookingConfirmed   Kind = "booking.confirmed"
	BookingRescheduled Kind = "booking.rescheduled"
	BookingCancelled   Kind = "booking.cancelled"
	// BookingWithdrawn tells a former contact that a booking is somebody else's now.
	BookingWithdrawn   Kind = "booking.withdrawn"
	BookingReminder    Kind = "booking.reminder"
	BookingFollowUp    Kind = "booking.follow_up"
	BookingAnniversary Kind = "booking.anniversary"
	CustomerBirthday   Kind = "customer.birthday"
	PaymentBalanceDue  Kind = "payment.balance_due"
	// The last three tell of one payment or refund.
	PaymentSucceeded Kind = "payment.succeeded"
	PaymentDeclined  Kind = "payment.declined"
	PaymentRefunded  Kind = "payment.refunded"
)

// Kinds returns every kind.
func Kinds() []Kind {
	return []Kind{
		BookingHeld, BookingConfirmed, BookingRescheduled, BookingCancelled, BookingWithdrawn, BookingReminder,
		BookingFollowUp,
		BookingAnniversary, CustomerBirthday, PaymentBalanceDue, PaymentSucceeded, PaymentDeclined, PaymentRefunded,
	}
}

// Links reports whether an email of the kind leads its reader to the booking. A former contact isn't led there.
func (k Kind) Links() bool {
	return k != BookingWithdrawn && k != BookingFollowUp && k != BookingAnniversary && k != CustomerBirthday
}

// OfPayment reports whether an email of the kind tells of one payment or refund.
func (k Kind) OfPayment() bool {
	return k == PaymentSucceeded || k == PaymentDeclined || k == PaymentRefunded
}

// Unsubscribable reports whether a customer can unsubscribe from the kind: greetings and follow-ups, but not what a
// customer needs to know of a booking.
func (k Kind) Unsubscribable() bool {
	return k == BookingFollowUp || k == BookingAnniversary || k == CustomerBirthday
}
