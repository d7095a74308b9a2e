package catalog_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

func TestHours_Weekly_DecideWhenSlotsStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1)
	slots, dates := b.newService(t, "slot", nil, resource), b.newService(t, "date", nil, resource)
	require.Len(t, b.on(t, slots, future(0)).Slots, 24, "without hours it is always open")
	b.setHours(t, resource,
		weekly("monday 13:00 15:00", "monday 09:00 12:30", "wednesday 22:00 24:00", "thursday 00:00 01:30"))

	days := b.availability(t, slots, future(0), future(6), 1)
	require.Equal(t, []string{"09:00", "10:00", "11:00", "13:00", "14:00"}, days[0].clocks())
	require.Empty(t, days[1].Slots)
	require.False(t, days[1].Available)
	require.Equal(t, []string{"22:00", "23:00"}, days[2].clocks())
	require.Equal(t, []string{"00:00"}, days[3].clocks())
	for i, d := range b.availability(t, dates, future(0), future(6), 1) {
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
		b.refused(t, refused.code, slots, refused.at)
	}
	b.refused(t, problem.OutsideOpeningHours, dates, future(1))
	b.book(t, slots, at(future(0), 9, 0))
	b.book(t, slots, at(future(2), 23, 0))
	b.book(t, slots, at(future(3), 0, 0))
	b.book(t, slots, at(future(0), 11, 0).UTC()) // any offset names a moment
	require.Zero(t, b.on(t, slots, future(0)).Slots[2].Remaining)

	// Hours that touch at midnight are one period; new hours hold at once and bookings made before stay.
	night := b.newService(t, "slot", object{"duration_minutes": 120, "slot_interval_minutes": 30}, resource)
	b.setHours(t, resource, weekly("saturday 22:00 24:00", "sunday 00:00 01:00"))
	require.Equal(t, []string{"22:00", "22:30", "23:00"}, b.on(t, night, future(5)).clocks())
	require.Empty(t, b.on(t, night, future(6)).Slots)
	b.refused(t, problem.OutsideOpeningHours, slots, at(future(0), 10, 0))
	require.Equal(t, 4, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'confirmed'"))
}

func TestHours_EmptyWeekly_IsClosed_AlwaysOpenIsSaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1)
	slots, dates := b.newService(t, "slot", nil, resource), b.newService(t, "date", nil, resource)
	b.setHours(t, resource, object{"weekly": []any{}})
	require.Empty(t, b.on(t, slots, future(0)).Slots)
	require.False(t, b.on(t, dates, future(0)).Available)
	b.refused(t, problem.OutsideOpeningHours, slots, at(future(0), 10, 0))
	b.refused(t, problem.OutsideOpeningHours, dates, future(0))

	b.setHours(t, resource, object{"weekly": []any{},
		"overrides": []any{object{"date": future(1).String(), "opens": "10:00", "closes": "12:00"}}})
	require.Equal(t, []string{"10:00", "11:00"}, b.on(t, slots, future(1)).clocks(), "closed but for the override")
	require.Empty(t, b.on(t, slots, future(2)).Slots)

	b.setHours(t, resource, object{"always_open": true})
	b.book(t, slots, at(future(0), 10, 0))
}

