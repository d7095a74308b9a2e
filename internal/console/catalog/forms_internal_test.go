package catalog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
		"serviceForm, date": serviceForm(euros, timetable.KindDate, nil),
		"serviceForm, slot": serviceForm(euros, timetable.KindSlot, nil),
		"serviceForm, stay": serviceForm(euros, timetable.KindStay, nil),
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
