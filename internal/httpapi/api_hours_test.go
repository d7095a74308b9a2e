package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

const (
	conflict      = http.StatusConflict
	unprocessable = http.StatusUnprocessableEntity
)

func weekly(periods ...string) object {
	list := []any{}
	for _, p := range periods { // "monday 09:00 12:00"
		f := strings.Fields(p)
		list = append(list, object{"weekday": f[0], "opens": f[1], "closes": f[2]})
	}
	return object{"weekly": list}
}

func TestHours_Weekly_DecideWhenSlotsStart(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	slots, dates := c.newService(t, "slot", nil, resource), c.newService(t, "date", nil, resource)
	require.Len(t, c.on(t, slots, future(0)).Slots, 24, "without hours it is always open")
	c.setHours(t, resource, weekly("monday 13:00 15:00", "monday 09:00 12:30", "wednesday 22:00 24:00", "thursday 00:00 01:30"))

	days := c.availability(t, slots, future(0), future(6), 1)
	require.Equal(t, []string{"09:00", "10:00", "11:00", "13:00", "14:00"}, days[0].clocks())
	require.Empty(t, days[1].Slots)
	require.False(t, days[1].Available)
	require.Equal(t, []string{"22:00", "23:00"}, days[2].clocks())
	require.Equal(t, []string{"00:00"}, days[3].clocks())
	for i, d := range c.availability(t, dates, future(0), future(6), 1) {
		require.Equal(t, i == 0 || i == 2 || i == 3, d.Available, d.Date)
	}
	for _, refused := range []struct {
		at   time.Time
		code problem.Code
	}{
		{at(future(0), 8, 0), problem.OutsideOpeningHours},
		{at(future(0), 12, 0), problem.OutsideOpeningHours}, // would end after 12:30
		{at(future(0), 15, 0), problem.OutsideOpeningHours},
		{at(future(1), 10, 0), problem.OutsideOpeningHours},
		{at(future(0), 9, 30), problem.ValidationFailed}, // open, but no slot starts then
		{at(future(2), 23, 30), problem.ValidationFailed},
	} {
		c.refused(t, unprocessable, refused.code, slots, refused.at)
	}
	c.refused(t, unprocessable, problem.OutsideOpeningHours, dates, future(1))
	c.book(t, slots, at(future(0), 9, 0))
	c.book(t, slots, at(future(2), 23, 0))
	c.book(t, slots, at(future(3), 0, 0))
	c.book(t, slots, at(future(0), 11, 0).UTC()) // any offset names a moment
	require.Zero(t, c.on(t, slots, future(0)).Slots[2].Remaining)

	// Hours that touch at midnight are one period; new hours hold at once and bookings made before stay.
	night := c.newService(t, "slot", object{"duration_minutes": 120, "slot_interval_minutes": 30}, resource)
	c.setHours(t, resource, weekly("saturday 22:00 24:00", "sunday 00:00 01:00"))
	require.Equal(t, []string{"22:00", "22:30", "23:00"}, c.on(t, night, future(5)).clocks())
	require.Empty(t, c.on(t, night, future(6)).Slots)
	c.refused(t, unprocessable, problem.OutsideOpeningHours, slots, at(future(0), 10, 0))
	require.Equal(t, []string{"confirmed", "confirmed", "confirmed", "confirmed"}, c.statuses(t))
}

// statuses returns the statuses of the tenant's bookings in order.
func (c client) statuses(t testingT) []string {
	t.Helper()
	var list []string
	for _, b := range c.list(t, "/v1/bookings?limit=200").Data {
		list = append(list, b["status"].(string))
	}
	return list
}

