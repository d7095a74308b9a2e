package customers

import (
	"testing"
	"time"

	"holdfast/internal/console/form"
	"holdfast/internal/console/form/formtest"
	"holdfast/internal/tenant"
)

func TestForms_Fields_AreThoseOfTheirRequests(t *testing.T) {
	t.Parallel()
	made := customerForm(tenant.Tenant{Currency: "EUR", Location: time.UTC})
	formtest.Check(t, map[string]form.Form{"customerForm": made})
}
