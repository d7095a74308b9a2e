package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

func TestSignIn_ByTheLinkOfAnEmail_OpensTheConsole(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	s.work(t)
	s.user(t, "ada", user.RoleOwner)
	require.Eventually(t, func() bool { return len(s.mail.All()) == 1 }, patient, poll, "the invitation")
	invitation := s.mail.All()[0]
	require.Equal(t, "ada@harbour.example", invitation.To.Email)
	require.Equal(t, "mail@platform.example", invitation.From.Email, "without a sender of links, that of tenants")
	require.Equal(t, "booking@harbour.example", invitation.ReplyTo.Email)
	require.Contains(t, invitation.Subject, "invited")

	v := pagetest.NewVisitor(t)
	asks := v.Open(t, s.url+"/console/harbour/bookings")
	require.Equal(t, "/console/harbour/sign-in", asks.URL.Path)
	said := asks.Form(t, "Send me a link").With("email", "ADA@harbour.example").Submit(t)
	require.Equal(t, http.MethodGet, said.Method, "loading it again asks for no other link")
	require.NotContains(t, said.URL.String(), "ADA", "addresses are logged")
	require.Equal(t, "Look into your mailbox", said.Heading())
	require.Eventually(t, func() bool { return len(s.mail.All()) == 2 }, patient, poll, "the link")
	entered := v.Open(t, linkIn(t, s.mail.All()[1])).Press(t, "Sign in")
	require.Equal(t, "/console/harbour", entered.URL.Path)
	require.Contains(t, entered.Text(), "ada")
	require.Contains(t, entered.Heading(), "Today")

	out := entered.Press(t, "Sign out")
	require.Contains(t, out.Text(), "You are signed out.")
	require.Equal(t, "/console/harbour/sign-in", v.Open(t, s.url+"/console/harbour").URL.Path)
	require.Equal(t, 0, s.count(t, "SELECT count(*) FROM sign_ins"))
}

func TestSignIn_UnknownEmail_SaysTheSameAndSendsNothing(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	s.user(t, "ada", user.RoleOwner)
	planned := s.count(t, "SELECT count(*) FROM scheduled_events WHERE kind = 'user.sign_in_link'")
	v := pagetest.NewVisitor(t)
	known := v.Open(t, s.url+"/console/harbour/sign-in").Form(t, "Send me a link").With("email",
		"ada@harbour.example").Submit(t)
	require.Equal(t, planned+1, s.count(t, "SELECT count(*) FROM scheduled_events WHERE kind = 'user.sign_in_link'"))
	for _, at := range []struct{ slug, email string }{
		{"harbour", "mallory@example.com"}, {"harbour", ""}, {"harbour", "not an email"},
		{"harbour", strings.Repeat("x", 5000)},
		{"nobody", "ada@harbour.example"}, {"%27%3B--", "ada@harbour.example"},
	} {
		said := v.Send(t, http.MethodPost, s.url+"/console/"+at.slug+"/sign-in", url.Values{"email": {at.email}})
		require.Equal(t, http.StatusOK, said.Status, at)
		require.Equal(t, known.Text(), said.Text(), at)
	}
	require.Equal(t, planned+1, s.count(t, "SELECT count(*) FROM scheduled_events WHERE kind = 'user.sign_in_link'"))
}

func TestSignIn_AskedForAgainAndAgain_SendsOneLinkAMinute(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	s.work(t)
	s.user(t, "ada", user.RoleOwner)
	v := pagetest.NewVisitor(t)
	for range 20 {
		v.Send(t, http.MethodPost, s.url+"/console/harbour/sign-in", url.Values{"email": {"ada@harbour.example"}})
	}
	// The requests may have crossed one change of the minute.
	require.LessOrEqual(t, s.count(t, `
		SELECT count(*) FROM scheduled_events WHERE kind = 'user.sign_in_link' AND occurrence LIKE 'sign_in/%'`), 2)
}

func TestSignIn_LinkIsUsedByTwoAtOnce_OneGetsIn(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	link := s.link(t, s.user(t, "ada", user.RoleOwner))
	var ledTo [2]string
	var both sync.WaitGroup
	for i := range ledTo {
		both.Go(func() {
			client := &http.Client{CheckRedirect: func(*http.Request,
				[]*http.Request) error {
				return http.ErrUseLastResponse
			}}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, link, http.NoBody)
			if err != nil {
				return
			}
			response, err := client.Do(r)
			if err != nil {
				return
			}
			defer func() { _ = response.Body.Close() }()
			ledTo[i] = response.Header.Get("Location")
		})
	}
	both.Wait()
	require.ElementsMatch(t, []string{"/console/harbour", strings.TrimPrefix(link, s.url)}, ledTo[:])
	require.Equal(t, http.StatusNotFound, pagetest.NewVisitor(t).Open(t, link).Status)
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM sign_ins"))
	require.Equal(t, 0, s.count(t, "SELECT count(*) FROM sign_in_links"))
}

func TestSignIn_LinkThatIsOnlyLookedAt_WorksStill(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	link := s.link(t, s.user(t, "ada", user.RoleOwner))
	for range 3 {
		require.Equal(t, http.StatusOK, pagetest.NewVisitor(t).Open(t, link).Status)
	}
	require.Equal(t, "/console/harbour", pagetest.NewVisitor(t).Open(t, link).Press(t, "Sign in").URL.Path)
	again := pagetest.NewVisitor(t).Open(t, link)
	require.Equal(t, http.StatusNotFound, again.Status)
	require.Contains(t, again.Text(), "used already")
}

