package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// bookTour books the tour and returns the page of the booking.
func bookTour(t testing.TB, s *site, service string) *pagetest.Page {
	t.Helper()
	booked := fill(t, holdTour(t, s.visitor(t), service), "Book now").Submit(t)
	require.Equal(t, "You are booked", booked.Heading(), booked.Text())
	return ownPage(t, booked)
}

func TestLink_OfTheApi_LeadsToTheBooking(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	bookTour(t, s, s.tour(t, 10, nil))
	id := s.booked(t)[0]["id"].(string)
	link := s.call(t, http.MethodGet, "/v1/bookings/"+id+"/link", s.key, nil)["url"].(string)
	require.Equal(t, "You are booked", s.visitor(t).Open(t, link).Heading())
}

func TestLink_HoldOfTheApiWithItsCustomer_CanBeBooked(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	hold := s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": s.tour(t, 10, nil), "starts_at": testtime.Date(0).String() + "T10:00:00Z", "hold_minutes": 30,
		"customer": object{"name": "Ada Lovelace", "email": "ada@example.com"},
	})
	link := s.call(t, http.MethodGet, "/v1/bookings/"+hold["id"].(string)+"/link", s.key, nil)["url"].(string)
	page := s.visitor(t).Open(t, link)
	require.Contains(t, page.Raw, `value="Ada Lovelace"`)
	require.Equal(t, "You are booked", page.Form(t, "Book now").Submit(t).Heading())
}

func TestLink_CustomerWasErased_ShowsNoAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, nil))
	customer := s.booked(t)[0]["customer"].(map[string]any)["id"].(string)
	s.call(t, http.MethodPost, "/v1/customers/"+customer+"/erase", s.key, object{})
	page := own.By.Open(t, own.URL.String())
	require.Equal(t, "You are booked", page.Heading())
	require.NotContains(t, page.Raw, "erased.invalid")
	require.NotContains(t, page.Text(), "We have sent a confirmation")
}

func TestLink_ForgedOrOfAnother_IsNotFound(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, nil))
	token := strings.TrimPrefix(own.URL.Path, booking.LinksPath)
	link, err := s.links.Parse(token)
	require.NoError(t, err)
	otherKey, err := booking.NewLinks([]byte("another-key-of-thirty-two-bytes!"), s.url)
	require.NoError(t, err)
	first := "A"
	if strings.HasPrefix(token, "A") {
		first = "B"
	}
	for name, forged := range map[string]string{
		"nothing": "x", "cut short": token[:len(token)-1], "one character changed": first + token[1:],
		"longer":        token + "A",
		"other key":     otherKey.Token(link),
		"other booking": s.links.Token(booking.Link{TenantID: link.TenantID, BookingID: uuid.Must(uuid.NewV7())}),
		"other tenant":  s.links.Token(booking.Link{TenantID: uuid.Must(uuid.NewV7()), BookingID: link.BookingID}),
		"later":         s.links.Token(booking.Link{TenantID: link.TenantID, BookingID: link.BookingID, Revision: 1}),
	} {
		for _, below := range []string{"", "/cancel", "/move", "/booking.ics"} {
			answer := own.By.Open(t, own.Resolve(t, booking.LinksPath+forged+below))
			require.Equal(t, http.StatusNotFound, answer.Status, "%s%s", name, below)
			require.NotContains(t, answer.Raw, "Lovelace") // three letters may stand in a random link
		}
	}
}

func TestLink_Replaced_OrGivenToAnotherContact_StopsWorking(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	first := bookTour(t, s, s.tour(t, 10, nil))
	id := s.booked(t)[0]["id"].(string)
	works := func(p *pagetest.Page) bool { return p.By.Open(t, p.URL.String()).Status == http.StatusOK }
	next := func() *pagetest.Page {
		return s.visitor(t).Open(t, s.call(t, http.MethodGet, "/v1/bookings/"+id+"/link", s.key, nil)["url"].(string))
	}
	require.True(t, works(first))
	s.call(t, http.MethodPatch, "/v1/bookings/"+id, s.key, object{"new_link": true})
	require.False(t, works(first))
	second := next()
	require.True(t, works(second))
	s.call(t, http.MethodPatch, "/v1/bookings/"+id, s.key,
		object{"customer": object{"name": "Ada King", "email": "ada@example.com"}})
	require.True(t, works(second), "the same address keeps its link")
	s.call(t, http.MethodPatch, "/v1/bookings/"+id, s.key,
		object{"customer": object{"name": "Ben", "email": "ben@example.com"}})
	require.False(t, works(second), "the link was sent to the former contact")
	require.True(t, works(next()))
}

func TestLink_WithoutABookingPage_IsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"enabled": false})
	service := s.tour(t, 10, nil)
	made := s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": service, "starts_at": testtime.At(0, 10, 0, time.UTC).Format(time.RFC3339),
		"customer": object{"name": "Ada", "email": "ada@example.com"},
	})
	status, answer := s.try(t, http.MethodGet, "/v1/bookings/"+made["id"].(string)+"/link", s.key, nil)
	require.Equal(t, http.StatusConflict, status)
	require.Equal(t, "invalid_state", answer["code"])
	require.Equal(t, http.StatusNotFound, s.visitor(t).book(t, "").Status)
}

func TestLink_IsInNoLogAndNoReferrer(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, nil))
	own.By.Open(t, own.Resolve(t, own.URL.Path+"/cancel"))
	token := strings.TrimPrefix(own.URL.Path, booking.LinksPath)
	require.Contains(t, s.log.String(), "/booking/:token/cancel")
	require.NotContains(t, s.log.String(), token)
	require.Equal(t, "no-referrer", own.Header.Get("Referrer-Policy"))
	require.Equal(t, "no-store", own.Header.Get("Cache-Control"))
	require.Equal(t, "noindex", own.Header.Get("X-Robots-Tag"))
}

func TestLink_KeptAddress_SaysNothingThatIsNotSo(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, nil))
	for done, words := range map[string]string{"paid": "your payment has arrived",
		"cancelled": "Your booking is cancelled"} {
		require.NotContains(t, own.By.Open(t, own.URL.String()+"?done="+done).Text(), words)
	}
	require.Contains(t, own.By.Open(t, own.URL.String()+"?done=booked").Text(), "Your booking is confirmed.")
}

func TestLink_BookingThatHasEnded_QuotesNoFee(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, object{
		"cancellation_policy": object{"steps": []object{{"from_minutes": 366 * 24 * 60, "percent": 50}}},
	}))
	require.Contains(t, own.Text(), "Now it costs")
	s.call(t, http.MethodPost, "/v1/bookings/"+s.booked(t)[0]["id"].(string)+"/cancel", s.key, object{})
	require.NotContains(t, own.By.Open(t, own.URL.String()).Text(), "Now it costs")
}

func TestLink_ServiceIsArchived_IsStillNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, nil)
	made := s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": service, "starts_at": testtime.At(0, 10, 0, time.UTC).Format(time.RFC3339),
		"customer": object{"name": "Ada Lovelace", "email": "ada@example.com"},
	})["id"].(string)
	s.call(t, http.MethodPost, "/v1/services/"+service+"/archive", s.key, object{"force": true})
	link := s.call(t, http.MethodGet, "/v1/bookings/"+made+"/link", s.key, nil)["url"].(string)
	entry := s.visitor(t).Open(t, link).Follow(t, "Add to calendar")
	require.Contains(t, entry.Raw, "SUMMARY:Harbour tour")
}
