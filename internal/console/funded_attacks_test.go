package console_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// toText returns a value as JSON.
func toText(t testing.TB, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return string(raw)
}

// lists are the pages of customers and money that belong to no thing, each with the roles that may open it.
func lists() map[string][]user.Role {
	staff := []user.Role{user.RoleOwner, user.RoleStaff}
	return map[string][]user.Role{
		"/customers": user.Roles(), "/customers/new": staff, "/payments": staff, "/payments/wallets": user.Roles(),
		"/payments/wallets/new": staff,
	}
}

func TestAttack_TextsOfCustomersAndMoney_AreShownAsText(t *testing.T) {
	t.Parallel()
	f := fund(t, hostile)
	p := f.signedIn(t, "ada", user.RoleOwner)
	inline := regexp.MustCompile(`<script(?:>| [^>]*>[^<])|<[^>]*\son[a-z]+=|<[^>]*style=`)
	for _, paths := range []map[string][]user.Role{lists(), f.things()} {
		for path := range paths {
			shown := f.at(t, p, path)
			require.Equal(t, http.StatusOK, shown.Status, "%s: %s", path, shown.Text())
			if strings.HasSuffix(path, "/export") {
				require.Equal(t, "application/json", shown.Header.Get("Content-Type"))
				continue
			}
			require.NotContains(t, shown.Raw, "<script>alert", path)
			require.NotContains(t, shown.Raw, "<img", path)
			require.NotRegexp(t, inline, strings.ReplaceAll(shown.Raw, "onerror", ""), path)
			require.Contains(t, shown.Header.Get("Content-Security-Policy"), "script-src 'self';", path)
			require.Equal(t, "no-store", shown.Header.Get("Cache-Control"), path)
		}
	}
	for _, path := range []string{"/customers", "/customers/" + f.customer, "/payments", "/payments/wallets",
		"/payments/wallets/" + f.wallet} {
		require.Contains(t, f.at(t, p, path).Text(), hostile, path)
	}
}

func TestRoles_LetDoWithCustomersAndMoneyWhatTheSameScopesLetAPIKeysDo(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	people := map[user.Role]*pagetest.Page{}
	for _, role := range user.Roles() {
		people[role] = f.signedIn(t, string(role), role)
	}
	for _, paths := range []map[string][]user.Role{lists(), f.things()} {
		for path, may := range paths {
			for role, p := range people {
				want := http.StatusForbidden
				if slices.Contains(may, role) {
					want = http.StatusOK
				}
				require.Equal(t, want, f.at(t, p, path).Status, "%s at %s", role, path)
			}
		}
	}
	before := f.facts(t)
	sent := f.sent()
	for _, path := range []string{"/customers/new", "/payments/wallets/new", "/payments/wallets/look-up"} {
		sent[path] = []user.Role{user.RoleOwner, user.RoleStaff}
	}
	for path, may := range sent {
		for role, p := range people {
			if slices.Contains(may, role) {
				continue
			}
			form := tokenOf(t, p)
			form.Set("version", "1")
			require.Equal(t, http.StatusForbidden,
				p.By.Send(t, http.MethodPost, f.url+"/console/harbour"+path, form).Status,
				"%s at %s", role, path)
		}
	}
	require.Equal(t, before, f.facts(t))
}

func TestAttack_FormsOfCustomersAndMoneyWithoutTheToken_AreRefused(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	ada, eve := f.signedIn(t, "ada", user.RoleOwner), f.signedIn(t, "eve", user.RoleOwner)
	before := f.facts(t)
	sent := f.sent()
	sent["/customers/new"], sent["/payments/wallets/new"], sent["/payments/wallets/look-up"] = nil, nil, nil
	for path := range sent {
		for _, form := range []url.Values{{"version": {"1"}}, tokenOf(t, eve)} {
			require.Equal(t, http.StatusForbidden,
				ada.By.Send(t, http.MethodPost, f.url+"/console/harbour"+path, form).Status, path)
		}
	}
	require.Equal(t, before, f.facts(t))
}