func TestHours_Override_ReplacesTheHoursOfItsDate(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	slots, dates := c.newService(t, "slot", nil, resource), c.newService(t, "date", nil, resource)
	hours := weekly("monday 09:00 11:00", "tuesday 09:00 11:00")
	hours["overrides"] = []any{
		object{"date": future(0).String(), "closed": true},
		object{"date": future(1).String(), "opens": "20:00", "closes": "21:00"},
		object{"date": future(1).String(), "opens": "06:00", "closes": "07:00"},
		object{"date": future(2).String(), "opens": "10:00", "closes": "24:00"},
	}
	c.setHours(t, resource, hours)
	require.Empty(t, c.on(t, slots, future(0)).Slots)
	require.Equal(t, []string{"06:00", "20:00"}, c.on(t, slots, future(1)).clocks())
	require.Len(t, c.on(t, slots, future(2)).Slots, 14)
	require.Equal(t, []string{"09:00", "10:00"}, c.on(t, slots, future(7)).clocks(), "the week after is as ever")
	c.refused(t, unprocessable, problem.OutsideOpeningHours, slots, at(future(0), 9, 0))
	c.refused(t, unprocessable, problem.OutsideOpeningHours, slots, at(future(1), 9, 0))
	c.refused(t, unprocessable, problem.OutsideOpeningHours, dates, future(0))
	c.book(t, slots, at(future(1), 6, 0))
	c.book(t, dates, future(2))
	// An override alone leaves the other dates open.
	c.setHours(t, resource, object{"always_open": true, "overrides": []any{object{"date": future(3).String(), "closed": true}}})
	require.Empty(t, c.on(t, slots, future(3)).Slots)
	require.Len(t, c.on(t, slots, future(4)).Slots, 24)
}

func TestHours_EmptyWeekly_IsClosed_AlwaysOpenIsSaid(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	slots, dates := c.newService(t, "slot", nil, resource), c.newService(t, "date", nil, resource)
	path := "/v1/resources/" + resource.String()
	a := c.put(t, path+"/hours", object{"weekly": []any{}})
	require.Equal(t, object{"weekly": []any{}, "overrides": []any{}}, a.field(t, "hours"))
	require.Equal(t, a.field(t, "hours"), c.get(t, path).field(t, "hours"))
	require.Empty(t, c.on(t, slots, future(0)).Slots)
	require.False(t, c.on(t, dates, future(0)).Available)
	c.refused(t, unprocessable, problem.OutsideOpeningHours, slots, at(future(0), 10, 0))
	c.refused(t, unprocessable, problem.OutsideOpeningHours, dates, future(0))

	c.setHours(t, resource, object{"weekly": []any{},
		"overrides": []any{object{"date": future(1).String(), "opens": "10:00", "closes": "12:00"}}})
	require.Equal(t, []string{"10:00", "11:00"}, c.on(t, slots, future(1)).clocks(), "closed but for the override")
	require.Empty(t, c.on(t, slots, future(2)).Slots)

	a = c.put(t, path+"/hours", object{"always_open": true})
	require.Equal(t, object{"always_open": true, "overrides": []any{}}, a.field(t, "hours"))
	require.Equal(t, a.field(t, "hours"), c.get(t, path).field(t, "hours"))
	c.book(t, slots, at(future(0), 10, 0))

	// What was refused changed nothing.
	require.Equal(t, unprocessable, c.put(t, path+"/hours", object{}).status)
	require.Equal(t, object{"always_open": true, "overrides": []any{}}, c.get(t, path).field(t, "hours"))
}

func TestHours_OverMidnight_BelongToTheDateOnWhichTheyBegin(t *testing.T) {
	t.Parallel()
	c := setup(t)
	bar := c.newResource(t, 1)
	slots := c.newService(t, "slot", object{"max_per_day": 2}, bar)
	dates := c.newService(t, "date", nil, c.newResource(t, 1))
	friday, saturday := future(4), future(5) // future(0) is a Monday
	hours := weekly("friday 22:00 02:30")
	a := c.put(t, "/v1/resources/"+bar.String()+"/hours", hours)
	require.Equal(t, hours["weekly"], a.field(t, "hours").(object)["weekly"])
	require.Equal(t, []string{"22:00", "23:00"}, c.on(t, slots, friday).clocks())
	require.Equal(t, []string{"00:00", "01:00"}, c.on(t, slots, saturday).clocks())
	c.refused(t, unprocessable, problem.OutsideOpeningHours, slots, at(saturday, 2, 0)) // would end after 02:30
	c.refused(t, unprocessable, problem.ValidationFailed, slots, at(saturday, 0, 30))

	// Every answer has the civil date of the start, and so has max_per_day.
	made := c.book(t, slots, at(saturday, 0, 0))
	require.Equal(t, saturday.String(), made.text(t, "date"))
	require.Len(t, c.list(t, "/v1/bookings?from="+saturday.String()+"&to="+saturday.String()).Data, 1)
	c.book(t, slots, at(saturday, 1, 0))
	require.False(t, c.on(t, slots, saturday).Available)
	require.Equal(t, 2, c.on(t, slots, friday).Remaining)
	c.book(t, slots, at(friday, 23, 0))

	// A date service is open on the date on which hours begin.
	c.setHours(t, c.resourceOf(t, dates), hours)
	require.True(t, c.on(t, dates, friday).Available)
	require.False(t, c.on(t, dates, saturday).Available)
	c.refused(t, unprocessable, problem.OutsideOpeningHours, dates, saturday)

	// A closure of Friday closes its hours to their end, one of Saturday ends them at midnight.
	next, after := friday.AddDays(7), saturday.AddDays(7)
	closed := c.newClosure(t, &bar, next, next)
	require.Empty(t, c.on(t, slots, next).Slots)
	require.Empty(t, c.on(t, slots, after).Slots)
	c.refused(t, unprocessable, problem.OutsideOpeningHours, slots, at(after, 0, 0))
	c.post(t, "/v1/closures/"+closed.String()+"/archive", nil).ok(t)
	c.newClosure(t, &bar, after, after)
	require.Equal(t, []string{"22:00", "23:00"}, c.on(t, slots, next).clocks())
	require.Empty(t, c.on(t, slots, after).Slots)
	c.refused(t, unprocessable, problem.OutsideOpeningHours, slots, at(after, 0, 0))
	c.book(t, slots, at(next, 23, 0))
}

