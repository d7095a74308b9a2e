package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// day returns the form of a page with the button of a date pressed.
func day(t testing.TB, p *pagetest.Page, days int) *pagetest.Form {
	t.Helper()
	require.NotEmpty(t, p.All(atom.Form), p.Text())
	f := p.FormOf(t, p.All(atom.Form)[0])
	date := testtime.Date(days).String()
	for _, button := range f.Buttons {
		if button.Get("date") == date {
			f.Button = button
			return f
		}
	}
	require.Fail(t, "no date", "%s can't be chosen: %s", date, p.Text())
	return nil
}

func TestChoose_PeopleTypedAndADateTapped_ArePeopleOfTheDate(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	month := "?month=" + testtime.Date(0).String()[:len("2006-01")]
	p := s.visitor(t).book(t, "/"+s.tour(t, 10, nil)+month)
	p = day(t, p, 0).With("party", "3").Submit(t)
	require.Equal(t, "3", p.URL.Query().Get("party"))
	require.Equal(t, testtime.Date(0).String(), p.URL.Query().Get("date"))
	require.Contains(t, p.Text(), "€135")

	// Another month keeps them, too, and so does the tap of a time.
	next := p.Form(t, "10:00").With("party", "4")
	require.Equal(t, "Almost done", next.Submit(t).Heading())
	require.InDelta(t, 4, s.booked(t)[0]["party_size"], 0)
	next.Button = next.Buttons[2] // after the button of the Enter key and the one that takes one away
	require.Contains(t, next.Button, "more")
	require.Equal(t, "5", next.Submit(t).URL.Query().Get("party"))
}

func TestChoose_LengthNightsAndUnitTypes_AreKeptByATappedDate(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	month := "?month=" + testtime.Date(0).String()[:len("2006-01")]
	cabin := s.service(t, object{
		"name": "Cabin", "kind": "stay", "resource_ids": []string{s.resource(t, "Cabin", 4)}, "price": 9000,
		"check_in":  "15:00",
		"check_out": "10:00", "max_nights": 5, "booking_window_days": 365,
		"unit_types": []object{{"key": "adult", "name": "Adult", "price": 2500, "counts": true}},
	})
	rental := s.service(t, object{
		"name": "Kayak", "kind": "slot", "resource_ids": []string{s.resource(t, "Kayak", 1)}, "price": 4500,
		"booking_window_days": 365,
		"durations":           []object{{"minutes": 60}, {"minutes": 120}},
	})
	stay := day(t, s.visitor(t).book(t, "/"+cabin+month), 0).With("nights", "3").With("party.adult", "2").Submit(t)
	require.Contains(t, stay.Text(), "3 nights €420")
	require.Equal(t, "Almost done", stay.Press(t, "Book").Heading())

	hours := day(t, s.visitor(t).book(t, "/"+rental+month), 0).With("length", "120").Submit(t)
	require.Equal(t, "Almost done", hours.Press(t, "10:00").Heading())
	for _, b := range s.booked(t) {
		if b["service_id"] == rental {
			starts, err := time.Parse(time.RFC3339, b["starts_at"].(string))
			require.NoError(t, err)
			ends, err := time.Parse(time.RFC3339, b["ends_at"].(string))
			require.NoError(t, err)
			require.Equal(t, 2*time.Hour, ends.Sub(starts))
		}
	}
	require.Len(t, s.booked(t), 2)
}

func TestChoose_GuestsWithAgesANoteAndALeastNumber_BeginWithWhatTheServiceAsks(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	tour := s.tour(t, 12, object{"price": 0, "price_per": "booking", "min_party_size": 3, "unit_types": []object{
		{"key": "adult", "name": "Adult", "price": 2500, "counts": true, "min_count": 1, "min_age": 13},
		{"key": "child", "name": "Child", "price": 1000, "counts": true, "min_age": 4, "max_age": 12, "note": "With a vest."},
		{"key": "baby", "name": "Baby", "price": 0, "counts": false, "max_age": 3},
	}})
	month := "?month=" + testtime.Date(0).String()[:len("2006-01")]
	page := s.visitor(t).book(t, "/"+tour+month)
	for _, words := range []string{"from 13 years", "4 to 12 years · With a vest.", "up to 3 years"} {
		require.Contains(t, page.Text(), words)
	}
	chosen := day(t, page, 0)
	require.Equal(t, []string{"3", "0", "0"}, []string{chosen.Values.Get("party.adult"),
		chosen.Values.Get("party.child"), chosen.Values.Get("party.baby")}, "the least party")
	family := chosen.With("party.adult", "0").With("party.child", "2").Submit(t)
	again := day(t, family, 0)
	require.Equal(t, []string{"1", "2"}, []string{again.Values.Get("party.adult"), again.Values.Get("party.child")},
		"an adult comes with the children")
}

