package stripe_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

// inAccount has a connected account answer a request. The account has its own intents, sessions, refunds, journal and
// keys.
func (f *fakeServer) inAccount(w http.ResponseWriter, r *http.Request, name string) {
	account := f.accounts[name]
	if account == nil {
		writeJSON(w, http.StatusForbidden, apiError("invalid_request_error", "account_invalid", nil))
		return
	}
	r.Header.Del("Stripe-Account")
	account.ServeHTTP(w, r)
}

// createAccount makes a connected account, which takes no payments before it is onboarded.
func (f *fakeServer) createAccount(form url.Values) (int, object) {
	if f.platform != nil || form.Get("controller[requirement_collection]") != "stripe" ||
		len(form.Get("country")) == 1 {
		return http.StatusBadRequest, apiError("invalid_request_error", "parameter_invalid", nil)
	}
	name := fmt.Sprintf("acct_%d", len(f.accounts)+1)
	f.accounts[name] = &fakeServer{platform: f, name: name[len("acct_"):] + "x", keys: map[string]*storedResponse{}}
	return http.StatusOK, f.accountBody(name)
}

func (f *fakeServer) accountBody(name string) object {
	due := []string{}
	if !f.accounts[name].onboarded {
		due = []string{"person_8UayFKIMRJklog.first_name", "business_profile.url", "external_account",
			"business_profile.mcc"}
	}
	return object{
		"id": name, "object": "account", "charges_enabled": f.accounts[name].onboarded,
		"payouts_enabled": f.accounts[name].onboarded,
		"requirements":    object{"currently_due": due},
	}
}

// accountCall looks an account up, or makes a link.
func (f *fakeServer) accountCall(r *http.Request, path string) (int, object) {
	name := strings.TrimPrefix(path, "accounts/")
	if path == "account_links" {
		name = r.Form.Get("account")
	}
	switch {
	case f.accounts[name] == nil:
		return http.StatusForbidden, apiError("invalid_request_error", "account_invalid", nil)
	case path == "account_links":
		return http.StatusOK, object{
			"object": "account_link", "url": "https://connect.stripe.com/setup/e/" + name + "/1",
			"expires_at": f.now().Unix() + 300,
		}
	}
	return http.StatusOK, f.accountBody(name)
}

// onboard lets an account take payments.
func (f *fakeServer) onboard(t *testing.T, id string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	require.NotNil(t, f.accounts[id])
	f.accounts[id].onboarded = true
}

// having returns the account, or the platform, that has an intent or a session.
func (f *fakeServer) having(id string) *fakeServer {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, account := range f.accounts {
		if strings.HasPrefix(id, "pi_"+account.name) || strings.HasPrefix(id, "cs_"+account.name) {
			return account
		}
	}
	return f
}

// refusesFee reports whether Stripe refuses a fee: only charges in a connected account have one, of at most the amount.
func (f *fakeServer) refusesFee(fee string, amount int64) bool {
	n, err := strconv.ParseInt(fee, 10, 64)
	return fee != "" && (f.platform == nil || err != nil || n < 1 || n > amount)
}

// find returns an intent, session or refund of an account; the platform's is empty.
func (f *fakeServer) find(t *testing.T, account, id string) object {
	t.Helper()
	f.mu.Lock()
	in := f
	if account != "" {
		in = f.accounts[account]
	}
	f.mu.Unlock()
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, list := range [][]object{in.intents, in.sessions, in.refunds} {
		if found := byID(list, id); found != nil {
			return found
		}
	}
	require.FailNow(t, "not in the account", "%s in %q", id, account)
	return nil
}

func TestAccount_ChargeInIt_HasTheFeeAndTheMetadata(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	provider := newProvider(t, connected(f.url))
	b := setup(t, nil)
	made, err := provider.CreateAccount(t.Context(),
		payment.AccountOrder{TenantID: b.order.Reference.TenantID, Key: "a", Country: "DE"})
	require.NoError(t, err)
	require.Equal(t, []string{"business_profile", "external_account", "person"}, made.Requirements)
	f.onboard(t, made.ID)
	in := provider.Account(made.ID)

	b.order.Method, b.order.ApplicationFee = "pm_ok", 45
	b.order.Metadata = map[string]string{"order": "4711", "payment_id": "mine", "checkout": "mine"}
	paid, err := in.Charge(t.Context(), b.order)
	require.NoError(t, err)
	pi := f.find(t, made.ID, paid.ProviderID)
	require.Equal(t, "45", pi["fee"])
	require.Equal(t, "4711", pi["metadata"].(object)["order"])
	require.Equal(t, b.order.Reference.ID.String(), pi["metadata"].(object)["payment_id"], "ours wins")

	b.refund.ChargeID, b.refund.Amount, b.refund.ReturnFee = paid.ProviderID, 500, true
	returned, err := in.Refund(t.Context(), b.refund)
	require.NoError(t, err)
	require.Equal(t, "true", f.find(t, made.ID, returned.ProviderID)["refund_application_fee"])

	page := checkoutOrder(b.order)
	open, err := in.Charge(t.Context(), page)
	require.NoError(t, err)
	require.True(t, f.payOnPage(t, open, true))
	found, err := in.FindCharge(t.Context(), page.Reference, "")
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, found.Result)
	pi = f.find(t, made.ID, found.ProviderID)
	require.Equal(t, "45", pi["fee"])
	require.Equal(t, "4711", pi["metadata"].(object)["order"])
	require.Equal(t, "true", pi["metadata"].(object)["checkout"], "ours wins")
}
