package timetable

import (
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/datetime"
)

// TestWithNamed_RandomNeeds_ListsWhatABookingThatNamesTheResourceGets compares what is free with a resource with
// bookings that name it, at each five minutes.
func TestWithNamed_RandomNeeds_ListsWhatABookingThatNamesTheResourceGets(t *testing.T) {
	t.Parallel()
	accepted, onlyOthers := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		d := civil.Date{Year: 2027, Month: 1, Day: 1}.AddDays(rapid.IntRange(0, 360).Draw(rt, "day"))
		m := drawNeeds(rt, zone(t, rapid.SampledFrom(zones()).Draw(rt, "zone")), d)
		party := rapid.IntRange(1, m.rules.largestParty()).Draw(rt, "party")
		resource := rapid.SampledFrom(m.rules.Resources).Draw(rt, "resource").ID
		named := *m
		named.rules = m.rules.withNamed(resource)
		a := newAvailability(named.rules, party, d, named.view())
		day, _ := a.day(d, &listing{after: interval{from: -1 << 62}, budget: maxPageEntries})
		accepts := func(o BookingTime, party int, wanted ...uuid.UUID) bool {
			_, err := m.rules.Allocate(o, wanted, party, m.occupied, 0, m.now)
			return err == nil
		}
		largest := func(o BookingTime) (most int) {
			for p := 1; p <= m.rules.largestParty(); p++ {
				if accepts(o, p, resource) {
					most = p
				}
			}
			return most
		}
		if m.rules.Service.Kind == KindDate {
			if o, err := m.rules.BookingTimeOf(When{Date: &d}); err == nil {
				require.Equal(rt, accepts(o, party, resource), day.Available)
				require.Equal(rt, largest(o), day.LargestParty)
			}
			return
		}
		listed := make(map[int64]Slot)
		for _, s := range day.Slots {
			listed[s.StartsAt.Unix()] = s
		}
		for at := datetime.StartOfDay(d,
			named.rules.Loc); at.Before(datetime.StartOfDay(d.AddDays(1), named.rules.Loc)); at = at.Add(step) {
			o := m.rules.withEnd(BookingTime{Date: d, Start: at}, nil)
			s := listed[at.Unix()]
			can := accepts(o, party, resource)
			require.Equal(rt, can, len(s.ResourceIDs) > 0, "%v", at)
			require.Equal(rt, largest(o), s.LargestParty, "%v", at)
			switch {
			case can:
				require.Contains(rt, s.ResourceIDs, resource)
				accepted++
			case accepts(o, party):
				onlyOthers++
			}
		}
	})
	require.Greater(t, accepted, 300)
	require.Greater(t, onlyOthers, 50)
}

// A service that doesn't have the resource, or has it archived, is sold with nothing.
func TestWithNamed_ResourceTakesNoBookings_NothingIsLeftOfItsNeed(t *testing.T) {
	t.Parallel()
	boat, other, skipper := Resource{ID: uuid.New()}, Resource{ID: uuid.New()}, Resource{ID: uuid.New()}
	archived := uuid.New()
	r := &Rules{Loc: time.UTC, Service: Service{Spec: Spec{
		Needs: []Need{
			{ResourceIDs: []uuid.UUID{boat.ID, other.ID}}, {ResourceIDs: []uuid.UUID{skipper.ID, archived}},
		},
	}}}
	r.SetResources([]Resource{boat, other, skipper})
	ids := func(resource uuid.UUID) (all [][]uuid.UUID) {
		for _, n := range r.withNamed(resource).needs {
			var of []uuid.UUID
			for _, res := range n.resources {
				of = append(of, res.ID)
			}
			all = append(all, of)
		}
		return all
	}
	require.Equal(t, [][]uuid.UUID{{other.ID}, {skipper.ID}}, ids(other.ID))
	require.Equal(t, [][]uuid.UUID{{boat.ID, other.ID}, {skipper.ID}}, ids(skipper.ID))
	require.Equal(t, [][]uuid.UUID{{boat.ID, other.ID}, nil}, ids(archived))
	require.Equal(t, [][]uuid.UUID{nil, nil}, ids(uuid.New()))
	require.Len(t, r.Resources, 3, "the rules themselves stay")
}

// What is read for a page is what one page can have, however many services are asked for.
func TestPlanPages_ServicesThatFillPages_AreReadForOnePage(t *testing.T) {
	t.Parallel()
	d := civil.Date{Year: 2027, Month: 7, Day: 1}
	var all []*Rules
	for range 5 {
		r := slotRules(t, "UTC", 1, 2, Hours{}) // 720 slots a day, of which a page has 24 dates
		all = append(all, &r)
	}
	lasts := func(q AvailabilityQuery) (dates []int) {
		loaded := 0
		pages, err := PlanPages(q, func(i int) (*Rules, error) {
			loaded++
			if i == len(all) {
				return nil, nil
			}
			return all[i], nil
		})
		require.NoError(t, err)
		require.LessOrEqual(t, loaded, len(pages)+1, "rules of services that the page has no room for")
		for _, p := range pages {
			dates = append(dates, p.last.DaysSince(d))
		}
		return dates
	}
	require.Equal(t, []int{9, 9, 3}, lasts(AvailabilityQuery{From: d, To: d.AddDays(9), PartySize: 1}))
	require.Equal(t, []int{23}, lasts(AvailabilityQuery{From: d, To: d.AddDays(30), PartySize: 1}))
	require.Equal(t, []int{4, 4, 4, 4, 3}, lasts(AvailabilityQuery{From: d, To: d.AddDays(4), PartySize: 1}))
	require.Equal(t, []int{9, 9, 9, 9, 9},
		lasts(AvailabilityQuery{From: d, To: d.AddDays(9), PartySize: 1, DaysOnly: true}))
}
