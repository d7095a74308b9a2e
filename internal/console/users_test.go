package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

func TestInvite_NoEmailCanBeSent_ShowsTheLink(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	invite := func(name string) *pagetest.Page {
		return s.at(t, p, "/users").
			Form(t, "Invite").
			With("name", name).
			With("email", name+"@harbour.example").
			With("role", "staff").
			Submit(t)
	}
	require.Contains(t, invite("bert").Text(), "The person is invited.")

	s.call(t, http.MethodPatch, "/v1/tenant", s.key, object{"email": object{"from": nil}})
	require.Contains(t, s.at(t, p, "/users").Text(), "No email can be sent from here.")
	given := invite("cleo")
	require.Equal(t, "A link for cleo", given.Heading())
	require.NotContains(t, given.Text(), "is invited")
	_, link, found := strings.Cut(given.Raw, `value="`+s.url+"/console/harbour/enter/")
	require.True(t, found, given.Raw)
	link, _, _ = strings.Cut(link, `"`)
	entered := pagetest.NewVisitor(t).Open(t, s.url+"/console/harbour/enter/"+link).Press(t, "Sign in")
	require.Equal(t, "/console/harbour", entered.URL.Path)
	require.Contains(t, entered.Text(), "cleo")
}

func TestToday_BookingThatIsPaidTooMuch_IsNamed(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	id := made["id"].(string)
	p := s.signedIn(t, "ada", user.RoleStaff)
	s.received(t, id, 9000)
	require.NotContains(t, s.at(t, p, "").Text(), "Paid too much")
	s.call(t, http.MethodPost, "/v1/bookings/"+id+"/reschedule", s.key, object{"party_size": 1, "price": "quote"})
	today := s.at(t, p, "")
	require.Contains(t, today.Text(), "Paid too much")
	require.Contains(t, today.Text(), "€45")
	require.Contains(t, today.Follow(t, "Give it back").URL.Path, id)
	require.NotContains(t, s.at(t, s.signedIn(t, "rita", user.RoleRead), "").Text(), "Give it back",
		"who may not refund isn't asked to")
}
