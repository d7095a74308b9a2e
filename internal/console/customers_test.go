package console_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/user"
)

func TestCustomers_AreFoundByEmailNameAndPhone(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.signedIn(t, "ada", user.RoleRead)
	for _, query := range []string{"", "q=GRACE@example.com", "q=grac", "q=%2B49+40"} {
		require.Contains(t, f.at(t, p, "/customers?"+query).Text(), "Grace Hopper", query)
	}
	for _, query := range []string{"q=alan@example.com", "q=nobody", "archived=1", "q=nobody@example.com"} {
		require.NotContains(t, f.at(t, p, "/customers?"+query).Text(), "Grace Hopper", query)
	}
	require.Equal(t, http.StatusUnprocessableEntity, f.at(t, p, "/customers?q=ab").Status,
		"as of the API, at least three characters")
	require.Equal(t, http.StatusUnprocessableEntity, f.at(t, p, "/customers?q="+strings.Repeat("a", 201)).Status)
	require.Equal(t, http.StatusNotFound, f.at(t, p, "/customers?after=x").Status)
}

func TestCustomers_MoreThanAPage_AreAllFound(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	for _, name := range []string{"First", "Second"} {
		s.made(t, "/v1/customers", object{"name": name, "email": name + "@example.com"})
	}
	s.exec(t, `INSERT INTO customers (tenant_id, customer_id, email, name, created_at)
		SELECT tenant_id, gen_random_uuid(), 'guest' || n || '@example.com', 'Guest ' || n, now()
		FROM tenants, generate_series(1, 120) n WHERE slug = 'harbour'`)
	seen := map[string]bool{}
	p := s.at(t, s.signedIn(t, "ada", user.RoleRead), "/customers")
	for pages := 1; ; pages++ {
		for word := range strings.FieldsSeq(p.Text()) {
			if strings.Contains(word, "@example.com") {
				require.False(t, seen[word], word)
				seen[word] = true
			}
		}
		if !strings.Contains(p.Raw, `rel="next"`) {
			require.Greater(t, pages, 1)
			break
		}
		p = p.Follow(t, "More")
	}
	require.Len(t, seen, 122)
}

func TestCustomer_ShowsWhatBelongsToIt(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.at(t, f.signedIn(t, "ada", user.RoleRead), "/customers/"+f.customer)
	for _, words := range []string{"grace@example.com", "+49 40 1234", "Harbour", "€90", "EUR", "€49 available",
		"Customer created"} {
		require.Contains(t, p.Text(), words)
	}
	for _, words := range []string{"Change", "Archive", "Merge", "Erase", "New wallet", "Export"} {
		require.NotContains(t, p.Text(), words, "the role lets look, and nothing else")
	}
}

func TestCustomer_New_IsMadeOnce(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	form := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/customers").Follow(t, "New customer").Form(t, "Save").
		With("name", "Grace Hopper").With("email", "Grace@example.com").With("birthday", "1906-12-09").With("time_zone",
		"America/New_York")
	made := form.Submit(t)
	require.Contains(t, made.Text(), "The customer is made.")
	require.Contains(t, made.Text(), "1906-12-09")
	require.Equal(t, made.URL.Path, form.Submit(t).URL.Path, "the same form again is the same request")
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM customers WHERE time_zone = 'America/New_York'"))
	other := form.With("key", "another").Submit(t)
	require.Equal(t, http.StatusConflict, other.Status, "the email has a customer: %s", other.Text())
}

func TestCustomer_Changed_WhatIsEmptiedIsGone(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.at(t, f.signedIn(t, "ada", user.RoleStaff), "/customers/"+f.customer+"/change")
	first, second := p.Form(t, "Save"), f.at(t, p, "/customers/"+f.customer+"/change").Form(t, "Save")
	require.Equal(t, "+49 40 1234", first.Values.Get("phone"))
	saved := first.With("name", "Grace Brewster Hopper").With("phone", "").With("birthday", "1906-12-09").Submit(t)
	require.Contains(t, saved.Text(), "The change is saved.")
	now := f.call(t, http.MethodGet, "/v1/customers/"+f.customer, f.key, nil)
	require.Equal(t, []any{"Grace Brewster Hopper", nil, "1906-12-09"},
		[]any{now["name"], now["phone"], now["birthday"]})
	require.Equal(t, http.StatusPreconditionFailed, second.With("name", "Grace").Submit(t).Status,
		"somebody has changed it meanwhile")
	require.Equal(t, now["version"], f.call(t, http.MethodGet, "/v1/customers/"+f.customer, f.key, nil)["version"])
}

func TestCustomer_Archived_IsInNoListUntilItIsListedAgain(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.at(t, f.signedIn(t, "ada", user.RoleStaff), "/customers/"+f.customer)
	archived := p.Press(t, "Archive")
	require.Contains(t, archived.Text(), "The customer is in no list any more.")
	require.NotContains(t, f.at(t, p, "/customers").Text(), "Grace Hopper")
	require.Contains(t, f.at(t, p, "/customers?archived=1").Text(), "Grace Hopper")
	require.Equal(t, http.StatusOK, p.Press(t, "Archive").Status, "the same form again is the same request")
	listed := archived.Press(t, "List again")
	require.Contains(t, listed.Text(), "The customer is listed again.")
	require.Contains(t, f.at(t, p, "/customers").Text(), "Grace Hopper")
}