func TestHours_OverMidnight_BelongToTheDateOnWhichTheyBegin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bar := b.newResource(t, 1)
	slots := b.newService(t, "slot", object{"max_per_day": 2}, bar)
	park := b.newResource(t, 1)
	dates := b.newService(t, "date", nil, park)
	friday, saturday := future(4), future(5) // future(0) is a Monday
	hours := weekly("friday 22:00 02:30")
	require.Equal(t, []timetable.WeeklyBody{{Weekday: "friday", Opens: "22:00", Closes: "02:30"}},
		b.setHours(t, bar, hours).Weekly)
	require.Equal(t, []string{"22:00", "23:00"}, b.on(t, slots, friday).clocks())
	require.Equal(t, []string{"00:00", "01:00"}, b.on(t, slots, saturday).clocks())
	b.refused(t, problem.OutsideOpeningHours, slots, at(saturday, 2, 0)) // would end after 02:30
	b.refused(t, problem.ValidationFailed, slots, at(saturday, 0, 30))

	// Every answer has the civil date of the start, and so has max_per_day.
	made := b.book(t, slots, at(saturday, 0, 0))
	require.Equal(t, saturday.String(), made.Date)
	b.book(t, slots, at(saturday, 1, 0))
	require.False(t, b.on(t, slots, saturday).Available)
	require.Equal(t, 2, b.on(t, slots, friday).Remaining)
	b.book(t, slots, at(friday, 23, 0))

	// A date service is open on the date on which hours begin.
	b.setHours(t, park, hours)
	require.True(t, b.on(t, dates, friday).Available)
	require.False(t, b.on(t, dates, saturday).Available)
	b.refused(t, problem.OutsideOpeningHours, dates, saturday)

	// A closure of Friday closes its hours to their end, one of Saturday ends them at midnight.
	next, after := friday.AddDays(7), saturday.AddDays(7)
	closed := b.newClosure(t, &bar, next, next)
	require.Empty(t, b.on(t, slots, next).Slots)
	require.Empty(t, b.on(t, slots, after).Slots)
	b.refused(t, problem.OutsideOpeningHours, slots, at(after, 0, 0))
	b.archived(t, "closure", closed)
	b.newClosure(t, &bar, after, after)
	require.Equal(t, []string{"22:00", "23:00"}, b.on(t, slots, next).clocks())
	require.Empty(t, b.on(t, slots, after).Slots)
	b.refused(t, problem.OutsideOpeningHours, slots, at(after, 0, 0))
	b.book(t, slots, at(next, 23, 0))
}

func TestClosure_ClosesItsDatesUnlessItIsArchived(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat, raft := b.newResource(t, 1), b.newResource(t, 1)
	both, onlyBoat := b.newService(t, "date", nil, boat, raft), b.newService(t, "slot", nil, boat)
	b.book(t, both, future(2), object{"resource_id": boat.String()}) // before the closure: it stays
	available := func(service uuid.UUID) string {
		text := ""
		for _, d := range b.availability(t, service, future(0), future(4), 1) {
			text += fmt.Sprint(d.Remaining, " ")
		}
		return text
	}
	require.Equal(t, "2 2 1 2 2 ", available(both))
	require.Equal(t, "24 24 0 24 24 ", available(onlyBoat))

	one := b.newClosure(t, &boat, future(1), future(2))
	require.Equal(t, "2 1 1 2 2 ", available(both), "the other is open")
	require.Equal(t, "24 0 0 24 24 ", available(onlyBoat))
	b.refused(t, problem.OutsideOpeningHours, both, future(1), object{"resource_id": boat.String()})
	b.refused(t, problem.OutsideOpeningHours, onlyBoat, at(future(1), 0, 0))
	require.Equal(t, raft, b.book(t, both, future(1)).ResourceID, "the one that is open")

	all := b.newClosure(t, nil, future(1), future(3))
	require.Equal(t, "2 0 0 0 2 ", available(both))
	b.refused(t, problem.OutsideOpeningHours, both, future(3))

	b.archived(t, "closure", one)
	require.Equal(t, "2 0 0 0 2 ", available(both), "the other closure still holds")
	b.archived(t, "closure", all)
	require.Equal(t, "2 1 1 2 2 ", available(both))
	require.Equal(t, "24 24 0 24 24 ", available(onlyBoat))
	b.book(t, onlyBoat, at(future(1), 0, 0))
	require.Equal(t, 3, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'confirmed'"))
}

func TestClosure_KeepsSlotsFromReachingIntoIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1)
	service := b.newService(t, "slot", object{"duration_minutes": 120, "slot_interval_minutes": 60}, resource)
	b.newClosure(t, nil, future(1), future(1))
	before, after := b.on(t, service, future(0)), b.on(t, service, future(2))
	require.Equal(t, "22:00", before.clocks()[len(before.Slots)-1])
	require.Equal(t, "00:00", after.clocks()[0])
	b.refused(t, problem.OutsideOpeningHours, service, at(future(0), 23, 0))
	b.book(t, service, at(future(0), 22, 0))
	b.book(t, service, at(future(2), 0, 0))
}