func TestAttack_CustomersAndMoneyOfAnotherTenant_AreNotThere(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	foreign := f.foreigner(t)
	before := f.facts(t)
	for path := range f.things() {
		require.Equal(t, http.StatusNotFound, foreign.By.Open(t, f.url+"/console/island"+path).Status, path)
	}
	for path := range f.sent() {
		form := tokenOf(t, foreign)
		for name, value := range map[string]string{
			"version": "1", "amount": "1", "name": "Stolen", "email": "stolen@example.com", "code": f.code,
		} {
			form.Set(name, value)
		}
		answer := foreign.By.Send(t, http.MethodPost, f.url+"/console/island"+path, form)
		require.Equal(t, http.StatusNotFound, answer.Status, "%s: %s", path, answer.Text())
	}
	wallet := tokenOf(t, foreign)
	wallet.Set("customer", f.customer)
	wallet.Set("currency", "USD")
	require.Equal(t, http.StatusNotFound,
		foreign.By.Send(t, http.MethodPost, f.url+"/console/island/payments/wallets/new", wallet).Status)
	look := tokenOf(t, foreign)
	look.Set("code", f.code)
	answer := foreign.By.Send(t, http.MethodPost, f.url+"/console/island/payments/wallets/look-up", look)
	require.Equal(t, http.StatusUnprocessableEntity, answer.Status)
	require.Contains(t, answer.Text(), "No gift card has this code.")
	require.NotContains(t, foreign.By.Open(t, f.url+"/console/island/customers?q=grace@example.com").Text(),
		"Grace Hopper")
	require.Equal(t, before, f.facts(t))
}

// An own customer can't be merged into one of another tenant, nor own credit go to another tenant's wallet.
func TestAttack_OwnThingsWithThoseOfAnotherTenant_AreNotThere(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	foreign := f.foreigner(t)
	island := func(path string) *pagetest.Page { return foreign.By.Open(t, f.url+"/console/island"+path) }
	own := island("/customers/new").Form(t, "Save").With("name", "Eve").With("email", "eve@example.com").Submit(t)
	island("/payments/wallets/new").Press(t, "Make it")
	wallet := f.text(t, "SELECT wallet_id::text FROM wallets WHERE tenant_id <> $1", f.id)
	before := f.facts(t)
	for _, path := range []string{
		strings.TrimPrefix(own.URL.Path, "/console/island") + "/merge/" + f.customer,
		"/payments/wallets/" + wallet + "/transfer/" + f.wallet,
	} {
		require.Equal(t, http.StatusNotFound, island(path).Status, path)
		form := tokenOf(t, foreign)
		form.Set("version", "1")
		form.Set("amount", "1")
		require.Equal(t, http.StatusNotFound,
			foreign.By.Send(t, http.MethodPost, f.url+"/console/island"+path, form).Status, path)
	}
	require.Equal(t, before, f.facts(t))
}

// requireForm sends odd values in each field of a form: none may fail the server.
func requireForm(t *testing.T, p *pagetest.Page, form *pagetest.Form, extra ...string) {
	t.Helper()
	for i, name := range append(slices.Sorted(maps.Keys(form.Values)), extra...) {
		if name == "" || name == "token" {
			continue
		}
		for _, value := range testtime.Some(i, append(odd(), hostile, "\x00", "\xff", "", "0")...) {
			values := url.Values{}
			for n, v := range form.Values {
				values[n] = v
			}
			if name != "key" {
				values.Set("key", uuid.NewString())
			}
			values.Set(name, value)
			answer := p.By.Send(t, http.MethodPost, form.Action, values)
			require.Less(t, answer.Status, http.StatusInternalServerError, "%s: %s=%.100q: %.300s", form.Action, name,
				value, answer.Text())
			require.NotContains(t, answer.Raw, "<script>alert", form.Action)
		}
	}
}

func TestAttack_OddValuesOfEachFieldOfCustomersAndMoney_NeverFailTheServer(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.signedIn(t, "ada", user.RoleOwner)
	for _, path := range []string{
		"/customers/new", "/customers/" + f.customer + "/change", "/bookings/" + f.booking + "/refund/" + f.payment,
		"/payments/wallets/new",
		"/payments/wallets/" + f.card + "/rotate", "/payments/wallets/" + f.wallet + "/credit",
		"/payments/wallets/" + f.wallet + "/debit",
		"/payments/wallets/" + f.wallet + "/transfer/" + f.card + "?amount=1", "/payments/wallets",
		"/customers/" + f.customer + "/merge/" + f.other, "/customers/" + f.other + "/erase",
	} {
		page := f.at(t, p, path)
		require.Equal(t, http.StatusOK, page.Status, "%s: %s", path, page.Text())
		for _, n := range page.All(atom.Form)[1:] {
			if form := page.FormOf(t, n); form.Method == http.MethodPost {
				requireForm(t, p, form, "owed_again", "customer", "back")
			}
		}
	}
}
