package payment

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/tracing"
)

// accountKind is the kind of a tenant's account.
const accountKind = "payment_account"

// Account returns what is known of a tenant's account. What is stale is looked up at the provider first; if that fails,
// it stays as it is. Errors: problem.PaymentsNotConfigured, problem.DatabaseUnavailable.
func (s *Service) Account(ctx context.Context, tenant uuid.UUID) (TenantAccount, error) {
	provider := s.cfg.Provider
	if provider == nil {
		return TenantAccount{}, problem.New(problem.PaymentsNotConfigured, "")
	}
	row, err := s.account(ctx, tenant, provider.Name())
	if err != nil || row == nil || !stale(*row) {
		return accountOf(provider.Name(), row), err
	}
	now, err := s.refreshAccount(ctx, provider, tenant, *row)
	if err != nil {
		s.log.WarnContext(ctx, "a tenant's account could not be looked up", "provider", provider.Name(), "tenant",
			tenant,
			"account", *row.AccountID, "error", err)
		return accountOf(provider.Name(), row), nil
	}
	return accountOf(provider.Name(), &now), nil
}

// CreateAccount makes a tenant's account at the provider of new payments. From then on payments to the tenant are
// refused until the provider lets the account take them: see chargeTo. The provider is called without a lock, and
// before anything is written: a repeated request gets the same account. The response is an AccountBody.
//
// Errors: problem.PaymentsNotConfigured without a provider that has accounts; problem.AlreadyExists;
// problem.ValidationFailed; problem.InvalidState if the provider refuses; problem.ProviderUnavailable; those of
// db.Request.Outcome.
func (s *Service) CreateAccount(ctx context.Context, tenant uuid.UUID, r idempotency.Request, req AccountRequest,
) (idempotency.Outcome, error) {
	provider, err := s.withAccounts()
	if err == nil {
		err = req.check()
	}
	if err != nil {
		return idempotency.Outcome{}, err
	}
	request := r.DBRequest(tenant)
	row, err := s.account(ctx, tenant, provider.Name())
	var made Account
	if err == nil && (row == nil || row.AccountID == nil) {
		made, err = s.createAtProvider(ctx, provider, tenant, req.Country)
	}
	if err != nil {
		return idempotency.Outcome{}, err
	}
	return request.Outcome(s.changeAccount(ctx, tenant, request, provider.Name(), nil,
		func(tx *db.WriteTx, account *accountRow) error {
			if account != nil && account.AccountID != nil || made.ID == "" {
				return problem.New(problem.AlreadyExists, "The tenant has an account.")
			}
			a := put(tx, provider.Name(), account, &made)
			return tx.Respond(idempotency.Made(accountKind, uuid.Nil, a.Version, a.Body()))
		}))
}

func (s *Service) createAtProvider(ctx context.Context, provider Provider, tenant uuid.UUID, country string,
) (made Account, err error) {
	// A tenant has one account, whatever its requests' keys are. The country can't be changed, so another one is
	// another order.
	order := AccountOrder{TenantID: tenant, Key: "account-" + tenant.String() + "-" + country, Country: country}
	err = s.callAccounts(ctx, provider, "create_account", func(ctx context.Context) error {
		made, err = provider.CreateAccount(ctx, order)
		return err
	})
	return made, refusedAccount(err)
}

// refusedAccount returns the problem of a call about an account.
func refusedAccount(err error) error {
	var notDone *NotDone
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNoAccount):
		return problem.Wrap(err, problem.InvalidState,
			"The payment provider has no such account, or the business has ended the "+
				"platform's access to it.")
	case errors.As(err, &notDone) && !notDone.TryAgain:
		return problem.Wrap(err, problem.InvalidState, "The payment provider refused this. The server's log says why.")
	}
	return problem.Wrap(err, problem.ProviderUnavailable,
		"The payment provider can't be reached. Send the request again.").
		Retry(5 * time.Second)
}

