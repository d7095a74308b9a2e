package pages_test

import (
	"crypto/rand"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// typed are details that are refused for their email.
func typed(t testing.TB, hold *pagetest.Page) *pagetest.Form {
	t.Helper()
	return hold.Form(t, "Book now").With("name", "Ada Lovelace").With("email", "ada@").With("phone",
		"+49 40 1234").With("terms", "yes")
}

// requireTyped requires that a page has the details as they were typed.
func requireTyped(t testing.TB, p *pagetest.Page) {
	t.Helper()
	form := p.Form(t, "Book now").Values
	for name, value := range map[string]string{"name": "Ada Lovelace", "email": "ada@", "phone": "+49 40 1234",
		"terms": "yes"} {
		require.Equal(t, value, form.Get(name), name)
	}
	require.Contains(t, p.Text(), "This isn't an email address.")
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
}

// newTermsSite is newSite for a tenant with terms.
func newTermsSite(t testing.TB) *site {
	t.Helper()
	return newSite(t, object{"terms": "Who books, sails."})
}

func TestDetails_Refused_AreShownAgainByAPage_HoweverOftenItIsOpened(t *testing.T) {
	t.Parallel()
	s := newTermsSite(t)
	hold := holdTour(t, s.visitor(t), s.tour(t, 10, nil))
	refused := typed(t, hold).Submit(t)
	require.Equal(t, http.MethodGet, refused.Method, "the browser can come back to it")
	require.Equal(t, hold.URL.Path, refused.URL.Path)
	require.NotContains(t, refused.URL.RawQuery, "Lovelace", "addresses are logged and shared")
	for _, c := range hold.By.Client.Jar.Cookies(hold.URL) {
		require.NotContains(t, c.Value, "Ada")
		require.NotContains(t, c.Value, "ada")
	}
	requireTyped(t, refused)
	requireTyped(t, hold.By.Open(t, refused.URL.String()))

	other := hold.By.Open(t, hold.URL.String())
	require.Equal(t, http.StatusOK, other.Status)
	require.Empty(t, other.Form(t, "Book now").Values.Get("name"), "another tab of the page is as ever")
	anotherVisitor := s.visitor(t).Open(t, refused.URL.String())
	require.Empty(t, anotherVisitor.Form(t, "Book now").Values.Get("name"), "the address alone shows nothing")
	german := hold.By.Open(t, refused.URL.String()+"&lang=de")
	require.Contains(t, german.Text(), "Das ist keine E-Mail-Adresse")
	require.Equal(t, "+49 40 1234", german.Form(t, "Jetzt buchen").Values.Get("phone"))

	booked := refused.Form(t, "Book now").With("email", "ada@example.com").Submit(t)
	require.Equal(t, "You are booked", booked.Heading(), booked.Text())
	for _, c := range hold.By.Client.Jar.Cookies(hold.URL) {
		require.NotEqual(t, "holdfast_refused", c.Name, "what is done isn't kept")
	}
	back := hold.By.Open(t, refused.URL.String())
	require.Equal(t, http.StatusOK, back.Status)
	require.Equal(t, "You are booked", back.Heading())
}

func TestDetails_RefusedWithoutCookies_OrTooLongForOne_AreShownAtOnce(t *testing.T) {
	t.Parallel()
	s := newTermsSite(t)
	service := s.tour(t, 10, nil)
	without := s.visitor(t)
	without.Client.Jar = nil
	refused := typed(t, holdTour(t, without, service)).Submit(t)
	require.Equal(t, http.MethodPost, refused.Method)
	requireTyped(t, refused)

	long := ""
	for len(long) < 8000 {
		long += rand.Text()
	}
	refused = typed(t, holdTour(t, s.visitor(t), service)).With("phone", long).Submit(t)
	require.Equal(t, http.MethodPost, refused.Method)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
	require.Equal(t, long, refused.Form(t, "Book now").Values.Get("phone"))
	require.Contains(t, refused.Text(), "This is too long.")
}

func TestDetails_RefusedWhenThePageFails_AreThereOnceItWorks(t *testing.T) {
	t.Parallel()
	s := newTermsSite(t)
	refused := typed(t, holdTour(t, s.visitor(t), s.tour(t, 10, nil))).Submit(t)
	rename := func(from, to string) {
		_, err := s.sql.Exec(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to)
		require.NoError(t, err)
	}
	rename("bookings", "elsewhere")
	require.Equal(t, http.StatusInternalServerError, refused.By.Open(t, refused.URL.String()).Status)
	rename("elsewhere", "bookings")
	requireTyped(t, refused.By.Open(t, refused.URL.String()))
}

func TestDetails_RefusedAndThenTheHoldRanOut_TheirPageSaysOnlyThat(t *testing.T) {
	t.Parallel()
	s := newTermsSite(t)
	refused := typed(t, holdTour(t, s.visitor(t), s.tour(t, 10, nil))).Submit(t)
	_, err := s.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = now() - interval '1 second'")
	require.NoError(t, err)
	lapsed := refused.By.Open(t, refused.URL.String())
	require.Equal(t, "The time is no longer held for you", lapsed.Heading())
	require.NotContains(t, lapsed.Text(), "This didn't work")
}

func TestDetails_RefusedInOneTab_AreNotThoseOfAnotherTab(t *testing.T) {
	t.Parallel()
	s := newTermsSite(t)
	hold := holdTour(t, s.visitor(t), s.tour(t, 10, nil))
	first := typed(t, hold).Submit(t)
	second := typed(t, hold).With("name", "Grace Hopper").Submit(t)
	require.Equal(t, "Grace Hopper", second.Form(t, "Book now").Values.Get("name"))
	require.NotEqual(t, "Grace Hopper", hold.By.Open(t, first.URL.String()).Form(t, "Book now").Values.Get("name"))
}

func TestDetails_WhileThePaymentIsOpen_AreRefusedBelowThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	hold := holdTour(t, s.visitor(t), s.tour(t, 10, object{"deposit": 1000}))
	form := fill(t, hold, "Continue")
	open := form.Submit(t)
	require.Contains(t, open.Text(), "A payment of €10 is open.")
	before := s.booked(t)[0]

	again := form.Submit(t)
	require.Equal(t, http.StatusOK, again.Status, "the same form again, whose answer was lost, leads on")
	require.Contains(t, again.Raw, "data-go")
	refused := form.With("name", "Mallory").With("email", "mallory@example.com").Submit(t)
	require.Equal(t, http.StatusConflict, refused.Status)
	require.Equal(t, http.MethodGet, refused.Method)
	require.Contains(t, refused.Text(), "A payment is open")
	require.Contains(t, refused.Text(), "Go to the payment page")
	require.Equal(t, before, s.booked(t)[0])

	changed := refused.Press(t, "Stop this payment").Follow(t, "Change").Form(t, "Continue").With("name",
		"Ada King").Submit(t)
	require.Contains(t, changed.Text(), "A payment of €10 is open.")
	require.Equal(t, "Ada King", s.booked(t)[0]["customer"].(object)["name"])
}

