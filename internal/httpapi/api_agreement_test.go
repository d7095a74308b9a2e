package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/problem"
)

// catalogue is a random service with what serves it.
type catalogue struct {
	client
	loc       *time.Location
	date      civil.Date // around which it is tried
	kind      string
	service   uuid.UUID
	resources []uuid.UUID
	capacity  int // of the largest resource
}

var anyWeekday = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

func drawCatalogue(t *rapid.T, tenants map[string]client, zones []string) catalogue {
	zone := rapid.SampledFrom(zones).Draw(t, "zone")
	k := catalogue{client: tenants[zone], loc: location(t, zone),
		kind: rapid.SampledFrom([]string{"slot", "slot", "slot", "date", "stay"}).Draw(t, "kind")}
	switch rapid.IntRange(0, 3).Draw(t, "date") {
	case 0:
		k.date = nextChange(t, k.loc, true)
	case 1:
		k.date = nextChange(t, k.loc, false)
	default:
		k.date = future(rapid.IntRange(0, 13).Draw(t, "day"))
	}
	for range rapid.IntRange(1, 3).Draw(t, "resources") {
		capacity := rapid.IntRange(1, 3).Draw(t, "capacity")
		resource := k.newResource(t, capacity)
		k.capacity = max(k.capacity, capacity)
		k.resources = append(k.resources, resource)
		if rapid.IntRange(0, 4).Draw(t, "closed") == 0 {
			from := k.date.AddDays(rapid.IntRange(-2, 1).Draw(t, "from"))
			k.newClosure(t, &resource, from, from.AddDays(rapid.IntRange(0, 1).Draw(t, "length")))
		}
	}
	with := object{
		"buffer_before_minutes": rapid.SampledFrom([]int{0, 0, 20, 90}).Draw(t, "before"),
		"buffer_after_minutes":  rapid.SampledFrom([]int{0, 0, 20, 1440}).Draw(t, "after"),
	}
	if n := rapid.IntRange(0, 3).Draw(t, "max_per_day"); n > 0 {
		with["max_per_day"] = n
	}
	if k.kind == "slot" {
		with["duration_minutes"] = rapid.SampledFrom([]int{15, 50, 60, 180, 1500}).Draw(t, "duration")
		with["slot_interval_minutes"] = rapid.SampledFrom([]int{15, 35, 60, 120}).Draw(t, "interval")
	}
	if k.kind == "stay" {
		with["check_in"], with["check_out"] = "15:00",
			rapid.SampledFrom([]string{"02:30", "11:00", "15:00"}).Draw(t, "check-out")
		with["min_nights"], with["max_nights"] = rapid.IntRange(1, 2).Draw(t, "least"),
			rapid.IntRange(2, 5).Draw(t, "most")
		with["arrival_weekdays"] = anyWeekday[rapid.IntRange(0, 2).Draw(t, "first"):rapid.IntRange(4, 7).Draw(t,
			"last")]
	}
	k.service = k.newService(t, k.kind, with, k.resources...)
	for _, resource := range k.resources { // by now: a service that none of its hours fit can't be made
		k.drawHours(t, resource)
	}
	return k
}

