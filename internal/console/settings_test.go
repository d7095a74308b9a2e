package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

// settings returns the settings as they are.
func (s *business) settings(t testing.TB) object {
	t.Helper()
	return s.call(t, http.MethodGet, "/v1/tenant", s.key, nil)
}

func TestSettings_EmailsOfPaymentsAndToTheBusiness_AreChosenThere(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.at(t, s.signedIn(t, "ada", user.RoleOwner), "/settings")
	require.Equal(t, object{"succeeded": false, "declined": false, "refunded": false}, s.settings(t)["payment_emails"],
		"nobody chose them")
	form := p.Form(t, "Save the settings").With("payment_emails.succeeded", "1").With("payment_emails.refunded", "1").
		With("owner_emails.0.email", "office@harbour.example").With("owner_emails.1.email", " till@harbour.example ")
	form.Values["owner_emails.0.types"] = []string{"payment.declined", "booking.confirmed"}
	form.Values["owner_emails.1.types"] = []string{"payment.refunded"}
	saved := form.Submit(t)
	require.Contains(t, saved.Text(), "The settings are saved.")
	now := s.settings(t)
	require.Equal(t, object{"succeeded": true, "declined": false, "refunded": true}, now["payment_emails"])
	require.Equal(t, []any{
		object{"email": "office@harbour.example", "types": []any{"booking.confirmed", "payment.declined"}},
		object{"email": "till@harbour.example", "types": []any{"payment.refunded"}},
	}, now["owner_emails"])

	again := s.at(t, p, "/settings").Form(t, "Save the settings")
	require.Equal(t, []string{"booking.confirmed", "payment.declined"}, again.Values["owner_emails.0.types"])
	require.Equal(t, "1", again.Values.Get("payment_emails.succeeded"))
	require.Equal(t, http.StatusOK, again.Submit(t).Status)
	require.Equal(t, now["owner_emails"], s.settings(t)["owner_emails"], "a form that was not changed changes nothing")
	require.Equal(t, http.StatusPreconditionFailed, form.With("key", "another").With("name", "Other").Submit(t).Status,
		"somebody has changed them")

	none := s.at(t, p, "/settings").Form(t,
		"Save the settings").Without("payment_emails.succeeded").Without("payment_emails.refunded").
		With("owner_emails.0.email", "").With("owner_emails.1.email",
		"").Without("owner_emails.0.types").Without("owner_emails.1.types")
	require.Contains(t, none.Submit(t).Text(), "The settings are saved.")
	require.Equal(t, object{"succeeded": false, "declined": false, "refunded": false}, s.settings(t)["payment_emails"])
	require.Empty(t, s.settings(t)["owner_emails"])
}

func TestSettings_EmailsToTheBusinessThatTheAPIRefuses_AreNamedAsTheFormDoes(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	for name, test := range map[string]map[string][]string{
		"an address that is none": {"owner_emails.0.email": {"office"},
			"owner_emails.0.types": {"booking.confirmed"}},
		"an address that is told nothing": {"owner_emails.0.email": {"office@harbour.example"}},
		"what nobody is told of":          {"owner_emails.0.types": {"booking.confirmed"}},
		"a text that runs a script": {"owner_emails.0.email": {hostile},
			"owner_emails.0.types": {"booking.confirmed"}},
		"an address that is much too long": {"owner_emails.0.email": {strings.Repeat("a", 300) + "@x.example"},
			"owner_emails.0.types": {"booking.confirmed"}},
		"the same address twice": {
			"owner_emails.0.email": {"office@harbour.example"}, "owner_emails.0.types": {"booking.confirmed"},
			"owner_emails.1.email": {"Office@harbour.example"}, "owner_emails.1.types": {"payment.refunded"},
		},
	} {
		form := s.at(t, p, "/settings").Form(t, "Save the settings")
		for field, values := range test {
			form.Values[field] = values
		}
		refused := form.Submit(t)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, name)
		require.Contains(t, refused.Text(), "Addresses, row", name)
		require.NotContains(t, refused.Raw, "<script>alert", name)
	}
	require.Empty(t, s.settings(t)["owner_emails"])
	many := s.at(t, p, "/settings").Form(t, "Save the settings")
	for _, row := range strings.Fields("0 1 2 3 4 5 6 7 8 9 10") {
		many.Values.Set("owner_emails."+row+".email", "a"+row+"@harbour.example")
		many.Values.Set("owner_emails."+row+".types", "booking.confirmed")
	}
	require.Equal(t, http.StatusUnprocessableEntity, many.Submit(t).Status, "at most ten")
	odd := s.at(t, p, "/settings").Form(t, "Save the settings")
	odd.Values.Set("owner_emails.0.email", "a@harbour.example")
	odd.Values["owner_emails.0.types"] = []string{"booking.deleted", "booking.confirmed"}
	require.Equal(t, http.StatusOK, odd.Submit(t).Status, "what can't be chosen isn't")
	require.Equal(t, []any{"booking.confirmed"}, s.settings(t)["owner_emails"].([]any)[0].(object)["types"])
}