func TestDetails_RefusedInABrowser_AreThereAfterReloadingAndGoingBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := pagetest.NewBrowser(t, pagetest.Phone)
	b.Open(t, s.url+"/book/harbour/"+s.tour(t, 10, nil)+slotQuery(testtime.Date(0), 2))
	b.Click(t, atTen)
	own := b.Location(t)
	b.Fill(t, "name", "Ada Lovelace")
	b.Fill(t, "email", "nonsense")
	requireName := func(want string) {
		t.Helper()
		require.Equal(t, want,
			pagetest.Value(t, b, chromedp.Evaluate[string](`document.querySelector("[name=name]").value`)))
	}
	b.Press(t, "Book now")
	requireName("Ada Lovelace")
	require.Contains(t, b.Text(t, "main"), "This isn't an email address.")
	b.Again(t)
	requireName("Ada Lovelace")
	b.Open(t, own+"/cancel")
	b.Run(t, chromedp.NavigateBack(), chromedp.WaitReady(chromedp.CSS("[name=name]")))
	require.Equal(t, own, b.Location(t), "no page of the browser's own that asks whether to send the form again")
	requireName("Ada Lovelace")
	b.Fill(t, "email", "ada@example.com")
	b.Press(t, "Book now")
	b.Await(t, "You are booked")
	require.Len(t, s.booked(t), 1)
}
