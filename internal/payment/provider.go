package payment

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Provider takes and returns money. An adapter keeps no state of its own: what it is told stands in our database
// before it is called, and what it answers afterwards.
//
// Charge and Refund send an idempotency key to the provider, so that the same order sent again within KeyLifetime moves
// money once and gets the first outcome. Each call ends when its context does; what it returns then is an error, and
// whether money moved is unknown.
type Provider interface {
	// Name is "stripe" or "sandbox". It stands in each payment and in the path of the provider's webhooks.
	Name() string
	// KeyLifetime is how long the provider is sure to remember an idempotency key, counted from its first use.
	// Afterwards an order must not be sent again, only looked up.
	KeyLifetime() time.Duration
	// Charge takes an amount from a payment method, captured at once. A decline is an outcome and not an error.
	//
	// Errors: a *NotDone when it is certain that this call moved no money and will move none; after any other error it
	// is unknown.
	Charge(ctx context.Context, o ChargeOrder) (Outcome, error)
	// Refund returns an amount of a charge. A refusal is an outcome and not an error. Errors as of Charge. A refund that
	// has succeeded may be Declined later, when the customer's bank sends the money back.
	Refund(ctx context.Context, o RefundOrder) (Outcome, error)
	// FindCharge looks a charge up by our reference; its outcome is Absent when the provider doesn't know it (yet).
	// providerID is the provider's id of it where we know it, else empty. It may end a charge that is declined but could
	// be tried again, so that what it says is final. One that waits for its customer it leaves alone.
	//
	// Errors say that the provider could not be asked.
	FindCharge(ctx context.Context, ref Reference, providerID string) (Outcome, error)
	// CancelCharge ends a charge that has not succeeded, so that it can't succeed any more; ref and providerID are as for
	// FindCharge. It may be called again and again. Its outcome is Declined, with the code Cancelled if the charge ended now
	// or had ended this way before, else with its own; Succeeded when the money had moved, which it doesn't return;
	// Processing when the provider can't end it now; Absent when the provider doesn't know it (yet).
	//
	// After an error it may have ended or not.
	CancelCharge(ctx context.Context, ref Reference, providerID string) (Outcome, error)
	// FindRefund looks a refund up, as FindCharge does. chargeID is the provider's id of the refunded charge.
	FindRefund(ctx context.Context, ref Reference, providerID, chargeID string) (Outcome, error)
	// Event reads a webhook. It returns ErrSignature when it isn't the provider's or is too old at now, and ErrIgnored
	// when it tells nothing about charges and refunds of ours.
	Event(header http.Header, body []byte, now time.Time) (Event, error)
	// Transactions lists the captures and refunds of ours that succeeded at the provider from from up to but not
	// including until, oldest first. It ends with an error when the provider could not be asked.
	Transactions(ctx context.Context, from, until time.Time) iter.Seq2[ProviderTransaction, error]
}

// Reference is what a charge or refund is called on our side. The provider keeps it as metadata, so that the movement
// can be found without the provider's id.
type Reference struct {
	TenantID uuid.UUID
	// ID is the id of the payment, or of the refund: a UUIDv7 made before the first sending, by which a provider is searched
	// from its time on.
	ID uuid.UUID
}

// ChargeOrder is what Charge asks for.
type ChargeOrder struct {
	Reference Reference
	// Key is the provider's idempotency key. It is the same each time the same order is sent.
	Key string
	// Amount is in minor units of Currency, an ISO 4217 code in capitals; it is positive.
	Amount   int64
	Currency string
	// Method is the provider's token of a payment method.
	Method string
	// Description is for statements and the provider's dashboard.
	Description string
}

// RefundOrder is what Refund asks for.
type RefundOrder struct {
	Reference Reference
	// Key is the provider's idempotency key.
	Key string
	// ChargeID is the provider's id of the charge to refund.
	ChargeID string
	// Amount is in minor units of the charge's Currency.
	Amount   int64
	Currency string
}

// Result says what became of an order.
type Result string

// The results. Absent comes from look-ups and cancellations only.
const (
	// Succeeded: the money moved.
	Succeeded Result = "succeeded"
	// Processing: the provider works on it, or waits for the customer, and will tell by a webhook or when asked. In
	// a webhook it is a reason to ask at once.
	Processing Result = "processing"
	// Declined: no money moved, and none will under this order.
	Declined Result = "declined"
	// Absent: the provider doesn't know of the order.
	Absent Result = "absent"
)

// Cancelled is the decline code of a charge that was ended by CancelCharge.
const Cancelled = "cancelled"

// Outcome is what a provider says of an order.
type Outcome struct {
	Result Result
	// ProviderID is the provider's id of the charge or refund; empty when there is none.
	ProviderID string
	// Amount is what was captured or refunded, in minor units, when Result is Succeeded.
	Amount int64
	// DeclineCode is the provider's reason, such as "insufficient_funds", when Result is Declined.
	DeclineCode string
	// TryAgain says that a new payment with the same method may succeed later. False: use another method.
	TryAgain bool
	// ActionURL is where the customer must go for the charge to go on, when Result is Processing; may be empty.
	ActionURL string
	// ClientSecret lets the tenant's application continue in the provider's own widget; may be empty.
	ClientSecret string
}

// Event is a provider's webhook about one charge or refund.
type Event struct {
	// ID is unique at the provider; a delivery that is repeated has the same.
	ID string
	// Refund tells refunds from charges.
	Refund    bool
	Reference Reference
	Outcome   Outcome
}

// ProviderTransaction is money that moved at the provider.
type ProviderTransaction struct {
	Refund     bool
	Reference  Reference
	ProviderID string
	// Amount is in minor units of Currency; positive for refunds too.
	Amount   int64
	Currency string
	// At is when it moved, by the provider's clock. UTC.
	At time.Time
}

// Errors of Provider.Event.
var (
	ErrSignature = errors.New("payment: the webhook's signature is not the provider's")
	ErrIgnored   = errors.New("payment: the webhook is about something else")
)

// NotDone says that this sending of an order certainly did nothing and will do nothing: the provider was never reached,
// or refused to look at it. Of an earlier sending of the same order it says nothing: whoever had an unknown outcome
// before still has one. Whatever else goes wrong leaves the outcome unknown.
type NotDone struct {
	// TryAgain says that sending the same order again may work: the provider was down or limited our rate. False: our
	// configuration or the order is at fault.
	TryAgain bool
	// Method says what is wrong with the order's payment method, which is the caller's mistake; empty for any other cause.
	Method MethodError
	Err    error
}

// MethodError says why a charge's payment method was refused. It is the payment's decline code and the code of the field.
type MethodError string

// The reasons.
const (
	// UnknownMethod: the provider has no such payment method.
	UnknownMethod MethodError = "unknown_payment_method"
	// UnusableMethod: the payment method exists and can't be used for this charge. It was used up or detached, belongs to a
	// customer, or isn't for this currency.
	UnusableMethod MethodError = "unusable_payment_method"
)

// Error returns the cause's text.
func (e *NotDone) Error() string { return fmt.Sprintf("payment: not done: %v", e.Err) }

// Unwrap returns the cause.
func (e *NotDone) Unwrap() error { return e.Err }
