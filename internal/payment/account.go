package payment

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/amount"
	"holdfast/internal/bounds"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
)

// Accounts are the accounts of tenants at a provider. They belong to the tenants; the platform acts for them.
type Accounts interface {
	// HasAccounts reports whether tenants can have accounts: the operator has set up what that takes.
	HasAccounts() bool
	// CreateAccount makes an account that can't do anything until its owner has given the provider what it wants to
	// know. An order sent again with the same key makes no second account. Errors: a *NotDone if the provider certainly
	// made none.
	CreateAccount(ctx context.Context, order AccountOrder) (Account, error)
	// FindAccount looks an account up. Errors: ErrNoAccount; any other means that the provider could not be called.
	FindAccount(ctx context.Context, id string) (Account, error)
	// OnboardingLink returns where the account's owner gives the provider what it wants to know. It is short-lived, and
	// for one use. Errors: ErrNoAccount; a *NotDone.
	OnboardingLink(ctx context.Context, id string, pages OnboardingPages) (OnboardingLink, error)
}

// ErrNoAccount is the error of a call for an account that the provider doesn't know, or for which the platform may not
// act any more. Of a charge and a refund it is wrapped in a *NotDone.
var ErrNoAccount = errors.New("payment: the provider has no such account, or doesn't let the platform act for it")

// AccountOrder is the request of Accounts.CreateAccount.
type AccountOrder struct {
	// TenantID is kept with the account.
	TenantID uuid.UUID
	// Key is the provider's idempotency key.
	Key string
	// Country is where the business is, as ISO 3166-1 alpha-2 in capitals. Empty is the platform's. It can't be changed
	// later.
	Country string
}

// Account is an account at a provider.
type Account struct {
	ID string
	// CanCharge: it takes payments. CanBePaidOut: what it has is paid out to its owner's bank.
	CanCharge, CanBePaidOut bool
	// Requirements are the topics of what the provider wants to know now, sorted, each once; empty for nothing.
	Requirements []string
}

// AccountRequest asks for a tenant's account at the payment provider.
type AccountRequest struct {
	// Country is empty for that of the platform.
	Country string `json:"country,omitempty" pattern:"^[A-Z]{2}$" example:"DE" doc:"Where the business is, as ISO 3166-1 alpha-2. It can't be changed later. Without it, the country of the platform's account."`
}

// check returns problem.ValidationFailed for a country that can't be one.
func (r AccountRequest) check() error {
	if bounds.Check("", r) != nil {
		return problem.Invalid("country", "invalid_format", "Expected two capital letters, such as DE.")
	}
	return nil
}

// OnboardingPages are where the owner of an account goes from the provider's pages, both absolute URLs.
type OnboardingPages struct {
	ReturnURL  string `json:"return_url" minLength:"1" maxLength:"2000" pattern:"^https?://[!-~]+$" example:"https://example.com/account" doc:"After them; then read the account. https, or http on localhost, as of refresh_url."`
	RefreshURL string `json:"refresh_url" minLength:"1" maxLength:"2000" pattern:"^https?://[!-~]+$" example:"https://example.com/account/onboarding" doc:"If the link was used before or is too old: ask there for another one, and send the business on."`
}

// OnboardingLink is the address of a provider's onboarding, valid until ExpiresAt (UTC).
type OnboardingLink struct {
	URL       string
	ExpiresAt time.Time
}

// Disconnected is the requirement of an account for which the platform may not act any more.
const Disconnected = "disconnected"

// TenantAccount is what is known of a tenant's account at the provider of new payments.
type TenantAccount struct {
	Provider string
	// ID is the provider's id; empty if the tenant has no account, so that the platform's takes its payments.
	ID string
	// FeeBasisPoints is what the platform keeps of each payment to the account, in hundredths of a percent.
	FeeBasisPoints          int
	CanCharge, CanBePaidOut bool
	Requirements            []string
	// RefreshedAt is when the provider was asked, zero if it never was; UTC.
	RefreshedAt time.Time
	// Version grows with every change.
	Version int64
}

// accountOf returns an account as it is stored; row may be nil.
func accountOf(provider string, row *accountRow) TenantAccount {
	a := TenantAccount{Provider: provider}
	if row == nil {
		return a
	}
	a.FeeBasisPoints, a.Version = int(row.FeeBasisPoints), row.Version
	if row.AccountID != nil {
		a.ID, a.CanCharge, a.CanBePaidOut, a.Requirements = *row.AccountID, row.CanCharge, row.CanBePaidOut,
			row.Requirements
		a.RefreshedAt = row.RefreshedAt.UTC()
	}
	return a
}

