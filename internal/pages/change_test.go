package pages_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/timezone"
)

func TestCancel_ShowsTheFeeFirst_AndAsksAgainWhenItHasChanged(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s,
		s.tour(t, 10, object{"cancellation_policy": object{"steps": []object{{"from_minutes": 2880, "percent": 50}}}}))
	ask := own.Follow(t, "Cancel the booking")
	require.Contains(t, ask.Text(), "It costs you nothing.")
	f := ask.Form(t, "Cancel the booking")

	// The booking comes nearer than two days, in which half of the price is kept.
	s.moveBy(t, -testtime.Date(0).DaysSince(testtime.Tomorrow()))
	again := f.Submit(t)
	require.Equal(t, http.MethodGet, again.Method, "the browser can come back to it")
	require.Equal(t, http.StatusConflict, again.Status)
	require.Contains(t, again.Text(), "The price has changed")
	require.Contains(t, again.Text(), "It costs €45.")
	require.Equal(t, "confirmed", s.booked(t)[0]["status"])

	done := again.Press(t, "Cancel the booking")
	require.Equal(t, "The booking is cancelled", done.Heading())
	require.InDelta(t, 4500, s.booked(t)[0]["cancellation_fee"], 0)
	require.Contains(t, done.Text(), "Cancellation fee €45")
}

func TestChange_FormWithoutWhatWasShown_IsRefusedAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, nil))
	ask := own.Follow(t, "Cancel the booking").Form(t, "Cancel the booking")
	move := own.By.Open(t, own.URL.String()+"/move?date="+testtime.Date(1).String()).Press(t, "14:00").Form(t,
		"Take this time")
	for amount, form := range map[string]*pagetest.Form{"fee": ask, "price": move} {
		for _, field := range []string{amount, "version"} {
			was := form.Values.Get(field)
			require.NotEmpty(t, was, field)
			require.Equal(t, http.StatusBadRequest, form.With(field, "").Submit(t).Status, field)
			form.With(field, was)
		}
	}
	require.Equal(t, "confirmed", s.booked(t)[0]["status"])
	require.Equal(t, testtime.Date(0).String(), s.booked(t)[0]["date"])
}

func TestCancel_OfAPaidBooking_SaysThatTheMoneyComesBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, object{"cancellation_policy": object{"steps": []object{}}}))
	s.call(t, http.MethodPost, "/v1/bookings/"+s.booked(t)[0]["id"].(string)+"/payments", s.key,
		object{"kind": "balance", "payment_method": "pm_ok"})
	done := own.Follow(t, "Cancel the booking").Press(t, "Cancel the booking")
	require.Contains(t, done.Text(), "You get back €90 It is returned in the way in which you paid.")
	require.NotContains(t, done.Text(), "Paid too much")
}

func TestChanges_BrowserGoesBackToTheFormOfAnEndedBooking_ShowsTheBooking(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, nil))
	own.Follow(t, "Cancel the booking").Press(t, "Cancel the booking")
	for _, below := range []string{"/cancel", "/move"} {
		back := own.By.Open(t, own.URL.String()+below)
		require.Equal(t, http.StatusOK, back.Status)
		require.Equal(t, own.URL.Path, back.URL.Path)
		require.Equal(t, "The booking is cancelled", back.Heading())
	}
}

func TestCancel_AHold_FreesTheTime(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"customer_changes": "none"})
	service := s.tour(t, 2, nil)
	hold := holdTour(t, s.visitor(t), service)
	gone := hold.Follow(t, "Give it up").Press(t, "Give it up")
	require.Equal(t, "The booking is cancelled", gone.Heading())
	holdTour(t, s.visitor(t), service)
}

func TestChanges_ThatTheTenantForbids_AreNeitherOfferedNorDone(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"customer_changes": "none"})
	own := bookTour(t, s, s.tour(t, 10, nil))
	require.NotContains(t, own.Text(), "Cancel the booking")
	require.NotContains(t, own.Text(), "Choose another time")
	for _, below := range []string{"/cancel", "/move"} {
		require.Equal(t, http.StatusForbidden, own.By.Open(t, own.URL.String()+below).Status)
		form := url.Values{"key": {"k-0123456789abcdef"}, "fee": {"0"}, "version": {"2"}}
		post := own.By.Send(t, http.MethodPost, own.URL.String()+below, form)
		require.Equal(t, http.StatusForbidden, post.Status)
	}
	require.Equal(t, "confirmed", s.booked(t)[0]["status"])
}

func TestMove_ShowsThePriceDifferenceFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	sunday := testtime.Date(6)
	own := bookTour(t, s, s.tour(t, 10, object{"rates": []object{{"weekdays": []string{"sunday"}, "price": 6000}}}))
	move := own.By.Open(t, own.URL.String()+"/move?date="+sunday.String())
	offer := move.Press(t, "14:00")
	require.Contains(t, offer.Text(), "The price is €120 instead of €90: €30 more.")
	require.InDelta(t, 9000, s.booked(t)[0]["price"], 0, "nothing is moved yet")

	moved := offer.Press(t, "Take this time")
	require.Contains(t, moved.Text(), "Your booking has a new time.")
	booked := s.booked(t)[0]
	require.Equal(t, sunday.String(), booked["date"])
	require.InDelta(t, 12000, booked["price"], 0)
	require.Contains(t, booked["starts_at"], "T14:00:00")
}

