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

// Provider charges and refunds at a payment service provider. An adapter keeps no state: requests and outcomes are
// stored in our database, before and after each call.
//
// Charge and Refund send an idempotency key. An order sent again within KeyLifetime is carried out once and returns the
// first outcome. Each call ends when its context does; it then returns an error, and the outcome is unknown.
type Provider interface {
	// Name is "stripe" or "sandbox". It is stored with each payment and part of the webhook path.
	Name() string
	// KeyLifetime is how long the provider is certain to remember an idempotency key, from its first use. After that an
	// order must only be looked up, not sent again.
	KeyLifetime() time.Duration
	// Account returns the provider as it acts for an account: every call but Event, and those of Accounts, is carried
	// out in that account, and finds only what was made there. The provider itself acts for the platform's own account.
	Account(id string) Provider
	Accounts
	// Charge charges a payment method and captures at once. A decline is an outcome, not an error.
	//
	// With a Checkout it opens the provider's page instead, on which the customer pays: the outcome is Processing, with
	// the page as ActionURL. It stays so while the customer may pay, also after a declined card, and then becomes
	// Succeeded, or Declined with the code Cancelled once the page has ended. A capture is at once here too.
	//
	// Errors: a *NotDone if this call certainly charged nothing and will charge nothing; after any other error the
	// outcome is unknown.
	Charge(ctx context.Context, order ChargeOrder) (Outcome, error)
	// Refund refunds part or all of a charge. A decline is an outcome, not an error. Errors are those of Charge. A
	// refund that succeeded may be Declined later, when the customer's bank returns the amount.
	Refund(ctx context.Context, order RefundOrder) (Outcome, error)
	// FindCharge looks up a charge by our reference. The outcome is Absent if the provider doesn't know it, or not yet.
	// providerID is the provider's id, or empty if unknown. FindCharge may cancel a charge that was declined and could
	// be tried again, so that the decline is final. It doesn't change a charge that waits for the customer.
	//
	// An error means that the provider could not be called.
	FindCharge(ctx context.Context, ref Reference, providerID string) (Outcome, error)
	// CancelCharge cancels a charge that has not succeeded, and ends its page. ref and providerID are those of
	// FindCharge. It may be repeated. The outcome is Declined, with the code Cancelled if the charge is cancelled now
	// or was before, else with the charge's own code; Succeeded if the charge was captured, which CancelCharge doesn't
	// refund; Processing if the provider can't cancel it now; Absent if the provider doesn't know it, or not yet.
	//
	// After an error the charge may be cancelled or not.
	CancelCharge(ctx context.Context, ref Reference, providerID string) (Outcome, error)
	// FindRefund looks up a refund, as FindCharge does. chargeID is the provider's id of the refunded charge.
	FindRefund(ctx context.Context, ref Reference, providerID, chargeID string) (Outcome, error)
	// Event verifies and reads a webhook. It returns ErrSignature if the provider didn't sign it or if it is too old at
	// now, and ErrIgnored if it isn't about our charges and refunds.
	Event(header http.Header, body []byte, now time.Time) (Event, error)
	// Transactions lists our captures and refunds that succeeded at the provider in [from, until), oldest first. It
	// ends with an error if the provider could not be called.
	Transactions(ctx context.Context, from, until time.Time) iter.Seq2[ProviderTransaction, error]
}

// Reference identifies a charge or refund on our side. The provider stores it as metadata, so that the transaction can
// be found without the provider's id.
type Reference struct {
	TenantID uuid.UUID
	// ID is the id of the payment or refund, a UUIDv7 made before the first sending. A search at the provider starts at
	// its time.
	ID uuid.UUID
}

// ChargeOrder is the request of Provider.Charge.
type ChargeOrder struct {
	Reference Reference
	// Key is the provider's idempotency key. It is the same for each sending of an order.
	Key string
	// Amount is in minor units of Currency, an ISO 4217 code in capitals; it is positive.
	Amount   int64
	Currency string
	// Method is the provider's token of a payment method. It is empty with a Checkout.
	Method string
	// Checkout is the page on which the customer pays, nil for a charge of Method.
	Checkout *Checkout
	// Description is for statements and the provider's dashboard.
	Description string
	// ApplicationFee is what the platform keeps of Amount, in minor units; 0 in the platform's own account.
	ApplicationFee int64
	// Metadata are the tenant's own texts by name, kept with the charge. They have no name of ReservedMetadata.
	Metadata map[string]string
}

