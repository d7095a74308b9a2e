package payment

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/amount"
)

// ReceiptBody is a Receipt in the API.
type ReceiptBody struct {
	Number          string               `json:"number" doc:"Unique: the payment's id, in capitals."`
	IssuedAt        time.Time            `json:"issued_at" doc:"When the money moved."`
	PaymentID       uuid.UUID            `json:"payment_id" format:"uuid"`
	BookingID       uuid.UUID            `json:"booking_id" format:"uuid"`
	TenantName      string               `json:"tenant_name" example:"Lakeside Sauna"`
	Customer        *ReceiptCustomerBody `json:"customer,omitempty" doc:"Absent of a hold whose customer is not known yet."`
	ServiceName     string               `json:"service_name" example:"Sauna"`
	Date            string               `json:"date" format:"date" doc:"The booking's date." example:"2026-07-14"`
	Amount          int64                `json:"amount" example:"2400" doc:"Minor units of currency."`
	Currency        string               `json:"currency" example:"EUR"`
	FormattedAmount string               `json:"formatted_amount" example:"24.00 EUR" doc:"The amount for people, with the decimals of its currency."`
	FromWallet      bool                 `json:"from_wallet,omitempty" doc:"The amount was paid from a wallet."`
	PaymentMethod   OfflineMethod        `json:"payment_method,omitempty" doc:"How an offline payment was received; absent of others."`
	Wallet          *ReceiptWalletBody   `json:"wallet,omitempty" doc:"What a wallet paid beside this payment. It isn't in amount, and has a receipt of its own."`
	Refunds         []ReceiptRefundBody  `json:"refunds" doc:"What was returned of it."`
}

// ReceiptWalletBody is what a wallet paid beside a payment by card.
type ReceiptWalletBody struct {
	Amount          int64  `json:"amount" example:"1000"`
	FormattedAmount string `json:"formatted_amount" example:"10.00 EUR"`
}

// ReceiptCustomerBody is the customer on a receipt.
type ReceiptCustomerBody struct {
	Name  string `json:"name" example:"Grace Hopper"`
	Email string `json:"email" example:"grace@example.com"`
}

// ReceiptRefundBody is a refund on a receipt.
type ReceiptRefundBody struct {
	ID              uuid.UUID     `json:"id" format:"uuid"`
	RefundedAt      time.Time     `json:"refunded_at"`
	Amount          int64         `json:"amount" example:"1000" doc:"Minor units of currency."`
	FormattedAmount string        `json:"formatted_amount" example:"10.00 EUR"`
	PaymentMethod   OfflineMethod `json:"payment_method,omitempty" doc:"How offline money was handed back; absent of others."`
}

// Body returns the receipt as the API shows it.
func (r Receipt) Body() ReceiptBody {
	body := ReceiptBody{
		Number:          r.Number,
		IssuedAt:        r.IssuedAt,
		PaymentID:       r.PaymentID,
		BookingID:       r.BookingID,
		TenantName:      r.TenantName,
		ServiceName:     r.ServiceName,
		Date:            r.Date.String(),
		Amount:          r.Amount,
		Currency:        r.Currency,
		FormattedAmount: amount.Format(r.Amount, r.Currency),
		FromWallet:      r.FromWallet,
		PaymentMethod:   r.OfflineMethod,
		Refunds:         []ReceiptRefundBody{},
	}
	if r.CustomerEmail != "" {
		body.Customer = &ReceiptCustomerBody{Name: r.CustomerName, Email: r.CustomerEmail}
	}
	if r.WalletAmount != nil {
		body.Wallet = &ReceiptWalletBody{Amount: *r.WalletAmount,
			FormattedAmount: amount.Format(*r.WalletAmount, r.Currency)}
	}
	for _, refund := range r.Refunds {
		body.Refunds = append(body.Refunds, ReceiptRefundBody{
			ID: refund.ID, RefundedAt: refund.At, Amount: refund.Amount,
			FormattedAmount: amount.Format(refund.Amount, r.Currency),
			PaymentMethod:   refund.OfflineMethod,
		})
	}
	return body
}
