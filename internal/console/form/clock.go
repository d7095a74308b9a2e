package form

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"holdfast/internal/problem"
)

// clockForm has the forms in which people write a time of day: 9, 9:00, 9.30, 0930, 9h30, 9 am, 21 Uhr.
var clockForm = regexp.MustCompile(`^(\d{1,2})(?:[:.h]?(\d{2}))?\s*(?:h|uhr)?\s*([ap])?\.?(?:m\.?)?$`)

// Clock reads a time of day as people write it and returns it as HH:MM; 24:00 too. It reports false for anything else.
func Clock(text string) (clock string, ok bool) {
	found := clockForm.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if found == nil {
		return "", false
	}
	hour, _ := strconv.Atoi(found[1])
	minute, _ := strconv.Atoi(found[2])
	if half := found[3]; half != "" {
		if hour < 1 || hour > 12 {
			return "", false
		}
		if hour %= 12; half == "p" {
			hour += 12
		}
	}
	if minute > 59 || hour > 24 || hour == 24 && minute > 0 {
		return "", false
	}
	return fmt.Sprintf("%02d:%02d", hour, minute), true
}

// Periods reads hours as people write them, such as 9-12:30, 13:30-18, and returns the beginning and the end of each as
// HH:MM. Errors: problem.ValidationFailed of the field.
func Periods(name, text string) (periods [][2]string, err error) {
	for part := range strings.SplitSeq(strings.NewReplacer("–", "-", "—", "-", ";", ",").Replace(text), ",") {
		opens, closes, _ := strings.Cut(part, "-")
		from, ok := Clock(opens)
		until, alsoOK := Clock(closes)
		if !ok || !alsoOK || from == "24:00" {
			return nil, problem.Invalid(name, "invalid_format", "Expected hours such as 9-12:30, 13:30-18.")
		}
		periods = append(periods, [2]string{from, until})
	}
	return periods, nil
}

// separated returns the parts of a text between commas, spaces and lines.
func separated(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \n\r\t", r) })
}

// clocks reads times of day that are separated by commas, spaces or lines. Errors: problem.ValidationFailed of the
// field.
func clocks(name, text string) (list []string, err error) {
	for _, part := range separated(text) {
		clock, ok := Clock(part)
		if !ok || clock == "24:00" {
			return nil, problem.Invalid(name, "invalid_format", "Expected times such as 9:00, 19:30.")
		}
		list = append(list, clock)
	}
	return list, nil
}
