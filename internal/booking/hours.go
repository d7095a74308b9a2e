package booking

import (
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/problem"
)

// Bounds of a resource's hours.
const (
	maxWeeklyHours = 100
	maxOverrides   = 1000
)

// Hours says when a resource is open, in wall-clock time of the tenant's time zone. Without weekly hours it is
// open always, but for its overrides. The JSON form is how hours are stored.
type Hours struct {
	Weekly    []WeeklyHours `json:"weekly,omitempty"`
	Overrides []DateHours   `json:"overrides,omitempty"`
}

// WeeklyHours is a period of every week's day: from Opens up to Closes, in minutes after midnight. 1440 is the
// end of the day; a period over midnight is two.
type WeeklyHours struct {
	Weekday time.Weekday `json:"weekday"`
	Opens   int          `json:"opens"`
	Closes  int          `json:"closes"`
}

// DateHours replaces the weekly hours of one date. A date may have several; Closed stands alone.
type DateHours struct {
	Date   civil.Date `json:"date"`
	Closed bool       `json:"closed,omitempty"`
	Opens  int        `json:"opens,omitempty"`
	Closes int        `json:"closes,omitempty"`
}

// Check returns problem.ValidationFailed for hours that overlap, end before they start or are too many.
func (h Hours) Check() error {
	if len(h.Weekly) > maxWeeklyHours {
		return problem.Invalid("weekly", "too_long", fmt.Sprintf("Expected at most %d periods.", maxWeeklyHours))
	}
	if len(h.Overrides) > maxOverrides {
		return problem.Invalid("overrides", "too_long", fmt.Sprintf("Expected at most %d overrides.", maxOverrides))
	}
	weekly := make(map[time.Weekday][]span)
	for i, w := range h.Weekly {
		s := span{w.Opens, w.Closes}
		if err := s.check(fmt.Sprintf("weekly[%d]", i), weekly[w.Weekday]); err != nil {
			return err
		}
		weekly[w.Weekday] = append(weekly[w.Weekday], s)
	}
	overrides := make(map[civil.Date][]span)
	closed := make(map[civil.Date]bool)
	for i, o := range h.Overrides {
		field := fmt.Sprintf("overrides[%d]", i)
		if err := checkDate(field+".date", o.Date); err != nil {
			return err
		}
		if closed[o.Date] || o.Closed && len(overrides[o.Date]) > 0 {
			return problem.Invalid(field, "overlap", "A date that is closed has no other override.")
		}
		if o.Closed {
			closed[o.Date] = true
			continue
		}
		s := span{o.Opens, o.Closes}
		if err := s.check(field, overrides[o.Date]); err != nil {
			return err
		}
		overrides[o.Date] = append(overrides[o.Date], s)
	}
	return nil
}

// span is a part of a day in minutes after midnight, [from, until).
type span struct{ from, until int }

func (s span) check(field string, others []span) error {
	if s.from < 0 || s.until > minutesPerDay || s.from >= s.until {
		return problem.Invalid(field+".closes", "not_after_opens", "Expected a closing time after the opening time of the same day; 24:00 is the end of the day.")
	}
	for _, o := range others {
		if s.from < o.until && o.from < s.until {
			return problem.Invalid(field, "overlap", "The period overlaps another one of the same day.")
		}
	}
	return nil
}

// timetable is Hours in the form in which they are asked for.
type timetable struct {
	weekly    [7][]span
	dates     map[civil.Date][]span // a closed date has none
	unlimited bool                  // no weekly hours: open always
}

func (h Hours) timetable() timetable {
	t := timetable{dates: make(map[civil.Date][]span, len(h.Overrides)), unlimited: len(h.Weekly) == 0}
	for _, w := range h.Weekly {
		t.weekly[w.Weekday] = append(t.weekly[w.Weekday], span{w.Opens, w.Closes})
	}
	for _, spans := range t.weekly {
		sortSpans(spans)
	}
	for _, o := range h.Overrides {
		spans := t.dates[o.Date]
		if !o.Closed {
			spans = append(spans, span{o.Opens, o.Closes})
			sortSpans(spans)
		}
		t.dates[o.Date] = spans
	}
	return t
}

func sortSpans(spans []span) {
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
}

// on returns the parts of a date at which the resource is open, in order.
func (t timetable) on(d civil.Date) []span {
	if spans, ok := t.dates[d]; ok {
		return spans
	}
	if t.unlimited {
		return []span{{0, minutesPerDay}}
	}
	return t.weekly[d.Weekday()]
}
