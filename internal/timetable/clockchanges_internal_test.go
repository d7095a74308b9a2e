package timetable

import (
	"math/rand/v2"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/datetime"
	"holdfast/internal/testtime"
	"holdfast/internal/timezone"
)

// The years whose clock changes are tried.
const firstYear, lastYear = 2020, 2040

// clockChanges returns the moments at which clocks in loc change from firstYear to lastYear.
func clockChanges(loc *time.Location) (changes []time.Time) {
	at := time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC).In(loc)
	_, offset := at.Zone()
	for {
		_, next := at.ZoneBounds()
		if next.IsZero() || next.Year() > lastYear {
			return changes
		}
		if !next.After(at) { // on the last day of a leap year ZoneBounds may return an end that is over
			next = at.AddDate(0, 0, 1)
		}
		at = next.In(loc)
		if _, after := at.Zone(); after != offset {
			offset = after
			changes = append(changes, at)
		}
	}
}

// kindOf returns what the slots around a moment depend on: what clocks show then, and their offsets on either side.
func kindOf(at time.Time) string {
	return at.Add(-1).Format("15:04:05 Z07:00:00") + at.Format(" 15:04:05 Z07:00:00")
}

// step divides every offset of these years, and all hours, durations and intervals that are tried.
const step = 5 * time.Minute

// clockAt is what clocks show at a moment.
type clockAt struct {
	at     int64 // Unix time
	date   civil.Date
	minute int
}

// walk reads the clock at each step through a date and some hours on either side.
func walk(d civil.Date, loc *time.Location) []clockAt {
	noon := time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, loc)
	var all []clockAt
	for at := noon.Add(-17 * time.Hour); at.Before(noon.Add(17 * time.Hour)); at = at.Add(step) {
		all = append(all, clockAt{at.Unix(), civil.DateOf(at), at.Hour()*60 + at.Minute()})
	}
	return all
}

// slowModel says by the walk which slots of a date there are.
type slowModel struct {
	rules Rules
	walk  []clockAt
	open  []bool // from a step to the next one
}

func newSlowModel(r Rules, walk []clockAt) slowModel {
	m := slowModel{rules: r, walk: walk, open: make([]bool, len(walk))}
	for from, until := 0, 0; from < len(walk); from = until {
		date := walk[from].date
		for until < len(walk) && walk[until].date == date {
			until++
		}
		for _, s := range r.open(&r.Resources[0], date) {
			// Open from the first moment at or after the opening time to the last one before the closing time.
			first, last := from, until
			for first < until && walk[first].minute < s.From {
				first++
			}
			for last > from && walk[last-1].minute >= s.Until {
				last--
			}
			for i := first; i < last; i++ {
				m.open[i] = true
			}
		}
	}
	return m
}

func (m slowModel) starts(d civil.Date) []int64 {
	var starts []int64
	for i, at := range m.walk {
		if at.date != d || !m.onGrid(at) {
			continue
		}
		open := true
		for j := i; j < i+int(minutes(m.rules.Service.DurationMinutes)/step); j++ {
			open = open && m.open[j]
		}
		if open {
			starts = append(starts, at.at)
		}
	}
	return starts
}

func (m slowModel) onGrid(at clockAt) bool {
	if list := m.rules.Service.StartTimes; len(list) > 0 {
		starts, first := plainStarts(list, at.date), m.walk[0]
		for _, c := range m.walk {
			if c.date == at.date {
				first = c
				break
			}
		}
		return starts[at.minute] || starts[0] && at == first // also where clocks skip midnight
	}
	for _, s := range m.rules.open(&m.rules.Resources[0], at.date) {
		if s.From <= at.minute && at.minute < s.Until && (at.minute-s.From)%m.rules.Service.SlotIntervalMinutes == 0 {
			return true
		}
	}
	return false
}

