package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// The erasure, or the merge, has locked one booking and waits for another one, while a third one changes and commits.
// What is then told of the third one must come after that change, although the transaction that tells it is older.
func TestEraseAndMerge_BookingThatChangesWhileTheyWait_IsToldInTheOrderOfItsVersions(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 9))
	_, into := c.bookFor(t, service, 3, object{"name": "Into", "email": "into@example.com"})
	for name, send := range map[string]func(customer uuid.UUID) <-chan answer{
		"erase": func(id uuid.UUID) <-chan answer {
			return c.later(t, http.MethodPost, customerPath(id)+"/erase",
				nil)
		},
		"merge": func(id uuid.UUID) <-chan answer {
			return c.later(t, http.MethodPost, customerPath(id)+"/merge", object{"into": into.String()})
		},
	} {
		var bookings [3]uuid.UUID // ids grow
		var customer uuid.UUID
		for i := range bookings {
			bookings[i], customer = c.bookFor(t, service, 3+i, object{"name": "Ada", "email": name + "@example.com"},
				object{"metadata": object{"note": "old"}})
		}
		unlock := c.lockBooking(t, bookings[1])
		sent := send(customer)
		c.blocked(t, 1)
		last := "/v1/bookings/" + bookings[2].String()
		require.Equal(t, http.StatusOK, c.patch(t, last, object{"metadata": object{"note": "new"}}).status, name)
		unlock()
		a := <-sent
		require.Equal(t, http.StatusOK, a.status, name+a.body)

		require.Equal(t, 3, c.count(t, "SELECT count(*) FROM changes WHERE subject_id = $1", bookings[2]), name)
	}
	c.toldInOrder(t)
}

// toldInOrder checks that the feed tells each subject's changes in the order of its versions.
func (c client) toldInOrder(t testingT) {
	t.Helper()
	require.Zero(t, c.count(t, `SELECT count(*)
		FROM (SELECT version < lag(version) OVER (PARTITION BY subject_id ORDER BY transaction_id, change_id) AS late FROM changes) AS e
		WHERE late`))
}