func TestTenantHours_ResourcesWithoutHoursOfTheirOwn_FollowThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	follows, own, always := b.newResource(t, 1), b.newResource(t, 1), b.newResource(t, 1)
	b.setHours(t, own, weekly("monday 20:00 22:00"))
	b.setHours(t, always, object{"always_open": true})
	slots, dates := b.newService(t, "slot", nil, follows), b.newService(t, "date", nil, follows)
	ofOwn, ofAlways := b.newService(t, "slot", nil, own), b.newService(t, "slot", nil, always)
	require.Len(t, b.on(t, slots, future(0)).Slots, 24, "a tenant without hours is always open")

	hours := weekly("monday 09:00 12:00", "tuesday 09:00 12:00")
	july := object{"from": future(14).String()[5:], "to": future(20).String()[5:]} // each year
	july["weekly"] = weekly("monday 06:00 08:00")["weekly"]
	hours["seasons"] = []any{july}
	hours["overrides"] = []any{object{"date": future(7).String(), "opens": "15:00", "closes": "16:00"}}
	b.setTenantHours(t, hours)
	require.Equal(t, []string{"09:00", "10:00", "11:00"}, b.on(t, slots, future(0)).clocks())
	require.Equal(t, []string{"15:00"}, b.on(t, slots, future(7)).clocks(), "an override of the tenant")
	require.Equal(t, []string{"06:00", "07:00"}, b.on(t, slots, future(14)).clocks(), "a season of the tenant")
	require.Empty(t, b.on(t, slots, future(15)).Slots, "the season has no Tuesday")
	require.Equal(t, "no_hours", string(b.on(t, slots, future(15)).Reason))
	require.Equal(t, "no_hours", string(b.on(t, dates, future(2)).Reason))
	require.Empty(t, string(b.on(t, dates, future(1)).Reason))
	b.refused(t, problem.OutsideOpeningHours, slots, at(future(0), 12, 0))
	b.refused(t, problem.OutsideOpeningHours, slots, at(future(15), 9, 0))
	b.refused(t, problem.OutsideOpeningHours, dates, future(2))
	b.book(t, slots, at(future(7), 15, 0))
	b.book(t, slots, at(future(14), 7, 0))
	b.book(t, dates, future(1))
	require.Equal(t, []string{"20:00", "21:00"}, b.on(t, ofOwn, future(0)).clocks())
	require.Len(t, b.on(t, ofAlways, future(2)).Slots, 24)
	b.book(t, ofAlways, at(future(2), 3, 0))

	// A closure closes what the tenant's hours open, and says so.
	b.newClosure(t, nil, future(21), future(22))
	require.Equal(t, "closed", string(b.on(t, slots, future(21)).Reason))
	b.newClosure(t, nil, future(23), future(23))
	require.Equal(t, "no_hours", string(b.on(t, slots, future(23)).Reason),
		"a Wednesday has no hours that it could close")

	// Overrides of the resource come before all that the tenant has.
	b.setHours(t, follows, object{"inherited": true, "overrides": []any{
		object{"date": future(7).String(), "closed": true},
		object{"date": future(15).String(), "opens": "10:00", "closes": "11:00"},
	}})
	require.Equal(t, "no_hours", string(b.on(t, slots, future(7)).Reason))
	require.Equal(t, []string{"10:00"}, b.on(t, slots, future(15)).clocks())
	require.Equal(t, []string{"09:00", "10:00", "11:00"}, b.on(t, slots, future(0)).clocks())

	// Each of the three choices can be left for another one, and what is shown can be sent.
	for _, given := range []object{
		{"weekly": []any{}}, {"always_open": true}, {"inherited": true}, {"inherited": true, "overrides": []any{
			object{"date": future(7).String(), "closed": true}}}, weekly("monday 09:00 10:00"), {"inherited": true},
	} {
		set := b.setHours(t, follows, given)
		text, err := json.Marshal(set)
		require.NoError(t, err)
		var shown object
		require.NoError(t, json.Unmarshal(text, &shown))
		for name, value := range given {
			require.Equal(t, value, shown[name])
		}
		require.Equal(t, set, b.setHours(t, follows, shown))
	}
	require.Len(t, b.on(t, slots, future(1)).Slots, 3)
	b.setTenantHours(t, object{"always_open": true})
	require.Len(t, b.on(t, slots, future(2)).Slots, 24)
}

