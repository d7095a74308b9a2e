package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

func (a *API) routePaymentAccounts() {
	const path, tag = "/v1/payment-account", "Payments"

	registerIdempotent[payment.AccountBody](a, route{
		op:      payment.OpCreatePaymentAccount,
		method:  http.MethodPost,
		path:    path,
		tag:     tag,
		status:  http.StatusCreated,
		summary: "Make the business's own account at the payment provider",
		description: "From then on payments go to this account and no longer to the platform's, and are refused with " +
			"payment_account_not_ready until the provider has what it wants to know: send the business to an onboarding link. " +
			"Payments that were made before stay where they are. 409 already_exists: there is an account.",
	}, func(ctx context.Context, in *struct{ Body payment.AccountRequest }) (idempotency.Outcome, error) {
		return a.Payments.CreateAccount(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.Body)
	})

	register(a, route{
		op:      payment.OpGetPaymentAccount,
		method:  http.MethodGet,
		path:    path,
		tag:     tag,
		errors:  []int{422},
		summary: "Read where payments go, and what the business's account can do",
		description: "What is known of the account is asked again of the provider if it is older than a minute, or than an hour once the " +
			"account can do everything. The provider's webhooks tell of changes too.",
	}, func(ctx context.Context, _ *struct{}) (*versioned[payment.AccountBody], error) {
		return versionedOf(a.Payments.Account(ctx, callOf(ctx).tenant.ID))
	})

	register(a, route{
		op:          payment.OpCreateOnboardingLink,
		method:      http.MethodPost,
		onlyHere:    true,
		path:        path + "/onboarding-link",
		tag:         tag,
		errors:      []int{409},
		summary:     "Get the link on which the business tells the provider what it must know",
		description: "The link is short-lived and for one use, and is stored nowhere: ask for one when the business is about to go there.",
	}, func(ctx context.Context, in *struct{ Body payment.OnboardingPages }) (*output[payment.OnboardingLinkBody],
		error) {
		link, err := a.Payments.OnboardingLink(ctx, callOf(ctx).tenant.ID, in.Body)
		if err != nil {
			return nil, err
		}
		return &output[payment.OnboardingLinkBody]{link.Body()}, nil
	})
}

// routeTenantPaymentAccount adds the routes by which the operator sets a tenant's account and the platform's fee.
func (a *API) routeTenantPaymentAccount(path, tag string) {
	path += "/{id}/payment-account"
	read := func(ctx context.Context, _ tenant.Tenant, id uuid.UUID) (payment.TenantAccount, error) {
		t, err := a.Tenants.Get(ctx, id)
		if err == nil && t.Status == tenant.StatusDeleted {
			err = problem.Missing()
		}
		if err != nil {
			return payment.TenantAccount{}, err
		}
		return a.Payments.Account(ctx, id)
	}
	showCurrent(a, path, read)

	register(a, route{
		op:      payment.OpReadTenantPaymentAccount,
		method:  http.MethodGet,
		path:    path,
		key:     adminKey,
		tag:     tag,
		errors:  []int{404, 422},
		summary: "Read a tenant's account at the payment provider",
	}, func(ctx context.Context, in *IDInput) (*versioned[payment.AccountBody], error) {
		return versionedOf(read(ctx, tenant.Tenant{}, in.ID))
	})

	register(a, route{
		op:      payment.OpChangeTenantPaymentAccount,
		method:  http.MethodPatch,
		path:    path,
		key:     adminKey,
		tag:     tag,
		errors:  []int{404, 409, 412},
		summary: "Set a tenant's account at the payment provider, and the platform's fee",
		description: schema.MergePatch +
			"They are of payments from then on: payments that were made keep their account and their fee, and so " +
			"do their refunds. The account must be connected to the platform. account_id null has the platform's account take the " +
			"tenant's payments.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body schema.Patch[payment.AccountSpec]
	}) (*versioned[payment.AccountBody], error) {
		return versionedOf(a.Payments.ChangeAccount(ctx, in.ID, in.Body.Patch, in.IfMatch))
	})
}