// servicesAroundChanges have hours that begin and end inside the times that clocks skip and repeat, and at a date's
// ends.
func servicesAroundChanges() []Rules {
	var night, edges Hours
	for day := time.Sunday; day <= time.Saturday; day++ {
		night.Weekly = append(night.Weekly, WeeklyHours{Weekday: day, Opens: 0, Closes: 45},
			WeeklyHours{Weekday: day, Opens: 90, Closes: 150}, WeeklyHours{Weekday: day, Opens: 165,
				Closes: 600}, WeeklyHours{Weekday: day, Opens: 22 * 60, Closes: 1440})
		edges.Weekly = append(edges.Weekly, WeeklyHours{Weekday: day, Opens: 15, Closes: 200},
			WeeklyHours{Weekday: day, Opens: 23*60 + 15, Closes: 23*60 + 50})
	}
	var services []Rules
	for i, hours := range []Hours{{}, night, edges} {
		r := Rules{
			Service: Service{Spec: Spec{
				Kind: KindSlot, DurationMinutes: 30 + 15*i,
				SlotIntervalMinutes: 30 - 10*i,
				BookingWindowDays:   new(36_500),
			}},
		}
		r.SetResources([]Resource{{ID: uuid.New(), Capacity: 1, Times: hours.Times()}})
		services = append(services, r)
	}
	own := services[0]
	own.Service.StartTimes = []StartTime{
		{At: []Clock{"00:00", "01:30", "02:00", "02:15", "03:05", "19:00", "23:30"}},
		{Weekdays: []Weekday{"sunday"}, At: []Clock{"02:30", "23:45"}},
		{PartOfYear: PartOfYear{From: "10-20", To: "11-10"}, At: []Clock{"01:00", "02:30", "22:55"}},
	}
	return append(services, own)
}

// TestClockChanges_OfEveryZoneFrom2020To2040_SlotsAreThoseOfAWalkThroughTheDate tries the dates of changes and those
// beside them: of each kind of change one, of any year and zone. Every week has the same hours, so that changes of one
// kind have the same slots.
func TestClockChanges_OfEveryZoneFrom2020To2040_SlotsAreThoseOfAWalkThroughTheDate(t *testing.T) {
	t.Parallel()
	names, err := timezone.Names()
	require.NoError(t, err)
	seed := testtime.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	tried := map[string]int{}
	dates, slots := 0, 0
	for _, name := range names {
		loc, err := timezone.Load(name)
		require.NoError(t, err)
		changes := append(clockChanges(loc), time.Date(2028, 12, 31, 12, 0, 0, 0, loc)) // ZoneBounds is wrong then
		random.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		for _, change := range changes {
			if tried[kindOf(change)]++; tried[kindOf(change)] > testtime.Rounds(1) {
				continue
			}
			last := datetime.DateOf(change, loc).AddDays(1)
			for d := datetime.DateOf(change.Add(-time.Hour), loc).AddDays(-1); !d.After(last); d = d.AddDays(1) {
				dates++
				slots += requireSlots(t, d, change, loc)
			}
		}
	}
	t.Logf("%d kinds of changes: %d dates, %d slots", len(tried), dates, slots)
	require.Greater(t, len(tried), 80)
}

// requireSlots checks the slots of a date, and near the change also what can be booked. It returns the number of slots.
func requireSlots(t *testing.T, d civil.Date, change time.Time, loc *time.Location) (slots int) {
	t.Helper()
	clocks := walk(d, loc)
	start, next := datetime.StartOfDay(d, loc).Unix(), datetime.StartOfDay(d.AddDays(1), loc).Unix()
	for _, c := range clocks {
		if between := start <= c.at && c.at < next; between != (c.date == d) {
			require.Fail(t, "a date lasts from its first moment to the next date's", "%s %s: %s", loc, d,
				time.Unix(c.at, 0).In(loc))
		}
	}
	for _, r := range servicesAroundChanges() {
		r.Loc = loc
		want := newSlowModel(r, clocks).starts(d)
		listed := map[int64]bool{}
		for _, at := range slotStarts(&r, d) {
			if len(listed) == len(want) || want[len(listed)] != at.Unix() {
				require.Fail(t, "a slot that the walk doesn't find", "%s %s: %s", loc, d, at)
			}
			listed[at.Unix()] = true
		}
		require.Len(t, listed, len(want), "%s %s", loc, d)
		slots += len(listed)
		for _, c := range clocks {
			at := time.Unix(c.at, 0).In(loc)
			if c.date != d || at.Sub(change).Abs() > 3*time.Hour || c.minute%15 != 0 && !listed[c.at] {
				continue
			}
			text := at.Format(time.RFC3339)
			o, err := r.BookingTimeOf(When{StartsAt: &text})
			require.NoError(t, err, "%s %s", loc, text)
			if o.Date != d {
				require.Fail(t, "a booking on another date", "%s %s: %s", loc, d, text)
			}
			if _, err = r.Allocate(o, nil, 1, nil, 0, at); (err == nil) != listed[c.at] {
				require.Fail(t, "what is listed can be booked and nothing else", "%s %s: listed %t, %v", loc, text,
					listed[c.at], err)
			}
		}
	}
	return slots
}
