package catalog

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"holdfast/internal/console/form"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// Which hours a resource or a tenant has.
const (
	openInherited = "inherited"
	openAlways    = "always"
	openWeekly    = "weekly"
	closedAllDay  = "closed"
)

// weekField names the field with the hours of a weekday.
func weekField(day timetable.Weekday) string { return "week." + string(day) }

// hoursForm is the form of hours. inherited says that they may be the tenant's.
func hoursForm(t tenant.Tenant, inherited bool) form.Form {
	var open []form.Option
	if inherited {
		open = append(open, form.Option{Value: openInherited, Label: "by the opening hours of the business"})
	}
	open = append(open, form.Option{Value: openWeekly, Label: "by the week below"},
		form.Option{Value: openAlways, Label: "at all times"})
	season := form.PartOfYear()
	week := []form.Field{{Name: "open", Label: "Open", Kind: form.KindChoice, Options: open}}
	for _, day := range weekdayOptions() {
		field := form.Field{Name: weekField(timetable.Weekday(day.Value)), Label: day.Label, Kind: form.KindText,
			Max: 200}
		season = append(season, field)
		field.Needs = form.Choice{Field: "open", Value: openWeekly}
		week = append(week, field)
	}
	return form.New(t, []form.Group{
		{Label: "Week", Help: "Such as 9-12:30, 13:30-18. Empty is closed. 22-2 ends on the next day.",
			Fields: week},
		{Label: "Some dates", Help: "In place of the hours above, such as 10-14, or closed.",
			Fields: []form.Field{
				{Name: "dates", Label: "Dates with hours of their own", Kind: form.KindRows, Max: form.MaxRows,
					Fields: []form.Field{
						{Name: "date", Label: "Date", Kind: form.KindDate},
						{Name: "hours", Label: "Hours", Kind: form.KindText, Max: 200},
					}},
			}},
		{Label: "Seasons", Rare: true, Fields: []form.Field{
			{Name: "seasons", Label: "Hours for parts of the year", Kind: form.KindRows, Max: 50, Fields: season,
				Help: "In place of the week. A day without hours is closed."},
		}},
	})
}

// hoursDocument returns the hours of a form as a request of the API has them. Errors: problem.ValidationFailed.
func hoursDocument(f form.Form, given url.Values) (form.Document, error) {
	filled, err := f.Document(given)
	if err != nil {
		return nil, err
	}
	d := form.Document{}
	switch filled["open"] {
	case openInherited:
		d["inherited"] = true
	case openAlways:
		d["always_open"] = true
	case openWeekly:
		d["weekly"], err = weeklyOf(weekField,
			func(day timetable.Weekday) any { return form.At(filled, weekField(day)) })
		if err != nil {
			return nil, err
		}
	default:
		return nil, problem.Invalid("open", "not_one_of", "Expected one of the choices.")
	}
	overrides := []form.Document{}
	dates, _ := filled["dates"].([]form.Document)
	for _, row := range dates {
		date, hours := row["date"], row["hours"]
		text, _ := hours.(string)
		if date == nil || text == "" {
			return nil, problem.Invalid("dates", "required", "Give a date and its hours, or closed.")
		}
		if strings.EqualFold(text, closedAllDay) {
			overrides = append(overrides, form.Document{"date": date, "closed": true})
			continue
		}
		periods, err := periodsOf("dates", text)
		if err != nil {
			return nil, err
		}
		for _, p := range periods {
			overrides = append(overrides, form.Document{"date": date, "opens": p[0], "closes": p[1]})
		}
	}
	d["overrides"] = overrides
	var seasons []form.Document
	rows, _ := filled["seasons"].([]form.Document)
	for i, row := range rows {
		weekly, err := weeklyOf(func(day timetable.Weekday) string {
			return fmt.Sprintf("seasons[%d].%s", i, weekField(day))
		}, func(day timetable.Weekday) any { return form.At(row, weekField(day)) })
		if err != nil {
			return nil, err
		}
		season := form.Document{"weekly": weekly}
		for _, end := range []string{"from", "to"} {
			if season[end] = row[end]; row[end] == nil {
				return nil, problem.Invalid(fmt.Sprintf("seasons[%d].%s", i, end), "required",
					"Say from which day to which.")
			}
		}
		seasons = append(seasons, season)
	}
	if seasons != nil {
		d["seasons"] = seasons
	}
	return d, nil
}

// periodsOf reads the hours of a day: none for a day that is closed. Errors: problem.ValidationFailed of the field.
func periodsOf(name, text string) (periods [][2]string, err error) {
	if text == "" || strings.EqualFold(text, closedAllDay) {
		return nil, nil
	}
	return form.Periods(name, text)
}

// weeklyOf returns the weekly hours that stand in the fields of a week, of which text returns one by its weekday.
// Errors: problem.ValidationFailed of the field that name names.
func weeklyOf(name func(timetable.Weekday) string, text func(timetable.Weekday) any) ([]form.Document, error) {
	weekly := []form.Document{}
	for _, day := range weekdayOptions() {
		of := timetable.Weekday(day.Value)
		hours, _ := text(of).(string)
		periods, err := periodsOf(name(of), hours)
		if err != nil {
			return nil, err
		}
		for _, p := range periods {
			weekly = append(weekly, form.Document{"weekday": day.Value, "opens": p[0], "closes": p[1]})
		}
	}
	return weekly, nil
}

// weekTexts returns what stands in the fields of a week for weekly hours.
func weekTexts(weekly []timetable.WeeklyBody) map[timetable.Weekday]string {
	texts := map[timetable.Weekday]string{}
	for _, w := range weekly {
		if texts[w.Weekday] != "" {
			texts[w.Weekday] += ", "
		}
		texts[w.Weekday] += w.Opens + "-" + w.Closes
	}
	return texts
}

// hoursValues returns what stands in the fields of the form for hours.
func hoursValues(h timetable.ResourceHoursBody) url.Values {
	values := url.Values{}
	switch {
	case h.Inherited:
		values.Set("open", openInherited)
	case h.AlwaysOpen:
		values.Set("open", openAlways)
	default:
		values.Set("open", openWeekly)
	}
	for day, text := range weekTexts(h.Weekly) {
		values.Set(weekField(day), text)
	}
	type dated struct{ date, hours string }
	var dates []dated
	for _, o := range h.Overrides {
		text := closedAllDay
		if !o.Closed {
			text = *o.Opens + "-" + *o.Closes
		}
		if i := slices.IndexFunc(dates, func(d dated) bool { return d.date == o.Date }); i >= 0 {
			dates[i].hours += ", " + text
			continue
		}
		dates = append(dates, dated{o.Date, text})
	}
	slices.SortStableFunc(dates, func(a, b dated) int { return cmp.Compare(a.date, b.date) })
	for i, d := range dates {
		values.Set(form.RowPath("dates", i, "date"), d.date)
		values.Set(form.RowPath("dates", i, "hours"), d.hours)
	}
	for i, season := range h.Seasons {
		form.SetPartOfYear(values, form.RowPath("seasons", i, ""), season.From, season.To)
		for day, text := range weekTexts(season.Weekly) {
			values.Set(form.RowPath("seasons", i, weekField(day)), text)
		}
	}
	return values
}
