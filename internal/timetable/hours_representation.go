package timetable

import (
	"fmt"
	"strings"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// HoursBody says when a tenant's resources are open, or a resource. Of AlwaysOpen and Weekly a request gives one.
type HoursBody struct {
	AlwaysOpen bool           `json:"always_open,omitempty" doc:"true: open at all times, but for the overrides. Either this or weekly."`
	Weekly     []WeeklyBody   `json:"weekly,omitzero" maxItems:"100" nullable:"false" doc:"An empty list is never open, but for the overrides."`
	Seasons    []SeasonBody   `json:"seasons,omitempty" maxItems:"50" nullable:"false" doc:"Weekly hours of their own for parts of the year. The first season that has a date wins; overrides come before seasons."`
	Overrides  []OverrideBody `json:"overrides,omitzero" maxItems:"1000" nullable:"false" doc:"Dates with hours of their own, in place of those that would begin on them."`
}

// ResourceHoursBody says when a resource is open. Of Inherited, AlwaysOpen and Weekly a request gives one.
type ResourceHoursBody struct {
	Inherited bool `json:"inherited,omitempty" doc:"true: open by the tenant's hours (PUT /v1/tenant/hours), but for the overrides. Without seasons. Either this, always_open or weekly."`
	HoursBody
}

// WeeklyBody is one opening period of each week.
type WeeklyBody struct {
	Weekday Weekday `json:"weekday" doc:"The day on which the hours begin."`
	Opens   string  `json:"opens" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"09:00" doc:"Wall-clock time in the tenant's time zone."`
	Closes  string  `json:"closes" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" example:"18:00" doc:"On the next day if it is before opens, such as 22:00 to 02:00. 24:00 is the end of the day."`
}

// SeasonBody is weekly hours that hold for a part of each year, or between two dates.
type SeasonBody struct {
	From   string       `json:"from" pattern:"^([0-9]{4}-)?[0-9]{2}-[0-9]{2}$" example:"06-01" doc:"First date: a month and day of each year, or a date such as 2027-06-01."`
	To     string       `json:"to" pattern:"^([0-9]{4}-)?[0-9]{2}-[0-9]{2}$" example:"08-31" doc:"Last date, in the form of from. A season of each year may go over new year."`
	Weekly []WeeklyBody `json:"weekly" maxItems:"100" nullable:"false" doc:"An empty list is never open, but for the overrides."`
}

// season returns the season of a request. Errors: problem.ValidationFailed.
func (b SeasonBody) season(field string) (s Season, err error) {
	if len(b.From) != len(b.To) {
		return s, problem.Invalid(field+".to", "invalid_format",
			"Give from and to alike: both with a year, or neither.")
	}
	if s.From, err = seasonDate(field+".from", b.From); err != nil {
		return s, err
	}
	s.To, err = seasonDate(field+".to", b.To)
	s.Weekly = append([]WeeklyHours{}, weeklyOf(b.Weekly)...)
	return s, err
}

// yearZero is the year of a date of each year. It is a leap year.
const yearZero = "0000-"

func seasonDate(field, text string) (civil.Date, error) {
	if len(text) == len("06-01") {
		return datetime.ParseDate(field, yearZero+text)
	}
	d, err := datetime.ParseDate(field, text)
	if err != nil {
		return d, err
	}
	return d, datetime.CheckDate(field, d)
}

func (s Season) body() SeasonBody {
	text := func(d civil.Date) string { return strings.TrimPrefix(d.String(), yearZero) }
	return SeasonBody{From: text(s.From), To: text(s.To), Weekly: append([]WeeklyBody{}, weeklyBodies(s.Weekly)...)}
}

func weeklyOf(bodies []WeeklyBody) (list []WeeklyHours) {
	for _, w := range bodies {
		list = append(list, WeeklyHours{Weekday: w.Weekday.day(), Opens: MinuteOf(w.Opens),
			Closes: MinuteOf(w.Closes)})
	}
	return list
}

func weeklyBodies(list []WeeklyHours) (bodies []WeeklyBody) {
	for _, w := range list {
		bodies = append(bodies, WeeklyBody{Weekday: WeekdayOf(w.Weekday), Opens: ClockOf(w.Opens),
			Closes: ClockOf(w.Closes)})
	}
	return bodies
}

// OverrideBody is the hours of one date.
type OverrideBody struct {
	Date   string  `json:"date" format:"date" example:"2027-12-24"`
	Closed bool    `json:"closed,omitempty" doc:"Either this or opens and closes."`
	Opens  *string `json:"opens,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"10:00"`
	Closes *string `json:"closes,omitempty" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" example:"14:00"`
}

// Body returns the hours as the API shows them.
func (h Hours) Body() ResourceHoursBody {
	b := ResourceHoursBody{h.Inherited(), HoursBody{AlwaysOpen: h.AlwaysOpen, Overrides: []OverrideBody{}}}
	if h.Weekly != nil {
		b.Weekly = append([]WeeklyBody{}, weeklyBodies(h.Weekly)...)
	}
	for _, s := range h.Seasons {
		b.Seasons = append(b.Seasons, s.body())
	}
	for _, o := range h.Overrides {
		override := OverrideBody{Date: o.Date.String(), Closed: o.Closed}
		if !o.Closed {
			opens, closes := ClockOf(o.Opens), ClockOf(o.Closes)
			override.Opens, override.Closes = &opens, &closes
		}
		b.Overrides = append(b.Overrides, override)
	}
	return b
}

// Hours returns the hours that a request gives. A request that says nothing about the weekly hours is refused: it could
// mean always, never or by the tenant's hours. Errors: problem.ValidationFailed.
func (b ResourceHoursBody) Hours() (h Hours, err error) {
	switch {
	case b.Inherited && (b.AlwaysOpen || b.Weekly != nil):
		return h, problem.Invalid("inherited", "excluded",
			"Leave out inherited, or always_open and weekly: they contradict each other.")
	case b.Inherited && len(b.Seasons) > 0:
		return h, problem.Invalid("seasons", "excluded",
			"Leave out seasons or inherited: the tenant's hours have the seasons.")
	case b.Inherited:
		h.Overrides, err = overridesOf(b.Overrides)
		return h, err
	case !b.AlwaysOpen && b.Weekly == nil:
		return h, problem.Invalid("weekly", "required",
			"Give weekly, of which an empty list means closed, always_open: true, or inherited: true for the tenant's hours.")
	}
	return b.HoursBody.Hours()
}

// Hours is that of ResourceHoursBody for hours that inherit nothing.
func (b HoursBody) Hours() (h Hours, err error) {
	switch {
	case b.AlwaysOpen && b.Weekly != nil:
		return h, problem.Invalid("always_open", "excluded",
			"Leave out always_open or weekly: they contradict each other.")
	case !b.AlwaysOpen && b.Weekly == nil:
		return h, problem.Invalid("weekly", "required",
			"Give weekly, of which an empty list means closed, or always_open: true.")
	case b.Weekly != nil:
		h.Weekly = append([]WeeklyHours{}, weeklyOf(b.Weekly)...)
	}
	h.AlwaysOpen = b.AlwaysOpen
	for i, s := range b.Seasons {
		season, err := s.season(fmt.Sprintf("seasons[%d]", i))
		if err != nil {
			return h, err
		}
		h.Seasons = append(h.Seasons, season)
	}
	h.Overrides, err = overridesOf(b.Overrides)
	return h, err
}

func overridesOf(bodies []OverrideBody) (list []DateHours, err error) {
	for i, o := range bodies {
		d, err := datetime.ParseDate(fmt.Sprintf("overrides[%d].date", i), o.Date)
		if err != nil {
			return nil, err
		}
		if o.Closed == (o.Opens != nil || o.Closes != nil) || (o.Opens == nil) != (o.Closes == nil) {
			return nil, problem.Invalid(fmt.Sprintf("overrides[%d]", i), "invalid",
				"Give either closed, or opens and closes.")
		}
		override := DateHours{Date: d, Closed: o.Closed}
		if o.Opens != nil {
			override.Opens, override.Closes = MinuteOf(*o.Opens), MinuteOf(*o.Closes)
		}
		list = append(list, override)
	}
	return list, nil
}