// resourceOf returns the one resource of a service.
func (c client) resourceOf(t testingT, service uuid.UUID) uuid.UUID {
	t.Helper()
	return uuid.MustParse(c.get(t, "/v1/services/"+service.String()).field(t, "resource_ids").([]any)[0].(string))
}

func TestClosure_ClosesItsDatesUnlessItIsArchived(t *testing.T) {
	t.Parallel()
	c := setup(t)
	boat, raft := c.newResource(t, 1), c.newResource(t, 1)
	both, onlyBoat := c.newService(t, "date", nil, boat, raft), c.newService(t, "slot", nil, boat)
	c.book(t, both, future(2), object{"resource_id": boat.String()}) // before the closure: it stays
	available := func(service uuid.UUID) string {
		text := ""
		for _, d := range c.availability(t, service, future(0), future(4), 1) {
			text += fmt.Sprint(d.Remaining, " ")
		}
		return text
	}
	require.Equal(t, "2 2 1 2 2 ", available(both))
	require.Equal(t, "24 24 0 24 24 ", available(onlyBoat))

	one := c.newClosure(t, &boat, future(1), future(2))
	require.Equal(t, "2 1 1 2 2 ", available(both), "the other is open")
	require.Equal(t, "24 0 0 24 24 ", available(onlyBoat))
	c.refused(t, unprocessable, problem.OutsideOpeningHours, both, future(1), object{"resource_id": boat.String()})
	c.refused(t, unprocessable, problem.OutsideOpeningHours, onlyBoat, at(future(1), 0, 0))
	require.Equal(t, raft.String(), c.book(t, both, future(1)).text(t, "resource_id"), "the one that is open")

	all := c.newClosure(t, nil, future(1), future(3))
	require.Equal(t, "2 0 0 0 2 ", available(both))
	c.refused(t, unprocessable, problem.OutsideOpeningHours, both, future(3))

	c.post(t, "/v1/closures/"+one.String()+"/archive", nil).ok(t)
	require.Equal(t, "2 0 0 0 2 ", available(both), "the other closure still holds")
	c.post(t, "/v1/closures/"+all.String()+"/archive", nil).ok(t)
	require.Equal(t, "2 1 1 2 2 ", available(both))
	require.Equal(t, "24 24 0 24 24 ", available(onlyBoat))
	c.book(t, onlyBoat, at(future(1), 0, 0))
	require.Equal(t, []string{"confirmed", "confirmed", "confirmed"}, c.statuses(t))
}

func TestClosure_KeepsSlotsFromReachingIntoIt(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newService(t, "slot", object{"duration_minutes": 120, "slot_interval_minutes": 60}, resource)
	c.newClosure(t, nil, future(1), future(1))
	before, after := c.on(t, service, future(0)), c.on(t, service, future(2))
	require.Equal(t, "22:00", before.clocks()[len(before.Slots)-1])
	require.Equal(t, "00:00", after.clocks()[0])
	c.refused(t, unprocessable, problem.OutsideOpeningHours, service, at(future(0), 23, 0))
	c.book(t, service, at(future(0), 22, 0))
	c.book(t, service, at(future(2), 0, 0))
}

