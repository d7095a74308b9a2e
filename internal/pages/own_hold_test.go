package pages_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// statuses returns the statuses of the tenant's bookings, sorted.
func (s *site) statuses(t testing.TB) (list []string) {
	t.Helper()
	for _, one := range s.booked(t) {
		list = append(list, one["status"].(string))
	}
	slices.Sort(list)
	return list
}

func TestOwnHold_LastPlaces_AreOfferedToTheirVisitorWhoGoesOn(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 2, nil)
	v := s.visitor(t)
	hold := holdTour(t, v, service)
	day := v.book(t, "/"+service+slotQuery(testtime.Date(0), 2))
	require.Contains(t, day.Text(), "We hold Harbour tour")
	require.Contains(t, v.book(t, "").Text(), "We hold Harbour tour")
	require.Equal(t, hold.URL.Path, day.Follow(t, "Go on with it").URL.Path)
	require.Equal(t, hold.URL.Path, day.Press(t, "10:00").URL.Path, "the same choice is the same hold")
	require.Len(t, s.booked(t), 1)

	other := s.visitor(t).book(t, "/"+service+slotQuery(testtime.Date(0), 2))
	require.NotContains(t, other.Text(), "We hold")
	require.Contains(t, other.Text(), "10:00 taken")
}

func TestOwnHold_AnotherChoice_LetsTheFormerGo(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]string{"another time": "11:00", "the same time for another party": "10:00"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			service := s.tour(t, 2, nil)
			v := s.visitor(t)
			former := holdTour(t, v, service)
			party := 2
			if next == "10:00" { // which fits only in place of the former hold
				party = 1
			}
			hold := v.book(t, "/"+service+slotQuery(testtime.Date(0), party)).Press(t, next)
			require.Equal(t, "Almost done", hold.Heading(), hold.Text())
			require.NotEqual(t, former.URL.Path, hold.URL.Path)
			require.Equal(t, []string{"cancelled", "held"}, s.statuses(t))
		})
	}
}

func TestOwnHold_WhatIsChosenIsTakenMeanwhile_KeepsTheFormer(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 2, nil)
	v := s.visitor(t)
	holdTour(t, v, service)
	day := v.book(t, "/"+service+slotQuery(testtime.Date(0), 2))
	s.visitor(t).book(t, "/"+service+slotQuery(testtime.Date(0), 2)).Press(t, "11:00")
	taken := day.Press(t, "11:00")
	require.Equal(t, http.StatusConflict, taken.Status)
	require.Contains(t, taken.Text(), "Sorry, this time was just taken.")
	require.Contains(t, taken.Text(), "We hold Harbour tour")
	require.Equal(t, []string{"held", "held"}, s.statuses(t))
}

func TestOwnHold_LetGo_IsFreeForOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 2, nil)
	v := s.visitor(t)
	holdTour(t, v, service)
	after := v.book(t, "/"+service+slotQuery(testtime.Date(0), 2)).Press(t, "Let it go")
	require.Equal(t, http.StatusOK, after.Status)
	require.NotContains(t, after.Text(), "We hold")
	require.Equal(t, []string{"cancelled"}, s.statuses(t))
	require.Equal(t, "Almost done", holdTour(t, s.visitor(t), service).Heading())
	v.book(t, "/"+service+slotQuery(testtime.Date(0), 2)).By.Send(t, http.MethodPost, s.url+"/book/harbour/release",
		nil)
	require.Equal(t, []string{"cancelled", "held"}, s.statuses(t), "nobody lets another visitor's hold go")
}

func TestOwnHold_WithAPayment_IsKeptBesideAnotherChoice(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 2, object{"deposit": 1000})
	v := s.visitor(t)
	fill(t, holdTour(t, v, service), "Continue").Submit(t)
	day := v.book(t, "/"+service+slotQuery(testtime.Date(0), 2))
	require.True(t, hasLink(day, "Go on with it"))
	require.NotContains(t, day.Text(), "Let it go")
	require.Contains(t, day.Text(), "10:00 taken")
	require.Equal(t, "Almost done", day.Press(t, "11:00").Heading())
	require.Equal(t, []string{"held", "held"}, s.statuses(t))
}

func TestOwnHold_ForgedCookie_ShowsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 2, nil)
	for _, value := range []string{"x", "%00", strings.Repeat("A", 72), strings.Repeat("A", 4000), "\xff"} {
		v := s.visitor(t)
		v.Header = http.Header{"Cookie": {"hold=" + value}}
		p := v.book(t, "/"+service+slotQuery(testtime.Date(0), 2))
		require.Equal(t, http.StatusOK, p.Status)
		require.NotContains(t, p.Text(), "We hold")
	}
}