// OnboardingLink returns where the business goes to give the provider what it wants to know. Nothing is stored. Errors:
// problem.ValidationFailed for pages that aren't valid; problem.InvalidState without an account;
// problem.PaymentsNotConfigured; problem.ProviderUnavailable; problem.DatabaseUnavailable.
func (s *Service) OnboardingLink(ctx context.Context, tenant uuid.UUID, pages OnboardingPages,
) (link OnboardingLink, err error) {
	provider, err := s.withAccounts()
	if err != nil {
		return link, err
	}
	for field, page := range map[string]string{"return_url": pages.ReturnURL, "refresh_url": pages.RefreshURL} {
		if err := checkPage(field, page); err != nil {
			return link, err
		}
	}
	row, err := s.account(ctx, tenant, provider.Name())
	switch {
	case err != nil:
		return link, err
	case row == nil || row.AccountID == nil:
		return link, problem.New(problem.InvalidState, "The tenant has no account yet.")
	}
	err = s.callAccounts(ctx, provider, "onboarding_link", func(ctx context.Context) error {
		link, err = provider.OnboardingLink(ctx, *row.AccountID, pages)
		return err
	})
	return link, refusedAccount(err)
}

// AccountSpec is what the operator sets of a tenant's account.
type AccountSpec struct {
	AccountID      *string `json:"account_id" required:"false" minLength:"1" maxLength:"255" pattern:"^[!-~]+$" example:"acct_1OxYz2" doc:"An account at the provider that is connected to the platform. Without one the platform's account takes the tenant's payments."`
	FeeBasisPoints int     `json:"application_fee_basis_points" minimum:"0" maximum:"10000" example:"150" doc:"What the platform keeps of each payment to the account, in hundredths of a percent, rounded down."`
}

// ChangeAccount sets the account and the fee of a tenant at the provider of new payments, for the operator. Payments
// that were made keep the account and the fee that they have. An account that the tenant gets is looked up first.
// ifMatch names the versions that may be changed, empty for any; see etag.Match.
//
// Errors: problem.NotFound; problem.ValidationFailed, also for an account that the platform can't act for;
// problem.VersionMismatch; problem.PaymentsNotConfigured; problem.ProviderUnavailable; those of db.DB.Write.
func (s *Service) ChangeAccount(ctx context.Context, tenant uuid.UUID, p mergepatch.Patch[AccountSpec], ifMatch string,
) (a TenantAccount, err error) {
	provider, err := s.withAccounts()
	if err != nil {
		return a, err
	}
	row, err := s.account(ctx, tenant, provider.Name())
	if err != nil {
		return a, err
	}
	spec, err := p.Apply(specOf(row))
	if err != nil {
		return a, err
	}
	var found *Account
	if id := accountID(spec.AccountID); id != "" && (row == nil || accountID(row.AccountID) != id) {
		if found, err = s.givenAccount(ctx, provider, id); err != nil {
			return a, err
		}
	}
	var status *string
	alsoRead := func(tx *db.WriteTx) { queueTenantStatus(tx, &status) }
	err = s.changeAccount(ctx, tenant, nil, provider.Name(), alsoRead, func(tx *db.WriteTx, account *accountRow) error {
		a = accountOf(provider.Name(), account)
		switch {
		case status == nil || *status == "deleting" || *status == "deleted":
			return problem.Missing()
		case !etag.Match(ifMatch, a.Version):
			return problem.New(problem.VersionMismatch,
				"The account has changed since the version that If-Match names.")
		}
		want, err := p.Apply(specOf(account))
		if err != nil {
			return err
		}
		switch {
		case accountID(want.AccountID) == a.ID && want.FeeBasisPoints == a.FeeBasisPoints:
			return nil
		case accountID(want.AccountID) == a.ID:
			found = nil
		case want.AccountID == nil:
			found = new(Account)
		case found == nil || found.ID != *want.AccountID:
			return problem.New(problem.VersionConflict, "The account was changed meanwhile. Send the request again.")
		}
		a = put(tx, provider.Name(), feeOf(account, want.FeeBasisPoints), found)
		return nil
	})
	return a, err
}

func specOf(row *accountRow) AccountSpec {
	if row == nil {
		return AccountSpec{}
	}
	return AccountSpec{AccountID: row.AccountID, FeeBasisPoints: int(row.FeeBasisPoints)}
}

func feeOf(row *accountRow, basisPoints int) *accountRow {
	var with accountRow
	if row != nil {
		with = *row
	}
	with.FeeBasisPoints = int32(basisPoints)
	return &with
}

// givenAccount looks up an account that the operator sets. Errors: problem.ValidationFailed,
// problem.ProviderUnavailable.
func (s *Service) givenAccount(ctx context.Context, provider Provider, id string) (found *Account, err error) {
	err = s.callAccounts(ctx, provider, "find_account", func(ctx context.Context) error {
		a, err := provider.FindAccount(ctx, id)
		found = &a
		return err
	})
	if errors.Is(err, ErrNoAccount) {
		return nil, problem.Invalid("account_id", "unknown_account",
			"Expected an account that is connected to the platform.")
	}
	return found, refusedAccount(err)
}