func TestBuffers_AreKeptFreeAroundABooking(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newService(t, "slot", object{
		"duration_minutes": 60, "slot_interval_minutes": 15, "buffer_before_minutes": 15, "buffer_after_minutes": 30,
	}, resource)
	plain := c.newService(t, "slot", object{"duration_minutes": 15}, resource)
	require.Len(t, c.on(t, service, future(0)).Slots, 24*4, "buffers need no opening hours")
	made := c.book(t, service, at(future(0), 10, 0))
	require.Equal(t, rfc3339(at(future(0), 11, 0)), made.text(t, "ends_at"), "buffers are no part of a booking")
	free := func(service uuid.UUID) []string {
		var list []string
		for _, s := range c.on(t, service, future(0)).Slots {
			if s.StartsAt.Hour() >= 8 && s.StartsAt.Hour() < 12 && len(s.ResourceIDs) > 0 {
				list = append(list, s.StartsAt.Format("15:04"))
			}
		}
		return list
	}
	// The booking takes 09:45 to 11:30. Before it there must be room for an hour and thirty minutes, after it for
	// fifteen minutes.
	require.Equal(t, []string{"08:00", "08:15", "11:45"}, free(service))
	require.Equal(t, []string{"08:00", "08:15", "08:30", "08:45", "09:00", "09:15", "09:30", "11:30", "11:45"}, free(plain))
	c.refused(t, conflict, problem.SlotUnavailable, service, at(future(0), 8, 30))
	c.refused(t, conflict, problem.SlotUnavailable, service, at(future(0), 11, 30))
	c.refused(t, conflict, problem.SlotUnavailable, plain, at(future(0), 9, 45))
	c.refused(t, conflict, problem.SlotUnavailable, plain, at(future(0), 11, 15))
	c.book(t, service, at(future(0), 8, 15))
	c.book(t, service, at(future(0), 11, 45))
	c.book(t, plain, at(future(0), 11, 30).AddDate(0, 0, 1))

	// Over midnight: the buffer takes time of the date before.
	midnight := c.newService(t, "slot", object{"duration_minutes": 60, "buffer_before_minutes": 60}, resource)
	c.book(t, midnight, at(future(3), 0, 0))
	c.refused(t, conflict, problem.SlotUnavailable, plain, at(future(2), 23, 45))
	c.book(t, plain, at(future(2), 22, 45))
}

func TestService_LongerThanAllBefore_IsSeenByTheOthersOfItsResource(t *testing.T) {
	t.Parallel()
	c := setup(t)
	boat, raft := c.newResource(t, 1), c.newResource(t, 1)
	short := c.newService(t, "slot", nil, boat, raft)
	require.Equal(t, 2, c.on(t, short, future(4)).Slots[10].Remaining) // its rules are known from here on
	week := c.newService(t, "slot", object{"duration_minutes": 7 * 24 * 60, "slot_interval_minutes": 60}, boat)
	c.book(t, week, at(future(0), 0, 0))
	require.Equal(t, 1, c.on(t, short, future(6)).Slots[20].Remaining)
	require.Equal(t, raft.String(), c.book(t, short, at(future(6), 20, 0)).text(t, "resource_id"))
	c.refused(t, conflict, problem.SlotUnavailable, short, at(future(6), 20, 0))
	c.refused(t, conflict, problem.SlotUnavailable, week, at(future(6), 23, 0))
	require.Equal(t, boat.String(), c.book(t, short, at(future(7), 0, 0)).text(t, "resource_id"))
}

func TestLeadTime_KeepsTheNearFutureFromBeingBooked(t *testing.T) {
	t.Parallel()
	s, clock := newServerWithClock(t)
	c, today, now := s.newTenant(t, "Europe/Berlin"), future(0), at(future(0), 15, 37)
	clock.set(t, now)
	resource := c.newResource(t, 10)
	slots := c.newService(t, "slot", object{"duration_minutes": 5, "slot_interval_minutes": 1, "min_lead_minutes": 120}, resource)
	c.refused(t, unprocessable, problem.OutsideBookingWindow, slots, now.Add(119*time.Minute))
	c.refused(t, unprocessable, problem.OutsideBookingWindow, slots, now.Add(-time.Minute))
	c.book(t, slots, now.Add(120*time.Minute))
	require.Equal(t, "17:37", c.on(t, slots, today).clocks()[0])

	dates := c.newService(t, "date", object{"min_lead_minutes": 3 * 24 * 60}, resource)
	c.refused(t, unprocessable, problem.OutsideBookingWindow, dates, today.AddDays(3)) // it begins in two days and some hours
	c.book(t, dates, today.AddDays(4))
	days := c.availability(t, dates, today, today.AddDays(4), 1)
	require.Equal(t, []bool{false, false, false, false, true}, []bool{
		days[0].Available, days[1].Available, days[2].Available, days[3].Available, days[4].Available,
	})
}

