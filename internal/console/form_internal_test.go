package console

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// madeForms are all forms that are made of the type of a request, by their functions.
func madeForms() map[string]form {
	t := tenant.Tenant{Currency: "EUR", Location: time.UTC}
	return map[string]form{
		"blockForm":         blockForm(t, nil),
		"closureForm":       closureForm(t, nil),
		"endpointForm":      endpointForm(t, true),
		"endpointForm, new": endpointForm(t, false),
		"keyForm":           keyForm(t),
		"replayForm":        replayForm(t),
		"resourceForm":      resourceForm(t),
		"serviceForm, date": serviceForm(t, timetable.KindDate, nil),
		"serviceForm, slot": serviceForm(t, timetable.KindSlot, nil),
		"serviceForm, stay": serviceForm(t, timetable.KindStay, nil),
		"settingsForm":      settingsForm(t, nil),
	}
}

func TestForm_EachFunctionThatMakesOne_IsTested(t *testing.T) {
	t.Parallel()
	tested := slices.Sorted(maps.Keys(madeForms()))
	for i, name := range tested {
		tested[i], _, _ = strings.Cut(name, ",")
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	makes := regexp.MustCompile(`(?m)^func (\w+)\(.*\) form \{$(?:\n\t.*|\n)*?\n\t(?:return |.*)formOf\[`)
	var found []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range makes.FindAllStringSubmatch(string(source), -1) {
			found = append(found, match[1])
		}
	}
	require.ElementsMatch(t, slices.Compact(tested), found)
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
	name := find(forms["keyForm"], "name")
	require.Equal(t, []any{kindText, 200, true}, []any{name.Kind, name.Max, name.Required})
	require.Len(t, find(forms["keyForm"], "scopes").Options, len(tenant.AllScopes()))
	require.Equal(t, kindMany, find(forms["keyForm"], "scopes").Kind)
	guests := find(forms["serviceForm, date"], "unit_types")
	require.Equal(t, []any{kindRows, 20}, []any{guests.Kind, guests.Max})
	key := guests.Fields[1]
	require.Equal(t, []any{kindText, 32, false}, []any{key.Kind, key.Max, key.Required}, "a row may stay empty")
	sender := find(forms["settingsForm"], "email.from.email")
	require.Equal(t, []any{kindText, 254, false}, []any{sender.Kind, sender.Max, sender.Required}, "there may be none")
	require.Equal(t, kindDate, find(forms["closureForm"], "from").Kind)
	require.Equal(t, kindMoment, find(forms["blockForm"], "starts_at").Kind)
	per := find(forms["serviceForm, slot"], "price_per")
	require.Equal(t, []option{{"booking", "a booking"}, {"unit", "each person"}}, per.Options)
}

func TestOfOffline_FieldsOfOfflineMoney_AreNamedAsInForms(t *testing.T) {
	t.Parallel()
	refusal := ofOffline(fmt.Errorf("pay: %w", problem.Invalid("offline.note", "too_long", "Expected less.")))
	require.Equal(t, "note", problem.DocumentOf(refusal).Errors[0].Name)
	other := errors.New("no refusal")
	require.Equal(t, other, ofOffline(other))
}
