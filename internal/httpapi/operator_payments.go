package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/payment"
)

type listOperatorPaymentsInput struct {
	paging.Input
	From       time.Time      `query:"from" doc:"Only payments that were made then or later." example:"2026-12-01T00:00:00Z"`
	Until      time.Time      `query:"until" doc:"Only payments that were made before." example:"2027-01-01T00:00:00Z"`
	TenantID   string         `query:"tenant_id" format:"uuid" doc:"Only payments of this tenant."`
	Status     payment.Status `query:"status"`
	ProviderID string         `query:"provider_id" maxLength:"255" doc:"Only the payment or refund to which the provider gave this id."`
}

func (in *listOperatorPaymentsInput) filter() (f payment.AcrossFilter, err error) {
	f = payment.AcrossFilter{Status: in.Status, ProviderID: in.ProviderID, Limit: in.Limit + 1}
	if !in.From.IsZero() {
		f.From = &in.From
	}
	if !in.Until.IsZero() {
		f.Until = &in.Until
	}
	if f.Tenant, err = schema.ParseOptionalID("tenant_id", in.TenantID); err != nil {
		return f, err
	}
	parts, err := in.Parts(2)
	if err != nil || parts == nil {
		return f, err
	}
	position, ok := positionOf(parts[0], parts[1], false)
	if !ok {
		return f, paging.BadCursor()
	}
	f.AfterAt, f.AfterID = position.DueAt, position.ID
	return f, nil
}

func (a *API) routeOperatorPayments() {
	register(a, route{
		op:          payment.OpListPaymentsOfAllTenants,
		method:      http.MethodGet,
		path:        "/admin/v1/payments",
		key:         adminKey,
		tag:         "Administration",
		errors:      []int{422},
		summary:     "List payments and refunds of all tenants",
		description: "In the order in which they were made. Filters combine. What is known of customers and payment methods isn't shown.",
	}, func(ctx context.Context, in *listOperatorPaymentsInput) (*pageOutput[payment.OperatorPaymentBody], error) {
		f, err := in.filter()
		if err != nil {
			return nil, err
		}
		list, err := a.Payments.ListAcross(ctx, f)
		if err != nil {
			return nil, err
		}
		same := func(p payment.OperatorPaymentBody) payment.OperatorPaymentBody { return p }
		return &pageOutput[payment.OperatorPaymentBody]{paging.Of(list, in.Limit, same,
			func(p payment.OperatorPaymentBody) string {
				return strconv.FormatInt(p.CreatedAt.UnixMicro(), 10) + "|" + p.ID.String()
			})}, nil
	})
}