func TestBookingWindow_KeepsTheFarFutureFromBeingBooked(t *testing.T) {
	t.Parallel()
	s, clock := newServerWithClock(t)
	c, today := s.newTenant(t, "Europe/Berlin"), future(0)
	clock.set(t, at(today, 12, 0))
	resource := c.newResource(t, 10)
	for days, service := range map[int]uuid.UUID{
		0:  c.newService(t, "date", object{"booking_window_days": 0}, resource),
		10: c.newService(t, "date", object{"booking_window_days": 10}, resource),
	} {
		last := today.AddDays(days)
		c.book(t, service, last)
		c.refused(t, unprocessable, problem.OutsideBookingWindow, service, last.AddDays(1))
		list := c.availability(t, service, last, last.AddDays(1), 1)
		require.Equal(t, []bool{true, false}, []bool{list[0].Available, list[1].Available})
		require.Zero(t, list[1].Remaining)
	}
	slots := c.newService(t, "slot", object{"booking_window_days": 10}, resource)
	last := today.AddDays(10)
	c.book(t, slots, at(last, 23, 0))
	c.refused(t, unprocessable, problem.OutsideBookingWindow, slots, at(last.AddDays(1), 0, 0))
	require.Empty(t, c.on(t, slots, last.AddDays(1)).Slots)
}

func TestMaxPerDay_CountsAServicesBookingsOfADate(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 10)
	service := c.newService(t, "slot", object{"max_per_day": 2}, resource)
	other := c.newService(t, "slot", object{"max_per_day": 2}, resource)
	c.book(t, service, at(future(0), 10, 0))
	hold := c.book(t, service, at(future(0), 11, 0), object{"hold_minutes": 30}).id(t)
	c.refused(t, conflict, problem.SlotUnavailable, service, at(future(0), 12, 0))
	d := c.on(t, service, future(0))
	require.False(t, d.Available)
	require.Zero(t, d.Remaining)
	require.Len(t, d.Slots, 24)
	require.True(t, c.on(t, service, future(1)).Available)
	c.book(t, other, at(future(0), 10, 0))
	c.book(t, service, at(future(1), 10, 0))
	require.Equal(t, http.StatusOK, c.post(t, "/v1/bookings/"+hold.String()+"/cancel", nil).status)
	require.True(t, c.on(t, service, future(0)).Available)
	c.book(t, service, at(future(0), 12, 0))
	c.refused(t, conflict, problem.SlotUnavailable, service, at(future(0), 13, 0))
}

func TestParty_TakesTheFirstListedResourceThatFits(t *testing.T) {
	t.Parallel()
	c := setup(t)
	small, big, other := c.newResource(t, 2), c.newResource(t, 4), c.newResource(t, 4)
	service := c.newService(t, "slot", nil, other, small, big) // the order of the service, not of their making
	start := at(future(0), 10, 0)
	names := map[string]string{small.String(): "small", big.String(): "big", other.String(): "other"}
	for i, step := range []struct {
		party int
		takes string
	}{{3, "other"}, {3, "big"}, {2, "small"}, {1, "other"}, {1, "big"}} {
		s := c.availability(t, service, future(0), future(0), step.party)[0].Slots[10]
		require.Equal(t, step.takes, names[s.ResourceIDs[0].String()], "availability, step %d", i)
		made := c.book(t, service, start, object{"party_size": step.party})
		require.Equal(t, step.takes, names[made.text(t, "resource_id")], "step %d", i)
	}
	s := c.on(t, service, future(0)).Slots[10]
	require.Zero(t, s.Remaining)
	require.Empty(t, s.ResourceIDs)
	c.refused(t, conflict, problem.SlotUnavailable, service, start)
	d := c.refused(t, unprocessable, problem.ValidationFailed, service, start, object{"party_size": 5})
	require.Equal(t, "too_large", d.field("party_size"))
	require.Empty(t, c.availability(t, service, future(0), future(0), 5)[0].Slots[11].ResourceIDs)
	require.False(t, c.availability(t, service, future(0), future(0), 5)[0].Available)

	// A named resource is the only one that is asked.
	later := at(future(0), 12, 0)
	c.refused(t, conflict, problem.SlotUnavailable, service, later, object{"resource_id": small.String(), "party_size": 3})
	require.Equal(t, small.String(), c.book(t, service, later, object{"resource_id": small.String()}).text(t, "resource_id"))
	c.refused(t, http.StatusNotFound, problem.NotFound, service, later, object{"resource_id": c.newResource(t, 9).String()})
}