func TestChoose_OneMoreAndOneFewer_ActAtOnceAndOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	p := s.visitor(t).book(t, "/"+s.tour(t, 10, nil)+slotQuery(testtime.Date(0), 2)).Press(t, "+")
	require.Equal(t, "3", p.URL.Query().Get("party"))
	require.Equal(t, testtime.Date(0).String(), p.URL.Query().Get("date"))
	require.Equal(t, "3", p.By.Open(t, p.URL.String()).URL.Query().Get("party"), "the page can be loaded again")
	p = p.Press(t, "−").Press(t, "−").Press(t, "−")
	require.Equal(t, "1", p.URL.Query().Get("party"), "nobody less than one")
}

func TestChoose_MorePeopleThanSeats_SaysHowManyFit(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	tour := s.tour(t, 8, nil)
	p := s.visitor(t).book(t, "/"+tour+slotQuery(testtime.Date(0), 9))
	require.Contains(t, p.Text(), "There is room for at most 8 people at a time in this month.")
	require.NotContains(t, p.Text(), "Nothing is free in this month.")
	held := s.visitor(t).book(t, "/"+tour+slotQuery(testtime.Date(0), 1)).Form(t, "10:00").With("party", "9").Submit(t)
	require.Equal(t, http.StatusUnprocessableEntity, held.Status)
	require.Contains(t, held.Text(), "so many people can't be booked at a time")
}

// A tour needs a boat, which is open all day, and a departure, which is open in the evening.
func TestChoose_TimeAtWhichAFurtherNeedIsClosed_IsNotShownAsTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	boat := s.resource(t, "Boat", 8)
	departure := s.call(t, http.MethodPost, "/v1/resources", s.key,
		object{"name": "Departure", "capacity": 1})["id"].(string)
	s.call(t, http.MethodPut, "/v1/resources/"+departure+"/hours", s.key, object{"overrides": []object{
		{"date": testtime.Date(0).String(), "opens": "15:00", "closes": "17:00"},
	}, "weekly": []object{}})
	tour := s.service(t, object{
		"name": "Evening tour", "kind": "slot", "duration_minutes": 60, "price": 4500, "booking_window_days": 365,
		"needs": []object{{"resource_ids": []string{boat}}, {"resource_ids": []string{departure}}},
	})
	show := func() *pagetest.Page { return s.visitor(t).book(t, "/"+tour+slotQuery(testtime.Date(0), 1)) }
	p := show()
	require.NotContains(t, p.Text(), "taken")
	require.NotContains(t, p.Text(), "09:00")
	p.Press(t, "15:00")
	show().Press(t, "16:00")

	sold := show()
	require.Contains(t, sold.Text(), "16:00 taken")
	require.NotContains(t, sold.Text(), "09:00")
	require.Contains(t, sold.Text(), "sold out", "the date is sold out, and not closed")
}

func TestScript_PeopleTypedAndADateTapped_ArePeopleOfTheDate(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := pagetest.NewBrowser(t, pagetest.Phone)
	address := s.url + "/book/harbour/" + s.tour(t, 10, nil) + slotQuery(testtime.Date(0), 1)
	for _, then := range []string{`button[value="` + testtime.Date(1).String() + `"]`, `button[value*="T10:00"]`} {
		b.Open(t, address)
		b.Fill(t, "party", "3")
		b.Click(t, then)
		if len(s.booked(t)) == 0 {
			require.Contains(t, pagetest.Value(t, b, chromedp.Location()), "party=3")
		}
	}
	require.InDelta(t, 3, s.booked(t)[0]["party_size"], 0)
}