func TestSignIn_LinkThatIsTooOld_IsRefused(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	v := pagetest.NewVisitor(t)
	asks := v.Open(t, s.link(t, s.user(t, "ada", user.RoleOwner)))
	s.exec(t, "UPDATE sign_in_links SET expires_at = now()")
	require.Equal(t, http.StatusNotFound, asks.Press(t, "Sign in").Status)
	require.Equal(t, 0, s.count(t, "SELECT count(*) FROM sign_ins"))
}

func TestSignIn_GuessedAndForeignSecrets_OpenNothing(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	secret := cookieOf(t, s, p)
	other := "x" + secret[1:]
	if other == secret {
		other = "y" + secret[1:]
	}
	last := secret[:len(secret)-1] + "_"
	if last == secret {
		last = secret[:len(secret)-1] + "-"
	}
	for name, value := range map[string]string{
		"none": "", "one letter differs": other, "the last letter differs": last, "short": secret[:40],
		"long": secret + secret, "no base64": strings.Repeat("!", len(secret)),
		"a line end in it": secret[:20] + "\n" + secret[20:],
	} {
		client := &http.Client{CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/console/harbour", http.NoBody)
		require.NoError(t, err)
		r.Header["Cookie"] = []string{"holdfast_console=" + strings.ReplaceAll(value, "\n", "")}
		response, err := client.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		if name == "a line end in it" {
			continue
		}
		require.Equal(t, http.StatusSeeOther, response.StatusCode, name)
	}
	for _, token := range []string{"", "x", secret, strings.Repeat("A", 64)} {
		require.Equal(t, http.StatusNotFound,
			pagetest.NewVisitor(t).Open(t, s.url+"/console/harbour/enter/"+token).Status, token)
	}
}

func TestSignIn_AtAnotherTenant_IsNoSignInHere(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	key, _ := s.addTenant(t, "island")
	s.call(t, http.MethodPost, user.Path, key, object{"email": "ada@harbour.example", "name": "ada", "role": "owner"})
	for _, below := range []string{"", "/bookings", "/users", "/book"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/console/island"+below, http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Cookie", "holdfast_console="+cookieOf(t, s, p))
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, "/console/island/sign-in", response.Request.URL.Path, below)
	}
}

func TestSignIn_GivesTheBrowserAnotherSecretThanItHad(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	v := pagetest.NewVisitor(t)
	at, err := url.Parse(s.url + "/console/harbour")
	require.NoError(t, err)
	planted := strings.Repeat("A", 64)
	v.Client.Jar.SetCookies(at, []*http.Cookie{{Name: "holdfast_console", Value: planted, Path: "/console/harbour"}})
	p := v.Open(t, s.link(t, s.user(t, "ada", user.RoleOwner))).Press(t, "Sign in")
	require.Equal(t, http.StatusOK, p.Status)
	require.NotEqual(t, planted, cookieOf(t, s, p))
	thief := pagetest.NewVisitor(t)
	thief.Client.Jar.SetCookies(at,
		[]*http.Cookie{{Name: "holdfast_console", Value: planted, Path: "/console/harbour"}})
	require.Equal(t, "/console/harbour/sign-in", thief.Open(t, s.url+"/console/harbour").URL.Path)
}

func TestSignIn_CookieIsForTheConsoleAlone(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.link(t, s.user(t, "ada", user.RoleOwner)),
		http.NoBody)
	require.NoError(t, err)
	response, err := client.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	set := response.Header.Get("Set-Cookie")
	for _, part := range []string{"Path=/console/harbour", "HttpOnly", "SameSite=Lax", "Max-Age=604800"} {
		require.Contains(t, set, part)
	}
	require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
	stored := s.text(t, "SELECT encode(hash, 'hex') || user_id FROM sign_ins")
	require.NotContains(t, stored, response.Cookies()[0].Value)
	require.NotContains(t, s.log.String(), "/enter/A", "the log has no secret")
	require.NotContains(t, s.log.String(), response.Cookies()[0].Value)
}

func TestSignIn_OfAUserWhoIsRemoved_Ends(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	ada := s.text(t, "SELECT user_id::text FROM users")
	s.call(t, http.MethodDelete, user.Path+"/"+ada, s.key, nil)
	require.Equal(t, "/console/harbour/sign-in", s.at(t, p, "").URL.Path)
	require.Equal(t, 0, s.count(t, "SELECT count(*) FROM sign_ins"))
}

func TestSignIn_TenantIsSuspended_ShowsNothing(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	link := s.link(t, s.user(t, "ada", user.RoleOwner))
	s.call(t, http.MethodPost, "/admin/v1/tenants/"+s.id.String()+"/suspend", adminKey, object{})
	p := pagetest.NewVisitor(t).Open(t, link).Press(t, "Sign in")
	require.Equal(t, http.MethodGet, p.Method, "the browser can come back to it")
	require.Equal(t, http.StatusForbidden, p.Status)
	require.Contains(t, p.Text(), "suspended")
	require.Equal(t, http.StatusForbidden, p.By.Open(t, p.URL.String()).Status)
}

func TestSignIn_LinkBelowAnotherTenantsConsole_IsNotUsedUp(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	s.call(t, http.MethodPost, "/admin/v1/tenants", adminKey, object{
		"slug": "island", "name": "Island", "time_zone": "UTC", "currency": "EUR",
	})
	link := s.link(t, s.user(t, "ada", user.RoleOwner))
	v := pagetest.NewVisitor(t)
	for _, slug := range []string{"island", "nowhere"} {
		other := strings.Replace(link, "/console/harbour/", "/console/"+slug+"/", 1)
		answer := v.Send(t, http.MethodPost, other, url.Values{})
		require.Equal(t, http.StatusNotFound, answer.Status, slug)
		require.Contains(t, answer.Text(), "used already, or it is too old")
	}
	require.Contains(t, v.Open(t, link).Press(t, "Sign in").Text(), "Today")
}