// drawHours gives a resource hours, or leaves it open always.
func (k catalogue) drawHours(t *rapid.T, resource uuid.UUID) {
	clock := func(label string, low, high int) int { return 30 * rapid.IntRange(low, high).Draw(t, label) }
	text := func(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }
	hours := object{}
	if rapid.Bool().Draw(t, "weekly") {
		list := []any{}
		clockAfterMidnight := clock("opens at the earliest", 0, 8)
		for _, day := range anyWeekday {
			opens := clockAfterMidnight + clock("opens", 0, 12)
			closes := opens + clock("closes", 1, 16)
			list = append(list, object{"weekday": day, "opens": text(opens), "closes": text(closes)})
			switch late := rapid.IntRange(0, 2).Draw(t, "late"); {
			case closes == 1440 || late == 0:
			case late == 1:
				list = append(list, object{"weekday": day, "opens": text(closes), "closes": "24:00"})
			case clockAfterMidnight > 0: // over midnight, up to where all days open at the earliest
				list = append(list, object{"weekday": day, "opens": text(closes), "closes": text(clockAfterMidnight)})
			}
		}
		hours["weekly"] = list
	}
	switch rapid.IntRange(0, 3).Draw(t, "override") {
	case 0:
		hours["overrides"] = []any{object{"date": k.date.String(), "closed": true}}
	case 1:
		opens := clock("opens", 0, 10)
		hours["overrides"] = []any{object{"date": k.date.String(), "opens": text(opens),
			"closes": text((opens + clock("closes", 1, 47)) % 1440)}}
	}
	if len(hours) > 0 {
		if hours["weekly"] == nil {
			hours["always_open"] = true
		}
		k.setHours(t, resource, hours)
	}
}

// TestAvailability_AgreesWithBooking tries random times of random services: what availability lists can be
// booked, on the resource that it lists first, and nothing else can.
func TestAvailability_AgreesWithBooking(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	zones := []string{"Europe/Berlin", "America/New_York", "America/Santiago", "Africa/Cairo", "Australia/Lord_Howe"}
	tenants := make(map[string]client)
	for _, zone := range zones {
		tenants[zone] = s.newTenant(t, zone)
	}
	checkRandomly(t, func(t *rapid.T) {
		for range 5 { // a catalogue costs little beside the calendars of the other random tests
			k := drawCatalogue(t, tenants, zones)
			for range 6 {
				d := k.date.AddDays(rapid.SampledFrom([]int{0, 0, 0, -1, 1}).Draw(t, "offset"))
				k.tryDay(t, d, rapid.IntRange(1, k.capacity).Draw(t, "party"))
			}
		}
	})
}

// tryDay tries to book a date, or a time of it, and requires the outcome that availability told.
func (k catalogue) tryDay(t *rapid.T, d civil.Date, party int) {
	day := k.availability(t, k.service, d, d, party)[0]
	size := object{"party_size": party}
	if k.kind == "date" {
		a := k.post(t, "/v1/bookings", bookingOf(k.service, d, size))
		require.Equal(t, day.Available, a.status == http.StatusCreated, "%s: %+v", a.body, day)
		if day.Available {
			after := k.availability(t, k.service, d, d, 1)[0]
			require.Less(t, after.Remaining, day.Remaining)
		}
		return
	}
	if k.kind == "stay" {
		k.tryStay(t, d, party)
		return
	}
	require.Equal(t, day.Available, day.Remaining > 0)
	require.True(t, slices.IsSortedFunc(day.Slots, func(a, b slot) int { return a.StartsAt.Compare(b.StartsAt) }))
	at := time.Date(d.Year, d.Month, d.Day, 0, 5*rapid.IntRange(0, 25*12).Draw(t, "minute"), 0, 0, k.loc)
	if len(day.Slots) > 0 && rapid.IntRange(0, 2).Draw(t, "listed") > 0 {
		at = rapid.SampledFrom(day.Slots).Draw(t, "slot").StartsAt
	}
	if civil.DateOf(at.In(k.loc)) != d {
		return
	}
	i := slices.IndexFunc(day.Slots, func(s slot) bool { return s.StartsAt.Equal(at) })
	if rapid.Bool().Draw(t, "UTC") {
		at = at.UTC()
	}
	a := k.post(t, "/v1/bookings", bookingOf(k.service, at, size))
	switch {
	case i < 0:
		require.Equal(t, unprocessable, a.status, "%s isn't listed: %s", at, a.body)
	case len(day.Slots[i].ResourceIDs) == 0:
		requireProblem(t, a, conflict, problem.SlotUnavailable)
	default:
		require.Equal(t, http.StatusCreated, a.status, "%s is listed: %s", at, a.body)
		require.Equal(t, day.Slots[i].ResourceIDs[0].String(), a.text(t, "resource_id"))
		require.Equal(t, d.String(), a.text(t, "date"))
	}
}

