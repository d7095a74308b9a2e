package pagetest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// maxTabs is more than any page has elements that take the focus.
const maxTabs = 120

// TabTo presses the tab key until what has the focus begins with some words.
func (b *Browser) TabTo(t testing.TB, words string) {
	t.Helper()
	b.tabUntil(t, words, `document.activeElement.innerText.trim().startsWith("`+words+`")`)
}

// TabToField presses the tab key until the field of a name has the focus.
func (b *Browser) TabToField(t testing.TB, name string) {
	t.Helper()
	b.tabUntil(t, name, `document.activeElement.name === "`+name+`"`)
}

func (b *Browser) tabUntil(t testing.TB, what, condition string) {
	t.Helper()
	for range maxTabs {
		b.Run(t, chromedp.KeyEvent(kb.Tab))
		if Value(t, b, chromedp.Evaluate[bool](condition)) {
			return
		}
	}
	require.Fail(t, "the tab key doesn't reach it", what)
}

// Enter presses the enter key and waits for the page that comes.
func (b *Browser) Enter(t testing.TB) {
	t.Helper()
	_, err := chromedp.RunResponse(b.Ctx, chromedp.KeyEvent(kb.Enter))
	require.NoError(t, err)
	b.Run(t, chromedp.WaitReady(chromedp.CSS("h1")))
}
