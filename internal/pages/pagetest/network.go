package pagetest

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// conditions are the parameters of the command Network.emulateNetworkConditions, which the newest description of the
// protocol leaves out. What it has in its place needs a newer browser.
type conditions struct {
	Offline            bool    `json:"offline"`
	Latency            float64 `json:"latency"`
	DownloadThroughput float64 `json:"downloadThroughput"`
	UploadThroughput   float64 `json:"uploadThroughput"`
}

var emulateConditions = cdp.Command[conditions, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// SlowDown makes the network as slow as a bad connection of a phone.
func (b *Browser) SlowDown(t testing.TB) {
	t.Helper()
	const bytesPerSecond = 50_000
	b.setNetwork(t, conditions{Latency: 400, DownloadThroughput: bytesPerSecond, UploadThroughput: bytesPerSecond})
}

// GoOffline takes the network away.
func (b *Browser) GoOffline(t testing.TB) {
	t.Helper()
	b.setNetwork(t, conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
}

// GoOnline gives the network back.
func (b *Browser) GoOnline(t testing.TB) {
	t.Helper()
	b.setNetwork(t, conditions{DownloadThroughput: -1, UploadThroughput: -1})
}

func (b *Browser) setNetwork(t testing.TB, c conditions) {
	t.Helper()
	Call(t, b, network.Enable, network.EnableParams{})
	Call(t, b, emulateConditions, c)
}

// LoseAnswers has the browser send what it sends, and lose the answers to forms, until the returned function is called.
// It returns how many answers were lost.
func (b *Browser) LoseAnswers(t testing.TB) (stop func() int) {
	t.Helper()
	var lost atomic.Int32
	require.NoError(t, chromedp.Listen(b.Ctx, func(ev any) {
		paused, ok := ev.(*fetch.EventRequestPaused)
		if !ok {
			return
		}
		go func() { // the browser waits for the answer, and events wait for their listeners
			if paused.Request.Method != http.MethodPost {
				_, _ = chromedp.Call(b.Ctx, fetch.ContinueRequest,
					fetch.ContinueRequestParams{RequestID: paused.RequestID})
				return
			}
			lost.Add(1)
			_, _ = chromedp.Call(b.Ctx, fetch.FailRequest, fetch.FailRequestParams{
				RequestID: paused.RequestID, ErrorReason: network.ErrorReasonConnectionClosed,
			})
		}()
	}))
	Call(t, b, fetch.Enable,
		fetch.EnableParams{Patterns: []*fetch.RequestPattern{{RequestStage: fetch.RequestStageResponse}}})
	return func() int {
		_, err := chromedp.Call(b.Ctx, fetch.Disable, cdp.Empty{})
		require.NoError(t, err)
		return int(lost.Load())
	}
}

// PressInVain presses a button whose form gets no answer, and waits for the browser's own page that says so.
func (b *Browser) PressInVain(t testing.TB, selector string) {
	t.Helper()
	_, err := chromedp.RunResponse(b.Ctx, chromedp.Click(chromedp.Search(selector), chromedp.NodeVisible))
	b.requireNoAnswer(t, err)
}

// requireNoAnswer requires that the browser said that it got no answer.
func (b *Browser) requireNoAnswer(t testing.TB, err error) {
	t.Helper()
	var failed *chromedp.LoadError
	require.ErrorAs(t, err, &failed)
	require.Contains(t, b.Location(t), "chrome-error://", "the browser's own page")
}

// Again loads the page again, which sends a form again if the page is the answer to one, and waits for the page that
// comes. A load that another one of the browser's own breaks off, as of its page that says that it got no answer, is
// tried once more.
func (b *Browser) Again(t testing.TB) {
	t.Helper()
	_, err := chromedp.RunResponse(b.Ctx, chromedp.Reload())
	if failed, ok := errors.AsType[*chromedp.LoadError](err); ok && failed.ErrorText == "net::ERR_ABORTED" {
		_, err = chromedp.RunResponse(b.Ctx, chromedp.Reload())
	}
	require.NoError(t, err)
	b.Run(t, chromedp.WaitReady(chromedp.CSS("h1")))
}
