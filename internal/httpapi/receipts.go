package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/payment"
	"holdfast/internal/payment/receiptpdf"
)

// pdfOutput is a PDF.
type pdfOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (a *API) routeReceipts() {
	receipt := route{
		op:          payment.OpGetReceipt,
		method:      http.MethodGet,
		path:        "/v1/payments/{id}/receipt",
		tag:         "Payments",
		errors:      []int{404, 409},
		summary:     "Read a payment's receipt",
		description: "Of a payment that succeeded; 409 otherwise.",
	}
	register(a, receipt, func(ctx context.Context, in *IDInput) (*output[payment.ReceiptBody], error) {
		r, err := a.Payments.Receipt(ctx, callOf(ctx).tenant.ID, in.ID)
		if err != nil {
			return nil, err
		}
		return &output[payment.ReceiptBody]{r.Body()}, nil
	})

	receipt.op, receipt.path = payment.OpGetReceiptPDF, receipt.path+".pdf"
	receipt.summary = "Read a payment's receipt as a PDF"
	receipt.response = &huma.Response{
		Description: http.StatusText(http.StatusOK),
		Content: map[string]*huma.MediaType{receiptpdf.MediaType: {Schema: &huma.Schema{Type: huma.TypeString,
			Format: "binary"}}},
	}
	register(a, receipt, func(ctx context.Context, in *IDInput) (*pdfOutput, error) {
		r, err := a.Payments.Receipt(ctx, callOf(ctx).tenant.ID, in.ID)
		if err != nil {
			return nil, err
		}
		document, err := receiptpdf.Render(r)
		if err != nil {
			return nil, err
		}
		return &pdfOutput{ContentType: receiptpdf.MediaType, Body: document}, nil
	})
}