// TestTenantHours_RowsOf010_AreOpenUntilTheTenantGetsHours: 0.1.0 stored always open as it stored that hours were never
// given.
func TestTenantHours_RowsOf010_AreOpenUntilTheTenantGetsHours(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1)
	service := b.newService(t, "slot", nil, resource)
	_, err := b.sql.Exec(t.Context(),
		`UPDATE resources SET hours = '{"overrides":[{"date":"`+future(1).String()+`","closed":true}]}'`)
	require.NoError(t, err)
	hours := func() timetable.ResourceHoursBody {
		got, err := b.catalog.Resource(t.Context(), b.tenant, resource)
		require.NoError(t, err)
		return got.Body().Hours
	}
	inherited := hours()
	require.True(t, inherited.Inherited)
	require.Equal(t, []timetable.OverrideBody{{Date: future(1).String(), Closed: true}}, inherited.Overrides)
	require.Len(t, b.on(t, service, future(0)).Slots, 24)
	require.Empty(t, b.on(t, service, future(1)).Slots)
	b.setTenantHours(t, object{"weekly": []any{}})
	require.Empty(t, b.on(t, service, future(0)).Slots)
	_, err = b.changeResource(t, resource, object{"name": "Raft"})
	require.NoError(t, err)
	require.Equal(t, inherited, hours(), "a change of the name leaves the hours")
}

func TestTenantConflicts_ListTheBookingsOfAllResourcesThatNoLongerFit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	follows, always := b.newResource(t, 3), b.newResource(t, 3)
	b.setHours(t, always, object{"always_open": true})
	slots, dates := b.newService(t, "slot", nil, follows), b.newService(t, "date", nil, follows)
	other := b.newService(t, "slot", nil, always)
	early := b.book(t, slots, at(future(0), 7, 0)).ID
	b.book(t, slots, at(future(0), 10, 0))
	b.book(t, other, at(future(0), 7, 0))
	tuesday := b.book(t, dates, future(8)).ID
	require.Empty(t, b.conflicts(t, booking.ConflictQuery{}, 50))
	b.setTenantHours(t, weekly("monday 09:00 18:00"))
	both := map[uuid.UUID][]booking.Conflict{early: {"outside_hours"}, tuesday: {"outside_hours"}}
	require.Equal(t, both, b.conflicts(t, ofResource(follows), 50))
	require.Empty(t, b.conflicts(t, ofResource(always), 50))
	closed := b.book(t, other, at(future(9), 7, 0)).ID
	b.newClosure(t, &always, future(9), future(9))
	both[closed] = []booking.Conflict{"closed"}
	require.Equal(t, both, b.conflicts(t, booking.ConflictQuery{}, 50))
	require.Equal(t, both, b.conflicts(t, booking.ConflictQuery{}, 1))
}

