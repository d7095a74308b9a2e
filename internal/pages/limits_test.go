package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// limitVisitors sets the limits for visitors. It comes before the first page: what was read before may be shown for
// some seconds.
func (s *site) limitVisitors(t testing.TB, limits object) {
	t.Helper()
	s.set(t, object{"website": object{"limits": limits}})
}

// cabin makes a stay of up to 40 nights for up to four cabins; more is what else it has.
func (s *site) cabin(t testing.TB, more object) string {
	t.Helper()
	spec := object{
		"name": "Cabin", "kind": "stay", "resource_ids": []string{s.resource(t, "Cabin", 4)}, "price": 9000,
		"check_in": "15:00", "check_out": "10:00", "max_nights": 40, "booking_window_days": 365,
	}
	for name, value := range more {
		spec[name] = value
	}
	return s.service(t, spec)
}

// texts of the limits, in each language of the pages.
var limitTexts = map[string]struct{ people, nights, days string }{
	"en": {"At most 3 people at a time can be", "At most 3 nights at a time can be", "At most 3 days at a time can be"},
	"de": {"höchstens 3 Personen auf einmal", "höchstens 3 Nächte auf einmal", "höchstens 3 Tage auf einmal"},
	"es": {"para 3 personas a la vez como máximo", "3 noches seguidas como máximo", "3 días seguidos como máximo"},
}

func TestLimits_WhatIsMoreThanAVisitorMayTake_IsNotOfferedAndSaidInPlainWords(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.limitVisitors(t, object{"nights": 3, "units": 3})
	tour, cabin := s.tour(t, 12, nil), s.cabin(t, nil)
	week := s.service(t, object{
		"name": "A week", "kind": "slot", "resource_ids": []string{s.resource(t, "Boat", 1)}, "price": 4500,
		"booking_window_days": 365, "duration_days": 7, "slot_interval_minutes": 60,
	})
	v, date := s.visitor(t), testtime.Date(0).String()
	once := func(p *pagetest.Page, text string) {
		t.Helper()
		require.Equal(t, 1, strings.Count(p.Text(), text), p.Text())
	}
	for tag, texts := range limitTexts {
		open := func(service, query string) *pagetest.Page {
			return v.book(t, "/"+service+"?date="+date+"&lang="+tag+query)
		}
		below := open(tour, "&party=2")
		require.NotContains(t, below.Text(), texts.people)
		require.NotRegexp(t, "3 (places|Plätze|plazas|sitios)", below.Text(), "twelve are left")
		require.Equal(t, "3", below.Press(t, "+").URL.Query().Get("party"))
		most := open(tour, "&party=3")
		once(most, texts.people)
		require.Contains(t, most.Raw, `value="party" formmethod="get"`)
		require.Contains(t, most.Raw, `disabled>+</button>`)
		require.Contains(t, most.Text(), "10:00")
		more := open(tour, "&party=9")
		require.Equal(t, 2, strings.Count(more.Text(), texts.people), "beside the field, and below the month")
		require.Equal(t, "9", more.Form(t, "+").Values.Get("party"), "what was typed stays")
		require.NotContains(t, more.Text(), "10:00")

		nights := open(cabin, "")
		once(nights, texts.nights)
		require.Equal(t, []string{"1", "2", "3"}, optionsOf(nights))
		long := open(cabin, "&nights=21")
		require.Contains(t, long.Text(), texts.nights)
		require.Equal(t, []string{"1", "2", "3", "21"}, optionsOf(long), "what was chosen stays")
		require.Contains(t, open(week, "").Text(), texts.days)
	}
	require.Contains(t, v.book(t, "/"+tour+slotQuery(testtime.Date(0), 3)).Press(t, "10:00").Heading(), "Almost done")
	stays := v.book(t, "/"+cabin+"?nights=3&date="+date)
	require.Equal(t, "Almost done", stays.Press(t, "Book").Heading())
}

// optionsOf returns the values of the lists of a page.
func optionsOf(p *pagetest.Page) (values []string) {
	for _, n := range p.All(atom.Option) {
		values = append(values, pagetest.Attribute(n, "value"))
	}
	return values
}

func TestLimits_LengthsOfMoreDays_AreNotOffered(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.limitVisitors(t, object{"nights": 2})
	van := s.service(t, object{
		"name": "Van", "kind": "slot", "resource_ids": []string{s.resource(t, "Van", 1)}, "price": 4500,
		"booking_window_days": 365, "durations": []object{{"minutes": 60}, {"days": 2}, {"days": 3}, {"minutes": 4000}},
	})
	p := s.visitor(t).book(t, "/"+van)
	require.Equal(t, []string{"60", "d2"}, optionsOf(p))
	require.Contains(t, p.Text(), "At most 2 days at a time can be booked here.")
}