func TestCapacity_IsSoldToTheLastUnitAndNotBeyond(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 5)
	for kind, when := range map[string]any{"slot": at(future(0), 10, 0), "date": future(1)} {
		service := c.newService(t, kind, nil, resource)
		remaining := func() int {
			if kind == "date" {
				return c.on(t, service, future(1)).Remaining
			}
			return c.on(t, service, future(0)).Slots[10].Remaining
		}
		var ids []string
		left := 5
		for _, party := range []int{2, 1, 2} {
			require.Equal(t, left, remaining())
			ids = append(ids, c.book(t, service, when, object{"party_size": party}).id(t).String())
			left -= party
		}
		require.Zero(t, remaining())
		c.refused(t, conflict, problem.SlotUnavailable, service, when)
		// What is freed in the middle can be sold to others, also in parts.
		require.Equal(t, http.StatusOK, c.post(t, "/v1/bookings/"+ids[1]+"/cancel", nil).status)
		require.Equal(t, http.StatusOK, c.post(t, "/v1/bookings/"+ids[0]+"/cancel", nil).status)
		c.refused(t, conflict, problem.SlotUnavailable, service, when, object{"party_size": 4})
		c.book(t, service, when, object{"party_size": 3})
		require.Zero(t, remaining())
	}
}

func TestClocksPutForward_SlotsInTheGapDoNotExist(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newService(t, "slot", object{"slot_interval_minutes": 30}, resource)
	d := nextChange(t, location(t, "Europe/Berlin"), true)
	day := c.on(t, service, d)
	require.Len(t, day.Slots, 46)
	require.Equal(t, []string{"01:00+01:00", "01:30+01:00", "03:00+02:00", "03:30+02:00"}, day.starts()[2:6])
	require.Equal(t, "03:30+02:00", day.Slots[3].EndsAt.Format("15:04Z07:00"), "an hour is an hour")
	for _, offset := range []string{"+01:00", "+02:00"} {
		for _, clock := range []string{"02:00", "02:30", "02:59"} {
			refused := c.refused(t, unprocessable, problem.ValidationFailed, service, d.String()+"T"+clock+":00"+offset)
			require.Equal(t, "nonexistent_time", refused.field("starts_at"))
		}
	}
	made := c.book(t, service, d.String()+"T01:30:00+01:00")
	require.Equal(t, d.String()+"T03:30:00+02:00", made.text(t, "ends_at"))
	c.refused(t, conflict, problem.SlotUnavailable, service, d.String()+"T03:00:00+02:00")
	c.book(t, service, d.String()+"T01:30:00Z") // 03:30 in Berlin

	// Hours that open in the gap open when it ends.
	c.setHours(t, resource, object{"always_open": true,
		"overrides": []any{object{"date": d.String(), "opens": "02:30", "closes": "05:00"}}})
	require.Equal(t, []string{"03:00", "03:30", "04:00"}, c.on(t, service, d).clocks())
}