func TestHold_StockOfAnAddress_IsBounded(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, nil, admission.Limits{VisitorHolds: 10})
	service := s.service(t, object{
		"name": "Cabin", "kind": "stay", "resource_ids": []string{s.resource(t, "Cabin", 6)}, "price": 9000,
		"check_in":  "15:00",
		"check_out": "10:00", "min_nights": 1, "max_nights": 61, "booking_window_days": 365,
	})
	hold := func(v *visitor, in, nights int) *pagetest.Page {
		return v.book(t, fmt.Sprintf("/%s?date=%s&nights=%d&party=6", service, testtime.Date(in), nights)).Press(t,
			"Book")
	}
	require.Equal(t, "Almost done", hold(s.visitor(t), 0, 61).Heading())
	require.Equal(t, http.StatusTooManyRequests, hold(s.visitor(t), 61, 61).Status)
	require.Len(t, s.booked(t), 1)
}

func TestHold_StockOfAFormerHold_IsGivenBackForAnotherChoice(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, nil, admission.Limits{VisitorHolds: 10})
	service := s.service(t, object{
		"name": "Cabin", "kind": "stay", "resource_ids": []string{s.resource(t, "Cabin", 6)}, "price": 9000,
		"check_in":  "15:00",
		"check_out": "10:00", "min_nights": 1, "max_nights": 61, "booking_window_days": 365,
	})
	v := s.visitor(t)
	for i := range 5 {
		hold := v.book(t, fmt.Sprintf("/%s?date=%s&nights=30&party=6", service, testtime.Date(i))).Press(t, "Book")
		require.Equal(t, "Almost done", hold.Heading(), hold.Text())
	}
	require.Equal(t, []string{"cancelled", "cancelled", "cancelled", "cancelled", "held"}, s.statuses(t))
}

// Both requests carry the cookie of one former hold: only the one that lets it go has its stock.
func TestHold_TwoChoicesInPlaceOfOneHold_HaveItsStockOnce(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, nil, admission.Limits{VisitorHolds: 10})
	service := s.service(t, object{
		"name": "Cabin", "kind": "stay", "resource_ids": []string{s.resource(t, "Cabin", 6)}, "price": 9000,
		"check_in":  "15:00",
		"check_out": "10:00", "min_nights": 1, "max_nights": 61, "booking_window_days": 365,
	})
	v := s.visitor(t)
	choice := func(in int) *pagetest.Page {
		return v.book(t, fmt.Sprintf("/%s?date=%s&nights=30&party=6", service, testtime.Date(in)))
	}
	require.Equal(t, "Almost done", choice(0).Press(t, "Book").Heading())
	one, other := choice(40), choice(80)
	answers := make(chan int, 2)
	for _, page := range []*pagetest.Page{one, other} {
		go func() { answers <- page.Press(t, "Book").Status }()
	}
	require.ElementsMatch(t, []int{http.StatusOK, http.StatusTooManyRequests}, []int{<-answers, <-answers})
	require.ElementsMatch(t, []string{"cancelled", "held"}, s.statuses(t))
}

func TestMove_AgainAndAgain_IsBounded(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, nil, admission.Limits{VisitorHolds: 4})
	own := bookTour(t, s, s.tour(t, 10, nil)) // one hold
	for i, at := range []string{"11:00", "12:00", "13:00", "14:00"} {
		offer := own.By.Open(t, own.Resolve(t, own.URL.Path+"/move?date="+testtime.Date(0).String())).Press(t, at)
		moved := offer.Press(t, "Take this time")
		if i < 3 {
			require.Contains(t, moved.Text(), "Your booking has a new time.")
		} else {
			require.Equal(t, http.StatusTooManyRequests, moved.Status)
		}
	}
}

func TestDetails_AgainAndAgain_MakeABoundedNumberOfCustomers(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	open := openDeposit(t, s)
	var last *pagetest.Page
	for i := range 20 {
		edit := open.By.Open(t, ownPage(t, open).URL.String())
		if i == 0 {
			edit = edit.Press(t, "Stop this payment")
		}
		form := edit.By.Open(t, edit.Resolve(t, edit.URL.Path+"?edit=1")).Form(t, "Continue")
		last = form.With("email", fmt.Sprintf("ada%d@example.com", i)).Submit(t)
		if last.Status != http.StatusOK {
			break
		}
		open = last.Press(t, "Stop this payment")
	}
	require.Equal(t, http.StatusConflict, last.Status)
	require.Contains(t, last.Text(), "You have changed your details too often.")
	require.Less(t, len(s.call(t, http.MethodGet, "/v1/customers", s.key, nil)["data"].([]any)), 12)
}