func TestClosure_WithHours_ClosesOnlyThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 3)
	b.setHours(t, resource, object{"weekly": []any{object{"weekday": "monday", "opens": "09:00", "closes": "18:00"}}})
	slots, dates := b.newService(t, "slot", nil, resource), b.newService(t, "date", nil, resource)
	b.book(t, slots, at(future(0), 11, 0))
	noon := b.book(t, slots, at(future(0), 12, 0)).ID
	whole := b.book(t, dates, future(0)).ID
	lunch := b.newClosure(t, nil, future(0), future(0), object{"starts": "12:00", "ends": "14:30"})

	require.Equal(t, []string{"09:00", "10:00", "11:00", "15:00", "16:00", "17:00"}, b.on(t, slots, future(0)).clocks())
	for _, hour := range []int{12, 13, 14} {
		b.refused(t, problem.OutsideOpeningHours, slots, at(future(0), hour, 0))
	}
	require.Equal(t, map[uuid.UUID][]booking.Conflict{noon: {"closed"}}, b.conflicts(t, ofResource(resource), 50))
	require.NotContains(t, b.conflicts(t, ofService(dates), 50), whole)
	require.Len(t, b.on(t, slots, future(7)).Slots, 9)
	require.Equal(t, 1, b.on(t, dates, future(0)).Remaining, "a date can be booked while some of its hours are closed")

	changed, err := b.changeClosure(t, lunch, object{"ends": "24:00"})
	require.NoError(t, err)
	require.Equal(t, "24:00", changed.Body().Ends)
	require.Equal(t, []string{"09:00", "10:00", "11:00"}, b.on(t, slots, future(0)).clocks())
	_, err = b.changeClosure(t, lunch, object{"starts": nil})
	require.Equal(t, "required", requireCode(t, problem.ValidationFailed, err))
	_, err = b.changeClosure(t, lunch, object{"starts": nil, "ends": nil})
	require.NoError(t, err)
	require.Empty(t, b.on(t, slots, future(0)).Slots, "without hours it closes the date")
	require.Zero(t, b.on(t, dates, future(0)).Remaining)
	b.archived(t, "closure", lunch)
	require.Len(t, b.on(t, slots, future(0)).Slots, 9)
}

func TestClosure_Yearly_ClosesEachYearsDates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 3)
	service := b.newService(t, "date", object{"booking_window_days": 3650}, resource)
	booked := b.book(t, service, future(1)).ID
	from, to := future(0), future(1)
	from.Year, to.Year = from.Year-4, to.Year-4
	holidays := b.newClosure(t, nil, from, to, object{"yearly": true})
	for _, years := range []int{0, 1} {
		first, last := from, to
		first.Year, last.Year = first.Year+4+years, last.Year+4+years
		b.refused(t, problem.OutsideOpeningHours, service, first)
		b.refused(t, problem.OutsideOpeningHours, service, last)
		require.False(t, b.on(t, service, last).Available)
		require.True(t, b.on(t, service, last.AddDays(1)).Available)
	}
	require.Equal(t, map[uuid.UUID][]booking.Conflict{booked: {"closed"}}, b.conflicts(t, ofResource(resource), 50))
	_, err := b.changeClosure(t, holidays, object{"yearly": false})
	require.NoError(t, err)
	require.Empty(t, b.conflicts(t, ofResource(resource), 50))
	b.book(t, service, future(0))
}

// TestClosure_Yearly_LocksItsNextDates: a booking of these dates comes wholly before the closure or wholly after.
func TestClosure_Yearly_LocksItsNextDates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from := future(0)
	from.Year -= 20
	closure, err := catalog.ClosureSpec{From: from.String(), To: from.String(), Yearly: true}.Closure()
	require.NoError(t, err)
	r := request(t)
	b.requireWaits(t, future(0), func() error {
		_, err := b.catalog.CreateClosure(t.Context(), b.tenant, r, closure)
		return err
	})
}
