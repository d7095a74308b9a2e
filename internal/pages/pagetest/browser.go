// Package pagetest tries the server's pages in tests: as a visitor without JavaScript, and in Chromium.
//
//   - visitor.go: a visitor that reads pages, follows links and sends forms.
//   - browser.go: a tab of Chromium, and axe-core.
//   - keyboard.go: a person who has no mouse.
//   - network.go: a network that fails.
//   - pictures.go: pictures of pages.
package pagetest

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

const (
	// patient is how long what happens by itself may take on a busy machine.
	patient = 30 * time.Second
	poll    = 20 * time.Millisecond
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
		// The browser's own page that says that it got no answer would load itself again once the server is back, at
		// the same moment as a test does.
		ctx, stop := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(browserPath()),
			chromedp.NoSandbox,
			chromedp.Headless, chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("disable-auto-reload", true))
		browser, end := chromedp.NewContext(ctx)
		running.stop, running.err = func() { end(); stop() }, chromedp.Do(browser)
		running.ctx = browser //nolint:fatcontext // it is that of the browser, for all tests
	})
	return running.ctx, running.err
}

// StopBrowser ends the browser, if a test started it.
func StopBrowser() {
	if running.stop != nil {
		running.stop()
	}
}

// Device is what a page is looked at with.
type Device struct {
	Name          string
	Width, Height int64
	Dark          bool
	Zone          string // time zone; that of the machine if empty
}

// Phone and Desktop are the devices on which pages are shown.
var (
	Phone   = Device{Name: "phone", Width: 390, Height: 844}
	Desktop = Device{Name: "desktop", Width: 1280, Height: 900}
)

// Browser is a tab of Chromium with nothing in it that another tab has.
type Browser struct {
	Ctx context.Context
}

// NewBrowser opens a tab until the test ends. Tests are skipped without Chromium, but not in CI.
func NewBrowser(t testing.TB, d Device) *Browser {
	t.Helper()
	if testtime.Quick() {
		t.Skip("a browser takes long")
	}
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
	b := &Browser{ctx}
	b.Emulate(t, d)
	return b
}

// Emulate shows the page as on a device.
func (b *Browser) Emulate(t testing.TB, d Device) {
	t.Helper()
	scheme := "light"
	if d.Dark {
		scheme = "dark"
	}
	b.Run(t, chromedp.EmulateViewport(d.Width, d.Height))
	Call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	if d.Zone != "" {
		Call(t, b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: d.Zone})
	}
}

// Run makes steps in the tab.
func (b *Browser) Run(t testing.TB, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(b.Ctx, steps...))
}

// Call sends a command of the browser's protocol.
func Call[P any](t testing.TB, b *Browser, command cdp.Command[P, cdp.Empty], params P) {
	t.Helper()
	_, err := chromedp.Call(b.Ctx, command, params)
	require.NoError(t, err)
}

// Value runs an action and returns its value.
func Value[T any](t testing.TB, b *Browser, action chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(b.Ctx, action)
	require.NoError(t, err)
	return v
}

// Open opens a page and waits for its heading.
func (b *Browser) Open(t testing.TB, url string) {
	t.Helper()
	b.Run(t, chromedp.Navigate(url), chromedp.WaitReady(chromedp.CSS("h1")))
}

// Click clicks what a CSS selector or an XPath finds, and waits for the page that comes.
func (b *Browser) Click(t testing.TB, selector string) {
	t.Helper()
	_, err := chromedp.RunResponse(b.Ctx, chromedp.Click(chromedp.Search(selector), chromedp.NodeVisible))
	require.NoError(t, err, selector)
	b.Run(t, chromedp.WaitReady(chromedp.CSS("h1")))
}

// Press presses the button, or follows the link, with some words.
func (b *Browser) Press(t testing.TB, words string) {
	t.Helper()
	b.Click(t, `//*[self::button or self::a][contains(normalize-space(.), "`+words+`")]`)
}

