package pages_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

func TestBook_SlashAtTheEndOfTheAddress_LeadsToTheList(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	list := s.visitor(t).book(t, "/?lang=en")
	require.Equal(t, http.StatusOK, list.Status)
	require.Equal(t, "/book/harbour?lang=en", list.URL.RequestURI())
	require.Equal(t, "What would you like to book?", list.Heading())
}

func TestBook_FromTheListToTheBooking_WithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"introduction": "Tours since 1987."})
	s.tour(t, 10, nil)
	v := s.visitor(t)

	list := v.book(t, "")
	require.Equal(t, http.StatusOK, list.Status, list.Raw)
	require.Contains(t, list.Text(), "Tours since 1987.")
	month := list.Follow(t, "Harbour tour")
	require.Equal(t, "Harbour tour", month.Heading())
	date := testtime.Date(0)
	day := v.Open(t, month.Resolve(t, month.URL.Path)+slotQuery(date, 2))
	hold := day.Press(t, "10:00")
	require.Equal(t, http.StatusOK, hold.Status, hold.Raw)
	require.Equal(t, "Almost done", hold.Heading())
	require.Contains(t, hold.Text(), "2 people")
	require.Contains(t, hold.Text(), "€90")

	done := fill(t, hold, "Book now").Submit(t)
	require.Equal(t, http.StatusOK, done.Status, done.Raw)
	require.Equal(t, "You are booked", done.Heading())
	require.Contains(t, done.Text(), "We have sent a confirmation to ada@example.com.")
	booked := s.booked(t)
	require.Len(t, booked, 1)
	require.Equal(t, "confirmed", booked[0]["status"])
	require.Equal(t, date.String(), booked[0]["date"])
	require.InDelta(t, 2, booked[0]["party_size"], 0)
	require.Equal(t, "Ada Lovelace", booked[0]["customer"].(object)["name"])
}
