package pages_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browserPath returns the path of Chromium, empty without one.
func browserPath() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// running is the one browser of all tests of the package, in which each test has a context of its own.
var running struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
}

func startBrowser() (context.Context, error) {
	running.once.Do(func() {
		ctx, stop := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(browserPath()), chromedp.NoSandbox,
			chromedp.Headless, chromedp.Flag("disable-dev-shm-usage", true))
		browser, end := chromedp.NewContext(ctx)
		running.stop, running.err = func() { end(); stop() }, chromedp.Do(browser)
		running.ctx = browser //nolint:fatcontext // it is that of the browser, for all tests
	})
	return running.ctx, running.err
}

// stopBrowser ends the browser, if a test started it.
func stopBrowser() {
	if running.stop != nil {
		running.stop()
	}
}

// device is what a page is looked at with.
type device struct {
	name          string
	width, height int64
	dark          bool
	zone          string // time zone; that of the machine if empty
}

var (
	phone   = device{name: "phone", width: 390, height: 844}
	desktop = device{name: "desktop", width: 1280, height: 900}
)

// browser is a tab of Chromium with nothing in it that another tab has.
type browser struct {
	ctx context.Context
}

// newBrowser opens a tab until the test ends. Tests are skipped without Chromium, but not in CI.
func newBrowser(t testing.TB, d device) *browser {
	t.Helper()
	if browserPath() == "" {
		if os.Getenv("CI") != "" {
			require.Fail(t, "Chromium isn't installed")
		}
		t.Skip("needs Chromium: apt-get install chromium")
	}
	all, err := startBrowser()
	require.NoError(t, err)
	ctx, cancel := chromedp.NewContext(all, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, 4*time.Minute) // machines are busy
	t.Cleanup(stop)
	b := &browser{ctx}
	b.emulate(t, d)
	return b
}

// emulate shows the page as on a device.
func (b *browser) emulate(t testing.TB, d device) {
	t.Helper()
	scheme := "light"
	if d.dark {
		scheme = "dark"
	}
	b.run(t, chromedp.EmulateViewport(d.width, d.height))
	call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	if d.zone != "" {
		call(t, b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: d.zone})
	}
}

func (b *browser) run(t testing.TB, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(b.ctx, steps...))
}

// call sends a command of the browser's protocol.
func call[P any](t testing.TB, b *browser, command cdp.Command[P, cdp.Empty], params P) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, command, params)
	require.NoError(t, err)
}

// value runs an action and returns its value.
func value[T any](t testing.TB, b *browser, action chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, action)
	require.NoError(t, err)
	return v
}

// open opens a page and waits for its heading.
func (b *browser) open(t testing.TB, url string) {
	t.Helper()
	b.run(t, chromedp.Navigate(url), chromedp.WaitReady(chromedp.CSS("h1")))
}

// click clicks what a CSS selector or an XPath finds, and waits for the page that comes.
func (b *browser) click(t testing.TB, selector string) {
	t.Helper()
	_, err := chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.Search(selector), chromedp.NodeVisible))
	require.NoError(t, err, selector)
	b.run(t, chromedp.WaitReady(chromedp.CSS("h1")))
}

// press presses the button, or follows the link, with some words.
func (b *browser) press(t testing.TB, words string) {
	t.Helper()
	b.click(t, `//*[self::button or self::a][contains(normalize-space(.), "`+words+`")]`)
}

// fill types into a field, in place of what stands in it.
func (b *browser) fill(t testing.TB, name, value string) {
	t.Helper()
	field := chromedp.CSS(`[name="` + name + `"]`)
	b.run(t, chromedp.Clear(field), chromedp.SendKeys(field, value))
}

// check ticks a box.
func (b *browser) check(t testing.TB, name string) {
	t.Helper()
	b.run(t, chromedp.Click(chromedp.CSS(`[name="`+name+`"]`)))
}

// location returns the address of the page, without its query.
func (b *browser) location(t testing.TB) string {
	t.Helper()
	address, _, _ := strings.Cut(value(t, b, chromedp.Location()), "?")
	address, _, _ = strings.Cut(address, "#")
	return address
}

// text returns what is to be seen of an element.
func (b *browser) text(t testing.TB, selector string) string {
	t.Helper()
	return strings.Join(strings.Fields(value(t, b, chromedp.Text(chromedp.CSS(selector)))), " ")
}

// await waits until the heading of the page is this one.
func (b *browser) await(t testing.TB, heading string) {
	t.Helper()
	seen := ""
	defer func() {
		if t.Failed() {
			t.Logf("the page: %s", seen)
		}
	}()
	require.Eventually(t, func() bool {
		now, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS("main")))
		seen = strings.TrimSpace(now)
		return err == nil && strings.HasPrefix(seen, heading)
	}, patient, poll, "the heading %q", heading)
}

// picture returns a picture of the whole page.
func (b *browser) picture(t testing.TB) []byte {
	t.Helper()
	return value(t, b, chromedp.FullScreenshot(100))
}

// axe is the script that checks a page, read once.
var axe = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile(filepath.Join("testdata", "axe.min.js"))
	return string(text), err
})

// requireAccessible checks the page by the rules of WCAG 2.2 AA, as far as a program can, on each device.
func (b *browser) requireAccessible(t testing.TB, name string, devices ...device) {
	t.Helper()
	script, err := axe()
	require.NoError(t, err)
	value(t, b, chromedp.Evaluate[any](script+"; 0"))
	for _, d := range devices {
		b.emulate(t, d)
		report := value(t, b, chromedp.Evaluate[string](`axe.run(document, {
				runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
			}).then(r => JSON.stringify(r.violations.map(
				v => ({id: v.id, help: v.help, nodes: v.nodes.map(n => n.html + " " + n.failureSummary)}))))`, chromedp.EvalAwaitPromise))
		require.Equal(t, "[]", report, "%s breaks rules of WCAG 2.2 AA: %s", name, d.name)
		wider := value(t, b, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > document.documentElement.clientWidth`))
		require.False(t, wider, "%s is wider than the window: %s", name, d.name)
	}
	b.emulate(t, devices[0])
}
