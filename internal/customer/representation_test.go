package customer_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/customer"
)

// TestVisitorBody_HasTheBoundsOfACustomer compares the tags, which stand twice because their texts differ.
func TestVisitorBody_HasTheBoundsOfACustomer(t *testing.T) {
	t.Parallel()
	customers := reflect.TypeFor[customer.NewCustomerBody]()
	for _, visitors := range reflect.VisibleFields(reflect.TypeFor[customer.VisitorBody]()) {
		known, ok := customers.FieldByName(visitors.Name)
		require.True(t, ok, visitors.Name)
		require.Equal(t, known.Type, visitors.Type, visitors.Name)
		for _, bound := range []string{"json", "minLength", "maxLength"} {
			require.Equal(t, known.Tag.Get(bound), visitors.Tag.Get(bound), "%s %s", visitors.Name, bound)
		}
	}
}
