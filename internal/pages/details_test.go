package pages_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDetails_OfAConfirmedBooking_ChangeNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	hold := holdTour(t, s.visitor(t), s.tour(t, 10, object{"deposit": 1000}))
	late := hold.Form(t, "Continue").With("name", "Mallory").With("email", "mallory@example.com")
	reloadUntil(t, fill(t, hold, "Continue").Submit(t).Follow(t, "Go to the payment page").Press(t, "Pay"),
		"You are booked")
	require.Equal(t, http.StatusOK, late.Submit(t).Status)
	require.Equal(t, "ada@example.com", s.booked(t)[0]["customer"].(object)["email"])
}

func TestPay_BeforeTheDetails_BeginsNoPayment(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	hold := holdTour(t, s.visitor(t), s.tour(t, 10, object{"deposit": 1000}))
	back := hold.By.Send(t, http.MethodPost, hold.URL.String()+"/pay", url.Values{"key": {"k-0123456789abcdef"}})
	require.Equal(t, "Almost done", back.Heading())
	require.Empty(t, s.call(t, http.MethodGet, "/v1/payments", s.key, nil)["data"])
}
