package catalog

import (
	"encoding/json"
	"maps"
	"net/url"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/console/form/formtest"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

func TestForms_Fields_AreThoseOfTheirRequests(t *testing.T) {
	t.Parallel()
	euros := tenant.Tenant{Currency: "EUR", Location: time.UTC}
	forms := map[string]form.Form{
		"blockForm":         blockForm(euros, nil),
		"closureForm":       closureForm(euros, nil),
		"resourceForm":      resourceForm(euros),
		"serviceForm, date": serviceForm(euros, ofKind(timetable.KindDate), nil),
		"serviceForm, slot": serviceForm(euros, ofKind(timetable.KindSlot), nil),
		"serviceForm, stay": serviceForm(euros, ofKind(timetable.KindStay), nil),
	}
	formtest.Check(t, forms)
	guests := formtest.Find(t, forms["serviceForm, date"], "unit_types")
	require.Equal(t, []any{form.KindRows, 20}, []any{guests.Kind, guests.Max})
	key := guests.Fields[1]
	require.Equal(t, []any{form.KindText, 32, false}, []any{key.Kind, key.Max, key.Required}, "a row may stay empty")
	require.Equal(t, form.KindDate, formtest.Find(t, forms["closureForm"], "from").Kind)
	require.Equal(t, form.KindMoment, formtest.Find(t, forms["blockForm"], "starts_at").Kind)
	per := formtest.Find(t, forms["serviceForm, slot"], "price_per")
	require.Equal(t, []form.Option{
		{Value: "booking", Label: "a booking"}, {Value: "unit", Label: "each person"},
	}, per.Options)
}

func ofKind(kind timetable.ServiceKind) catalog.ServiceSpec {
	return catalog.ServiceSpec{Spec: timetable.Spec{Kind: kind}}
}

// TestServiceForm_WhatTheAPIShows_IsWhatItsFieldsSay fills in a form with a service, and reads it back.
func TestServiceForm_WhatTheAPIShows_IsWhatItsFieldsSay(t *testing.T) {
	t.Parallel()
	christmas := civil.Date{Year: 2027, Month: 12, Day: 24}
	slot, stay := ofKind(timetable.KindSlot), ofKind(timetable.KindStay)
	slot.StartTimes = []timetable.StartTime{
		{Weekdays: []timetable.Weekday{"monday", "sunday"}, At: []timetable.Clock{"09:00", "19:30"}},
		{PartOfYear: timetable.PartOfYear{From: "02-29", To: "08-31"}, At: []timetable.Clock{"20:30"}},
		{PartOfYear: timetable.PartOfYear{From: "2028-02-29"}, At: []timetable.Clock{"10:00"}},
		{Dates: []civil.Date{christmas, christmas.AddDays(1)}},
	}
	slot.UnitTypes = []timetable.UnitType{
		{Key: "child", Name: "Child", Price: 1250, MinAge: new(0), MaxAge: new(12), MinCount: 1, Note: "With a vest."},
	}
	slot.Rates = []timetable.Rate{
		{Weekdays: []timetable.Weekday{"saturday"}, Price: 6000, UnitPrices: map[string]int64{"child": 1500}},
		{From: &christmas, To: &christmas, Price: 9000, Deposit: new(int64(500))},
	}
	slot.MinPartySize = 2
	stay.ArrivalRules = []timetable.ArrivalRule{
		{Weekdays: []timetable.Weekday{"friday"}, MinNights: 3},
		{PartOfYear: timetable.PartOfYear{From: "12-20", To: "01-06"}, MaxNights: 14, NightsMultiple: 7},
	}
	stay.NightsMultiple, stay.SellGaps, stay.DepartureWeekdays = 2, true, []timetable.Weekday{"sunday"}
	for _, svc := range []catalog.ServiceSpec{slot, stay} {
		f := serviceForm(tenant.Tenant{Currency: "EUR", Location: time.UTC}, svc, nil)
		values, err := f.Values(svc)
		require.NoError(t, err)
		d, err := f.Document(values)
		require.NoError(t, err)
		raw, err := json.Marshal(d)
		require.NoError(t, err)
		var read catalog.ServiceSpec
		require.NoError(t, json.Unmarshal(raw, &read))
		read.Kind = svc.Kind
		require.Equal(t, svc.Spec, read.Spec)
	}
}

func TestServiceForm_RateWithPricesOfLengths_KeepsThem(t *testing.T) {
	t.Parallel()
	svc := ofKind(timetable.KindSlot)
	svc.Durations.Durations = []timetable.Duration{{Length: timetable.Length{Minutes: 60}}}
	svc.Rates = []timetable.Rate{{Price: 100, Durations: []timetable.Duration{
		{Length: timetable.Length{Minutes: 60}, Price: new(int64(200))},
	}}}
	require.Equal(t, form.KindJSON, ratesField(svc).Kind)
}

func TestHoursForm_AsPeopleWriteThem_AreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	f := hoursForm(tenant.Tenant{Currency: "EUR", Location: time.UTC}, false)
	given := url.Values{
		"open": {openWeekly}, "week.monday": {"9-12.30, 14-22"}, "week.tuesday": {"closed"},
		"dates.0.date": {"2027-12-24"}, "dates.0.hours": {"10 - 14"},
		"seasons.0.from": {"2027-06-01"}, "seasons.0.to": {"2027-08-31"}, "seasons.0.yearly": {"1"},
		"seasons.0.week.saturday": {"8am-8pm"},
		"seasons.1.from":          {"2027-11-01"}, "seasons.1.to": {"2027-11-30"}, "seasons.1.week.monday": {""},
	}
	d, err := hoursDocument(f, given)
	require.NoError(t, err)
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"weekly": [{"weekday": "monday", "opens": "09:00", "closes": "12:30"},
			{"weekday": "monday", "opens": "14:00", "closes": "22:00"}],
		"overrides": [{"date": "2027-12-24", "opens": "10:00", "closes": "14:00"}],
		"seasons": [
			{"from": "06-01", "to": "08-31", "weekly": [{"weekday": "saturday", "opens": "08:00", "closes": "20:00"}]},
			{"from": "2027-11-01", "to": "2027-11-30", "weekly": []}]}`, string(raw))
	var body timetable.ResourceHoursBody
	require.NoError(t, json.Unmarshal(raw, &body))
	again, err := hoursDocument(f, hoursValues(body))
	require.NoError(t, err)
	require.Equal(t, d, again)

	for field, value := range map[string]string{
		"week.monday": "all day", "seasons.0.week.saturday": "9", "seasons.0.to": "",
	} {
		wrong := maps.Clone(given)
		wrong[field] = []string{value}
		_, err := hoursDocument(f, wrong)
		require.Error(t, err, field)
	}
}

// TestPresets_EachForm_HasFewFieldsOutright also makes each form: one of a field that the kind lacks is refused.
func TestPresets_EachForm_HasFewFieldsOutright(t *testing.T) {
	t.Parallel()
	for _, p := range presets {
		full := serviceForm(tenant.Tenant{Currency: "EUR", Location: time.UTC}, ofKind(p.kind), nil)
		short := full.Short("What you sell", p.first)
		require.LessOrEqual(t, len(short.Groups[0].Fields), 8, p.Key)
		fields := func(f form.Form) (names []string) {
			for _, g := range f.Groups {
				for _, fl := range g.Fields {
					names = append(names, fl.Name)
				}
			}
			return names
		}
		require.ElementsMatch(t, fields(full), fields(short), "%s hides nothing", p.Key)
		for _, g := range short.Groups[1:] {
			require.True(t, g.Rare, "%s: %s is folded", p.Key, g.Label)
		}
		for name, values := range p.start {
			require.NotEmpty(t, formtest.Find(t, short, name).Kind, "%s starts with %s", p.Key, values)
		}
		require.Equal(t, &p, presetOf(p.Key))
	}
	require.Nil(t, presetOf("boat"))
}
