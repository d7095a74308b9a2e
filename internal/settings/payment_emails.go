package settings

import (
	"fmt"
	"slices"
	"time"

	"holdfast/internal/email"
	"holdfast/internal/problem"
)

// PaymentEmails say which emails tell customers of their payments. The zero value is none. The struct is what the API
// shows and what is stored.
type PaymentEmails struct {
	Succeeded bool `json:"succeeded" required:"false" doc:"A receipt of each payment."`
	Declined  bool `json:"declined" required:"false" doc:"Ten minutes after a payment was declined, if the booking isn't paid by then."`
	Refunded  bool `json:"refunded" required:"false" doc:"A notice of each refund."`
}

// Wants reports whether a customer gets emails of the kind, which is one of payments.
func (p PaymentEmails) Wants(kind email.Kind) bool {
	switch kind {
	case email.PaymentSucceeded:
		return p.Succeeded
	case email.PaymentDeclined:
		return p.Declined
	case email.PaymentRefunded:
		return p.Refunded
	default:
		return false
	}
}

// OwnerEmail is an address that gets emails about changes. The struct is what the API shows and what is stored.
type OwnerEmail struct {
	Email string             `json:"email" maxLength:"254" example:"office@harbour.example"`
	Types []email.OwnerEvent `json:"types" minItems:"1" maxItems:"6" nullable:"false" enum:"booking.confirmed,booking.cancelled,booking.rescheduled,payment.succeeded,payment.declined,payment.refunded" example:"booking.confirmed" doc:"What it is told of."`
}

// MaxOwnerEmails is how many addresses a tenant can have told of changes.
const MaxOwnerEmails = 10

// checkOwnerEmails returns problem.ValidationFailed for too many addresses, for one that no email can be sent to, and
// for an address or a type that is listed twice. The case of an address doesn't count.
func checkOwnerEmails(list []OwnerEmail) error {
	if len(list) > MaxOwnerEmails {
		return problem.Invalid("owner_emails", "too_long", fmt.Sprintf("Expected at most %d.", MaxOwnerEmails))
	}
	seen := make(map[string]bool, len(list))
	for i, o := range list {
		field := fmt.Sprintf("owner_emails[%d].email", i)
		if err := (email.Address{Email: o.Email}).Check(field); err != nil {
			return err
		}
		key := email.Fold(o.Email)
		if seen[key] {
			return problem.Invalid(field, "duplicate", "The address is listed already.")
		}
		seen[key] = true
		for j, t := range o.Types {
			if slices.Contains(o.Types[:j], t) {
				return problem.Invalid(fmt.Sprintf("owner_emails[%d].types[%d]", i, j), "duplicate",
					"The type is listed already.")
			}
		}
	}
	return nil
}

// tellsPayments reports whether an email may tell of a payment or refund.
func (s Settings) tellsPayments() bool {
	return s.SendsEmail() && (s.PaymentEmails != PaymentEmails{} || slices.ContainsFunc(s.OwnerEmails, func(o OwnerEmail) bool {
		return slices.ContainsFunc(o.Types, email.OwnerEvent.OfPayment)
	}))
}

// TellsPaymentsOf reports whether emails tell of payments of a time: one that isn't before the settings asked for such
// emails.
func (s Settings) TellsPaymentsOf(at time.Time) bool {
	return s.PaymentsToldSince != nil && !at.Before(*s.PaymentsToldSince)
}

// keepSince notes since when emails tell of payments. before are the settings before a change at now.
func (s *Settings) keepSince(before Settings, now time.Time) {
	switch {
	case !s.tellsPayments():
		s.PaymentsToldSince = nil
	case before.PaymentsToldSince != nil:
		s.PaymentsToldSince = before.PaymentsToldSince
	default:
		s.PaymentsToldSince = &now
	}
}