func TestClocksPutBack_SlotsInTheOverlapExistTwice(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newService(t, "slot", object{"duration_minutes": 30}, resource)
	d := nextChange(t, location(t, "Europe/Berlin"), false)
	day := c.on(t, service, d)
	require.Len(t, day.Slots, 50)
	require.Equal(t, []string{"01:30+02:00", "02:00+02:00", "02:30+02:00", "02:00+01:00", "02:30+01:00", "03:00+01:00"}, day.starts()[3:9])
	first := c.book(t, service, d.String()+"T02:30:00+02:00")
	require.Equal(t, d.String()+"T02:30:00+02:00", first.text(t, "starts_at"))
	require.Equal(t, d.String()+"T02:00:00+01:00", first.text(t, "ends_at"))
	second := c.book(t, service, d.String()+"T02:30:00+01:00")
	require.Equal(t, d.String()+"T02:30:00+01:00", second.text(t, "starts_at"))
	require.Equal(t, []string{d.String(), d.String()}, []string{first.text(t, "date"), second.text(t, "date")})
	for _, taken := range []string{"T02:30:00+02:00", "T00:30:00Z", "T02:30:00+01:00", "T01:30:00Z"} {
		c.refused(t, conflict, problem.SlotUnavailable, service, d.String()+taken)
	}
	left := c.on(t, service, d)
	require.Equal(t, 48, left.Remaining)
	require.Equal(t, []int{0, 1, 0}, []int{left.Slots[5].Remaining, left.Slots[6].Remaining, left.Slots[7].Remaining})
}

func TestDateService_ClockChangeAtMidnight_SellsTheWholeDateOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, test := range []struct {
		zone    string
		forward bool
		hours   float64
	}{{"America/Santiago", true, 23}, {"America/Santiago", false, 25}, {"Africa/Cairo", true, 23}, {"Africa/Cairo", false, 25}} {
		t.Run(fmt.Sprint(test.zone, " ", test.hours), func(t *testing.T) {
			c := s.newTenant(t, test.zone)
			loc := location(t, test.zone)
			d := nextChange(t, loc, test.forward)
			resource := c.newResource(t, 1)
			dates := c.newService(t, "date", nil, resource)
			slots := c.newService(t, "slot", nil, c.newResource(t, 1))
			var ends string
			for i := -1; i <= 1; i++ {
				require.True(t, c.on(t, dates, d.AddDays(i)).Available)
				made := c.book(t, dates, d.AddDays(i))
				require.Equal(t, d.AddDays(i).String(), made.text(t, "date"))
				starts, err := time.Parse(time.RFC3339, made.text(t, "starts_at"))
				require.NoError(t, err)
				if ends != "" {
					require.Equal(t, ends, made.text(t, "starts_at"), "no moment is sold twice or not at all")
				}
				ends = made.text(t, "ends_at")
				until, err := time.Parse(time.RFC3339, ends)
				require.NoError(t, err)
				if i == 0 {
					require.InDelta(t, test.hours, until.Sub(starts).Hours(), 0)
					midnight := map[bool]int{true: 1, false: 0}[test.forward]
					require.Equal(t, midnight, starts.Hour(), "the first hour that the date has")
				}
				c.refused(t, conflict, problem.SlotUnavailable, dates, d.AddDays(i))
				require.False(t, c.on(t, dates, d.AddDays(i)).Available)
			}
			clocks := c.on(t, slots, d).clocks()
			if test.forward {
				require.Equal(t, []string{"01:00", "02:00"}, clocks[:2])
			} else {
				require.Equal(t, []string{"22:00", "23:00", "23:00"}, clocks[len(clocks)-3:])
			}
			require.Len(t, slices.Compact(clocks), map[bool]int{true: 23, false: 24}[test.forward])
		})
	}
}

func TestHours_Seasons_AreListedAndAccepted(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newService(t, "slot", nil, resource)
	monday := func(opens, closes string) []any {
		return []any{object{"weekday": "monday", "opens": opens, "closes": closes}}
	}
	each := future(0).String()[len("2027-"):] // the month and day of a Monday
	c.setHours(t, resource, object{"weekly": monday("09:00", "11:00"), "seasons": []any{
		object{"from": each, "to": each, "weekly": monday("14:00", "16:00")},
		object{"from": future(0).String(), "to": future(7).String(), "weekly": monday("20:00", "21:00")},
	}})
	require.Equal(t, []string{"14:00", "15:00"}, c.on(t, service, future(0)).clocks(), "the first season that has the date")
	require.Equal(t, []string{"20:00"}, c.on(t, service, future(7)).clocks())
	require.Equal(t, []string{"09:00", "10:00"}, c.on(t, service, future(14)).clocks())
	c.refused(t, unprocessable, problem.OutsideOpeningHours, service, at(future(0), 9, 0))
	c.book(t, service, at(future(0), 14, 0))
	c.refused(t, unprocessable, problem.OutsideOpeningHours, service, at(future(7), 14, 0))
	c.book(t, service, at(future(7), 20, 0))
}
