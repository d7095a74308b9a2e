package timetable

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
)

// Bounds of a recurrence. With them it is computed from at most ten years of dates, whatever it says.
const (
	maxRecurrenceDays = 3653
	maxInterval       = 1000
)

// Recurrence is a rule by which something repeats: an RRULE (RFC 5545) whose times are those of the first one.
type Recurrence struct {
	freq       string
	interval   int
	count      int       // zero without one
	until      time.Time // before which the last one begins; zero without one
	months     []int
	monthDays  []int // negative ones count from the month's end
	weekdays   []ordinalWeekday
	positions  []int // among the dates of one period; negative ones count from its end
	weekStarts time.Weekday
}

// ordinalWeekday is a weekday, or the nth of the month or year, counted from its end if it is negative.
type ordinalWeekday struct {
	weekday time.Weekday
	n       int // zero: each
}

var weekdayNames = map[string]time.Weekday{"SU": 0, "MO": 1, "TU": 2, "WE": 3, "TH": 4, "FR": 5, "SA": 6}

// ParseRecurrence reads an RRULE without its name. A date as UNTIL is one in loc. Errors: problem.ValidationFailed for
// rrule; problem.TooManyDates for a COUNT of more dates than a transaction may lock.
func ParseRecurrence(text string, loc *time.Location) (r Recurrence, err error) {
	r = Recurrence{interval: 1, weekStarts: time.Monday}
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(strings.ToUpper(text), ";") {
		name, value, _ := strings.Cut(part, "=")
		if seen[name] {
			return r, badRule("Each part stands once.")
		}
		seen[name] = true
		if err := r.set(name, value, loc); err != nil {
			return r, err
		}
	}
	byOrdinal := slices.ContainsFunc(r.weekdays, func(w ordinalWeekday) bool { return w.n != 0 })
	switch {
	case r.freq == "":
		return r, badRule("Expected FREQ.")
	case seen["COUNT"] == seen["UNTIL"]:
		return r, badRule("Expected an end, and one: COUNT or UNTIL.")
	case byOrdinal && r.freq != "MONTHLY" && r.freq != "YEARLY":
		return r, badRule("BYDAY has numbers with MONTHLY and YEARLY only.")
	case r.freq == "WEEKLY" && len(r.monthDays) > 0:
		return r, badRule("BYMONTHDAY doesn't go with WEEKLY.")
	case r.count > lock.MaxKeys:
		return r, tooManyBlocked()
	}
	return r, nil
}