func TestLimits_UnitTypes_CountTogetherAsFarAsTheyTakeUnits(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.limitVisitors(t, object{"units": 3})
	tour := s.tour(t, 12, object{"price": 0, "price_per": "booking", "unit_types": []object{
		{"key": "adult", "name": "Adult", "price": 2500, "counts": true},
		{"key": "child", "name": "Child", "price": 1000, "counts": true},
		{"key": "dog", "name": "Dog", "price": 100, "counts": false},
	}})
	open := func(party string) *pagetest.Page {
		return s.visitor(t).book(t, "/"+tour+"?date="+testtime.Date(0).String()+party)
	}
	require.NotContains(t, open("&party.adult=1&party.child=1&party.dog=5").Text(), "At most 3 people")
	full := open("&party.adult=2&party.child=1&party.dog=5")
	require.Contains(t, full.Text(), "At most 3 people")
	require.Equal(t, 2, strings.Count(full.Raw, "disabled>+"), "one more dog can come")
	require.Equal(t, "Almost done", full.Press(t, "10:00").Heading())
	require.Equal(t, "9", open("&party.adult=9").Form(t, "+").Values.Get("party.adult"))
}

// The page was shown before the limit was set.
func TestLimits_SetMeanwhile_RefuseWhatThePageStillOffers_AndSayWhy(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.limitVisitors(t, object{"nights": 3, "units": 3})
	tour, cabin := s.tour(t, 12, nil), s.cabin(t, nil)
	four := s.visitor(t).book(t, "/"+tour+slotQuery(testtime.Date(0), 3)).Form(t, "10:00").With("party", "4")
	stay := s.visitor(t).book(t, "/"+cabin+"?nights=3&date="+testtime.Date(0).String()).Form(t, "Book").With("nights",
		"4")
	for text, form := range map[string]*pagetest.Form{"At most 3 people": four, "At most 3 nights": stay} {
		refused := form.Submit(t)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
		require.Equal(t, http.MethodGet, refused.Method, "the browser can come back to it")
		require.Contains(t, refused.Text(), text)
		require.NotContains(t, refused.Text(), "Nothing else is free")
		require.NotContains(t, refused.Text(), "was just taken")
	}
	require.Empty(t, s.booked(t))
}

func TestLimits_ABookingThatTheTenantMade_IsMovedByItsLinkAllTheSame(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.limitVisitors(t, object{"nights": 3, "units": 1})
	made := s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": s.cabin(t, nil), "check_in": testtime.Date(0).String(), "check_out": testtime.Date(8).String(),
		"party_size": 2,
		"customer":   object{"name": "Ada", "email": "ada@example.com"},
	})
	link := s.call(t, http.MethodGet, "/v1/bookings/"+made["id"].(string)+"/link", s.key, nil)["url"].(string)
	p := s.visitor(t).Open(t, link).Follow(t, "Choose another time")
	p = day(t, p, 1).Submit(t)
	require.NotContains(t, p.Text(), "can be booked here")
	require.Equal(t, http.StatusOK, p.Press(t, "Take this time").Status)
	require.Equal(t, testtime.Date(1).String(), s.booked(t)[0]["date"])
	require.InDelta(t, 8, s.booked(t)[0]["nights"], 0)
}

func TestLimits_EmailWithAsManyOpenHolds_IsRefusedInTheForm_InEachLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.limitVisitors(t, object{"open_holds_per_email": 1})
	tour, free := s.tour(t, 12, object{"deposit": 1000}), s.tour(t, 12, nil)
	fill(t, holdTour(t, s.visitor(t), tour), "Continue").Submit(t)
	require.Equal(t, "ada@example.com", s.booked(t)[0]["customer"].(object)["email"])

	other := holdTour(t, s.visitor(t), tour)
	refused := fill(t, other, "Continue").With("email", "ADA@example.com").Submit(t)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
	require.Contains(t, refused.Text(), "Bookings were begun with this address and aren't finished.")
	again := refused.Form(t, "Continue")
	require.Equal(t, "Ada Lovelace", again.Values.Get("name"), "what was typed stays")
	require.Equal(t, "ADA@example.com", again.Values.Get("email"))
	for tag, text := range map[string]string{
		"de": "Mit dieser Adresse sind Buchungen begonnen", "es": "Con este correo hay reservas empezadas",
	} {
		p := other.By.Open(t, other.URL.String()+"?lang="+tag)
		f := p.FormOf(t, p.All(atom.Form)[0]).With("name", "Ada").With("email", "ada@example.com")
		require.Contains(t, f.Submit(t).Text(), text)
	}
	paying := again.With("email", "bob@example.com").Submit(t)
	require.NotEqual(t, http.StatusUnprocessableEntity, paying.Status, paying.Text())

	require.Equal(t, "You are booked", fill(t, holdTour(t, s.visitor(t), free), "Book now").Submit(t).Heading(),
		"without a deposit it is booked at once")
}
