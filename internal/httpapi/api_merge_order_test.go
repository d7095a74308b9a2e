package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A merge has begun to lock the customer's bookings, and waits for the second one. Meanwhile the customer books again: the feed must tell
// that before it tells that the new booking went to the other customer.
func TestMerge_CustomerBooksWhileItWaits_TheNewBookingGoesTooAndIsToldInOrder(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 9))
	_, ada := c.bookFor(t, service, 3, object{"name": "Ada", "email": "ada@example.com"})
	second, _ := c.bookFor(t, service, 3, object{"name": "Ada", "email": "ada@example.com"})
	_, grace := c.bookFor(t, service, 3, object{"name": "Grace", "email": "grace@example.com"})
	unlock := c.lockBooking(t, second)
	merged := c.later(t, http.MethodPost, customerPath(ada)+"/merge", object{"into": grace.String()})
	c.blocked(t, 1)
	again := without(bookingOf(service, future(4), object{"customer_id": ada.String()}), []any{"customer"})
	c.created(t, c.post(t, "/v1/bookings", again))
	unlock()
	a := <-merged
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Zero(t, c.count(t, "SELECT count(*) FROM bookings WHERE customer_id = $1", ada))
	require.Equal(t, 4, c.count(t, "SELECT count(*) FROM bookings WHERE customer_id = $1", grace))
	c.toldInOrder(t)
}