func TestSettings_LimitsForVisitors_AreTypedThere_AndWhatIsTypedStays(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	open := func() *pagetest.Form { return s.at(t, p, "/settings").Form(t, "Save the settings") }
	limits := func() any { return s.settings(t)["website"].(object)["limits"] }
	const nights, units, holds = "website.limits.nights", "website.limits.units", "website.limits.open_holds_per_email"
	empty := open()
	require.Equal(t, []string{"", "", ""},
		[]string{empty.Values.Get(nights), empty.Values.Get(units), empty.Values.Get(holds)})
	require.Equal(t, http.StatusOK, empty.Submit(t).Status)
	require.Equal(t, object{}, limits(), "nothing is limited unless it is filled in")

	saved := open().With(nights, " 14 ").With(units, "4").With(holds, "3").Submit(t)
	require.Contains(t, saved.Text(), "The settings are saved.")
	require.Equal(t, object{"nights": 14.0, "units": 4.0, "open_holds_per_email": 3.0}, limits())
	again := open()
	require.Equal(t, []string{"14", "4", "3"},
		[]string{again.Values.Get(nights), again.Values.Get(units), again.Values.Get(holds)})

	for typed, label := range map[[2]string]string{
		{nights, "62"}: "Most nights or days", {nights, "two weeks"}: "Most nights or days",
		{units, "0"}: "Most people or units", {holds, "101"}: "Most holds of one email",
	} {
		refused := open().With(typed[0], typed[1]).With("name", "Harbour & Sons").Submit(t)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
		require.Contains(t, refused.Text(), label)
		kept := refused.Form(t, "Save the settings")
		require.Equal(t, typed[1], kept.Values.Get(typed[0]))
		require.Equal(t, "Harbour & Sons", kept.Values.Get("name"))
	}
	require.Equal(t, object{"nights": 14.0, "units": 4.0, "open_holds_per_email": 3.0}, limits())
	require.Equal(t, http.StatusOK, open().With(nights, "").With(holds, "").Submit(t).Status)
	require.Equal(t, object{"units": 4.0}, limits())
}

func TestSettings_AreForOwners(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	for _, role := range []user.Role{user.RoleStaff, user.RoleRead} {
		p := s.signedIn(t, string(role), role)
		require.Equal(t, http.StatusForbidden, s.at(t, p, "/settings").Status)
		form := tokenOf(t, p)
		form.Set("owner_emails.0.email", "eve@example.com")
		form.Set("owner_emails.0.types", "booking.confirmed")
		require.Equal(t, http.StatusForbidden,
			p.By.Send(t, http.MethodPost, s.url+"/console/harbour/settings", form).Status)
	}
	require.Empty(t, s.settings(t)["owner_emails"])
}

func TestPreview_HasEachTemplateOfTheAPI(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.at(t, s.signedIn(t, "ada", user.RoleOwner), "/email-preview")
	var kinds []string
	for _, n := range p.All(atom.Option) {
		kinds = append(kinds, pagetest.Attribute(n, "value"))
	}
	require.Contains(t, kinds, "payment.refunded")
	for _, kind := range kinds {
		shown := s.at(t, p, "/email-preview").Form(t, "Show it").With("template", kind).Submit(t)
		require.Equal(t, http.StatusOK, shown.Status, "%s: %s", kind, shown.Text())
	}
}
