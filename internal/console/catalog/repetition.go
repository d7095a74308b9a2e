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
	case shown.Repeat.read(*b.RRule) && shown.Repeat.rule() == *b.RRule:
		shown.RRule = nil
	default: // also a rule that the fields would write otherwise: a form that isn't changed changes nothing
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

// rule returns the rule that the fields say.
func (r *repetition) rule() string {
	rule := "FREQ=" + r.Each
	if r.Interval > 1 {
		rule += ";INTERVAL=" + strconv.Itoa(r.Interval)
	}
	codes := make([]string, len(r.Weekdays))
	for i, day := range r.Weekdays {
		codes[i] = codeOf(day)
	}
	if len(codes) > 0 {
		rule += ";BYDAY=" + strings.Join(codes, ",")
	}
	if r.Until != "" {
		return rule + ";UNTIL=" + strings.ReplaceAll(r.Until, "-", "")
	}
	return rule + ";COUNT=" + strconv.Itoa(r.Count)
}

// repetitionOf returns what the fields of a form say, and takes them out of its document.
func repetitionOf(d form.Document) (r repetition) {
	r.Each, _ = form.At(d, "repeat.each").(string)
	r.Interval, _ = form.At(d, "repeat.interval").(int)
	r.Until, _ = form.At(d, "repeat.until").(string)
	r.Count, _ = form.At(d, "repeat.count").(int)
	days, _ := form.At(d, "repeat.weekdays").([]string)
	for _, day := range days {
		r.Weekdays = append(r.Weekdays, timetable.Weekday(day))
	}
	delete(d, "repeat")
	return r
}

// setRule puts the rule that the fields of a form say into the document of the API. Errors: problem.ValidationFailed.
func setRule(d form.Document) error {
	r := repetitionOf(d)
	first, known := firstDay(d)
	switch {
	case r.Each == repeatsByRule && d["rrule"] == nil:
		return problem.Invalid("rrule", "required", "Type the rule, or choose how it repeats.")
	case r.Each == repeatsByRule:
		return nil
	case r.Each == "" && (r.Until != "" || r.Count != 0 || r.Weekdays != nil):
		return problem.Invalid("repeat.each", "required", "Say how it repeats, or leave the fields below empty.")
	case r.Each == "":
		d["rrule"] = nil
		return nil
	case (r.Until == "") == (r.Count == 0):
		return problem.Invalid("repeat.until", "required", "Say until when it repeats, or how many times.")
	case r.Weekdays != nil && r.Each != "WEEKLY":
		return problem.Invalid("repeat.weekdays", "excluded", "Days count only for what repeats each week.")
	case r.Weekdays != nil && known && !slices.Contains(r.Weekdays, first):
		return problem.Invalid("repeat.weekdays", "first_not_in_rule",
			fmt.Sprintf("The first time is on a %s: choose that day too.", first))
	}
	d["rrule"] = r.rule()
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
