package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/store/storetest"
	"holdfast/internal/testtime"
)

// holdTour opens the tour's page on a date and holds ten o'clock for two.
func holdTour(t testing.TB, v *visitor, service string) *page {
	t.Helper()
	hold := v.book(t, "/"+service+slotQuery(testtime.Date(0), 2)).press(t, "10:00")
	require.Equal(t, "Almost done", hold.heading(), hold.text())
	return hold
}

// reloadUntil opens the page again until its heading is this one: what the provider tells comes by itself.
func (p *page) reloadUntil(t testing.TB, heading string) *page {
	t.Helper()
	require.Eventually(t, func() bool {
		p = p.by.open(t, p.url.String())
		return p.heading() == heading
	}, patient, poll, p.text())
	return p
}

// ownPage opens the page of the booking that p shows.
func (p *page) ownPage(t testing.TB) *page {
	t.Helper()
	parts := strings.Split(p.url.Path, "/")
	return p.by.open(t, p.resolve(t, "/booking/"+parts[2]))
}

func TestPay_DepositOnTheProvidersPage_ConfirmsTheHold(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.visitor(t)
	hold := holdTour(t, v, s.tour(t, 10, object{"deposit": 1000}))

	open := hold.fill(t, "Continue to payment of €10").submit(t)
	require.Contains(t, open.text(), "A payment of €10 is open.")
	require.Equal(t, "held", s.booked(t)[0]["status"])
	checkout := open.follow(t, "Go to the payment page")
	back := checkout.press(t, "Pay")
	back = back.reloadUntil(t, "You are booked")
	require.Contains(t, back.text(), "Thank you, your payment has arrived.")
	booked := s.booked(t)[0]
	require.Equal(t, "confirmed", booked["status"])
	require.InDelta(t, 1000, booked["paid"], 0)

	receipt := back.follow(t, "Receipt")
	require.Contains(t, receipt.text(), "Ada Lovelace")
	require.Contains(t, receipt.text(), "€10")
	rest := back.ownPage(t).press(t, "Pay the rest of €80")
	require.Contains(t, rest.text(), "A payment of €80 is open.")
}

func TestPay_Declined_LeavesTheHoldAndAsksAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.visitor(t)
	open := holdTour(t, v, s.tour(t, 10, object{"deposit": 1000})).fill(t, "Continue").submit(t)
	stopped := open.press(t, "Stop this payment")
	require.Contains(t, stopped.text(), "The payment is stopped. Nothing was charged.")
	require.Equal(t, "held", s.booked(t)[0]["status"])
	again := stopped.press(t, "Pay the deposit of €10")
	require.Contains(t, again.text(), "A payment of €10 is open.")
}

func TestPay_TheHoldLastsLongEnoughForThePaymentPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"hold_minutes": 5})
	v := s.visitor(t)
	holdTour(t, v, s.tour(t, 10, object{"deposit": 1000})).fill(t, "Continue").submit(t)
	var enough bool
	require.NoError(t, s.sql.QueryRow(t.Context(), "SELECT hold_expires_at > now() + interval '31 minutes' FROM bookings").Scan(&enough))
	require.True(t, enough)
}

func TestHold_Lapsed_IsToldAndCannotBeConfirmed(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.visitor(t)
	hold := holdTour(t, v, s.tour(t, 10, nil))
	_, err := s.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = now() - interval '1 minute'")
	require.NoError(t, err)
	_, err = s.sql.Exec(t.Context(), storetest.SyncClaims)
	require.NoError(t, err)

	late := hold.fill(t, "Book now").submit(t)
	require.Equal(t, http.StatusConflict, late.status)
	require.Equal(t, "The time is no longer held", late.heading())
	shown := hold.ownPage(t)
	require.Equal(t, "The time is no longer held for you", shown.heading())
	again := shown.follow(t, "Book again")
	require.Equal(t, http.StatusOK, again.status)
}

func TestReceipt_OfAnotherBookingsPayment_IsNotFound(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, object{"deposit": 1000})
	paid := holdTour(t, s.visitor(t), service).fill(t, "Continue").submit(t).follow(t, "Go to the payment page").press(t, "Pay")
	paid = paid.reloadUntil(t, "You are booked")
	payment := s.call(t, http.MethodGet, "/v1/payments", s.key, nil)["data"].([]any)[0].(object)["id"].(string)
	other := holdTour(t, s.visitor(t), service)
	require.Equal(t, http.StatusOK, paid.by.open(t, paid.resolve(t, paid.url.Path+"/receipts/"+payment)).status)
	require.Equal(t, http.StatusNotFound, other.by.open(t, other.resolve(t, other.url.Path+"/receipts/"+payment)).status)
}
