package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"holdfast/internal/payment"
)

// HasAccounts reports whether the platform uses Connect: the events of its connected accounts can be verified.
func (p *Provider) HasAccounts() bool { return p.cfg.ConnectWebhookSecret != "" }

// CreateAccount creates a connected account, "acct_…", that is the business's own: Stripe collects what it has to know
// of the business, charges its fees to the account, bears its losses, and gives the business the whole dashboard. Such
// accounts were called standard.
func (p *Provider) CreateAccount(ctx context.Context, order payment.AccountOrder) (payment.Account, error) {
	requested := api.Bool(true)
	params := &api.AccountCreateParams{
		Controller: &api.AccountCreateControllerParams{
			Fees:                  &api.AccountCreateControllerFeesParams{Payer: api.String("account")},
			Losses:                &api.AccountCreateControllerLossesParams{Payments: api.String("stripe")},
			RequirementCollection: api.String("stripe"),
			StripeDashboard:       &api.AccountCreateControllerStripeDashboardParams{Type: api.String("full")},
		},
		Capabilities: &api.AccountCreateCapabilitiesParams{
			CardPayments: &api.AccountCreateCapabilitiesCardPaymentsParams{Requested: requested},
			Transfers:    &api.AccountCreateCapabilitiesTransfersParams{Requested: requested},
		},
		Metadata: map[string]string{tenantField: order.TenantID.String()},
	}
	if order.Country != "" {
		params.Country = api.String(order.Country)
	}
	params.SetIdempotencyKey(order.Key)
	watching, connected := traceConnection(ctx)
	made, err := p.client.V1Accounts.Create(watching, params)
	switch {
	case err != nil:
		return payment.Account{}, failure(err, connected())
	case isReplay(made.LastResponse):
		return p.FindAccount(ctx, made.ID)
	}
	return accountOf(made), nil
}

// FindAccount looks a connected account up.
func (p *Provider) FindAccount(ctx context.Context, id string) (payment.Account, error) {
	found, err := p.client.V1Accounts.GetByID(ctx, id, nil)
	// A key that may not read accounts gets 403 too, and says nothing of the account: safeError knows the code of one
	// without access.
	if e := stripeError(err); e != nil && e.HTTPStatusCode == http.StatusNotFound {
		return payment.Account{}, errors.Join(payment.ErrNoAccount, safeError(err))
	}
	if err != nil {
		return payment.Account{}, fmt.Errorf("look up an account: %w", safeError(err))
	}
	return accountOf(found), nil
}

// OnboardingLink creates an Account Link.
func (p *Provider) OnboardingLink(ctx context.Context, id string, pages payment.OnboardingPages,
) (payment.OnboardingLink, error) {
	watching, connected := traceConnection(ctx)
	link, err := p.client.V1AccountLinks.Create(watching, &api.AccountLinkCreateParams{
		Account: api.String(id), Type: api.String("account_onboarding"), ReturnURL: api.String(pages.ReturnURL),
		RefreshURL: api.String(pages.RefreshURL),
	})
	if err != nil {
		return payment.OnboardingLink{}, failure(err, connected())
	}
	return payment.OnboardingLink{URL: link.URL, ExpiresAt: time.Unix(link.ExpiresAt, 0).UTC()}, nil
}

// accountOf returns what matters of an account. Of a requirement, such as "business_profile.url" or
// "person_8UayFKIMRJklog.first_name", it keeps the topic.
func accountOf(a *api.Account) payment.Account {
	found := payment.Account{ID: a.ID, CanCharge: a.ChargesEnabled, CanBePaidOut: a.PayoutsEnabled}
	if a.Requirements == nil {
		return found
	}
	for _, due := range a.Requirements.CurrentlyDue {
		topic, _, _ := strings.Cut(due, ".")
		if strings.HasPrefix(topic, "person_") {
			topic = "person"
		}
		found.Requirements = append(found.Requirements, topic)
	}
	slices.Sort(found.Requirements)
	found.Requirements = slices.Compact(found.Requirements)
	return found
}
