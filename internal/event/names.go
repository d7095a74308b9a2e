package event

// Names of the built-in kinds. A transaction of one package plans events that another package handles, so the names
// stand here.
const (
	KindHoldExpiry        = "booking.hold_expiry"
	KindBookingReminder   = "booking.reminder"
	KindBookingFollowUp   = "booking.follow_up"
	KindAnniversary       = "booking.anniversary"
	KindBalanceDue        = "payment.balance_due"
	KindEndedBooking      = "payment.ended_booking"
	KindPaymentResolution = "payment.resolution"
	KindBirthday          = "customer.birthday"
	KindEmail             = "message.email"
	// KindPaymentEmail sends an email of a payment to a customer, KindOwnerEmail an email of a change to an address
	// that the tenant chose. They are kinds of their own because a server of 0.1.0 would cancel them as emails that it
	// doesn't know.
	KindPaymentEmail = "message.payment_email"
	KindOwnerEmail   = "message.owner_email"
	// KindPlan plans what follows from changes of a booking or a customer; the relay plans it. KindPlanAhead plans what
	// is due soon of a tenant.
	KindPlan               = "message.plan"
	KindPlanAhead          = "message.plan_ahead"
	KindWalletCreditExpiry = "wallet.credit_expiry"
	KindWebhookDelivery    = "webhook.delivery"
	KindSignInLink         = "user.sign_in_link"
)

// Kinds returns the names of all kinds in order, also of those that this process has no handler for. A filter by
// another kind is refused. The name of a kind that no process handles any more stays here as long as a database may
// have its events.
func Kinds() []string {
	return []string{
		KindAnniversary, KindBookingFollowUp, KindHoldExpiry, KindBookingReminder, KindBirthday, KindEmail,
		KindOwnerEmail, KindPaymentEmail, KindPlan, KindPlanAhead,
		KindBalanceDue,
		KindEndedBooking, KindPaymentResolution, KindSignInLink, KindWalletCreditExpiry, KindWebhookDelivery,
	}
}

// Types of subjects.
const (
	SubjectBooking  = "booking"
	SubjectCustomer = "customer"
	SubjectPayment  = "payment"
	SubjectResource = "resource"
	SubjectBlock    = "block"
	SubjectClosure  = "closure"
	SubjectService  = "service"
	SubjectTenant   = "tenant"
	SubjectWallet   = "wallet"
	SubjectEndpoint = "webhook_endpoint"
	SubjectUser     = "user"
)

// isGreeting reports whether events of a kind greet a customer once a year.
func isGreeting(kind string) bool { return kind == KindBirthday || kind == KindAnniversary }

// essential reports whether events of a kind can't be cancelled on request: without them, holds would never end,
// payments would stay open, credit that has expired would stay in the books, or nothing would be planned for customers
// any more.
func essential(kind string) bool {
	switch kind {
	case KindHoldExpiry, KindPaymentResolution, KindEndedBooking, KindWalletCreditExpiry, KindPlan, KindPlanAhead:
		return true
	}
	return false
}
