package holdfast

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// codes reads all bookings, and returns their codes.
func codes(t *testing.T, client *Client) ([]string, error) {
	t.Helper()
	var read []string
	for booking, err := range All(func(cursor *string) (*BookingPage, error) {
		return client.ListBookings(t.Context(), ListBookingsParams{Cursor: cursor})
	}) {
		if err != nil {
			return read, err
		}
		read = append(read, booking.Code)
	}
	return read, nil
}

func TestAll_SeveralPages_AreReadToTheEnd(t *testing.T) {
	t.Parallel()
	s, client := of(t,
		answer{status: 200, body: `{"data":[{"code":"A"},{"code":"B"}],"next_cursor":"c"}`},
		answer{status: 200, body: `{"data":[],"next_cursor":"d"}`},
		answer{status: 200, body: `{"data":[{"code":"C"}]}`},
	)
	read, err := codes(t, client)
	require.NoError(t, err)
	require.Equal(t, []string{"A", "B", "C"}, read)
	require.Equal(t, "/v1/bookings?cursor=c", s.sent[1].target)
	require.Equal(t, "/v1/bookings?cursor=d", s.sent[2].target)
}

func TestAll_Refusal_EndsTheList(t *testing.T) {
	t.Parallel()
	_, client := of(t, answer{status: 200, body: `{"data":[{"code":"A"}],"next_cursor":"c"}`},
		answer{status: 422, body: `{"code":"validation_failed"}`})
	read, err := codes(t, client)
	require.ErrorAs(t, err, new(*Error))
	require.Equal(t, []string{"A"}, read)
}

func TestAll_CallerThatStops_ReadsNoOtherPage(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 200, body: `{"data":[{"name":"A"},{"name":"B"}],"next_cursor":"c"}`})
	for service, err := range All(func(cursor *string) (*ServicePage, error) {
		return client.ListServices(t.Context(), ListServicesParams{Cursor: cursor})
	}) {
		require.NoError(t, err)
		require.Equal(t, "A", service.Name)
		break
	}
	require.Len(t, s.sent, 1)
}

func TestFeed_PagesUntilThereIsNoMore_AreReadInOrder(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 200, body: `{"data":[{"sequence":1}],"next_cursor":"b","has_more":true}`},
		answer{status: 200, body: `{"data":[{"sequence":2}],"next_cursor":"c","has_more":false}`})
	var cursors []string
	for page, err := range Feed(t.Context(), client, ListEventsParams{After: new("a")}) {
		require.NoError(t, err)
		require.EqualValues(t, len(cursors)+1, page.Data[0].Sequence)
		cursors = append(cursors, page.NextCursor)
	}
	require.Equal(t, []string{"b", "c"}, cursors)
	require.Equal(t, "/v1/events?after=a", s.sent[0].target)
	require.Equal(t, "/v1/events?after=b", s.sent[1].target)
}

func TestFeed_Refusal_EndsIt(t *testing.T) {
	t.Parallel()
	_, client := of(t, answer{status: 410, body: `{"code":"cursor_expired"}`})
	pages := 0
	for _, err := range Feed(t.Context(), client, ListEventsParams{}) {
		require.ErrorAs(t, err, new(*Error))
		pages++
	}
	require.Equal(t, 1, pages)
}
