package httpapi_test

import (
	"net/http"
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

func TestLeadTime_KeepsTheNearFutureFromBeingBooked(t *testing.T) {
	t.Parallel()
	s, clock := newServerWithClock(t)
	c, today, now := s.newTenant(t, "Europe/Berlin"), future(0), at(future(0), 15, 37)
	clock.set(t, now)
	resource := c.newResource(t, 10)
	slots := c.newService(t, "slot", object{"duration_minutes": 5, "slot_interval_minutes": 1, "min_lead_minutes": 120},
		resource)
	c.refused(t, unprocessable, problem.OutsideBookingWindow, slots, now.Add(119*time.Minute))
	c.refused(t, unprocessable, problem.OutsideBookingWindow, slots, now.Add(-time.Minute))
	c.book(t, slots, now.Add(120*time.Minute))
	require.Equal(t, "17:37", c.on(t, slots, today).clocks()[0])

	dates := c.newService(t, "date", object{"min_lead_minutes": 3 * 24 * 60}, resource)
	// it begins in two days and some hours
	c.refused(t, unprocessable, problem.OutsideBookingWindow, dates, today.AddDays(3))
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

func TestClocksPutBack_SlotsInTheOverlapExistTwice(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newService(t, "slot", object{"duration_minutes": 30}, resource)
	d := nextChange(t, location(t, "Europe/Berlin"), false)
	day := c.on(t, service, d)
	require.Len(t, day.Slots, 50)
	require.Equal(t, []string{"01:30+02:00", "02:00+02:00", "02:30+02:00", "02:00+01:00", "02:30+01:00", "03:00+01:00"},
		day.starts()[3:9])
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
