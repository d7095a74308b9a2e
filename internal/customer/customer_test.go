package customer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/customer"
	"holdfast/internal/email"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// The use cases hold the bounds that the API describes, whoever calls them.
func TestCheck_CustomerBeyondTheBoundsOfTheAPI_IsRefused(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, time.July, 1, 12, 0, 0, 0, time.UTC)
	valid := func() customer.Customer { return customer.Customer{Name: "Ada", Email: "ada@example.com"} }
	require.NoError(t, valid().Check("", tenant.Tenant{Location: time.UTC}, now))
	for _, test := range []struct {
		field, code string
		change      func(*customer.Customer)
	}{
		{"name", "too_short", func(c *customer.Customer) { c.Name = "" }},
		{"name", "too_long", func(c *customer.Customer) { c.Name = strings.Repeat("ä", 201) }},
		{"email", "too_long", func(c *customer.Customer) { c.Email = strings.Repeat("a", 243) + "@example.com" }},
		{"phone", "too_long", func(c *customer.Customer) { c.Phone = new(strings.Repeat("1", 51)) }},
		{"phone", "too_short", func(c *customer.Customer) { c.Phone = new("") }},
		{"time_zone", "too_long", func(c *customer.Customer) { c.TimeZone = new(strings.Repeat("a", 65)) }},
		{"language", "not_one_of", func(c *customer.Customer) { c.Language = new(email.Language("fr")) }},
	} {
		c := valid()
		test.change(&c)
		err := c.Check("customer.", tenant.Tenant{Location: time.UTC}, now)
		fields := problem.DocumentOf(err).Errors
		require.NotEmpty(t, fields, "%s: %v", test.field, err)
		require.Equal(t, "customer."+test.field, fields[0].Name)
		require.Equal(t, test.code, fields[0].Code, test.field)
	}
}
