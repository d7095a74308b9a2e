package timetable

import (
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

// BlockTime is one time [StartsAt, EndsAt) of a block, with the tenant's offset from UTC.
type BlockTime struct {
	StartsAt time.Time `json:"starts_at" example:"2027-07-01T09:00:00+02:00"`
	EndsAt   time.Time `json:"ends_at" example:"2027-07-01T12:00:00+02:00"`
}

// BlockInterval is the first time of a block: from a moment to another one, or whole civil dates.
type BlockInterval struct {
	From, Until time.Time
	Whole       bool
}

// Times returns the times of a block in order, none of which overlap. The first is that of the block; the others begin
// and end at the same wall-clock times. One whose beginning or end is skipped begins or ends at the change of the
// clocks, and one whose beginning or end comes twice lasts from the first beginning to the second end, so that a block
// is never shorter than it says. A time that clocks skip as a whole is left out. Where two times would overlap, the
// second begins when the first ends.
//
// Errors: problem.ValidationFailed for a rule; problem.TooManyDates for times on more dates than a transaction may
// lock.
func (s BlockInterval) Times(rule *Recurrence, loc *time.Location) ([]BlockTime, error) {
	first, last := datetime.DateOf(s.From, loc), datetime.DateOf(s.Until, loc)
	days := last.DaysSince(first)
	if datetime.DateOf(s.Until.Add(-1), loc).DaysSince(first) >= lock.MaxKeys {
		return nil, tooManyBlocked()
	}
	times := []BlockTime{{s.From.In(loc), s.Until.In(loc)}}
	if rule == nil {
		return times, nil
	}
	dates, err := rule.dates(first, loc)
	if err != nil {
		return nil, err
	}
	begins, ends := wallMinute(s.From, loc), wallMinute(s.Until, loc)
	if !s.Whole && days == 0 && ends <= begins { // clocks go back meanwhile
		return nil, problem.Invalid("ends_at", "not_after_start",
			"By the clock the block ends before it begins, so it can't be repeated.")
	}
	for _, d := range dates[1:] {
		from, until := StartOfDate(d, loc), StartOfDate(d.AddDays(days), loc)
		if !s.Whole {
			from = moment(d, loc).first(begins)
		}
		if !s.Whole && ends > 0 {
			until = moment(d.AddDays(days), loc).last(ends)
		}
		if !rule.until.IsZero() && !from.Before(rule.until) {
			break
		}
		if before := times[len(times)-1].EndsAt; from.Before(before) {
			from = before
		}
		if from.Before(until) {
			times = append(times, BlockTime{from, until})
		}
	}
	return times, nil
}

// PerDate returns the times cut at the beginning of each civil date. Claims that are no longer than a date keep the
// reading of what is occupied short: it reaches back as far as the longest claim of a resource.
func PerDate(times []BlockTime, loc *time.Location) (cut []BlockTime) {
	for _, t := range times {
		for _, d := range datesOf(t, loc) {
			from, until := StartOfDate(d, loc), StartOfDate(d.AddDays(1), loc)
			if from.Before(t.StartsAt) {
				from = t.StartsAt
			}
			if until.After(t.EndsAt) {
				until = t.EndsAt
			}
			if from.Before(until) { // not a date that clocks skip
				cut = append(cut, BlockTime{from, until})
			}
		}
	}
	return cut
}

// BlockedDates returns the civil dates that times touch, in order, each once. Errors: problem.TooManyDates.
func BlockedDates(times []BlockTime, loc *time.Location) (dates []civil.Date, err error) {
	for _, t := range times {
		for _, d := range datesOf(t, loc) {
			if len(dates) == 0 || dates[len(dates)-1].Before(d) {
				dates = append(dates, d)
			}
		}
		if len(dates) > lock.MaxKeys {
			return nil, tooManyBlocked()
		}
	}
	return dates, nil
}

func datesOf(t BlockTime, loc *time.Location) []civil.Date {
	return datetime.DatesBetween(datetime.DateOf(t.StartsAt, loc), datetime.DateOf(t.EndsAt.Add(-1), loc))
}

// localDate is a civil date of a time zone.
type localDate struct {
	day timezone.Day
	loc *time.Location
}

func moment(d civil.Date, loc *time.Location) *localDate {
	return &localDate{timezone.DayOf(d.Year, d.Month, d.Day, loc), loc}
}

// first and last return the earliest and the latest moment at which clocks show a minute of the date, or that at which
// they skip it.
func (d *localDate) first(minute int) time.Time { return time.Unix(d.day.First(minute), 0).In(d.loc) }
func (d *localDate) last(minute int) time.Time  { return time.Unix(d.day.Last(minute), 0).In(d.loc) }

// StartOfDate returns the first moment of a civil date in loc.
func StartOfDate(d civil.Date, loc *time.Location) time.Time {
	day := timezone.DayOf(d.Year, d.Month, d.Day, loc)
	return time.Unix(day.Start(), 0).In(loc)
}

func wallMinute(t time.Time, loc *time.Location) int {
	local := t.In(loc)
	return local.Hour()*60 + local.Minute()
}

func tooManyBlocked() error {
	return problem.New(problem.TooManyDates,
		"A block touches at most 62 dates, also before and after a change together; make several.")
}
