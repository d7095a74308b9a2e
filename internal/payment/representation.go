package payment

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// PaymentBody is a payment, or the refund of one.
type PaymentBody struct {
	ID             uuid.UUID         `json:"id" format:"uuid"`
	BookingID      uuid.UUID         `json:"booking_id" format:"uuid"`
	RefundOf       *uuid.UUID        `json:"refund_of,omitempty" format:"uuid" doc:"The payment that this refund returns."`
	Kind           Kind              `json:"kind" example:"balance"`
	Status         Status            `json:"status" example:"succeeded" doc:"unknown: the provider was asked and has not answered; it is found out without you. An offline refund is processing until you complete it."`
	Amount         int64             `json:"amount" example:"2500" doc:"Minor units of currency; above zero for a refund too."`
	Currency       string            `json:"currency" example:"EUR"`
	LowersOwed     *int64            `json:"lowers_owed,omitempty" example:"0" doc:"Of a refund: by how much it lowers what the booking owes. The rest of amount was overpaid, or is owed again."`
	LowersFee      bool              `json:"lowers_fee,omitempty" doc:"true: lowers_owed is of the cancellation fee with which the booking had ended, and not of its price."`
	PaymentMethod  string            `json:"payment_method,omitempty" example:"pm_ok" doc:"The provider's token of a payment method; offline: cash, transfer or terminal."`
	Provider       string            `json:"provider" example:"sandbox" doc:"wallet: it was paid from a wallet, or goes back to one. offline: no provider sees the money."`
	Note           *string           `json:"note,omitempty" example:"Taken by Ann, receipt 4711" doc:"Of offline money: what was written when it was recorded."`
	ReceivedAt     *time.Time        `json:"received_at,omitempty" doc:"Of an offline payment: when the money was received."`
	ReturnedAt     *time.Time        `json:"returned_at,omitempty" doc:"Of an offline refund: when the money was handed back. Absent while nobody has done so."`
	WalletID       *uuid.UUID        `json:"wallet_id,omitempty" format:"uuid" doc:"The wallet that pays or is refunded, if provider is wallet; otherwise the wallet that pays a part beside this payment."`
	WalletAmount   *int64            `json:"wallet_amount,omitempty" example:"1000" doc:"What the wallet pays beside this payment: held while this payment has no end, paid once it has succeeded, given back otherwise. It isn't in amount."`
	CardPaymentID  *uuid.UUID        `json:"card_payment_id,omitempty" format:"uuid" doc:"Of a payment from a wallet: the payment beside which the wallet paid this part."`
	Account        *string           `json:"account,omitempty" example:"acct_1OxYz2" doc:"The tenant's account at the provider, in which it is made; absent if that is the platform's own."`
	ApplicationFee *int64            `json:"application_fee,omitempty" example:"50" doc:"Of a payment to account: what the platform keeps of amount. A refund gives it back in proportion."`
	Metadata       map[string]string `json:"metadata,omitempty" doc:"As the request had it; the provider keeps it too."`
	ProviderID     *string           `json:"provider_id,omitempty" doc:"The provider's id of it."`
	DeclineCode    *string           `json:"decline_code,omitempty" example:"insufficient_funds"`
	TryAgain       *bool             `json:"try_again,omitempty" doc:"With a decline: a new payment with the same method may succeed later."`
	ActionURL      *string           `json:"action_url,omitempty" doc:"Where the customer has to go for the payment to go on: the provider's page of a checkout, or the bank's."`
	ClientSecret   *string           `json:"client_secret,omitempty" doc:"For the provider's own widget."`
	CancelAt       *time.Time        `json:"cancel_at,omitempty" doc:"With a payment that has no end yet: when it is cancelled if it has none by then. The page of a checkout ends then."`
	Automatic      bool              `json:"automatic" doc:"A refund that Holdfast made by itself: the hold ended, the booking ended by its cancellation policy, or the payment came too late, was too much, or had been answered with 402."`
	CreatedAt      time.Time         `json:"created_at"`
	UpdatedAt      time.Time         `json:"updated_at"`
}

