package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"holdfast/internal/payment"
)

// HasAccounts reports true: the sandbox has accounts at once.
func (c *Client) HasAccounts() bool { return true }

// CreateAccount makes an account.
func (c *Client) CreateAccount(ctx context.Context, o payment.AccountOrder) (payment.Account, error) {
	var made account
	if err := c.order(ctx, "/v1/accounts", o.Key, accountRequest{TenantID: o.TenantID, Country: o.Country},
		&made); err != nil {
		return payment.Account{}, fmt.Errorf("make an account at the sandbox: %w", err)
	}
	if made.ID == "" {
		return payment.Account{}, errNoOutcome
	}
	return c.FindAccount(ctx, made.ID) // a repeated order returns the account as it was made
}

// FindAccount looks an account up.
func (c *Client) FindAccount(ctx context.Context, id string) (payment.Account, error) {
	var found account
	if err := c.call(ctx, http.MethodGet, "/v1/accounts/"+url.PathEscape(id), "", nil, &found); err != nil {
		return payment.Account{}, fmt.Errorf("look an account up at the sandbox: %w", err)
	}
	a := payment.Account{ID: found.ID, CanCharge: found.Onboarded, CanBePaidOut: found.Onboarded}
	if !found.Onboarded {
		a.Requirements = []string{"business_profile", "external_account"}
	}
	return a, nil
}

// OnboardingLink returns the address of the page that onboards an account.
func (c *Client) OnboardingLink(ctx context.Context, id string, pages payment.OnboardingPages,
) (payment.OnboardingLink, error) {
	var made link
	if err := c.order(ctx, "/v1/accounts/"+url.PathEscape(id)+"/onboarding_link", "", linkRequest(pages),
		&made); err != nil {
		return payment.OnboardingLink{}, fmt.Errorf("get an onboarding link at the sandbox: %w", err)
	}
	return payment.OnboardingLink{URL: made.URL, ExpiresAt: made.ExpiresAt}, nil
}
