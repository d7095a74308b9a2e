package message_test

import (
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/email"
)

var manageURL = regexp.MustCompile(publicURL + booking.LinksPath + `([\w-]+)`)

func TestManageURL_LeadsEachContactToTheBooking_WhileItIsTheirs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"booking_page": {"enabled": true}, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	first := b.linkIn(t, b.outbox.last(t))
	require.Equal(t, booking.Link{TenantID: b.tenant.ID, BookingID: made.ID}, first)

	_, err := b.bookings.Amend(t.Context(), b.tenant, made.ID,
		booking.AmendRequest{CustomerChoice: choice("Ben", "ben@example.com")}, "")
	require.NoError(t, err)
	b.run(t)
	withdrawn := b.outbox.to("ada@example.com")
	require.NotRegexp(t, manageURL, withdrawn[len(withdrawn)-1].Text, "the booking isn't theirs any more")
	second := b.linkIn(t, b.outbox.last(t))
	require.Equal(t, booking.Link{TenantID: b.tenant.ID, BookingID: made.ID, Revision: 1}, second)
}

// linkIn returns the link that text and HTML of an email have.
func (b *testBundle) linkIn(t testing.TB, e email.Message) booking.Link {
	t.Helper()
	found := manageURL.FindStringSubmatch(e.Text)
	require.NotNil(t, found, e.Text)
	require.Contains(t, e.HTML, `<a href="`+found[0]+`">Your booking</a>`)
	link, err := b.links.Parse(found[1])
	require.NoError(t, err)
	return link
}

func TestManageURL_WithoutABookingPage_IsInNoEmail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	require.NotContains(t, b.outbox.last(t).Text, "Your booking:")
	require.NotRegexp(t, manageURL, b.outbox.last(t).HTML)
}

func TestLinks_TokenChangedAnywhere_IsRefused(t *testing.T) {
	t.Parallel()
	links, err := booking.NewLinks(make([]byte, 32), publicURL+"/")
	require.NoError(t, err)
	link := booking.Link{TenantID: uuid.New(), BookingID: uuid.New(), Revision: 3}
	token := links.Token(link)
	parsed, err := links.Parse(token)
	require.NoError(t, err)
	require.Equal(t, link, parsed)
	require.Equal(t, publicURL+booking.LinksPath+token, links.URL(link))
	for i := range token {
		other := byte('A')
		if token[i] == other {
			other = 'B'
		}
		_, err := links.Parse(token[:i] + string(other) + token[i+1:])
		require.ErrorIs(t, err, booking.ErrLink, "character %d", i)
	}
	_, err = booking.NewLinks(make([]byte, 31), publicURL)
	require.Error(t, err)
}