func TestScript_OneMorePressedTwice_ShowsBothAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := pagetest.NewBrowser(t, pagetest.Phone)
	b.Open(t, s.url+"/book/harbour/"+s.tour(t, 10, nil)+slotQuery(testtime.Date(0), 1))
	const press = `document.querySelector('button[name="more"]').click()`
	_, err := chromedp.RunResponse(b.Ctx, chromedp.Evaluate[chromedp.Void](press+";"+press))
	require.NoError(t, err)
	address := pagetest.Value(t, b, chromedp.Location())
	require.Contains(t, address, "party=3")
	require.NotContains(t, address, "key=")
	require.Contains(t, b.Text(t, "table.month"), "€135")
}

func TestScript_SlotOfAnotherDateForTheVisitor_SaysTheDay(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	far := pagetest.Desktop
	far.Zone = "Pacific/Auckland" // ten or twelve hours ahead of Berlin
	b := pagetest.NewBrowser(t, far)
	b.Open(t, s.url+"/book/harbour/"+s.tour(t, 10, nil)+slotQuery(testtime.Date(0), 2))
	require.NotRegexp(t, `Mon|Tue`, b.Text(t, `button[value*="T09:00"]`), "there it is the same date")
	require.Contains(t, b.Text(t, `button[value*="T16:00"]`), "Tue", "Date(0) is a Monday")
}

func TestScript_HoldsEnd_DoesNotAskTheVisitorsClock(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"hold_minutes": 10})
	hold := holdTour(t, s.visitor(t), s.tour(t, 10, nil))
	require.Regexp(t, `data-hold-ends="(600|59\d|5[0-8]\d)"`, hold.Raw)
	require.Regexp(t, `We hold this for you until .*\d\d:\d\d \(Europe/Berlin\)\.`, hold.Text())
}

func TestTimes_WithoutJavaScript_NameTheirZone(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := bookTour(t, s, s.tour(t, 10, object{
		"cancellation_policy": object{"steps": []object{{"from_minutes": 2880, "percent": 50}}},
	}))
	const when = "10:00 to 11:00 (Europe/Berlin)"
	require.Contains(t, own.Text(), when)
	require.Equal(t, 3, strings.Count(own.Text(), "(Europe/Berlin)"), "the policy's times, too")
	require.Contains(t, own.Follow(t, "Cancel the booking").Text(), when)
	move := own.By.Open(t, own.URL.String()+"/move?date="+testtime.Date(1).String())
	require.Contains(t, move.Text(), when)
	require.Contains(t, move.Text(), "Times are local times of the place (Europe/Berlin).")
	require.Contains(t, move.Press(t, "14:00").Text(), "14:00 to 15:00 (Europe/Berlin)")
}

func TestLink_OfASuspendedBusiness_SaysWhomToContact(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		close  func(s *site, tenant string)
		status int
	}{
		"suspended": {func(s *site, tenant string) {
			s.call(t, http.MethodPost, "/admin/v1/tenants/"+tenant+"/suspend", adminKey, object{"reason": "unpaid"})
		}, http.StatusForbidden},
		"without a page": {func(s *site, _ string) { s.set(t, object{"booking_page": object{"enabled": false}}) },
			http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, object{"contact": "Pier 7, Hamburg\n+49 40 1234"})
			service, boat, ada, _ := s.crewed(t)
			id := s.charter(t, service, 9, boat, ada)
			link := s.call(t, http.MethodGet, id+"/link", s.key, nil)["url"].(string)
			c.close(s, s.call(t, http.MethodGet, "/v1/tenant", s.key, nil)["id"].(string))
			for _, below := range []string{"", "/cancel", "/move"} {
				p := s.visitor(t).Open(t, link+below)
				require.Equal(t, c.status, p.Status)
				require.Equal(t, "Harbour Tours can't be reached here for now", p.Heading())
				require.Contains(t, p.Text(), "Pier 7, Hamburg +49 40 1234")
				require.NotContains(t, p.Text(), "Ada")
			}
		})
	}
}
