package payment

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// Kind says what a movement of money is for.
type Kind string

// The kinds. Deposit and Balance leave the amount to the booking.
const (
	Deposit Kind = "deposit"
	Balance Kind = "balance"
	Amount  Kind = "amount"
	Refund  Kind = "refund"
)

// Status is where a movement of money is: started → succeeded or declined, by way of unknown or processing. A movement
// that was declined can still succeed when the provider says so later; one that succeeded stays so.
type Status string

// The statuses.
const (
	// StatusStarted: the provider is being asked, or was to be when whoever did so died.
	StatusStarted Status = "started"
	// StatusUnknown: the provider was asked and did not answer. The resolver finds out.
	StatusUnknown Status = "unknown"
	// StatusProcessing: the provider works on it, or waits for the customer.
	StatusProcessing Status = "processing"
	// StatusSucceeded: the money moved.
	StatusSucceeded Status = "succeeded"
	// StatusDeclined: no money moved.
	StatusDeclined Status = "declined"
)

// Payment is a movement of a booking's money at the provider: a payment, or the refund of one.
type Payment struct {
	ID        uuid.UUID
	BookingID uuid.UUID
	// RefundOf is the payment that a refund returns, nil for payments.
	RefundOf *uuid.UUID
	Kind     Kind
	Status   Status
	// Amount is positive, in minor units of Currency.
	Amount   int64
	Currency string
	// Method is the provider's token of a payment method, empty for refunds.
	Method, Provider string
	// ProviderID is the provider's id of the movement, nil while it isn't known.
	ProviderID *string
	// DeclineCode is the provider's reason, or one of ours, when Status is StatusDeclined; TryAgain says that a new
	// payment with the same method may succeed.
	DeclineCode *string
	TryAgain    bool
	// ActionURL and ClientSecret let the customer continue when Status is StatusProcessing.
	ActionURL, ClientSecret *string
	// CancelAt is when an open payment is cancelled at the provider. Nil for refunds, for payments that have an end, and for
	// open ones of earlier versions.
	CancelAt *time.Time
	// Automatic says that we made the refund: the hold ended, or the payment came too late, was too much, or had been answered
	// with 402.
	Automatic            bool
	CreatedAt, UpdatedAt time.Time

	row store.Payment
}

// Reasons for a decline that are ours.
const (
	// declinedNotDone: the provider never got the order, or did not carry it out, and it won't be sent again.
	declinedNotDone = "not_done"
	// declinedRefused: the provider refused to look at the order.
	declinedRefused = "provider_refused"
)

func fromRow(row store.Payment) Payment {
	p := Payment{
		ID: row.PaymentID, BookingID: row.BookingID, RefundOf: row.RefundOf, Kind: Kind(row.Kind), Status: Status(row.Status),
		Amount: row.Amount, Currency: row.Currency, Method: row.Method, Provider: row.Provider, ProviderID: row.ProviderID,
		DeclineCode: row.DeclineCode, TryAgain: row.TryAgain, ActionURL: row.ActionUrl, ClientSecret: row.ClientSecret,
		Automatic: row.Automatic, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, row: row,
	}
	if !p.final() {
		p.CancelAt = row.CancelAt
	}
	return p
}

// MethodError returns what was wrong with the payment method of a declined payment, empty if that wasn't the reason.
func (p Payment) MethodError() MethodError {
	if p.Status != StatusDeclined || p.DeclineCode == nil {
		return ""
	}
	switch code := MethodError(*p.DeclineCode); code {
	case UnknownMethod, UnusableMethod:
		return code
	}
	return ""
}

func (p Payment) final() bool { return p.Status == StatusSucceeded || p.Status == StatusDeclined }

// providerKey is the provider's idempotency key of an order. It is another one only when the order is sent again after
// the first was forgotten and is known not to have been carried out.
func providerKey(id uuid.UUID, firstSentAt time.Time) string {
	return id.String() + "-" + strconv.FormatInt(firstSentAt.UnixMilli(), 10)
}