// set sets a part of the rule.
func (r *Recurrence) set(name, value string, loc *time.Location) (err error) {
	switch name {
	case "FREQ":
		if !slices.Contains([]string{"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}, value) {
			return badRule("Expected FREQ=DAILY, WEEKLY, MONTHLY or YEARLY.")
		}
		r.freq = value
	case "INTERVAL":
		r.interval, err = ruleNumber(name, value, 1, maxInterval)
	case "COUNT":
		r.count, err = ruleNumber(name, value, 1, 1_000_000)
	case "UNTIL":
		r.until, err = ruleEnd(value, loc)
	case "BYMONTH":
		r.months, err = ruleNumbers(name, value, 1, 12, false)
	case "BYMONTHDAY":
		r.monthDays, err = ruleNumbers(name, value, 1, 31, true)
	case "BYSETPOS":
		r.positions, err = ruleNumbers(name, value, 1, 366, true)
	case "BYDAY":
		for text := range strings.SplitSeq(value, ",") {
			w, err := ruleWeekday(name, text)
			if err != nil {
				return err
			}
			r.weekdays = append(r.weekdays, w)
		}
	case "WKST":
		var w ordinalWeekday
		w, err = ruleWeekday(name, value)
		if err == nil && w.n != 0 {
			return badRule("Expected WKST to be a weekday.")
		}
		r.weekStarts = w.weekday
	default:
		return badRule("Expected FREQ, INTERVAL, COUNT, UNTIL, BYMONTH, BYMONTHDAY, BYDAY, BYSETPOS and WKST only, joined by semicolons.")
	}
	return err
}

// ruleEnd returns the moment after the last one that an UNTIL allows.
func ruleEnd(value string, loc *time.Location) (time.Time, error) {
	if t, err := time.Parse("20060102T150405Z", value); err == nil && datetime.CheckDate("", civil.DateOf(t)) == nil {
		return t.Add(time.Second), nil
	}
	t, err := time.Parse("20060102", value)
	if err != nil || datetime.CheckDate("", civil.DateOf(t)) != nil {
		return t, badRule("Expected UNTIL to be a date such as 20271231, or a time in UTC such as 20271231T225959Z.")
	}
	return StartOfDate(civil.DateOf(t).AddDays(1), loc), nil
}

func ruleWeekday(name, text string) (w ordinalWeekday, err error) {
	at := max(len(text)-2, 0)
	weekday, known := weekdayNames[text[at:]]
	if !known {
		return w, badRule("Expected " + name + " to have weekdays such as MO.")
	}
	if at > 0 {
		w.n, err = ruleSigned(name, text[:at], 53)
	}
	w.weekday = weekday
	return w, err
}

func ruleNumbers(name, value string, low, high int, signed bool) (list []int, err error) {
	for text := range strings.SplitSeq(value, ",") {
		var n int
		if signed {
			n, err = ruleSigned(name, text, high)
		} else {
			n, err = ruleNumber(name, text, low, high)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// ruleSigned reads a number from 1 to high, or from -high to -1.
func ruleSigned(name, text string, high int) (int, error) {
	digits, negative := strings.CutPrefix(text, "-")
	n, err := ruleNumber(name, strings.TrimPrefix(digits, "+"), 1, high)
	if negative {
		n = -n
	}
	return n, err
}

func ruleNumber(name, text string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, badRule(fmt.Sprintf("Expected %s to have numbers from %d to %d.", name, low, high))
	}
	return n, nil
}

// dates returns the dates of the rule from the first one on, which must be one of them. Errors:
// problem.ValidationFailed for rrule; problem.TooManyDates for more dates than a transaction may lock.
func (r Recurrence) dates(first civil.Date, loc *time.Location) (list []civil.Date, err error) {
	horizon := first.AddDays(maxRecurrenceDays)
	last := horizon
	if !r.until.IsZero() {
		last = datetime.DateOf(r.until.Add(-1), loc)
	}
	switch {
	case last.After(horizon):
		return nil, tooFar()
	case last.Before(first):
		return nil, problem.Invalid("rrule", "before_from", "Expected UNTIL to be no earlier than the beginning.")
	}
	for from, to := r.period(first, 0); !from.After(last); from, to = r.next(from) {
		for _, d := range r.within(from, to, first) {
			switch {
			case d.Before(first):
				continue
			case d.After(last) || r.count > 0 && len(list) == r.count:
			case len(list) == lock.MaxKeys:
				return nil, tooManyBlocked()
			default:
				list = append(list, d)
			}
		}
		if len(list) > 0 && list[0] != first || r.count > 0 && len(list) == r.count {
			break
		}
	}
	switch {
	case len(list) == 0 || list[0] != first:
		return nil, problem.Invalid("rrule", "first_not_in_rule", "The first time isn't one of the rule's.")
	case len(list) < r.count:
		return nil, tooFar()
	}
	return list, nil
}

// next returns the first and the last date of the period that follows the one that begins on a date.
func (r Recurrence) next(from civil.Date) (first, last civil.Date) { return r.period(from, r.interval) }

// period returns the first and the last date of the period that comes so many periods after the one of a date.
func (r Recurrence) period(d civil.Date, after int) (first, last civil.Date) {
	switch r.freq {
	case "DAILY":
		first = d.AddDays(after)
		return first, first
	case "WEEKLY":
		first = d.AddDays(7*after - int(dayOfWeek(d)-r.weekStarts+7)%7)
		return first, first.AddDays(6)
	case "MONTHLY":
		first = civil.DateOf(time.Date(d.Year, d.Month+time.Month(after), 1, 0, 0, 0, 0, time.UTC))
		return first, first.AddDays(daysIn(first) - 1)
	default:
		first = civil.Date{Year: d.Year + after, Month: time.January, Day: 1}
		return first, civil.Date{Year: first.Year, Month: time.December, Day: 31}
	}
}

// within returns the rule's dates of a period. first is the first of all.
func (r Recurrence) within(from, to, first civil.Date) (dates []civil.Date) {
	for d := from; !d.After(to); d = d.AddDays(1) {
		if r.matches(d, first) {
			dates = append(dates, d)
		}
	}
	if len(r.positions) == 0 {
		return dates
	}
	var chosen []civil.Date
	for i, d := range dates {
		if slices.Contains(r.positions, i+1) || slices.Contains(r.positions, i-len(dates)) {
			chosen = append(chosen, d)
		}
	}
	return chosen
}

// matches reports whether a date is one of the rule's, its positions aside. What the rule leaves out is as with the
// first date.
func (r Recurrence) matches(d, first civil.Date) bool {
	byDay := len(r.weekdays)+len(r.monthDays) > 0
	switch {
	case len(r.months) > 0 && !slices.Contains(r.months, int(d.Month)):
		return false
	case len(r.monthDays) > 0 && !slices.Contains(r.monthDays, d.Day) &&
		!slices.Contains(r.monthDays, d.Day-daysIn(d)-1):
		return false
	case len(r.weekdays) > 0 && !slices.ContainsFunc(r.weekdays,
		func(w ordinalWeekday) bool { return r.isOrdinal(d, w) }):
		return false
	case byDay || r.freq == "DAILY":
		return true
	case r.freq == "WEEKLY":
		return dayOfWeek(d) == dayOfWeek(first)
	}
	return d.Day == first.Day && (r.freq == "MONTHLY" || len(r.months) > 0 || d.Month == first.Month)
}

// isOrdinal reports whether a date is a weekday, or the nth of its month; of a yearly rule without months of its year.
func (r Recurrence) isOrdinal(d civil.Date, w ordinalWeekday) bool {
	day, days := d.Day, daysIn(d)
	if r.freq == "YEARLY" && len(r.months) == 0 {
		begin := civil.Date{Year: d.Year, Month: time.January, Day: 1}
		day, days = d.DaysSince(begin)+1, civil.Date{Year: d.Year + 1, Month: time.January, Day: 1}.DaysSince(begin)
	}
	return dayOfWeek(d) == w.weekday && (w.n == 0 || w.n == (day+6)/7 || w.n == -((days-day)/7+1))
}

func dayOfWeek(d civil.Date) time.Weekday { return d.In(time.UTC).Weekday() }

// daysIn returns how many days the month of a date has.
func daysIn(d civil.Date) int { return time.Date(d.Year, d.Month+1, 0, 0, 0, 0, 0, time.UTC).Day() }

func badRule(detail string) error { return problem.Invalid("rrule", "invalid_format", detail) }

func tooFar() error {
	return problem.Invalid("rrule", "too_far", "Expected the rule to end, and to give all of COUNT, within ten years.")
}
