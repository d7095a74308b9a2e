package payment_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/mergepatch"
	"holdfast/internal/payment"
)

var onboardingPages = payment.OnboardingPages{ReturnURL: "https://shop.example/account",
	RefreshURL: "https://shop.example/again"}

// another returns a second tenant in the same database and at the same sandbox.
func (b *testBundle) another(t *testing.T, slug string) *testBundle {
	t.Helper()
	other := &testBundle{url: b.url, sql: b.sql, events: b.events, sandbox: b.sandbox, provider: b.provider, key: b.key}
	var err error
	other.fixture, err = makeFixture(t.Context(), dbtest.Open(t, db.Config{URL: b.url, MaxConns: 2}), slug)
	require.NoError(t, err)
	b.exec(t, "UPDATE bookings SET status = 'cancelled' WHERE booking_id = $1", other.fixture.template)
	b.exec(t, dbtest.SyncClaims)
	return other
}

// createAccount makes the tenant's account, which isn't onboarded.
func (b *testBundle) createAccount(t *testing.T, s *payment.Service) string {
	t.Helper()
	r, err := s.CreateAccount(t.Context(), b.tenant, request(t, newKey(), "account"),
		payment.AccountRequest{Country: "DE"})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	made := bodyOf[payment.AccountBody](t, r)
	require.Equal(t, "nowhere", made.PaymentsGoTo)
	require.NotEmpty(t, made.Requirements)
	require.NotNil(t, made.AccountID)
	return *made.AccountID
}

// finishOnboarding does at the provider what the business has to do there.
func (b *testBundle) finishOnboarding(t *testing.T, s *payment.Service) {
	t.Helper()
	link, err := s.OnboardingLink(t.Context(), b.tenant, onboardingPages)
	require.NoError(t, err)
	status, location := choose(t, link.URL, "complete")
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, onboardingPages.ReturnURL, location)
}

// outdate makes what is known of the tenant's account so old that the next reader asks the provider.
func (b *testBundle) outdate(t *testing.T) {
	t.Helper()
	b.exec(t, "UPDATE payment_accounts SET refreshed_at = refreshed_at - interval '2 hours' WHERE tenant_id = $1",
		b.tenant)
}

// readyAccount makes an account of the tenant that takes payments, and the platform's fee.
func (b *testBundle) readyAccount(t *testing.T, s *payment.Service, basisPoints int) string {
	t.Helper()
	id := b.createAccount(t, s)
	b.finishOnboarding(t, s)
	b.outdate(t)
	b.setAccount(t, s, map[string]any{"application_fee_basis_points": basisPoints})
	a, err := s.Account(t.Context(), b.tenant)
	require.NoError(t, err)
	require.True(t, a.CanCharge && a.CanBePaidOut)
	require.Equal(t, id, a.ID)
	return id
}

func accountPatch(t *testing.T, changes map[string]any) (p mergepatch.Patch[payment.AccountSpec]) {
	t.Helper()
	raw, err := json.Marshal(changes)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &p))
	return p
}

// setAccount changes the account as the operator does.
func (b *testBundle) setAccount(t *testing.T, s *payment.Service, changes map[string]any) payment.TenantAccount {
	t.Helper()
	a, err := s.ChangeAccount(t.Context(), b.tenant, accountPatch(t, changes), "")
	require.NoError(t, err)
	return a
}

// strangersAccount makes an account at the sandbox that takes payments and that no tenant has.
func (b *testBundle) strangersAccount(t *testing.T) string {
	t.Helper()
	made, err := b.provider.CreateAccount(t.Context(), payment.AccountOrder{TenantID: uuid.New(), Key: newKey()})
	require.NoError(t, err)
	link, err := b.provider.OnboardingLink(t.Context(), made.ID, onboardingPages)
	require.NoError(t, err)
	status, _ := choose(t, link.URL, "complete")
	require.Equal(t, http.StatusSeeOther, status)
	return made.ID
}

// atSandbox reads a charge or refund of an account at the sandbox.
func (b *testBundle) atSandbox(t *testing.T, account, path string) (found map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.sandbox.URL()+path, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+b.key)
	r.Header.Set("Sandbox-Account", account)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NoError(t, json.NewDecoder(response.Body).Decode(&found))
	return found
}

// chargeAtSandbox reads the charge of a payment.
func (b *testBundle) chargeAtSandbox(t *testing.T, s *payment.Service, id uuid.UUID) map[string]any {
	t.Helper()
	p, err := s.Get(t.Context(), b.tenant, id)
	require.NoError(t, err)
	account := ""
	if p.Account != nil {
		account = *p.Account
	}
	return b.atSandbox(t, account, "/v1/charges/"+url.PathEscape(*p.ProviderID))
}
