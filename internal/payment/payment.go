package payment

import (
	"strconv"
	"time"

	"github.com/google/uuid"
)

// Kind is the purpose of a payment.
type Kind string

// The kinds. For Deposit and Balance the booking determines the amount.
const (
	Deposit Kind = "deposit"
	Balance Kind = "balance"
	Amount  Kind = "amount"
	Refund  Kind = "refund"
)

// Values returns every kind there is.
func (Kind) Values() []string {
	return []string{string(Deposit), string(Balance), string(Amount), string(Refund)}
}

// Status is the state of a payment or refund: started → succeeded or declined, possibly through unknown or processing.
// A declined payment can still become succeeded if the provider reports it later. Succeeded is final.
type Status string

// The statuses.
const (
	// StatusStarted: the provider is being called, or the process died before or during the call.
	StatusStarted Status = "started"
	// StatusUnknown: the provider was called and gave no outcome. The resolver looks it up.
	StatusUnknown Status = "unknown"
	// StatusProcessing: the provider is working on it or waits for the customer.
	StatusProcessing Status = "processing"
	// StatusSucceeded: the amount was captured or refunded.
	StatusSucceeded Status = "succeeded"
	// StatusDeclined: nothing was captured or refunded.
	StatusDeclined Status = "declined"
)

// Values returns every status there is.
func (Status) Values() []string {
	return []string{string(StatusStarted), string(StatusUnknown), string(StatusProcessing), string(StatusSucceeded),
		string(StatusDeclined)}
}

// Payment is a payment for a booking, or the refund of one.
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
	// LowersOwed is by how much a refund lowers what the booking owes, in minor units; 0 of payments.
	LowersOwed int64
	// LowersFee: LowersOwed is of the cancellation fee with which the booking had ended, and not of its price.
	LowersFee bool
	// Method is the provider's token of a payment method, empty for refunds, for payments from a wallet and for those
	// on the provider's page. Provider is "wallet" for payments from a wallet and for their refunds, and "offline" for
	// money that no provider sees: Method is then an OfflineMethod, or empty for an open refund of which it isn't
	// known.
	Method, Provider string
	// Note is what a person wrote of offline money, and MovedAt when the money moved. They are nil for all others,
	// MovedAt also for an open refund, and Note also once the customer is erased.
	Note    *string
	MovedAt *time.Time
	// WalletID is the wallet whose credit the payment or refund moves, or the wallet that pays WalletAmount beside this
	// payment by card. WalletAmount is held while this payment is open, and paid once it has succeeded; otherwise it
	// becomes nil. What was paid is a payment of its own, whose CardPaymentID is this one.
	WalletID      *uuid.UUID
	WalletAmount  *int64
	CardPaymentID *uuid.UUID
	// Account is the provider's account in which the payment or refund is made, nil for the platform's own. It never
	// changes.
	Account *string
	// ApplicationFee is what the platform keeps of a payment to Account, in minor units; 0 of refunds.
	ApplicationFee int64
	// Metadata are the tenant's own texts by name, nil for none, and for those of a customer who was erased.
	Metadata map[string]string
	// ProviderID is the provider's id of the charge or refund, nil until it is known.
	ProviderID *string
	// DeclineCode is the provider's reason, or one of this package's, if Status is StatusDeclined. TryAgain: a new
	// payment with the same method may succeed.
	DeclineCode *string
	TryAgain    bool
	// ActionURL and ClientSecret let the customer continue a payment in StatusProcessing.
	ActionURL, ClientSecret *string
	// CancelAt is when an open payment is cancelled at the provider. It is nil for refunds and for complete payments.
	CancelAt *time.Time
	// Automatic: Holdfast made the refund by itself. The hold ended, the booking ended by its cancellation policy, or
	// the payment came too late, exceeded the price, or had been answered with 402.
	Automatic            bool
	CreatedAt, UpdatedAt time.Time
}

// Decline codes of this package.
const (
	// declinedNotDone: the provider never received the order or did not carry it out, and it won't be sent again.
	declinedNotDone = "not_done"
	// declinedRefused: the provider rejected the request.
	declinedRefused = "provider_refused"
)

func fromRow(row paymentRow) Payment {
	p := Payment{
		ID:             row.PaymentID,
		BookingID:      row.BookingID,
		RefundOf:       row.RefundOf,
		Kind:           Kind(row.Kind),
		Status:         Status(row.Status),
		Amount:         row.Amount,
		Currency:       row.Currency,
		LowersOwed:     row.LowersOwed,
		LowersFee:      row.LowersFee,
		Method:         row.Method,
		Provider:       row.Provider,
		ProviderID:     row.ProviderID,
		Note:           row.Note,
		MovedAt:        row.MovedAt,
		DeclineCode:    row.DeclineCode,
		TryAgain:       row.TryAgain,
		ActionURL:      row.ActionUrl,
		ClientSecret:   row.ClientSecret,
		Automatic:      row.Automatic,
		WalletID:       row.WalletID,
		WalletAmount:   row.WalletAmount,
		CardPaymentID:  row.CardPaymentID,
		Account:        row.Account,
		ApplicationFee: row.ApplicationFee,
		Metadata:       metadataOf(row),
		CreatedAt:      row.CreatedAt,
		UpdatedAt:      row.UpdatedAt,
	}
	if !p.final() {
		p.CancelAt = row.CancelAt
	}
	return p
}

// OfflineMethod returns how money moved that no provider saw; empty for all other payments.
func (p Payment) OfflineMethod() OfflineMethod {
	return offlineMethod(p.Provider, p.Method)
}

func offlineMethod(provider, method string) OfflineMethod {
	if provider != offlineProvider {
		return ""
	}
	return OfflineMethod(method)
}

// SettledAt returns when the money moved: offline when a person says, otherwise when the payment changed last.
func (p Payment) SettledAt() time.Time { return movedAt(p.MovedAt, p.UpdatedAt) }

func (p Payment) final() bool { return p.Status == StatusSucceeded || p.Status == StatusDeclined }

// Open reports whether the payment or refund has no end yet.
func (p Payment) Open() bool { return !p.final() }

// pays reports whether it is a payment, and no refund, that succeeded.
func (p Payment) pays() bool { return p.Status == StatusSucceeded && p.RefundOf == nil }

// providerKey returns the provider's idempotency key of an order. The key changes only with firstSentAt, which is reset
// when the first key has expired and its order is known not to have been carried out.
func providerKey(id uuid.UUID, firstSentAt time.Time) string {
	return id.String() + "-" + strconv.FormatInt(firstSentAt.UnixMilli(), 10)
}

// WaitsForPerson reports whether p is an offline refund whose money nobody has handed back.
func (p Payment) WaitsForPerson() bool { return p.Provider == offlineProvider && p.Open() }

// movedAt returns when money moved: offline when a person says, otherwise when the payment succeeded.
func movedAt(offline *time.Time, succeeded time.Time) time.Time {
	if offline != nil {
		return *offline
	}
	return succeeded
}
