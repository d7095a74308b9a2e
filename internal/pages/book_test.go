package pages_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

func TestBook_FromTheListToTheBooking_WithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"introduction": "Tours since 1987."})
	s.tour(t, 10, nil)
	v := s.visitor(t)

	list := v.book(t, "")
	require.Equal(t, http.StatusOK, list.status, list.raw)
	require.Contains(t, list.text(), "Tours since 1987.")
	month := list.follow(t, "Harbour tour")
	require.Equal(t, "Harbour tour", month.heading())
	date := testtime.Date(0)
	day := v.open(t, month.resolve(t, month.url.Path)+slotQuery(date, 2))
	hold := day.press(t, "10:00")
	require.Equal(t, http.StatusOK, hold.status, hold.raw)
	require.Equal(t, "Almost done", hold.heading())
	require.Contains(t, hold.text(), "2 people")
	require.Contains(t, hold.text(), "€90")

	done := hold.fill(t, "Book now").submit(t)
	require.Equal(t, http.StatusOK, done.status, done.raw)
	require.Equal(t, "You are booked", done.heading())
	require.Contains(t, done.text(), "We have sent a confirmation to ada@example.com.")
	booked := s.booked(t)
	require.Len(t, booked, 1)
	require.Equal(t, "confirmed", booked[0]["status"])
	require.Equal(t, date.String(), booked[0]["date"])
	require.InDelta(t, 2, booked[0]["party_size"], 0)
	require.Equal(t, "Ada Lovelace", booked[0]["customer"].(object)["name"])
}
