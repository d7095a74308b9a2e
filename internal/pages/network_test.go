package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// atTen is the button of ten o'clock.
const atTen = `button[value*="T10:00"]`

func TestNetwork_OfflineInTheMiddle_NothingIsLostAndTryingAgainBooksOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := pagetest.NewBrowser(t, pagetest.Phone)
	b.Open(t, s.url+"/book/harbour/"+s.tour(t, 2, nil)+slotQuery(testtime.Date(0), 2))

	b.GoOffline(t)
	b.PressInVain(t, atTen)
	require.Empty(t, s.booked(t))
	b.GoOnline(t)
	b.Again(t)
	b.Await(t, "Almost done")
	fillIn(t, b)
	b.GoOffline(t)
	b.PressInVain(t, "form[data-once] button.primary")
	require.Equal(t, "held", s.booked(t)[0]["status"])
	b.GoOnline(t)
	b.Again(t)
	b.Await(t, "You are booked")
	s.requireBookedOnce(t)
}

func TestNetwork_AnswersAreLost_TryingAgainBooksOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := pagetest.NewBrowser(t, pagetest.Phone)
	// The boat has two more places: a form that did its work twice would hold them too.
	b.Open(t, s.url+"/book/harbour/"+s.tour(t, 4, nil)+slotQuery(testtime.Date(0), 2))

	found := b.LoseAnswers(t)
	b.PressInVain(t, atTen)
	require.Equal(t, 1, found())
	require.Len(t, s.booked(t), 1, "the server has done what was asked")
	b.Again(t)
	b.Await(t, "Almost done")
	fillIn(t, b)
	found = b.LoseAnswers(t)
	b.PressInVain(t, "form[data-once] button.primary")
	require.Equal(t, 1, found())
	b.Again(t)
	b.Await(t, "You are booked")
	s.requireBookedOnce(t)
}

func TestNetwork_AnswerOfThePaymentIsLost_TryingAgainPaysOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := pagetest.NewBrowser(t, pagetest.Phone)
	b.Open(t, s.url+"/book/harbour/"+s.tour(t, 4, object{"deposit": 1000})+slotQuery(testtime.Date(0), 2))
	b.Click(t, atTen)
	fillIn(t, b)
	found := b.LoseAnswers(t)
	b.PressInVain(t, "form[data-once] button.primary")
	require.Equal(t, 1, found())
	b.Again(t)
	b.Await(t, pagetest.PaymentPage)
	b.Press(t, "Pay")
	b.Await(t, "You are booked")
	s.requireBookedOnce(t)
	require.InDelta(t, 1000, s.booked(t)[0]["paid"], 0)
	require.Len(t, s.payments(t), 1)
}

func TestNetwork_Slow_FormThatIsSentTwiceBooksOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := pagetest.NewBrowser(t, pagetest.Phone)
	b.Open(t, s.url+"/book/harbour/"+s.tour(t, 4, nil)+slotQuery(testtime.Date(0), 2))
	b.SlowDown(t)
	pressTwice(t, b, atTen)
	b.Await(t, "Almost done")
	s.requireSent(t, "/book/:slug/:service", 2)
	require.Len(t, s.booked(t), 1)
	fillIn(t, b)
	pressTwice(t, b, "form[data-once] button.primary")
	b.Await(t, "You are booked")
	s.requireSent(t, "/booking/:token/details", 2)
	s.requireBookedOnce(t)
}

// fillIn fills in who books.
func fillIn(t testing.TB, b *pagetest.Browser) {
	t.Helper()
	b.Fill(t, "name", "Ada Lovelace")
	b.Fill(t, "email", "ada@example.com")
}

// pressTwice sends the form of a button twice, the second time past the script that prevents it, before the first
// answer has come. A browser without JavaScript does so when its visitor is impatient.
func pressTwice(t testing.TB, b *pagetest.Browser, button string) {
	t.Helper()
	pagetest.Value(t, b, chromedp.Evaluate[int](`(() => {
		const button = document.querySelector('`+button+`'), data = new FormData(button.form, button);
		fetch(button.form.action, {method: "POST", body: new URLSearchParams(data)});
		button.click();
		return 0;
	})()`))
}

// requireSent waits until the server has answered a form so many times.
func (s *site) requireSent(t testing.TB, route string, times int) {
	t.Helper()
	require.Eventually(t, func() bool {
		sent := 0
		for line := range strings.Lines(s.log.String()) {
			if strings.Contains(line, `"method":"POST"`) && strings.Contains(line, `"route":"`+route+`"`) {
				sent++
			}
		}
		return sent == times
	}, patient, poll, "%s", route)
}

// requireBookedOnce requires one booking, which is confirmed, and that its place is sold once.
func (s *site) requireBookedOnce(t testing.TB) {
	t.Helper()
	booked := s.booked(t)
	require.Len(t, booked, 1)
	require.Equal(t, "confirmed", booked[0]["status"])
	require.Equal(t, "Ada Lovelace", booked[0]["customer"].(object)["name"])
	s.requireSound(t)
}

// payments returns the tenant's payments.
func (s *site) payments(t testing.TB) []any {
	t.Helper()
	return s.call(t, http.MethodGet, "/v1/payments", s.key, nil)["data"].([]any)
}
