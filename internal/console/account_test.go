package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

func TestAccount_FromThePlatformsToTheBusinesssOwn(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.at(t, s.signedIn(t, "ada", user.RoleOwner), "/payments").Follow(t, "Payment account")
	require.Contains(t, p.Text(), "go to the account of the platform")
	form := p.Form(t, "Make the account").With("country", "de")
	for range 2 {
		made := form.Submit(t)
		require.Contains(t, made.Text(), "The account is made.")
		for _, words := range []string{
			"Your account can’t take payments yet.", "Takes payments not yet", "Business profile Bank account",
			"Fee of the platform, of each payment to your account none",
		} {
			require.Contains(t, made.Text(), words)
		}
		require.NotContains(t, made.Text(), "Make your own account")
	}
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM payment_accounts WHERE account_id IS NOT NULL"))
	require.Equal(t, http.StatusConflict, form.With("key", "another").Submit(t).Status, "there is one")

	there := s.at(t, p, "/payments/account").Follow(t, "Tell the provider")
	require.Equal(t, "Onboarding of "+s.text(t, "SELECT account_id FROM payment_accounts"), there.Heading())
	back := there.Press(t, "Finish the onboarding")
	require.Equal(t, s.url+"/console/harbour/payments/account", back.URL.String())
	s.exec(t, "UPDATE payment_accounts SET refreshed_at = refreshed_at - interval '2 hours'")
	s.call(t, http.MethodPatch, "/admin/v1/tenants/"+s.id.String()+"/payment-account", adminKey,
		object{"application_fee_basis_points": 150})
	var ready *pagetest.Page
	require.Eventually(t, func() bool { // the webhook may look the account up, which is done once at a time
		ready = s.at(t, p, "/payments/account")
		return strings.Contains(ready.Text(), "Payments go to your account, and the provider pays you out.")
	}, patient, poll, "the account is ready")
	require.Contains(t, ready.Text(), "Takes payments yes")
	require.Contains(t, ready.Text(), "1.5%")

	booking := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))["id"].(string)
	paid := s.made(t, "/v1/bookings/"+booking+"/payments", object{"kind": "balance", "payment_method": "pm_ok",
		"metadata": object{"order": "4711"}})
	for _, words := range []string{"Your account there acct_", "Fee of the platform €1.35", "order 4711"} {
		require.Contains(t, s.at(t, p, "/payments/"+paid).Text(), words)
	}
}

// The provider leads there if the address of its page is too old.
func TestAccount_LinkThatIsTooOld_LeadsToAnotherOne(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.at(t, s.signedIn(t, "ada", user.RoleOwner), "/payments/account")
	require.Equal(t, http.StatusConflict, s.at(t, p, "/payments/account/onboarding").Status, "there is no account")
	p.Press(t, "Make the account")
	client := *p.By.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	visitor := *p.By
	visitor.Client = &client
	seen := map[string]bool{}
	for _, query := range []string{"",
		"?url=https://evil.example&return_url=https://evil.example&back=https://evil.example"} {
		answer := visitor.Open(t, s.url+"/console/harbour/payments/account/onboarding"+query)
		require.Equal(t, http.StatusSeeOther, answer.Status)
		to, err := url.Parse(answer.Header.Get("Location"))
		require.NoError(t, err)
		require.Equal(t, "127.0.0.1", to.Hostname())
		require.Contains(t, to.Path, "/onboarding/")
		require.Equal(t, "no-referrer", answer.Header.Get("Referrer-Policy"))
		require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
		require.False(t, seen[to.Path], "each is for one use")
		seen[to.Path] = true
	}
}

func TestAccount_RolesLookAtIt_AndOwnersMakeIt(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	owner := s.signedIn(t, "ada", user.RoleOwner)
	for _, role := range []user.Role{user.RoleStaff, user.RoleRead} {
		p := s.signedIn(t, string(role), role)
		shown := s.at(t, p, "/payments/account")
		require.Equal(t, http.StatusOK, shown.Status)
		require.NotContains(t, shown.Text(), "Make the account")
		require.Equal(t, http.StatusForbidden, s.at(t, p, "/payments/account/onboarding").Status)
		require.Equal(t, http.StatusForbidden, p.By.Send(t, http.MethodPost, s.url+"/console/harbour/payments/account",
			tokenOf(t, p)).Status)
	}
	form := tokenOf(t, owner)
	form.Set("token", "another")
	require.Equal(t, http.StatusForbidden,
		owner.By.Send(t, http.MethodPost, s.url+"/console/harbour/payments/account", form).Status)
	require.Zero(t, s.count(t, "SELECT count(*) FROM payment_accounts"))
	page := s.at(t, owner, "/payments/account")
	for _, country := range []string{"D", "DEU", "1!", hostile} {
		refused := page.Form(t, "Make the account").With("country", country).Submit(t)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, country)
		require.NotContains(t, refused.Raw, "<script>alert")
	}
	require.Zero(t, s.count(t, "SELECT count(*) FROM payment_accounts"))
	requireForm(t, owner, page.FormOf(t, page.All(atom.Form)[1]))
	foreign := s.foreigner(t)
	require.Contains(t, foreign.By.Open(t, s.url+"/console/island/payments/account").Text(),
		"go to the account of the platform",
		"each tenant has its own")
}