// Fill types into a field, in place of what stands in it.
func (b *Browser) Fill(t testing.TB, name, value string) {
	t.Helper()
	field := chromedp.CSS(`[name="` + name + `"]`)
	b.Run(t, chromedp.Clear(field), chromedp.SendKeys(field, value))
}

// Upload chooses a file for a field.
func (b *Browser) Upload(t testing.TB, name, file string) {
	t.Helper()
	b.Run(t, chromedp.SetUploadFiles(chromedp.CSS(`[name="`+name+`"]`), []string{file}))
}

// Check ticks a box.
func (b *Browser) Check(t testing.TB, name string) {
	t.Helper()
	b.Run(t, chromedp.Click(chromedp.CSS(`[name="`+name+`"]`)))
}

// Point is a point of the window, in pixels.
type Point struct{ X, Y float64 }

// Drag presses the mouse's left button at a point, and lets it go at another one.
func (b *Browser) Drag(t testing.TB, from, to Point) {
	t.Helper()
	mouse := func(action input.DispatchMouseEventType, at Point) {
		Call(t, b, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: action, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1,
		})
	}
	mouse(input.DispatchMouseEventTypeMousePressed, from)
	for i := range 11 {
		part := float64(i) / 10
		mouse(input.DispatchMouseEventTypeMouseMoved, Point{from.X + (to.X-from.X)*part, from.Y + (to.Y-from.Y)*part})
	}
	mouse(input.DispatchMouseEventTypeMouseReleased, to)
}

// Location returns the address of the page, without its query.
func (b *Browser) Location(t testing.TB) string {
	t.Helper()
	address, _, _ := strings.Cut(Value(t, b, chromedp.Location()), "?")
	address, _, _ = strings.Cut(address, "#")
	return address
}

// Text returns what is to be seen of an element.
func (b *Browser) Text(t testing.TB, selector string) string {
	t.Helper()
	return strings.Join(strings.Fields(Value(t, b, chromedp.Text(chromedp.CSS(selector)))), " ")
}

// PaymentPage is how the sandbox's payment page begins.
const PaymentPage = "Sandbox. This is a test."

// Await waits until the heading of the page is this one.
func (b *Browser) Await(t testing.TB, heading string) {
	t.Helper()
	seen := ""
	defer func() {
		if t.Failed() {
			t.Logf("the page: %s", seen)
		}
	}()
	require.Eventually(t, func() bool {
		now, err := chromedp.Run(b.Ctx, chromedp.Text(chromedp.CSS("main")))
		seen = strings.TrimSpace(now)
		return err == nil && strings.HasPrefix(seen, heading)
	}, patient, poll, "the heading %q", heading)
}

// Picture returns a picture of the whole page.
func (b *Browser) Picture(t testing.TB) []byte {
	t.Helper()
	quality := int64(80)
	taken, err := chromedp.Call(b.Ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: new(true), Format: page.CaptureScreenshotFormatWebp, Quality: &quality,
	})
	require.NoError(t, err)
	return taken.Data
}

// axe is the script that checks a page.
//
//go:embed axe.min.js
var axe string

// RequireAccessible checks the page by the rules of WCAG 2.2 AA, as far as a program can, on each device.
func (b *Browser) RequireAccessible(t testing.TB, name string, devices ...Device) {
	t.Helper()
	Value(t, b, chromedp.Evaluate[any](axe+"; 0"))
	for _, d := range devices {
		b.Emulate(t, d)
		report := Value(t, b, chromedp.Evaluate[string](`axe.run(document, {
				runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
			}).then(r => JSON.stringify(r.violations.map(
				v => ({id: v.id, help: v.help, nodes: v.nodes.map(n => n.html + " " + n.failureSummary)}))))`, chromedp.EvalAwaitPromise))
		require.Equal(t, "[]", report, "%s breaks rules of WCAG 2.2 AA: %s", name, d.Name)
		wider := Value(t, b,
			chromedp.Evaluate[bool](`document.documentElement.scrollWidth > document.documentElement.clientWidth`))
		require.False(t, wider, "%s is wider than the window: %s", name, d.Name)
	}
	b.Emulate(t, devices[0])
}
