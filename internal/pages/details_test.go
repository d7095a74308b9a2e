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
	late := hold.form(t, "Continue").with("name", "Mallory").with("email", "mallory@example.com")
	hold.fill(t, "Continue").submit(t).follow(t, "Go to the payment page").press(t, "Pay").reloadUntil(t, "You are booked")
	require.Equal(t, http.StatusOK, late.submit(t).status)
	require.Equal(t, "ada@example.com", s.booked(t)[0]["customer"].(object)["email"])
}

func TestPay_BeforeTheDetails_BeginsNoPayment(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	hold := holdTour(t, s.visitor(t), s.tour(t, 10, object{"deposit": 1000}))
	back := hold.by.send(t, http.MethodPost, hold.url.String()+"/pay", url.Values{"key": {"k-0123456789abcdef"}})
	require.Equal(t, "Almost done", back.heading())
	require.Empty(t, s.call(t, http.MethodGet, "/v1/payments", s.key, nil)["data"])
}
