package settings

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/bounds"
	"holdfast/internal/console/form"
	"holdfast/internal/console/form/formtest"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

func TestForms_Fields_AreThoseOfTheirRequests(t *testing.T) {
	t.Parallel()
	made := settingsForm(tenant.Tenant{Currency: "EUR", Location: time.UTC}, nil)
	formtest.Check(t, map[string]form.Form{"settingsForm": made})
	sender := formtest.Find(t, made, "email.from.email")
	require.Equal(t, []any{form.KindText, 254, false}, []any{sender.Kind, sender.Max, sender.Required},
		"there may be none")
}

func TestOwnerEvents_AreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	var offered []string
	for _, o := range ownerEvents {
		offered = append(offered, o.Value)
	}
	types, ok := bounds.FieldOf(reflect.TypeFor[settings.OwnerEmail](), "types")
	require.True(t, ok)
	require.ElementsMatch(t, types.Values, offered)
}