// Body returns the payment as the API shows it.
func (p Payment) Body() PaymentBody {
	body := PaymentBody{
		ID:            p.ID,
		BookingID:     p.BookingID,
		RefundOf:      p.RefundOf,
		Kind:          p.Kind,
		Status:        p.Status,
		Amount:        p.Amount,
		Currency:      p.Currency,
		PaymentMethod: p.Method,
		Provider:      p.Provider,
		WalletID:      p.WalletID,
		WalletAmount:  p.WalletAmount,
		CardPaymentID: p.CardPaymentID,
		ProviderID:    p.ProviderID,
		DeclineCode:   p.DeclineCode,
		ActionURL:     p.ActionURL,
		ClientSecret:  p.ClientSecret,
		Note:          p.Note,
		Automatic:     p.Automatic,
		CreatedAt:     p.CreatedAt.UTC(),
		UpdatedAt:     p.UpdatedAt.UTC(),
		Account:       p.Account,
		Metadata:      p.Metadata,
	}
	if p.Account != nil && p.RefundOf == nil {
		body.ApplicationFee = &p.ApplicationFee
	}
	if p.MovedAt != nil {
		at := p.MovedAt.UTC()
		if p.RefundOf == nil {
			body.ReceivedAt = &at
		} else {
			body.ReturnedAt = &at
		}
	}
	if p.RefundOf != nil {
		body.LowersOwed, body.LowersFee = &p.LowersOwed, p.LowersFee
	}
	if p.CancelAt != nil {
		at := p.CancelAt.UTC()
		body.CancelAt = &at
	}
	if p.Status == StatusDeclined {
		body.TryAgain = &p.TryAgain
	}
	return body
}

// made returns the outcome of a request that made a payment or refund, which may be declined or go on.
func (p Payment) made() (o idempotency.Outcome, err error) {
	if p.Status != StatusDeclined {
		o, err = idempotency.Made(event.SubjectPayment, p.ID, 0, p.Body())
		o.Open = p.Status != StatusSucceeded
		return o, err
	}
	detail := "The payment was declined. Try again with a new Idempotency-Key and another payment method."
	if p.TryAgain {
		detail = "The payment was declined. The same payment method may work later, with a new Idempotency-Key."
	}
	if p.RefundOf != nil {
		detail = "The provider refused the refund. " +
			"If you hand the money back in another way, record it as a refund with offline."
	}
	document := problem.DocumentOf(problem.New(problem.PaymentDeclined, detail))
	document.PaymentID, document.TryAgain = p.ID.String(), &p.TryAgain
	if p.DeclineCode != nil {
		document.DeclineCode = *p.DeclineCode
	}
	return idempotency.Outcome{
		Kind: event.SubjectPayment, ID: p.ID, Made: true, Refusal: document, Body: document.JSON(),
	}, nil
}

// cancelled returns the outcome of a request to cancel the payment, which goes on until the payment is cancelled.
func (p Payment) cancelled() (idempotency.Outcome, error) {
	o, err := idempotency.Changed(event.SubjectPayment, p.ID, 0, p.Body())
	o.Open = p.Status != StatusDeclined
	return o, err
}

// completed returns the outcome of a request to complete an offline refund.
func (p Payment) completed() (idempotency.Outcome, error) {
	return idempotency.Changed(event.SubjectPayment, p.ID, 0, p.Body())
}

// methodError returns the refusal of a payment method that can't be used. Errors: problem.ValidationFailed.
func methodError(e MethodError) error {
	detail := "The payment provider has no such payment method."
	if e == UnusableMethod {
		detail = "The payment method can't be used for this payment: it was used up or detached, belongs to a customer, or isn't for " +
			"this currency."
	}
	return problem.Invalid("payment_method", string(e), detail)
}

// Means returns how the money of a payment or refund moves.
func (b PaymentBody) Means() Means {
	switch b.Provider {
	case walletProvider:
		return MeansWallet
	case offlineProvider:
		return Means(b.PaymentMethod)
	default: // all others are payment providers
		return MeansProvider
	}
}
