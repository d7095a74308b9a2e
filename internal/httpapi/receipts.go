package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/payment"
	"holdfast/internal/tenant"
)

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
	huma.Register(a.huma, operation, func(ctx context.Context, in *IDInput) (*struct{ Body payment.ReceiptBody }, error) {
		r, err := read(ctx, tenantOf(ctx), in.ID)
		if err != nil {
			return nil, err
		}
		return &struct{ Body payment.ReceiptBody }{r.Body()}, nil
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