func TestCustomer_Merged_TheOtherOneHasEverything(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.at(t, f.signedIn(t, "ada", user.RoleOwner), "/customers/"+f.customer).Follow(t, "Merge")
	found := p.Form(t, "Find").With("q", "alan").Submit(t)
	ask := found.Follow(t, "Alan Turing")
	require.Contains(t, ask.Text(), "This one stays Alan Turing, alan@example.com")
	form := ask.Form(t, "Merge for good")
	for range 2 {
		merged := form.Submit(t)
		require.Contains(t, merged.Text(), "The customers are one now.")
		require.Equal(t, "/console/harbour/customers/"+f.other, merged.URL.Path)
	}
	require.Equal(t, []any{f.other, "Grace Hopper"}, []any{f.contact(t)["id"], f.contact(t)["name"]},
		"the booking keeps its contact")
	gone := f.at(t, p, "/customers/"+f.customer)
	require.Equal(t, "Merged customer", gone.Heading())
	require.NotContains(t, gone.Raw, "grace@example.com")
	require.Equal(t, http.StatusOK, gone.Follow(t, "another one").Status)
	for _, below := range []string{"/change", "/merge", "/merge/" + f.other, "/erase"} {
		require.Equal(t, http.StatusConflict, f.at(t, p, "/customers/"+f.customer+below).Status, below)
	}
	require.Equal(t, http.StatusConflict, f.at(t, p, "/customers/"+f.other+"/merge/"+f.customer).Status,
		"into one who is gone")
}

// contact is whom the booking is for.
func (f funded) contact(t testing.TB) object {
	t.Helper()
	return f.business.booking(t, f.booking)["customer"].(object)
}

func TestCustomer_MergedIntoItselfOrChangedMeanwhile_IsRefused(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.signedIn(t, "ada", user.RoleOwner)
	require.Equal(t, http.StatusUnprocessableEntity, f.at(t, p, "/customers/"+f.customer+"/merge/"+f.customer).Status)
	ask := f.at(t, p, "/customers/"+f.customer+"/merge/"+f.other)
	erase := f.at(t, p, "/customers/"+f.customer+"/erase")
	f.call(t, http.MethodPatch, "/v1/customers/"+f.customer, f.key, object{"name": "Grace Brewster"})
	before := f.facts(t)
	require.Equal(t, http.StatusPreconditionFailed, ask.Press(t, "Merge for good").Status)
	require.Equal(t, http.StatusPreconditionFailed, erase.Press(t, "Erase for good").Status)
	require.Equal(t, before, f.facts(t))
}

// A form that made the customer, or that erased it, shows nothing of the person when it is sent again.
func TestCustomer_Erased_NothingTellsWhoItWas(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	owner := f.signedIn(t, "ada", user.RoleOwner)
	change := f.at(t, owner, "/customers/"+f.customer+"/change").Form(t, "Save").With("name", "Grace Brewster Hopper")
	require.Equal(t, http.StatusOK, change.Submit(t).Status)
	create := f.at(t, owner, "/customers/new").Form(t, "Save").With("name", "Joan Clarke").With("email",
		"joan@example.com")
	joan := create.Submit(t)
	form := f.at(t, owner, "/customers/"+f.customer).Follow(t, "Erase").Form(t, "Erase for good")
	for range 2 {
		erased := form.Submit(t)
		require.Equal(t, http.StatusOK, erased.Status, erased.Text())
		require.Contains(t, erased.Text(), "The personal data are erased.")
		require.Equal(t, "Erased customer", erased.Heading())
	}
	for _, path := range []string{
		"/customers", "/customers?archived=1", "/customers/" + f.customer, "/customers/" + f.customer + "/export",
		"/bookings/" + f.booking,
		"/payments", "/payments/" + f.payment, "/payments/" + f.payment + "/receipt", "/payments/wallets",
		"/payments/wallets/" + f.wallet,
	} {
		shown := f.at(t, owner, path)
		require.Equal(t, http.StatusOK, shown.Status, path)
		for _, secret := range []string{"Hopper", "grace@", "40 1234"} {
			require.NotContains(t, shown.Raw, secret, path)
		}
	}
	require.GreaterOrEqual(t, change.Submit(t).Status, http.StatusBadRequest, "one who was erased can't be changed")

	again := joan.Follow(t, "Erase").Press(t, "Erase for good")
	require.Contains(t, again.Text(), "The personal data are erased.")
	repeated := create.Submit(t)
	require.Equal(t, http.StatusGone, repeated.Status, repeated.Text())
	require.NotContains(t, repeated.Raw, "joan@")
	require.Zero(t, f.count(t, "SELECT count(*) FROM customers WHERE email = 'joan@example.com'"))
}

func TestCustomer_Export_IsAFileOfAllThatIsStored(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	file := f.at(t, f.signedIn(t, "ada", user.RoleOwner), "/customers/"+f.customer).Follow(t, "Export")
	require.Equal(t, http.StatusOK, file.Status)
	require.Equal(t, `attachment; filename="customer-`+f.customer+`.json"`, file.Header.Get("Content-Disposition"))
	require.Equal(t, "no-store", file.Header.Get("Cache-Control"))
	var exported, wanted object
	require.NoError(t, json.Unmarshal([]byte(file.Raw), &exported))
	wanted = f.call(t, http.MethodGet, "/v1/customers/"+f.customer+"/export", f.key, nil)
	delete(wanted, "exported_at")
	delete(exported, "exported_at")
	require.Equal(t, wanted, exported)
}
