package form_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/console/form"
	"holdfast/internal/tenant"
)

func TestOf_FieldThatTheRequestLacks_Panics(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "form: tenant.KeyRequest has no field nome", func() {
		form.Of[tenant.KeyRequest](tenant.Tenant{}, []form.Group{{Fields: []form.Field{{Name: "nome"}}}})
	})
}