// put queues the next version of a tenant's account, with another account, or another state of it, if now isn't nil.
func put(tx *db.WriteTx, provider string, account *accountRow, now *Account) TenantAccount {
	row := accountRow{RefreshedAt: tx.Now()}
	if account != nil {
		row = *account
	}
	row.Version++
	if now != nil {
		row.AccountID = given(&now.ID)
		row.CanCharge, row.CanBePaidOut, row.Requirements = now.CanCharge, now.CanBePaidOut, now.Requirements
		row.RefreshedAt = tx.Now()
	}
	putAccount(tx, provider, row)
	return accountOf(provider, &row)
}

// refreshAccounts looks up an account of which a webhook says that it has changed, for each tenant that has it. The
// webhook's own word isn't taken: it may be older than what is known.
func (s *Service) refreshAccounts(ctx context.Context, provider Provider, account string) error {
	tenants, err := s.tenantsOfAccount(ctx, provider.Name(), account)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		row, err := s.account(ctx, tenant, provider.Name())
		if err == nil && row != nil && accountID(row.AccountID) == account {
			_, err = s.refreshAccount(ctx, provider, tenant, *row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refreshAccount looks a tenant's account up at the provider, and stores what it finds, unless the tenant has another
// account by now or somebody asked later. row is what is known. It holds no lock while it asks.
func (s *Service) refreshAccount(ctx context.Context, provider Provider, tenant uuid.UUID, row accountRow,
) (accountRow, error) {
	var found Account
	err := s.callAccounts(ctx, provider, "find_account", func(ctx context.Context) (err error) {
		found, err = provider.FindAccount(ctx, *row.AccountID)
		return err
	})
	switch {
	case errors.Is(err, ErrNoAccount):
		found = Account{Requirements: []string{Disconnected}}
	case err != nil:
		return row, refusedAccount(err)
	}
	asked := row.Now
	err = s.changeAccount(ctx, tenant, nil, provider.Name(), nil, func(tx *db.WriteTx, account *accountRow) error {
		if account == nil || accountID(account.AccountID) != *row.AccountID || account.RefreshedAt.After(asked) {
			return nil
		}
		was := *account
		row = was
		row.CanCharge, row.CanBePaidOut, row.Requirements = found.CanCharge, found.CanBePaidOut, found.Requirements
		row.RefreshedAt = tx.Now()
		if row.CanCharge != was.CanCharge || row.CanBePaidOut != was.CanBePaidOut ||
			!slices.Equal(row.Requirements, was.Requirements) {
			row.Version++
		}
		putAccount(tx, provider.Name(), row)
		return nil
	})
	return row, err
}

// errNoAccounts is for the log.
var errNoAccounts = errors.New("the provider has no accounts of tenants: see docs/stripe.md")

// withAccounts returns the provider of new payments, at which tenants can have accounts. Errors:
// problem.PaymentsNotConfigured.
func (s *Service) withAccounts() (Provider, error) {
	if s.cfg.Provider == nil || !s.cfg.Provider.HasAccounts() {
		return nil, problem.Wrap(errNoAccounts, problem.PaymentsNotConfigured, "")
	}
	return s.cfg.Provider, nil
}

// callAccounts calls the provider about an account, with the call timeout, and measures the call. The caller holds no
// lock, no transaction and no database connection.
func (s *Service) callAccounts(ctx context.Context, provider Provider, operation string,
	call func(context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.CallTimeout)
	defer cancel()
	ctx, span := tracing.Start(ctx, "call the payment provider")
	defer span.End()
	if span.Recording() {
		span.Set(tracing.Provider.String(provider.Name()), tracing.Operation.String(operation))
	}
	done := s.metrics.startCall(provider.Name(), operation)
	err := call(ctx)
	done(callResult{outcome: Outcome{Result: Succeeded}, err: err})
	var notDone *NotDone
	if err != nil && errors.As(err, &notDone) && !notDone.TryAgain {
		s.log.WarnContext(ctx, "the payment provider refused what was asked of an account", "provider", provider.Name(),
			"operation", operation, "error", err)
	}
	return err
}