func TestMove_ForAnotherPriceThanWasShown_AsksAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, nil)
	own := bookTour(t, s, service)
	offer := own.By.Open(t, own.URL.String()+"/move?date="+testtime.Date(1).String()).Press(t, "14:00")
	s.call(t, http.MethodPatch, "/v1/services/"+service, s.key, object{"price": 5000})
	again := offer.Press(t, "Take this time")
	require.Equal(t, http.MethodGet, again.Method, "the browser can come back to it")
	require.Contains(t, again.Text(), "The price is €100 instead of €90")
	require.Equal(t, testtime.Date(0).String(), s.booked(t)[0]["date"])
}

func TestMove_ToATimeThatWasTakenMeanwhile_StaysWhereItIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 2, nil)
	own := bookTour(t, s, service)
	offer := own.By.Open(t, own.URL.String()+"/move?date="+testtime.Date(0).String()).Press(t, "14:00")
	require.Equal(t, "Almost done",
		s.visitor(t).book(t, "/"+service+slotQuery(testtime.Date(0), 2)).Press(t, "14:00").Heading())
	taken := offer.Press(t, "Take this time")
	require.Equal(t, http.StatusConflict, taken.Status)
	require.Equal(t, http.MethodGet, taken.Method, "the browser can come back to it")
	require.Contains(t, taken.Text(), "Sorry, this time was just taken.")
}

func TestMove_WithinTheFeesTime_IsForbidden(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, object{
		"cancellation_policy": object{"steps": []object{{"from_minutes": 366 * 24 * 60, "percent": 50}}},
	}))
	require.NotContains(t, own.Text(), "Choose another time", "else a fee could be moved away from")
	require.Equal(t, http.StatusForbidden, own.By.Open(t, own.URL.String()+"/move").Status)
}

func TestEntry_IsThatOfTheConfirmation(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, nil))
	entry := own.Follow(t, "Add to calendar")
	require.Equal(t, "text/calendar; charset=utf-8", entry.Header.Get("Content-Type"))
	require.Contains(t, entry.Raw, "METHOD:PUBLISH")
	require.Contains(t, entry.Raw, "UID:"+s.booked(t)[0]["id"].(string))
	require.Contains(t, entry.Raw, "SUMMARY:Harbour tour\\, Harbour Tours")
	require.Contains(t, entry.Raw, "DTSTART:"+strings.ReplaceAll(testtime.Date(0).String(), "-", "")+"T080000Z")
}

func TestForms_OfTwoBookingsWithOneKey_AreTwoRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, nil)
	for range 2 {
		own := bookTour(t, s, service)
		gone := own.Follow(t, "Cancel the booking").Form(t, "Cancel the booking").With("key",
			"the-same-key-for-both").Submit(t)
		require.Equal(t, "The booking is cancelled", gone.Heading())
	}
	for _, b := range s.booked(t) {
		require.Equal(t, "cancelled", b["status"])
	}
}

