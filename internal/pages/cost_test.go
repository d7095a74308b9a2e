package pages_test

import (
	"math"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// mostBytes is what the first view of the booking page may cost on the wire, with its style sheet and its script.
const mostBytes = 100_000

func TestCost_FirstView_IsSmallOnTheWire(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"introduction": "Tours of the harbour since 1987.\nAlso for groups.", "terms": "Be kind."})
	s.set(t, object{"booking_page": object{"languages": []string{"en", "de", "es"}}})
	service := ""
	for range 20 {
		service = s.tour(t, 10,
			object{"description": "An hour on the water, with coffee.", "slot_interval_minutes": 15})
	}
	for name, below := range map[string]string{
		"the services": "", "a month": "/" + service, "a date": "/" + service + slotQuery(testtime.Date(0), 2),
	} {
		b := pagetest.NewBrowser(t, pagetest.Phone) // which has nothing in its cache
		var bytes, files atomic.Int64
		require.NoError(t, chromedp.Listen(b.Ctx, func(ev any) {
			if finished, ok := ev.(*network.EventLoadingFinished); ok {
				bytes.Add(int64(finished.EncodedDataLength))
				files.Add(1)
			}
		}))
		pagetest.Call(t, b, network.Enable, network.EnableParams{})
		b.Open(t, s.url+"/book/harbour"+below)
		require.Eventually(t, func() bool { return files.Load() >= 3 }, patient, poll,
			"the page, its style sheet and its script")
		t.Logf("%s: %d bytes in %d files", name, bytes.Load(), files.Load())
		require.Less(t, bytes.Load(), int64(mostBytes), name)
	}
}

func TestCost_FirstView_AsksTheDatabaseOnce(t *testing.T) {
	t.Parallel()
	s := newCountedSite(t)
	s.setLogo(t, pagetest.LargestLogo(t, 1))
	service := s.tour(t, 10, nil)
	v := s.visitor(t)
	ofMonth, ofDate := "/"+service, "/"+service+slotQuery(testtime.Date(0), 2)
	for range 2 { // prepares the statements, and reads what all visitors of the page share for some seconds
		v.book(t, ofMonth)
		v.book(t, ofDate)
	}
	for name, c := range map[string]struct {
		below string
		trips int
	}{"the services": {"", 0}, "a month": {ofMonth, 1}, "a date": {ofDate, 1}} {
		least := math.MaxInt
		for range 3 { // on a busy machine these seconds may end
			s.store.WaitForBackground()
			before := s.proxy.Trips()
			require.Equal(t, http.StatusOK, s.visitor(t).book(t, c.below).Status)
			s.store.WaitForBackground()
			least = min(least, s.proxy.Trips()-before)
		}
		require.Equal(t, c.trips, least, name)
	}
}

// newCountedSite is newSite with one connection to the database, the round trips of which are counted.
func newCountedSite(t testing.TB) *site {
	t.Helper()
	return serveSite(t, nil, admission.Limits{}, true)
}
