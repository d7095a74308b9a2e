package timetable

import (
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// Bounds of hours.
const (
	maxWeeklyHours = 100
	maxSeasons     = 50
	maxOverrides   = 1000
)

// Hours says when a resource is open, in wall-clock time of the tenant's time zone: by its Weekly hours, of which an
// empty list means never, or always, or, if it says neither, by the tenant's hours. Overrides apply in all cases and
// come first, then the first season that has the date. The JSON form is how hours are stored. 0.1.0 reads always open,
// and what is inherited, as always open.
type Hours struct {
	AlwaysOpen bool          `json:"always_open,omitempty"`
	Weekly     []WeeklyHours `json:"weekly,omitzero"`
	Seasons    []Season      `json:"seasons,omitempty"`
	Overrides  []DateHours   `json:"overrides,omitempty"`
}

// Inherited reports whether the hours are those of the tenant, but for the overrides.
func (h Hours) Inherited() bool { return !h.AlwaysOpen && h.Weekly == nil }

// WeeklyHours is one opening period on one weekday, each week: from Opens up to Closes, in minutes after midnight. 1440
// is the end of the day. A period that closes before it opens ends on the next day and belongs to the day on which it
// begins.
type WeeklyHours struct {
	Weekday time.Weekday `json:"weekday"`
	Opens   int          `json:"opens"`
	Closes  int          `json:"closes"`
}

// Season has weekly hours of its own, from one date to another, both included. Of a season of each year From and To
// have the year 0; it may go over new year.
type Season struct {
	From   civil.Date    `json:"from"`
	To     civil.Date    `json:"to"`
	Weekly []WeeklyHours `json:"weekly"`
}

// contains reports whether a date is in the season.
func (s Season) contains(d civil.Date) bool {
	if s.From.Year == 0 {
		return eachYear(d, s.From, s.To)
	}
	return !d.Before(s.From) && !d.After(s.To)
}

func (s Season) check(field string) error {
	if s.From.Year != 0 && s.To.Before(s.From) {
		return problem.Invalid(field+".to", "before_from", "Expected a date that is not before from.")
	}
	return checkWeekly(field+".weekly", s.Weekly)
}

// DateHours replaces the weekly hours that begin on one date. Like weekly hours, they may end on the next date. A date
// may have several, or a single one that is Closed. Hours that began on the date before stay.
type DateHours struct {
	Date   civil.Date `json:"date"`
	Closed bool       `json:"closed,omitempty"`
	Opens  int        `json:"opens,omitempty"`
	Closes int        `json:"closes,omitempty"`
}

// Check returns problem.ValidationFailed for hours that overlap, have no length or are too many.
func (h Hours) Check() error {
	if err := checkWeekly("weekly", h.Weekly); err != nil {
		return err
	}
	if len(h.Seasons) > maxSeasons {
		return problem.Invalid("seasons", "too_long", fmt.Sprintf("Expected at most %d seasons.", maxSeasons))
	}
	for i, s := range h.Seasons {
		if err := s.check(fmt.Sprintf("seasons[%d]", i)); err != nil {
			return err
		}
	}
	if len(h.Overrides) > maxOverrides {
		return problem.Invalid("overrides", "too_long", fmt.Sprintf("Expected at most %d overrides.", maxOverrides))
	}
	overrides := make(map[civil.Date][]DayInterval)
	closed := make(map[civil.Date]bool)
	for i, o := range h.Overrides {
		field := fmt.Sprintf("overrides[%d]", i)
		if err := datetime.CheckDate(field+".date", o.Date); err != nil {
			return err
		}
		if closed[o.Date] || o.Closed && len(overrides[o.Date]) > 0 {
			return problem.Invalid(field, "overlap", "A date that is closed has no other override.")
		}
		if o.Closed {
			closed[o.Date] = true
			continue
		}
		if err := checkPeriod(field, o.Opens, o.Closes); err != nil {
			return err
		}
		s := dayIntervalOf(o.Opens, o.Closes)
		for days := -1; days <= 1; days++ {
			if s.overlaps(overrides[o.Date.AddDays(days)], days) {
				return overlap(field)
			}
		}
		overrides[o.Date] = append(overrides[o.Date], s)
	}
	return nil
}

func checkWeekly(field string, weekly []WeeklyHours) error {
	if len(weekly) > maxWeeklyHours {
		return problem.Invalid(field, "too_long", fmt.Sprintf("Expected at most %d periods.", maxWeeklyHours))
	}
	var week []DayInterval // in minutes of the week, which begins again after its end
	for i, w := range weekly {
		field := fmt.Sprintf("%s[%d]", field, i)
		if err := checkPeriod(field, w.Opens, w.Closes); err != nil {
			return err
		}
		s := dayIntervalOf(w.Opens, w.Closes).shift(int(w.Weekday))
		if s.overlaps(week, 0) || s.overlaps(week, 7) || s.overlaps(week, -7) {
			return overlap(field)
		}
		week = append(week, s)
	}
	return nil
}

// DayInterval is a time from a minute after a date's midnight up to another one, [from, until). It begins on the date;
// an end after datetime.MinutesPerDay is on the next date.
type DayInterval struct{ From, Until int }

// dayIntervalOf returns the time from opens to closes, on the next day if that is not after opens.
func dayIntervalOf(opens, closes int) DayInterval {
	if closes <= opens {
		closes += datetime.MinutesPerDay
	}
	return DayInterval{opens, closes}
}

// shift returns the interval so many days later, in minutes from the same midnight.
func (s DayInterval) shift(days int) DayInterval {
	return DayInterval{s.From + days*datetime.MinutesPerDay, s.Until + days*datetime.MinutesPerDay}
}

// overlaps reports whether s overlaps one of the others, which are the given number of days later.
func (s DayInterval) overlaps(others []DayInterval, days int) bool {
	return slices.ContainsFunc(others, func(o DayInterval) bool {
		o = o.shift(days)
		return s.From < o.Until && o.From < s.Until
	})
}

func checkPeriod(field string, opens, closes int) error {
	if opens < 0 || opens >= datetime.MinutesPerDay || closes < 0 || closes > datetime.MinutesPerDay ||
		opens == closes {
		return problem.Invalid(field+".closes", "not_after_opens",
			"Expected a closing time other than the opening time. 00:00 to 24:00 is the whole day; 22:00 to 02:00 ends on the next day.")
	}
	return nil
}

func overlap(field string) error {
	return problem.Invalid(field, "overlap", "The period overlaps another one.")
}

// Times is Hours indexed by weekday and date.
type Times struct {
	inherited *Times // of the tenant, where dates doesn't have a date; nil if the hours are its own
	weekly    week
	seasons   []seasonWeek
	dates     map[civil.Date][]DayInterval // a closed date has none
}

// week has the hours that begin on each weekday, in order.
type week [7][]DayInterval

type seasonWeek struct {
	Season
	week week
}

// TimesIn returns the hours of a resource, in a form in which those of a date are found at once. inherited are the
// tenant's hours.
func (h Hours) TimesIn(inherited *Times) Times {
	t := h.Times()
	if h.Inherited() {
		t.inherited = inherited
	}
	return t
}

// Times is TimetableIn for a tenant that is always open, and for the tenant's hours themselves.
func (h Hours) Times() Times {
	t := Times{dates: make(map[civil.Date][]DayInterval, len(h.Overrides))}
	t.weekly = weekOf(h.Weekly)
	if h.Weekly == nil {
		for day := range t.weekly {
			t.weekly[day] = []DayInterval{{0, datetime.MinutesPerDay}}
		}
	}
	for _, s := range h.Seasons {
		t.seasons = append(t.seasons, seasonWeek{s, weekOf(s.Weekly)})
	}
	for _, o := range h.Overrides {
		intervals := t.dates[o.Date]
		if !o.Closed {
			intervals = append(intervals, dayIntervalOf(o.Opens, o.Closes))
			sortDayIntervals(intervals)
		}
		t.dates[o.Date] = intervals
	}
	return t
}

func weekOf(weekly []WeeklyHours) (of week) {
	for _, w := range weekly {
		of[w.Weekday] = append(of[w.Weekday], dayIntervalOf(w.Opens, w.Closes))
	}
	for _, intervals := range of {
		sortDayIntervals(intervals)
	}
	return of
}

func sortDayIntervals(intervals []DayInterval) {
	slices.SortFunc(intervals, func(a, b DayInterval) int { return a.From - b.From })
}

// Intervals returns the hours that begin on a date, in order.
func (t Times) Intervals(d civil.Date) []DayInterval {
	if intervals, ok := t.dates[d]; ok {
		return intervals
	}
	if t.inherited != nil {
		return t.inherited.Intervals(d)
	}
	for i := range t.seasons {
		if s := &t.seasons[i]; s.contains(d) {
			return s.week[d.Weekday()]
		}
	}
	return t.weekly[d.Weekday()]
}

// WeeklyStarts returns how many slots begin in a week without overrides, of the season that has most, if one begins
// every so many minutes.
func (t Times) WeeklyStarts(every int) int {
	if t.inherited != nil {
		return t.inherited.WeeklyStarts(every)
	}
	n := t.weekly.starts(every)
	for _, s := range t.seasons {
		n = max(n, s.week.starts(every))
	}
	return n
}

// Size returns about how many bytes of memory the hours take that are the resource's own; inheritedSize is of those
// that it shares with the tenant's other resources.
func (t Times) Size() int {
	const date, season, weekly = 200, 400, 60
	n := date*len(t.dates) + weekly*len(t.weekly.intervals())
	for _, s := range t.seasons {
		n += season + weekly*len(s.week.intervals())
	}
	return n
}

// inheritedSize is described with Size.
func (t Times) inheritedSize() int {
	if t.inherited == nil {
		return 0
	}
	return t.inherited.Size()
}

func (w week) starts(every int) (n int) {
	for _, intervals := range w {
		for _, s := range intervals {
			n += (s.Until - s.From + every - 1) / every
		}
	}
	return n
}

// eachYear reports whether the month and day of a date are within those of two others, both included, also over new
// year.
func eachYear(d, from, to civil.Date) bool {
	day := func(d civil.Date) int { return dayNumber(0, int(d.Month), d.Day) }
	return withinYear(day(d), day(from), day(to))
}