// moveBy moves the tenant's bookings, with their claims, by whole days.
func (s *site) moveBy(t testing.TB, days int) {
	t.Helper()
	for _, statement := range []string{dbtest.MoveBookings(days, "true"), dbtest.SyncClaims} {
		_, err := s.sql.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
}

// Public reports: calcom/cal.com 14742 and 17977, derhansen/sf_event_mgt 739.
func TestLink_BookingThatIsOver_IsNeitherMovedNorCancelled(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	free := object{"steps": []object{}} // everything is refunded, whenever it is cancelled
	service := s.tour(t, 10, object{"cancellation_policy": free})
	own := bookTour(t, s, service)
	offer := own.By.Open(t, own.URL.String()+"/move?date="+testtime.Date(1).String()).Press(t, "14:00")
	move, cancel := offer.Form(t, "Take this time"), own.Follow(t, "Cancel the booking").Form(t, "Cancel the booking")

	s.moveBy(t, -testtime.Date(2).DaysSince(testtime.Tomorrow()))
	over := own.By.Open(t, own.URL.String())
	require.NotContains(t, over.Text(), "Choose another time")
	require.NotContains(t, over.Text(), "Cancel the booking")
	for _, below := range []string{"/move", "/move?date=" + testtime.Date(1).String(), "/cancel"} {
		require.Equal(t, http.StatusForbidden, own.By.Open(t, own.URL.String()+below).Status, below)
	}
	require.Equal(t, http.StatusForbidden, move.Submit(t).Status)
	require.Equal(t, http.StatusForbidden, cancel.Submit(t).Status)
	booked := s.booked(t)[0]
	require.Equal(t, "confirmed", booked["status"])
	require.NotEqual(t, testtime.Date(1).String(), booked["date"])

	// The tenant may do both.
	id := "/v1/bookings/" + booked["id"].(string)
	s.call(t, http.MethodPost, id+"/reschedule", s.key,
		object{"starts_at": testtime.At(1, 14, 0, time.UTC).Format(time.RFC3339)})
	s.call(t, http.MethodPost, id+"/cancel", s.key, object{})
}

func TestLink_HoldWhosePaymentIsOpen_IsNeitherMovedNorGivenUp(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	hold := holdTour(t, s.visitor(t), s.tour(t, 10, object{"deposit": 1000}))
	offer := hold.By.Open(t, hold.URL.String()+"/move?date="+testtime.Date(1).String()).Press(t, "14:00")
	move, giveUp := offer.Form(t, "Take this time"), hold.Follow(t, "Give it up").Form(t, "Give it up")
	open := fill(t, hold, "Continue").Submit(t)
	require.Contains(t, open.Text(), "Go to the payment page")
	require.NotContains(t, open.Text(), "Choose another time")
	require.NotContains(t, open.Text(), "Give it up")

	// The forms were made before the payment and the customer. They are sent with the version that the booking has now.
	version := strconv.Itoa(int(s.booked(t)[0]["version"].(float64)))
	for _, f := range []*pagetest.Form{move, giveUp} {
		refused := f.With("version", version).Submit(t)
		require.Equal(t, http.StatusConflict, refused.Status)
		require.Equal(t, http.MethodGet, refused.Method, "the browser can come back to it")
		require.Contains(t, refused.Text(), "A payment is open")
	}
	booked := s.booked(t)[0]
	require.Equal(t, "held", booked["status"])
	require.Equal(t, testtime.Date(0).String(), booked["date"])
}

// crewed makes a service of a boat and one of two skippers, of whom it takes Ada if nothing else is said.
func (s *site) crewed(t testing.TB) (service, boat, ada, ben string) {
	t.Helper()
	boat, ada, ben = s.resource(t, "Boat", 6), s.resource(t, "Ada", 1), s.resource(t, "Ben", 1)
	service = s.service(t, object{
		"name": "Charter", "kind": "slot", "duration_minutes": 60, "price": 9000, "booking_window_days": 365,
		"needs": []object{{"resource_ids": []string{boat}}, {"resource_ids": []string{ada, ben}}},
	})
	return service, boat, ada, ben
}

// charter books a service at an hour of the first date with some resources, and returns the path of the booking.
func (s *site) charter(t testing.TB, service string, hour int, resources ...string) string {
	t.Helper()
	loc, err := timezone.Load("Europe/Berlin")
	require.NoError(t, err)
	made := s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": service, "starts_at": testtime.At(0, hour, 0, loc).Format(time.RFC3339),
		"resource_ids": resources,
		"customer":     object{"name": "Ada Lovelace", "email": "ada@example.com"},
	})
	return "/v1/bookings/" + made["id"].(string)
}

func TestMove_ByTheLink_KeepsThePersonWhoIsFree(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service, boat, ada, ben := s.crewed(t)
	id := s.charter(t, service, 9, boat, ben)
	s.charter(t, service, 15, boat, ben)
	own := s.visitor(t).Open(t, s.call(t, http.MethodGet, id+"/link", s.key, nil)["url"].(string))
	move := func(hour string) (offer *pagetest.Page) {
		offer = own.By.Open(t, own.URL.String()+"/move?date="+testtime.Date(0).String()).Press(t, hour)
		require.Contains(t, offer.Press(t, "Take this time").Text(), "Your booking has a new time.")
		return offer
	}

	offer := move("14:00")
	require.NotContains(t, offer.Text(), "instead of")
	require.Equal(t, []any{boat, ben}, s.call(t, http.MethodGet, id, s.key, nil)["resource_ids"])

	offer = move("15:00")
	require.Contains(t, offer.Text(), "Ada instead of Ben")
	require.Equal(t, []any{boat, ada}, s.call(t, http.MethodGet, id, s.key, nil)["resource_ids"])
}

func TestMove_ToACheaperDate_SaysWhatIsPaidTooMuch(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, nil))
	id := s.booked(t)[0]["id"].(string)
	s.call(t, http.MethodPost, "/v1/bookings/"+id+"/payments", s.key, object{
		"kind": "balance", "offline": object{"method": "cash", "note": "till 2"},
	})
	require.NotContains(t, own.By.Open(t, own.URL.String()).Text(), "Paid too much")
	s.call(t, http.MethodPost, "/v1/bookings/"+id+"/reschedule", s.key, object{"party_size": 1, "price": "quote"})
	require.Contains(t, own.By.Open(t, own.URL.String()).Text(),
		"more than it costs now. Ask Harbour Tours how you get it back.")
}
