package payment

import (
	"time"

	"github.com/google/uuid"
)

// ReceiptBody is a Receipt in the API.
type ReceiptBody struct {
	Number          string              `json:"number" doc:"Unique: the payment's id, in capitals."`
	IssuedAt        time.Time           `json:"issued_at" doc:"When the money moved."`
	PaymentID       uuid.UUID           `json:"payment_id" format:"uuid"`
	BookingID       uuid.UUID           `json:"booking_id" format:"uuid"`
	TenantName      string              `json:"tenant_name" example:"Lakeside Sauna"`
	Customer        ReceiptCustomerBody `json:"customer"`
	ServiceName     string              `json:"service_name" example:"Sauna"`
	Date            string              `json:"date" format:"date" doc:"The booking's date." example:"2026-07-14"`
	Amount          int64               `json:"amount" example:"2400" doc:"Minor units of currency."`
	Currency        string              `json:"currency" example:"EUR"`
	FormattedAmount string              `json:"formatted_amount" example:"24.00 EUR" doc:"The amount for people, with the decimals of its currency."`
	Refunds         []ReceiptRefundBody `json:"refunds" doc:"What was returned of it."`
}

// ReceiptCustomerBody is the customer on a receipt.
type ReceiptCustomerBody struct {
	Name  string `json:"name" example:"Grace Hopper"`
	Email string `json:"email" example:"grace@example.com"`
}

// ReceiptRefundBody is a refund on a receipt.
type ReceiptRefundBody struct {
	ID              uuid.UUID `json:"id" format:"uuid"`
	RefundedAt      time.Time `json:"refunded_at"`
	Amount          int64     `json:"amount" example:"1000" doc:"Minor units of currency."`
	FormattedAmount string    `json:"formatted_amount" example:"10.00 EUR"`
}

// Body returns the receipt as the API shows it.
func (r Receipt) Body() ReceiptBody {
	body := ReceiptBody{
		Number: r.Number, IssuedAt: r.IssuedAt, PaymentID: r.PaymentID, BookingID: r.BookingID, TenantName: r.TenantName,
		Customer:    ReceiptCustomerBody{Name: r.CustomerName, Email: r.CustomerEmail},
		ServiceName: r.ServiceName, Date: r.Date.String(), Amount: r.Amount, Currency: r.Currency,
		FormattedAmount: FormatAmount(r.Amount, r.Currency), Refunds: []ReceiptRefundBody{},
	}
	for _, refund := range r.Refunds {
		body.Refunds = append(body.Refunds, ReceiptRefundBody{
			ID: refund.ID, RefundedAt: refund.At, Amount: refund.Amount, FormattedAmount: FormatAmount(refund.Amount, r.Currency),
		})
	}
	return body
}