// ETag returns the strong entity tag of the version.
func (a TenantAccount) ETag() string { return etag.Of(a.Version) }

// accountID returns the id of an account, empty for the platform's own.
func accountID(account *string) string {
	if account == nil {
		return ""
	}
	return *account
}

// What is known of an account is looked up again when it is read and older than this. An account that can do everything
// changes seldom, and the provider's webhooks tell of that.
const (
	incompleteFresh = time.Minute
	completeFresh   = time.Hour
)

func stale(row accountRow) bool {
	fresh := incompleteFresh
	if row.CanCharge && row.CanBePaidOut {
		fresh = completeFresh
	}
	return row.AccountID != nil && row.Now.Sub(row.RefreshedAt) >= fresh
}

// chargeTo returns a payment to the tenant's account, if there is one, with the platform's fee of it. The fee is
// rounded down to what the provider can take. Errors: problem.PaymentAccountNotReady.
func chargeTo(p newPayment, account *accountRow) (newPayment, error) {
	switch {
	case account == nil || account.AccountID == nil:
		return p, nil
	case !account.CanCharge:
		return p, problem.New(problem.PaymentAccountNotReady,
			"The tenant's account at the payment provider can't take payments yet.")
	}
	p.Account = account.AccountID
	p.ApplicationFee = amount.Down(applicationFee(p.Amount, int64(account.FeeBasisPoints)), p.Currency)
	return p, nil
}

// applicationFee returns basisPoints of an amount, rounded down to a minor unit.
func applicationFee(amount, basisPoints int64) int64 {
	const whole = 10_000
	return amount/whole*basisPoints + amount%whole*basisPoints/whole
}

// AccountBody is a tenant's account at the payment provider.
type AccountBody struct {
	Provider       string     `json:"provider" example:"stripe"`
	AccountID      *string    `json:"account_id,omitempty" example:"acct_1OxYz2" doc:"The provider's id; absent without an account."`
	PaymentsGoTo   string     `json:"payments_go_to" enum:"platform,account,nowhere" doc:"platform: there is no account, and the platform's takes the tenant's payments. nowhere: the account can't take payments yet, and new ones are refused with payment_account_not_ready."`
	CanCharge      bool       `json:"can_charge" doc:"The account takes payments."`
	CanBePaidOut   bool       `json:"can_be_paid_out" doc:"What the account has is paid out to the business's bank."`
	Requirements   []string   `json:"requirements" nullable:"false" example:"[\"business_profile\", \"external_account\"]" doc:"Topics of what the provider wants to know now: give the business an onboarding link. disconnected: the business has ended the platform's access."`
	FeeBasisPoints int        `json:"application_fee_basis_points" example:"150" doc:"What the platform keeps of each payment to the account, in hundredths of a percent, rounded down."`
	RefreshedAt    *time.Time `json:"refreshed_at,omitempty" doc:"When the provider was asked."`
}

// Body returns the account as the API shows it.
func (a TenantAccount) Body() AccountBody {
	body := AccountBody{
		Provider: a.Provider, PaymentsGoTo: "platform", CanCharge: a.CanCharge, CanBePaidOut: a.CanBePaidOut,
		Requirements:   a.Requirements,
		FeeBasisPoints: a.FeeBasisPoints,
	}
	if body.Requirements == nil {
		body.Requirements = []string{}
	}
	if a.ID != "" {
		body.AccountID, body.RefreshedAt, body.PaymentsGoTo = &a.ID, &a.RefreshedAt, "nowhere"
	}
	if a.CanCharge {
		body.PaymentsGoTo = "account"
	}
	return body
}

// OnboardingLinkBody is the address of the provider's onboarding.
type OnboardingLinkBody struct {
	URL       string    `json:"url" example:"https://connect.stripe.com/setup/e/acct_1OxYz2/a1b2c3" doc:"For the business alone: whoever has it acts as the business. Send the business there at once, and don't keep it."`
	ExpiresAt time.Time `json:"expires_at"`
}

// Body returns the link as the API shows it.
func (l OnboardingLink) Body() OnboardingLinkBody {
	return OnboardingLinkBody{l.URL, l.ExpiresAt.UTC()}
}
