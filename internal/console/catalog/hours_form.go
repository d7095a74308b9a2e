package catalog

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"holdfast/internal/bounds"
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

// hoursForm is the form of hours. inherited says that they may be the tenant's.
func hoursForm(t tenant.Tenant, inherited bool) form.Form {
	var open []form.Option
	if inherited {
		open = append(open, form.Option{Value: openInherited, Label: "by the opening hours of the business"})
	}
	open = append(open, form.Option{Value: openWeekly, Label: "by the week below"},
		form.Option{Value: openAlways, Label: "at all times"})
	week := []form.Field{{Name: "open", Label: "Open", Kind: form.KindChoice, Options: open}}
	for _, day := range weekdayOptions() {
		week = append(week, form.Field{Name: "week." + day.Value, Label: day.Label, Kind: form.KindText, Max: 200,
			Needs: form.Choice{Field: "open", Value: openWeekly}})
	}
	return form.New(t, []form.Group{
		{Label: "Week", Help: "Such as 09:00-12:30, 13:30-18:00. Empty is closed. 22:00-02:00 ends on the next day.",
			Fields: week},
		{Label: "Some dates", Help: "In place of the hours above, such as 10:00-14:00, or closed.",
			Fields: []form.Field{
				{Name: "dates", Label: "Dates with hours of their own", Kind: form.KindRows, Max: form.MaxRows,
					Fields: []form.Field{
						{Name: "date", Label: "Date", Kind: form.KindDate},
						{Name: "hours", Label: "Hours", Kind: form.KindText, Max: 200},
					}},
			}},
		{Label: "Seasons", Rare: true, Fields: []form.Field{
			{Name: "seasons", Label: "Weekly hours for parts of the year", Kind: form.KindJSON,
				Help: `A list as the API has it, such as [{"from": "06-01", "to": "08-31", "weekly": ` +
					`[{"weekday": "monday", "opens": "08:00", "closes": "20:00"}]}].`},
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
		weekly := []form.Document{}
		for _, day := range weekdayOptions() {
			text, _ := form.At(filled, "week."+day.Value).(string)
			periods, err := periodsOf("week."+day.Value, text)
			if err != nil {
				return nil, err
			}
			for _, p := range periods {
				weekly = append(weekly, form.Document{"weekday": day.Value, "opens": p[0], "closes": p[1]})
			}
		}
		d["weekly"] = weekly
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
	if filled["seasons"] != nil {
		d["seasons"] = filled["seasons"]
	}
	return d, nil
}

// periodsOf reads hours such as 09:00-12:30, 13:30-18:00. Errors: problem.ValidationFailed of the field.
func periodsOf(name, text string) (periods [][2]string, err error) {
	if text == "" || strings.EqualFold(text, closedAllDay) {
		return nil, nil
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "–", "-"), ",") {
		opens, closes, _ := strings.Cut(part, "-")
		opens, closes = strings.TrimSpace(opens), strings.TrimSpace(closes)
		period := timetable.WeeklyBody{Weekday: timetable.WeekdayOf(time.Monday), Opens: opens, Closes: closes}
		if bounds.Check("", period) != nil {
			return nil, problem.Invalid(name, "invalid_format", "Expected hours such as 09:00-12:30, 13:30-18:00.")
		}
		periods = append(periods, [2]string{opens, closes})
	}
	return periods, nil
}

// hoursValues returns what stands in the fields of the form for hours.
func hoursValues(h timetable.ResourceHoursBody) (url.Values, error) {
	values := url.Values{}
	switch {
	case h.Inherited:
		values.Set("open", openInherited)
	case h.AlwaysOpen:
		values.Set("open", openAlways)
	default:
		values.Set("open", openWeekly)
	}
	week := map[timetable.Weekday][]string{}
	for _, w := range h.Weekly {
		week[w.Weekday] = append(week[w.Weekday], w.Opens+"-"+w.Closes)
	}
	for day, periods := range week {
		values.Set("week."+string(day), strings.Join(periods, ", "))
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
	if len(h.Seasons) == 0 {
		return values, nil
	}
	seasons, err := json.Marshal(h.Seasons)
	values.Set("seasons", form.Indented(seasons))
	return values, err
}
