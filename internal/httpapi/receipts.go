package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/payment"
	"holdfast/internal/tenant"
)

// receiptBody is the receipt of a payment.
type receiptBody struct {
	Number          string              `json:"number" doc:"Unique: the payment's id, in capitals."`
	IssuedAt        time.Time           `json:"issued_at" doc:"When the money moved."`
	PaymentID       uuid.UUID           `json:"payment_id" format:"uuid"`
	BookingID       uuid.UUID           `json:"booking_id" format:"uuid"`
	TenantName      string              `json:"tenant_name" example:"Lakeside Sauna"`
	Customer        receiptCustomerBody `json:"customer"`
	ServiceName     string              `json:"service_name" example:"Sauna"`
	Date            string              `json:"date" format:"date" doc:"The booking's date." example:"2026-07-14"`
	Amount          int64               `json:"amount" example:"2400" doc:"Minor units of currency."`
	Currency        string              `json:"currency" example:"EUR"`
	FormattedAmount string              `json:"formatted_amount" example:"24.00 EUR" doc:"The amount for people, with the decimals of its currency."`
	Refunds         []receiptRefundBody `json:"refunds" doc:"What was returned of it."`
}

type receiptCustomerBody struct {
	Name  string `json:"name" example:"Grace Hopper"`
	Email string `json:"email" example:"grace@example.com"`
}

type receiptRefundBody struct {
	ID              uuid.UUID `json:"id" format:"uuid"`
	RefundedAt      time.Time `json:"refunded_at"`
	Amount          int64     `json:"amount" example:"1000" doc:"Minor units of currency."`
	FormattedAmount string    `json:"formatted_amount" example:"10.00 EUR"`
}

func receiptBodyOf(r payment.Receipt) receiptBody {
	body := receiptBody{
		Number: r.Number, IssuedAt: r.IssuedAt, PaymentID: r.PaymentID, BookingID: r.BookingID, TenantName: r.TenantName,
		Customer:    receiptCustomerBody{Name: r.CustomerName, Email: r.CustomerEmail},
		ServiceName: r.ServiceName, Date: r.Date.String(), Amount: r.Amount, Currency: r.Currency,
		FormattedAmount: payment.FormatAmount(r.Amount, r.Currency), Refunds: []receiptRefundBody{},
	}
	for _, refund := range r.Refunds {
		body.Refunds = append(body.Refunds, receiptRefundBody{
			ID: refund.ID, RefundedAt: refund.At, Amount: refund.Amount, FormattedAmount: payment.FormatAmount(refund.Amount, r.Currency),
		})
	}
	return body
}

// pdfOutput is a PDF.
type pdfOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (a *API) routeReceipts() {
	read := func(ctx context.Context, t tenant.Tenant, id uuid.UUID) (payment.Receipt, error) {
		return a.Payments.Receipt(ctx, t.ID, id)
	}
	operation := huma.Operation{
		OperationID: "get-receipt", Method: http.MethodGet, Path: paymentsPath + "/{id}/receipt", Summary: "Read a payment's receipt",
		Description: "Of a payment that succeeded; 409 otherwise.", Tags: []string{"Payments"},
		Security: []map[string][]string{{schemeAPIKey: {}}}, Errors: []int{400, 401, 404, 409, 503},
	}
	huma.Register(a.huma, operation, func(ctx context.Context, in *IDInput) (*struct{ Body receiptBody }, error) {
		r, err := read(ctx, tenantOf(ctx), in.ID)
		if err != nil {
			return nil, err
		}
		return &struct{ Body receiptBody }{receiptBodyOf(r)}, nil
	})

	operation.OperationID, operation.Path, operation.Summary = "get-receipt-pdf", operation.Path+".pdf", "Read a payment's receipt as a PDF"
	operation.Responses = map[string]*huma.Response{strconv.Itoa(http.StatusOK): {
		Description: http.StatusText(http.StatusOK),
		Content:     map[string]*huma.MediaType{pdfType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
	}}
	a.costs.declare(operation, func(url.Values) int { return costOfPDF })
	huma.Register(a.huma, operation, func(ctx context.Context, in *IDInput) (*pdfOutput, error) {
		r, err := read(ctx, tenantOf(ctx), in.ID)
		if err != nil {
			return nil, err
		}
		page, err := receiptPDF(r)
		if err != nil {
			return nil, err
		}
		return &pdfOutput{ContentType: pdfType, Body: page}, nil
	})
}
