package console_test

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

func TestRefusedForm_LeadsToAPageThatShowsItAgain_HoweverOftenItIsOpened(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	form := s.at(t, p, "/hours").Form(t, "Save").With("open", "weekly").With("week.monday", "9 to 22")
	client := *p.By.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer := (&pagetest.Visitor{Client: &client, Header: p.By.Header}).Send(t, http.MethodPost, form.Action,
		form.Values)
	require.Equal(t, http.StatusSeeOther, answer.Status)
	require.NotContains(t, answer.Header.Get("Location"), "22", "addresses are logged and shared")
	for range 2 { // a browser that comes back opens it again
		shown := p.By.Open(t, answer.Resolve(t, answer.Header.Get("Location")))
		require.Contains(t, shown.Text(), "Monday")
		require.Equal(t, "9 to 22", shown.Form(t, "Save").Values.Get("week.monday"))
		require.Equal(t, "weekly", shown.Form(t, "Save").Values.Get("open"))
		require.Regexp(t, `name="week\.monday"[^>]* aria-invalid="true"`, shown.Raw, "what is wrong stands beside it")
	}
	require.Empty(t, s.at(t, p, "/hours").Form(t, "Save").Values.Get("week.monday"), "the page as ever")
	other := s.signedIn(t, "eve", user.RoleOwner)
	require.Empty(t, other.By.Open(t, answer.Resolve(t, answer.Header.Get("Location"))).Form(t,
		"Save").Values.Get("week.monday"))
}

func TestRefusedForm_OfEachKindOfPage_KeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	booking := "/bookings/" + made["id"].(string)
	p := s.signedIn(t, "ada", user.RoleOwner)
	for path, c := range map[string]struct {
		button string
		typed  url.Values
	}{
		"/customers/new":        {"Save", url.Values{"name": {"Ada"}, "email": {"x"}, "phone": {"+49 40"}}},
		booking + "/end/cancel": {"Cancel the booking", url.Values{"reason": {"Storm"}, "fee": {"much"}}},
		booking + "/record": {"Record the payment", url.Values{
			"kind": {"amount"}, "amount": {"x"}, "method": {"terminal"}, "note": {"Ben"},
		}},
		"/services/new?kind=stay": {"Add the service",
			url.Values{"name": {"Cabin"}, "check_in": {"15:00"}, "max_nights": {"x"}}},
		"/payments/wallets/new": {"Make it", url.Values{"currency": {"x"}}},
		"/webhooks/new": {"Add the endpoint",
			url.Values{"url": {"nothing"}, "description": {"Shop"}, "types": {"a\nb"}}},
		"/users":         {"Invite", url.Values{"name": {"Ben"}, "email": {"x"}, "role": {"read"}}},
		"/email-preview": {"Show", url.Values{"subject": {"{{"}, "text": {"Hello\n\nyou"}}},
	} {
		form := s.at(t, p, path).Form(t, c.button)
		for name, values := range c.typed {
			form.With(name, values[0])
		}
		refused := form.Submit(t)
		require.Equal(t, http.MethodGet, refused.Method, path)
		require.GreaterOrEqual(t, refused.Status, http.StatusBadRequest, path)
		require.Contains(t, refused.Raw, `class="failure"`, path)
		again := refused.Form(t, c.button)
		for name, values := range c.typed {
			require.Equal(t, values[0], again.Values.Get(name), "%s: %s", path, name)
		}
	}
}

func TestRefusedForm_TooLongForACookie_IsShownAtOnceWithWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	terms := ""
	for len(terms) < 19_000 {
		terms += rand.Text() + " "
	}
	terms = strings.TrimSpace(terms)
	refused := s.at(t, p, "/settings").Form(t, "Save the settings").
		With("booking_page.terms", terms).With("booking_page.colour", "teal").Submit(t)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
	require.Contains(t, refused.Text(), "Colour")
	again := refused.Form(t, "Save the settings")
	require.Equal(t, terms, again.Values.Get("booking_page.terms"))
	require.Equal(t, http.StatusOK, again.With("booking_page.colour", "#112233").Submit(t).Status)
	require.Equal(t, terms, s.settings(t)["booking_page"].(object)["terms"])
}

func TestRefusedForm_WithACodeOfAGiftCard_IsShownWithoutIt(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	refused := s.at(t, p, "/payments/wallets").Form(t, "Look up").With("code", "NO-SUCH-CODE").Submit(t)
	require.Equal(t, http.MethodGet, refused.Method)
	require.NotContains(t, refused.Raw, "NO-SUCH-CODE", "it is money")
}
