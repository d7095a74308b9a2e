package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/store/storetest"
	"holdfast/internal/testtime"
)

func TestCancel_ShowsTheFeeFirst_AndAsksAgainWhenItHasChanged(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, object{"cancellation_policy": object{"steps": []object{{"from_minutes": 2880, "percent": 50}}}}))
	ask := own.follow(t, "Cancel the booking")
	require.Contains(t, ask.text(), "It costs you nothing.")
	f := ask.form(t, "Cancel the booking")

	// The booking comes nearer than two days, in which half of the price is kept.
	days := -testtime.Date(0).DaysSince(testtime.Tomorrow())
	_, err := s.sql.Exec(t.Context(), storetest.MoveBookings(days, "true"))
	require.NoError(t, err)
	_, err = s.sql.Exec(t.Context(), storetest.SyncClaims)
	require.NoError(t, err)
	again := f.submit(t)
	require.Equal(t, http.StatusConflict, again.status)
	require.Contains(t, again.text(), "Something has changed")
	require.Contains(t, again.text(), "It costs €45.")
	require.Equal(t, "confirmed", s.booked(t)[0]["status"])

	done := again.press(t, "Cancel the booking")
	require.Equal(t, "The booking is cancelled", done.heading())
	require.InDelta(t, 4500, s.booked(t)[0]["cancellation_fee"], 0)
}

func TestCancel_AHold_FreesTheTime(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"customer_changes": "none"})
	service := s.tour(t, 2, nil)
	hold := holdTour(t, s.visitor(t), service)
	gone := hold.follow(t, "Give it up").press(t, "Give it up")
	require.Equal(t, "The booking is cancelled", gone.heading())
	holdTour(t, s.visitor(t), service)
}

func TestChanges_ThatTheTenantForbids_AreNeitherOfferedNorDone(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"customer_changes": "none"})
	own := bookTour(t, s, s.tour(t, 10, nil))
	require.NotContains(t, own.text(), "Cancel the booking")
	require.NotContains(t, own.text(), "Choose another time")
	for _, below := range []string{"/cancel", "/move"} {
		require.Equal(t, http.StatusForbidden, own.by.open(t, own.url.String()+below).status)
		form := url.Values{"key": {"k-0123456789abcdef"}, "fee": {"0"}, "version": {"2"}}
		post := own.by.send(t, http.MethodPost, own.url.String()+below, form)
		require.Equal(t, http.StatusForbidden, post.status)
	}
	require.Equal(t, "confirmed", s.booked(t)[0]["status"])
}

func TestMove_ShowsThePriceDifferenceFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	sunday := testtime.Date(6)
	own := bookTour(t, s, s.tour(t, 10, object{"rates": []object{{"weekdays": []string{"sunday"}, "price": 6000}}}))
	move := own.by.open(t, own.url.String()+"/move?date="+sunday.String())
	offer := move.press(t, "14:00")
	require.Contains(t, offer.text(), "The price is €120 instead of €90: €30 more.")
	require.InDelta(t, 9000, s.booked(t)[0]["price"], 0, "nothing is moved yet")

	moved := offer.press(t, "Take this time")
	require.Contains(t, moved.text(), "Your booking has a new time.")
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
	offer := own.by.open(t, own.url.String()+"/move?date="+testtime.Date(1).String()).press(t, "14:00")
	s.call(t, http.MethodPatch, "/v1/services/"+service, s.key, object{"price": 5000})
	again := offer.press(t, "Take this time")
	require.Equal(t, http.StatusConflict, again.status)
	require.Contains(t, again.text(), "The price is €100 instead of €90")
	require.Equal(t, testtime.Date(0).String(), s.booked(t)[0]["date"])
}

func TestMove_ToATimeThatWasTakenMeanwhile_StaysWhereItIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 2, nil)
	own := bookTour(t, s, service)
	offer := own.by.open(t, own.url.String()+"/move?date="+testtime.Date(0).String()).press(t, "14:00")
	require.Equal(t, "Almost done", s.visitor(t).book(t, "/"+service+slotQuery(testtime.Date(0), 2)).press(t, "14:00").heading())
	taken := offer.press(t, "Take this time")
	require.Equal(t, http.StatusConflict, taken.status)
	require.Contains(t, taken.text(), "Sorry, this time was just taken.")
}

func TestMove_WithinTheFeesTime_IsForbidden(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, object{
		"cancellation_policy": object{"steps": []object{{"from_minutes": 366 * 24 * 60, "percent": 50}}},
	}))
	require.NotContains(t, own.text(), "Choose another time", "else a fee could be moved away from")
	require.Equal(t, http.StatusForbidden, own.by.open(t, own.url.String()+"/move").status)
}

func TestEntry_IsThatOfTheConfirmation(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, nil))
	entry := own.follow(t, "Add to calendar")
	require.Equal(t, "text/calendar; charset=utf-8", entry.header.Get("Content-Type"))
	require.Contains(t, entry.raw, "METHOD:PUBLISH")
	require.Contains(t, entry.raw, "UID:"+s.booked(t)[0]["id"].(string))
	require.Contains(t, entry.raw, "SUMMARY:Harbour tour\\, Harbour Tours")
	require.Contains(t, entry.raw, "DTSTART:"+strings.ReplaceAll(testtime.Date(0).String(), "-", "")+"T080000Z")
}

func TestForms_OfTwoBookingsWithOneKey_AreTwoRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, nil)
	for range 2 {
		own := bookTour(t, s, service)
		gone := own.follow(t, "Cancel the booking").form(t, "Cancel the booking").with("key", "the-same-key-for-both").submit(t)
		require.Equal(t, "The booking is cancelled", gone.heading())
	}
	for _, b := range s.booked(t) {
		require.Equal(t, "cancelled", b["status"])
	}
}