// tryStay tries a stay that arrives on a date, of some nights or of as many as availability told.
func (k catalogue) tryStay(t *rapid.T, d civil.Date, party int) {
	nights := rapid.IntRange(1, 6).Draw(t, "nights")
	day := k.nights(t, k.service, d, d, nights, party)[0]
	available := day.Available
	if *day.MaxNights > 0 && rapid.Bool().Draw(t, "the most") {
		nights, available = *day.MaxNights, true
	}
	stay := object{"check_in": d.String(), "check_out": d.AddDays(nights).String(), "party_size": party}
	a := k.post(t, "/v1/bookings", bookingOf(k.service, nil, stay))
	require.Equal(t, available, a.status == http.StatusCreated, "%s: %d nights, %+v", a.body, nights, day)
	if available {
		a.requireFields(t, fmt.Sprintf(`{"date":%q,"check_out":%q,"nights":%d}`, d, d.AddDays(nights), nights))
	}
}

// TestAvailability_OfSeveralDurations_AgreesWithBooking tries random times of services that sell several durations.
func TestAvailability_OfSeveralDurations_AgreesWithBooking(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	zones := []string{"Europe/London", "America/New_York", "America/Nuuk", "Australia/Lord_Howe"}
	tenants := make(map[string]client)
	for _, zone := range zones {
		tenants[zone] = s.newTenant(t, zone)
	}
	listed, absent := 0, 0
	checkRandomly(t, func(t *rapid.T) {
		for range 4 {
			k := drawCatalogue(t, tenants, zones)
			with := object{"slot_interval_minutes": rapid.SampledFrom([]int{15, 60}).Draw(t, "interval"),
				"duration_minutes": 0}
			lengths := []object{{"duration_minutes": 30}, {"duration_minutes": 90}, {"duration_days": 1}}
			if rapid.Bool().Draw(t, "steps") {
				lengths = []object{{"duration_minutes": 30}, {"duration_minutes": 60}, {"duration_minutes": 90}}
				with["min_duration_minutes"], with["max_duration_minutes"], with["duration_step_minutes"] = 30, 90, 30
			} else {
				with["durations"] = []object{{"minutes": 90}, {"minutes": 30}, {"days": 1}}
			}
			service := k.newService(t, "slot", with, k.resources...)
			for range 6 {
				d := k.date.AddDays(rapid.IntRange(-1, 1).Draw(t, "offset"))
				length := rapid.SampledFrom(lengths).Draw(t, "length")
				path := fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s", service, d, d)
				for name, value := range length {
					path += fmt.Sprintf("&%s=%v", name, value)
				}
				var page struct{ Data []day }
				k.get(t, path).read(t, &page)
				at := time.Date(d.Year, d.Month, d.Day, 0, 15*rapid.IntRange(0, 95).Draw(t, "quarter"), 0, 0, k.loc)
				if slots := page.Data[0].Slots; len(slots) > 0 && rapid.Bool().Draw(t, "listed") {
					at = rapid.SampledFrom(slots).Draw(t, "slot").StartsAt
				}
				if civil.DateOf(at.In(k.loc)) != d {
					continue
				}
				i := slices.IndexFunc(page.Data[0].Slots,
					func(s slot) bool { return s.StartsAt.Equal(at) && len(s.ResourceIDs) > 0 })
				a := k.post(t, "/v1/bookings", bookingOf(service, at, length))
				require.Equal(t, i >= 0, a.status == http.StatusCreated, "%s: %s", at, a.body)
				if i < 0 {
					absent++
					continue
				}
				listed++
				require.Equal(t, page.Data[0].Slots[i].EndsAt.Format(time.RFC3339), a.text(t, "ends_at"))
			}
		}
	})
	require.Greater(t, listed, 30)
	require.Greater(t, absent, 30)
}
