package console

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// madeForms are all forms that are made of the type of a request.
func madeForms() map[string]form {
	t := tenant.Tenant{Currency: "EUR", Location: time.UTC}
	return map[string]form{
		"block": blockForm(t, nil), "closure": closureForm(t, nil), "key": keyForm(t), "resource": resourceForm(t),
		"new endpoint": endpointForm(t, false), "endpoint": endpointForm(t, true), "replay": replayForm(t),
		"settings": settingsForm(t, nil),
		"date":     serviceForm(t, timetable.KindDate, nil), "slot": serviceForm(t, timetable.KindSlot, nil),
		"stay": serviceForm(t, timetable.KindStay, nil),
	}
}

func TestForm_EachField_IsOneOfItsRequest(t *testing.T) {
	t.Parallel()
	var check func(form string, fields []field)
	check = func(form string, fields []field) {
		for _, fl := range fields {
			require.NotEmpty(t, fl.Kind, "%s: %s", form, fl.Name)
			for value := range fl.Labels {
				require.Contains(t, fl.Options, option{value, fl.Labels[value]}, "%s: %s has no such value", form, fl.Name)
			}
			check(form, fl.Fields)
		}
	}
	for name, f := range madeForms() { // making one refuses a field that its request lacks
		for _, g := range f.groups {
			check(name, g.Fields)
		}
	}
	require.PanicsWithValue(t, "console: tenant.KeyRequest has no field nome", func() {
		formOf[tenant.KeyRequest](tenant.Tenant{}, []group{{Fields: []field{{Name: "nome"}}}})
	})
}

func TestForm_Fields_HaveTheBoundsOfTheirRequest(t *testing.T) {
	t.Parallel()
	find := func(f form, name string) field {
		for _, g := range f.groups {
			for _, fl := range g.Fields {
				if fl.Name == name {
					return fl
				}
			}
		}
		return field{}
	}
	forms := madeForms()
	name := find(forms["key"], "name")
	require.Equal(t, []any{kindText, 200, true}, []any{name.Kind, name.Max, name.Required})
	require.Len(t, find(forms["key"], "scopes").Options, len(tenant.AllScopes()))
	require.Equal(t, kindMany, find(forms["key"], "scopes").Kind)
	guests := find(forms["date"], "unit_types")
	require.Equal(t, []any{kindRows, 20}, []any{guests.Kind, guests.Max})
	require.Equal(t, []any{kindText, 32, false}, []any{guests.Fields[1].Kind, guests.Fields[1].Max, guests.Fields[1].Required},
		"a row may stay empty")
	sender := find(forms["settings"], "email.from.email")
	require.Equal(t, []any{kindText, 254, false}, []any{sender.Kind, sender.Max, sender.Required}, "there may be no sender")
	require.Equal(t, kindDate, find(forms["closure"], "from").Kind)
	require.Equal(t, kindMoment, find(forms["block"], "starts_at").Kind)
	require.Equal(t, []option{{"booking", "a booking"}, {"unit", "each person"}}, find(forms["slot"], "price_per").Options)
}
