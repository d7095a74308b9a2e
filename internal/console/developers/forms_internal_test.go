package developers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/console/form"
	"holdfast/internal/console/form/formtest"
	"holdfast/internal/tenant"
)

func TestForms_Fields_AreThoseOfTheirRequests(t *testing.T) {
	t.Parallel()
	euros := tenant.Tenant{Currency: "EUR", Location: time.UTC}
	forms := map[string]form.Form{
		"endpointForm":      endpointForm(euros, true),
		"endpointForm, new": endpointForm(euros, false),
		"keyForm":           keyForm(euros),
		"replayForm":        replayForm(euros),
	}
	formtest.Check(t, forms)
	name := formtest.Find(t, forms["keyForm"], "name")
	require.Equal(t, []any{form.KindText, 200, true}, []any{name.Kind, name.Max, name.Required})
	scopes := formtest.Find(t, forms["keyForm"], "scopes")
	require.Len(t, scopes.Options, len(tenant.AllScopes()))
	require.Equal(t, form.KindMany, scopes.Kind)
}
