package pages_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

func TestScript_VisitorInAnotherZone_SeesBothTimes(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	address := s.url + "/book/harbour/" + s.tour(t, 10, nil) + slotQuery(testtime.Date(0), 2)
	far := pagetest.Desktop
	far.Zone = "America/New_York"
	b := pagetest.NewBrowser(t, far)
	b.Open(t, address)
	require.Contains(t, b.Text(t, `button[value*="T10:00"]`), "04:00",
		"Berlin is six hours ahead in May and in November")
	b.Click(t, `button[value*="T10:00"]`)
	require.Contains(t, b.Text(t, "[data-local-row]"), "04:00")

	near := pagetest.Desktop
	near.Zone = "Europe/Paris"
	b = pagetest.NewBrowser(t, near)
	b.Open(t, address)
	require.Equal(t, "10:00 until 11:00 €90", b.Text(t, `button[value*="T10:00"]`), "clocks show the same in Paris")
}

func TestScript_HoldsEnd_IsCountedDown(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"hold_minutes": 10})
	b := pagetest.NewBrowser(t, pagetest.Phone)
	times := s.url + "/book/harbour/" + s.tour(t, 10, nil) + slotQuery(testtime.Date(0), 2)
	b.Open(t, times)
	b.Click(t, `button[value*="T10:00"]`)
	for _, page := range []string{b.Location(t), times} {
		b.Open(t, page)
		text := b.Text(t, "[data-hold-ends]")
		require.Regexp(t, `Time left: (10|9|8):\d\d`, text)
		require.NotContains(t, text, "no longer held")
	}
}

func TestScript_PartyChanged_ShowsWhatIsFreeAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := pagetest.NewBrowser(t, pagetest.Desktop)
	b.Open(t, s.url+"/book/harbour/"+s.tour(t, 10, nil)+slotQuery(testtime.Date(0), 2))
	_, err := chromedp.RunResponse(b.Ctx, chromedp.SendKeys(chromedp.CSS(`[name="party"]`), kb.ArrowUp))
	require.NoError(t, err)
	address := pagetest.Value(t, b, chromedp.Location())
	require.Contains(t, address, "party=3")
	require.Contains(t, address, "date="+testtime.Date(0).String(), "the date stays chosen")
	require.Contains(t, b.Text(t, "table.month"), "€135")
}

func TestKeyboard_IsEnoughToBook(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.tour(t, 10, nil)
	b := pagetest.NewBrowser(t, pagetest.Desktop)
	b.Open(t, s.url+"/book/harbour")
	b.TabTo(t, "Harbour tour")
	b.Enter(t)
	b.Open(t, b.Location(t)+slotQuery(testtime.Date(0), 2))
	b.TabTo(t, "10:00")
	b.Enter(t)
	b.Await(t, "Almost done")
	for _, name := range []string{"name", "email"} {
		b.TabToField(t, name)
		b.Run(t, chromedp.KeyEvent("ada@example.com"))
	}
	b.TabTo(t, "Book now")
	b.Enter(t)
	b.Await(t, "You are booked")
	require.Len(t, s.booked(t), 1)
}
