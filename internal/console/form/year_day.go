package form

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// yearlyField names the KindYearly field of a row.
const yearlyField = "yearly"

// PartOfYear are the fields of a row for dates from one to another, of one year or of each.
func PartOfYear() []Field {
	return []Field{
		{Name: "from", Label: "From", Kind: KindYearDay},
		{Name: "to", Label: "To", Kind: KindYearDay},
		{Name: yearlyField, Label: "Each year", Kind: KindYearly, Own: true},
	}
}

// SetPartOfYear puts the dates into the fields of PartOfYear whose paths begin with prefix.
func SetPartOfYear(values url.Values, prefix, from, to string) {
	for _, end := range []struct{ field, text string }{{"from", from}, {"to", to}} {
		(Form{}).write(Field{Kind: KindYearDay}, prefix+end.field, end.text, values)
	}
}

// fieldBeside returns the path of another field of the same row.
func fieldBeside(path, field string) string { return path[:strings.LastIndexByte(path, '.')+1] + field }

// inSomeYear returns a day of each year, such as 06-01, as a date of this year, or of the next one that has it.
func inSomeYear(day string) string {
	year := time.Now().Year()
	for {
		text := strconv.Itoa(year) + "-" + day
		if _, err := time.Parse(time.DateOnly, text); err == nil || day != "02-29" {
			return text
		}
		year++
	}
}
