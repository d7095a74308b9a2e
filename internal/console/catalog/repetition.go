package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// repeatsByRule is the choice of a block whose rule the other fields can't say.
const repeatsByRule = "rule"

// repetition says in fields how a block repeats.
type repetition struct {
	Each     string              `json:"each,omitempty"`
	Interval int                 `json:"interval,omitempty"`
	Weekdays []timetable.Weekday `json:"weekdays,omitempty"`
	Until    string              `json:"until,omitempty"`
	Count    int                 `json:"count,omitempty"`
}

// blockFields is a block as its form shows it: RRule is nil if repeat says the same.
type blockFields struct {
	catalog.BlockSpec

	Repeat repetition `json:"repeat"`
}

// repetitionFields are the fields of a repetition.
func repetitionFields() []form.Field {
	return []form.Field{
		{Name: "repeat.each", Label: "Repeats", Kind: form.KindChoice, Own: true, Options: []form.Option{
			{Value: "", Label: "once"}, {Value: "DAILY", Label: "each day"}, {Value: "WEEKLY", Label: "each week"},
			{Value: "MONTHLY", Label: "each month"}, {Value: "YEARLY", Label: "each year"},
			{Value: repeatsByRule, Label: "by the rule below"},
		}},
		{Name: "repeat.weekdays", Label: "On", Kind: form.KindMany, Own: true, Options: weekdayOptions(),
			Help: "Of each week. The day of the first time if none is chosen."},
		{Name: "repeat.until", Label: "Until", Kind: form.KindDate, Own: true},
		{Name: "repeat.count", Label: "or so many times", Kind: form.KindNumber, Own: true},
		{Name: "repeat.interval", Label: "Only every … time", Kind: form.KindNumber, Own: true,
			Help: "2 for every second week."},
		{Name: "rrule", Label: "Rule", Needs: form.Choice{Field: "repeat.each", Value: repeatsByRule},
			Help: "As calendar programs write it (RRULE of RFC 5545)."},
	}
}

// shownBlock returns a block as its form shows it.
func shownBlock(b catalog.BlockSpec) blockFields {
	shown := blockFields{BlockSpec: b}
	switch {
	case b.RRule == nil:
	case shown.Repeat.read(*b.RRule):
		shown.RRule = nil
	default:
		shown.Repeat = repetition{Each: repeatsByRule}
	}
	return shown
}

// weekdayCodes are the weekdays as rules name them, by time.Weekday.
var weekdayCodes = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// codeOf returns a weekday as rules name it.
func codeOf(day timetable.Weekday) string {
	return weekdayCodes[slices.IndexFunc(weekdayCodes, func(code string) bool {
		return strings.HasPrefix(strings.ToUpper(string(day)), code)
	})]
}

var untilForm = regexp.MustCompile(`^\d{8}$`)

// read reads a rule, and reports false for one that the fields can't say.
func (r *repetition) read(rule string) bool {
	for part := range strings.SplitSeq(rule, ";") {
		name, value, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(value)
		switch {
		case name == "FREQ":
			r.Each = value
		case name == "INTERVAL" && err == nil:
			r.Interval = n
		case name == "COUNT" && err == nil:
			r.Count = n
		case name == "UNTIL" && untilForm.MatchString(value):
			r.Until = value[:4] + "-" + value[4:6] + "-" + value[6:]
		case name == "BYDAY" && r.Each == "WEEKLY":
			for code := range strings.SplitSeq(value, ",") {
				day := slices.Index(weekdayCodes, code)
				if day < 0 {
					return false
				}
				r.Weekdays = append(r.Weekdays, timetable.WeekdayOf(time.Weekday(day)))
			}
		default:
			return false
		}
	}
	return slices.Contains([]string{"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}, r.Each)
}

// setRule puts the rule that the fields of a form say into the document of the API. Errors: problem.ValidationFailed.
func setRule(d form.Document) error {
	text := func(name string) string {
		value, _ := form.At(d, "repeat."+name).(string)
		return value
	}
	number := func(name string) int {
		n, _ := form.At(d, "repeat."+name).(int)
		return n
	}
	each, until, count, interval := text("each"), text("until"), number("count"), number("interval")
	days, _ := form.At(d, "repeat.weekdays").([]string)
	delete(d, "repeat")
	switch {
	case each == repeatsByRule:
		return nil
	case each == "" && (until != "" || count != 0 || days != nil):
		return problem.Invalid("repeat.each", "required", "Say how it repeats, or leave the fields below empty.")
	case each == "":
		d["rrule"] = nil
		return nil
	case (until == "") == (count == 0):
		return problem.Invalid("repeat.until", "required", "Say until when it repeats, or how many times.")
	case days != nil && each != "WEEKLY":
		return problem.Invalid("repeat.weekdays", "excluded", "Days count only for what repeats each week.")
	}
	rule := "FREQ=" + each
	if interval > 1 {
		rule += ";INTERVAL=" + strconv.Itoa(interval)
	}
	if days != nil {
		first, known := firstDay(d)
		if known && !slices.Contains(days, string(first)) {
			return problem.Invalid("repeat.weekdays", "first_not_in_rule",
				fmt.Sprintf("The first time is on a %s: choose that day too.", first))
		}
		codes := make([]string, len(days))
		for i, day := range days {
			codes[i] = codeOf(timetable.Weekday(day))
		}
		rule += ";BYDAY=" + strings.Join(codes, ",")
	}
	if until != "" {
		d["rrule"] = rule + ";UNTIL=" + strings.ReplaceAll(until, "-", "")
	} else {
		d["rrule"] = rule + ";COUNT=" + strconv.Itoa(count)
	}
	return nil
}

// firstDay returns the weekday of the first time of a block, and whether it has one.
func firstDay(d form.Document) (timetable.Weekday, bool) {
	if from, ok := d["from"].(string); ok {
		date, err := datetime.ParseDate("from", from)
		return timetable.WeekdayOf(date.Weekday()), err == nil
	}
	starts, _ := d["starts_at"].(string)
	at, err := time.Parse(time.RFC3339, starts)
	return timetable.WeekdayOf(at.Weekday()), err == nil
}