// Checkout is the provider's page for a charge: there the customer chooses how to pay.
type Checkout struct {
	// ReturnURL is where the customer goes from the page after paying, CancelURL where without; empty: ReturnURL.
	ReturnURL, CancelURL string
	// ExpiresAt is when the page ends, in UTC. A provider that can't keep this time ends the page as near to it as it
	// can; the caller then ends it with CancelCharge.
	ExpiresAt time.Time
}

// RefundOrder is the request of Provider.Refund.
type RefundOrder struct {
	Reference Reference
	// Key is the provider's idempotency key.
	Key string
	// ChargeID is the provider's id of the charge to refund.
	ChargeID string
	// Amount is in minor units of the charge's Currency.
	Amount   int64
	Currency string
	// ReturnFee: the platform gives its fee of the charge back, in proportion to Amount.
	ReturnFee bool
}

// Result is the state of an order at the provider.
type Result string

// The results. Only look-ups and cancellations return Absent.
const (
	// Succeeded: the amount was captured or refunded.
	Succeeded Result = "succeeded"
	// Processing: the provider is working on it or waits for the customer. The outcome comes by webhook or look-up. A
	// webhook with Processing causes a look-up at once.
	Processing Result = "processing"
	// Declined: nothing was captured or refunded, and this order never will be.
	Declined Result = "declined"
	// Absent: the provider doesn't know the order.
	Absent Result = "absent"
)

// Cancelled is the decline code of a charge that CancelCharge ended.
const Cancelled = "cancelled"

// Outcome is the provider's response about an order.
type Outcome struct {
	Result Result
	// ProviderID is the provider's id of the charge or refund, empty if there is none.
	ProviderID string
	// Amount is what was captured or refunded, in minor units of Currency, an ISO 4217 code in capitals, when Result is
	// Succeeded. If it isn't what was ordered, the order doesn't count as carried out: a person has to look.
	Amount   int64
	Currency string
	// DeclineCode is the provider's reason, such as "insufficient_funds", when Result is Declined.
	DeclineCode string
	// TryAgain: a new payment with the same method may succeed later. If false, another method is needed.
	TryAgain bool
	// ActionURL is the page on which the customer continues a charge whose Result is Processing; may be empty.
	ActionURL string
	// ClientSecret is for the provider's widget in the tenant's application; may be empty.
	ClientSecret string
}

// Event is a provider's webhook about one charge or refund, or about an account.
type Event struct {
	// ID is unique at the provider. A repeated delivery has the same ID.
	ID string
	// Account is the account in which it happened, empty for the platform's own.
	Account string
	// AccountChanged: the event says that something of Account has changed, and nothing of a charge or refund. Of
	// Reference it has at most the tenant.
	AccountChanged bool
	// Refund: the event is about a refund, not a charge.
	Refund    bool
	Reference Reference
	Outcome   Outcome
}

// ProviderTransaction is a capture or refund in a provider's journal.
type ProviderTransaction struct {
	Refund     bool
	Reference  Reference
	ProviderID string
	// Amount is in minor units of Currency; positive for refunds too.
	Amount   int64
	Currency string
	// At is the time of the transaction by the provider's clock, in UTC.
	At time.Time
}

// Errors of Provider.Event.
var (
	ErrSignature = errors.New("payment: the webhook's signature is not the provider's")
	ErrIgnored   = errors.New("payment: the webhook is about something else")
)

// NotDone is the error of a call that certainly did nothing and will do nothing: the provider was not reached, or
// rejected the request. It says nothing about earlier sendings of the same order: an unknown outcome stays unknown. Any
// other error leaves the outcome unknown.
type NotDone struct {
	// TryAgain: sending the same order again may work, because the provider was down or limited our rate. If false, our
	// configuration or the order is wrong.
	TryAgain bool
	// Method is the error of the order's payment method, which the caller must correct. It is empty for other causes.
	Method MethodError
	Err    error
}

// MethodError is why a charge's payment method was rejected. It is the payment's decline code and the code of the
// field's error.
type MethodError string

// The reasons.
const (
	// UnknownMethod: the provider has no such payment method.
	UnknownMethod MethodError = "unknown_payment_method"
	// UnusableMethod: the payment method exists but can't be used for this charge. It was used up or detached, belongs
	// to a customer, or doesn't support the currency.
	UnusableMethod MethodError = "unusable_payment_method"
)

// Error returns the cause's text.
func (e *NotDone) Error() string { return fmt.Sprintf("payment: not done: %v", e.Err) }

// Unwrap returns the cause.
func (e *NotDone) Unwrap() error { return e.Err }
