package pages_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

func TestScript_VisitorInAnotherZone_SeesBothTimes(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	address := s.url + "/book/harbour/" + s.tour(t, 10, nil) + slotQuery(testtime.Date(0), 2)
	far := desktop
	far.zone = "America/New_York"
	b := newBrowser(t, far)
	b.open(t, address)
	require.Contains(t, b.text(t, `button[value*="T10:00"]`), "04:00", "Berlin is six hours ahead in May and in November")
	b.click(t, `button[value*="T10:00"]`)
	require.Contains(t, b.text(t, "[data-local-row]"), "04:00")

	near := desktop
	near.zone = "Europe/Paris"
	b = newBrowser(t, near)
	b.open(t, address)
	require.Equal(t, "10:00 until 11:00 €90", b.text(t, `button[value*="T10:00"]`), "clocks show the same in Paris")
}

func TestScript_HoldsEnd_IsCountedDown(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"hold_minutes": 10})
	b := newBrowser(t, phone)
	b.open(t, s.url+"/book/harbour/"+s.tour(t, 10, nil)+slotQuery(testtime.Date(0), 2))
	b.click(t, `button[value*="T10:00"]`)
	require.Regexp(t, `Time left: (10|9):\d\d`, b.text(t, "[data-hold-ends]"))
}

func TestScript_PartyChanged_ShowsWhatIsFreeAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := newBrowser(t, desktop)
	b.open(t, s.url+"/book/harbour/"+s.tour(t, 10, nil)+slotQuery(testtime.Date(0), 2))
	_, err := chromedp.RunResponse(b.ctx, chromedp.SendKeys(chromedp.CSS(`[name="party"]`), kb.ArrowUp))
	require.NoError(t, err)
	address := value(t, b, chromedp.Location())
	require.Contains(t, address, "party=3")
	require.Contains(t, address, "date="+testtime.Date(0).String(), "the date stays chosen")
	require.Contains(t, b.text(t, "table.month"), "€135")
}

func TestKeyboard_IsEnoughToBook(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.tour(t, 10, nil)
	b := newBrowser(t, desktop)
	b.open(t, s.url+"/book/harbour")
	b.tabTo(t, "Harbour tour")
	b.enter(t)
	b.open(t, b.location(t)+slotQuery(testtime.Date(0), 2))
	b.tabTo(t, "10:00")
	b.enter(t)
	b.await(t, "Almost done")
	for _, name := range []string{"name", "email"} {
		b.tabToField(t, name)
		b.run(t, chromedp.KeyEvent("ada@example.com"))
	}
	b.tabTo(t, "Book now")
	b.enter(t)
	b.await(t, "You are booked")
	require.Len(t, s.booked(t), 1)
}

// maxTabs is more than any page has elements that take the focus.
const maxTabs = 120

// tabTo presses the tab key until what has the focus begins with some words.
func (b *browser) tabTo(t testing.TB, words string) {
	t.Helper()
	b.tabUntil(t, words, `document.activeElement.innerText.trim().startsWith("`+words+`")`)
}

func (b *browser) tabToField(t testing.TB, name string) {
	t.Helper()
	b.tabUntil(t, name, `document.activeElement.name === "`+name+`"`)
}

func (b *browser) tabUntil(t testing.TB, what, condition string) {
	t.Helper()
	for range maxTabs {
		b.run(t, chromedp.KeyEvent(kb.Tab))
		if value(t, b, chromedp.Evaluate[bool](condition)) {
			return
		}
	}
	require.Fail(t, "the tab key doesn't reach it", what)
}

// enter presses the enter key and waits for the page that comes.
func (b *browser) enter(t testing.TB) {
	t.Helper()
	_, err := chromedp.RunResponse(b.ctx, chromedp.KeyEvent(kb.Enter))
	require.NoError(t, err)
	b.run(t, chromedp.WaitReady(chromedp.CSS("h1")))
}
