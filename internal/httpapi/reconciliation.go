package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/datetime"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// ReconciliationDates are the dates that are compared.
type ReconciliationDates struct {
	From string `query:"from" required:"true" format:"date" example:"2027-07-01" doc:"First date to compare, in the tenant's time zone."`
	To   string `query:"to" required:"true" format:"date" example:"2027-07-31" doc:"Last date; at most 31 dates in all."`
}

func (in ReconciliationDates) days() (days payment.Days, err error) {
	if days.From, err = datetime.ParseDate("from", in.From); err != nil {
		return days, err
	}
	days.To, err = datetime.ParseDate("to", in.To)
	return days, err
}

// routeOwnReconciliation adds the route by which a tenant compares its own payments with the providers' journals.
func (a *API) routeOwnReconciliation(tag string) {
	register(a, route{
		op:      payment.OpReconcile,
		method:  http.MethodGet,
		path:    "/v1/reconciliation",
		tag:     tag,
		errors:  []int{422},
		summary: "Compare your payments with the payment provider",
		description: "Each payment and refund of these dates is compared with the journals of all configured providers. It changes " +
			"nothing. It asks the providers, and may take 45 seconds. If a provider can't be asked, the answer is 503 " +
			"provider_unavailable. " +
			"offline has your money that no provider sees, by date and method, as " +
			"GET /v1/payments/offline.",
	}, func(ctx context.Context, in *ReconciliationDates) (*output[payment.ReconciliationBody], error) {
		days, err := in.days()
		if err != nil {
			return nil, err
		}
		found, err := a.Payments.ReconcileOwnDays(ctx, callOf(ctx).tenant, days)
		if err != nil {
			return nil, err
		}
		return &output[payment.ReconciliationBody]{found}, nil
	})
}

type reconciliationInput struct {
	IDInput
	ReconciliationDates
}

// routeReconciliation adds the route by which the operator compares a tenant's payments with the providers' journals.
func (a *API) routeReconciliation(path, tag string) {
	register(a, route{
		op:      payment.OpReconcileTenant,
		method:  http.MethodGet,
		path:    path + "/{id}/reconciliation",
		key:     adminKey,
		tag:     tag,
		errors:  []int{404, 422},
		summary: "Compare a tenant's payments with the payment provider",
		description: "As holdfast reconcile --tenant does: each payment and refund of these dates with the journals of all configured " +
			"providers. It changes nothing. It asks the providers, and may take 45 seconds. If a provider can't be asked, the answer is " +
			"503 provider_unavailable. offline has the tenant's money that no provider sees, by date and method, as " +
			"GET /v1/payments/offline.",
	}, func(ctx context.Context, in *reconciliationInput) (*output[payment.ReconciliationBody], error) {
		days, err := in.days()
		if err != nil {
			return nil, err
		}
		found, err := a.reconcile(ctx, in, days)
		if err != nil {
			return nil, err
		}
		return &output[payment.ReconciliationBody]{found}, nil
	})
}

func (a *API) reconcile(ctx context.Context, in *reconciliationInput, days payment.Days,
) (found payment.ReconciliationBody, err error) {
	t, err := a.Tenants.Get(ctx, in.ID)
	if err != nil {
		return found, err
	}
	if t.Status == tenant.StatusDeleted {
		return found, problem.Missing()
	}
	loc, err := t.Location()
	if err != nil {
		return found, err
	}
	return a.Payments.ReconcileDays(ctx, t.ID, loc, days)
}
