package pages_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
)

// openDeposit fills in the details of a hold and returns its page, on which the payment of the deposit is open.
func openDeposit(t testing.TB, s *site) *pagetest.Page {
	t.Helper()
	open := fill(t, holdTour(t, s.visitor(t), s.tour(t, 10, object{"deposit": 1000})), "Continue").Submit(t)
	require.Contains(t, open.Text(), "A payment of €10 is open.")
	return open
}

// hasLink reports whether a page has a link with these words.
func hasLink(p *pagetest.Page, words string) bool {
	for _, a := range p.All(atom.A) {
		if strings.Contains(pagetest.Text(a), words) {
			return true
		}
	}
	return false
}

func TestCheckout_GoneBackWithoutPaying_CanGoOn(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	back := openDeposit(t, s).Follow(t, "Go to the payment page").Press(t, "Go back without paying")
	require.Contains(t, back.Text(), "You haven't paid yet, and nothing was charged.")
	require.Contains(t, back.Text(), "A payment of €10 is open.")
	require.Empty(t, back.Header.Get("Refresh"), "there is nothing to wait for")
	paid := back.Follow(t, "Go to the payment page").Press(t, "Pay")
	reloadUntil(t, paid, "You are booked", "Thank you, your payment has arrived.")
}

func TestCheckout_OutcomeThatDoesNotCome_IsWaitedForAtMostFifteenSeconds(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	open := openDeposit(t, s)
	p := open.By.Open(t, open.Resolve(t, open.URL.Path+"?payment_id="+paymentOf(t, s)))
	seconds := 0
	for p.Header.Get("Refresh") != "" {
		require.Contains(t, p.Text(), "We are waiting for the outcome of your payment of €10.")
		require.True(t, hasLink(p, "Go to the payment page"), p.Text())
		pause, next, _ := strings.Cut(p.Header.Get("Refresh"), "; url=")
		n, err := strconv.Atoi(pause)
		require.NoError(t, err)
		require.Positive(t, n)
		seconds += n
		require.LessOrEqual(t, seconds, 15)
		p = p.By.Open(t, p.Resolve(t, next))
	}
	require.Positive(t, seconds)
	require.Contains(t, p.Text(), "We don't know yet whether your payment of €10 has arrived.")
	require.True(t, hasLink(p, "Go to the payment page"))
	require.NotEmpty(t, p.Follow(t, "Look again").Header.Get("Refresh"))
	reloadUntil(t, p.Follow(t, "Go to the payment page").Press(t, "Pay"), "You are booked")
}

func TestCheckout_FromTheForm_ThePageLeadsOnByItself(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	open := openDeposit(t, s)
	require.Contains(t, open.Raw, " data-go>")
	again := open.By.Open(t, open.Resolve(t, open.URL.Path))
	require.Contains(t, again.Text(), "A payment of €10 is open.")
	require.NotContains(t, again.Raw, " data-go>", "who comes back isn't sent away again")
}

func TestCheckout_BookingIsCancelledMeanwhile_IsSaidAndThanksForNoPayment(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	open := openDeposit(t, s)
	checkout := open.Follow(t, "Go to the payment page")
	id := s.booked(t)[0]["id"].(string)
	s.call(t, http.MethodPost, "/v1/bookings/"+id+"/cancel", s.key, object{})
	ended := ownPage(t, open)
	require.Equal(t, "The booking is cancelled", ended.Heading())
	require.Contains(t, ended.Text(), "your payment of €10 is being stopped")
	require.False(t, hasLink(ended, "Go to the payment page"))

	back := reloadUntil(t, checkout.Press(t, "Pay"), "Your payment came after the booking had ended.")
	require.NotContains(t, back.Text(), "Thank you, your payment has arrived.")
}

func TestCheckout_PaidAndThenCancelled_OldAddressThanksNoMore(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	paid := reloadUntil(t, openDeposit(t, s).Follow(t, "Go to the payment page").Press(t, "Pay"),
		"Thank you, your payment has arrived.")
	s.call(t, http.MethodPost, "/v1/bookings/"+s.booked(t)[0]["id"].(string)+"/cancel", s.key, object{})
	later := paid.By.Open(t, paid.URL.String())
	require.Equal(t, "The booking is cancelled", later.Heading())
	require.NotContains(t, later.Text(), "Thank you")
	require.NotContains(t, later.Text(), "Your payment came after")
}

func TestPay_DepositPaidInPartAndRefunded_OffersWhatThePaymentTakes(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	open := fill(t, holdTour(t, s.visitor(t), s.tour(t, 10, object{"deposit": 2000})),
		"Continue to payment of €20").Submit(t)
	shown := open.Press(t, "Stop this payment")
	booking := "/v1/bookings/" + s.booked(t)[0]["id"].(string)
	part := s.call(t, http.MethodPost, booking+"/payments", s.key,
		object{"kind": "amount", "amount": 1500, "payment_method": "pm_ok"})
	s.call(t, http.MethodPost, "/v1/payments/"+part["id"].(string)+"/refunds", s.key, object{})
	due := int64(s.call(t, http.MethodGet, booking+"/balance", s.key, nil)["deposit_due"].(float64)) / 100
	amount := "€" + strconv.FormatInt(due, 10)
	again := ownPage(t, shown)
	require.Contains(t, again.Text(), "Pay the deposit of "+amount)
	require.Contains(t, again.Press(t, "Pay the deposit").Text(), "A payment of "+amount+" is open.")
}

func TestPay_AgainAndAgain_ExtendsTheHoldOnceAndFromItsMaking(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"hold_minutes": 5})
	open := openDeposit(t, s)
	for range 5 {
		stopped := open.Press(t, "Stop this payment")
		_, err := s.sql.Exec(t.Context(), "UPDATE bookings SET created_at = created_at - interval '2 minutes', "+
			"hold_expires_at = hold_expires_at - interval '2 minutes'") // two minutes go by
		require.NoError(t, err)
		open = stopped.Press(t, "Pay the deposit of €10")
		require.Contains(t, open.Text(), "A payment of €10 is open.")
	}
	var bounded bool
	require.NoError(t, s.sql.QueryRow(t.Context(), `SELECT hold_expires_at = created_at + interval '40 minutes'
		FROM bookings`).Scan(&bounded))
	require.True(t, bounded)
}

func TestPay_AccountThatCannotCharge_DoesNotExtendTheHold(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"hold_minutes": 5})
	hold := holdTour(t, s.visitor(t), s.tour(t, 10, object{"deposit": 1000}))
	s.call(t, http.MethodPost, "/v1/payment-account", s.key, object{"country": "DE"})
	refused := fill(t, hold, "Continue").Submit(t)
	require.Equal(t, http.StatusConflict, refused.Status)
	require.Equal(t, http.MethodGet, refused.Method, "the browser can come back to it")
	require.Contains(t, refused.Text(), "Payments aren't possible here yet")
	require.Contains(t, refused.Text(), "Ada Lovelace", "the details are saved")
	var kept bool
	require.NoError(t, s.sql.QueryRow(t.Context(),
		`SELECT hold_expires_at = created_at + interval '5 minutes' FROM bookings`).Scan(&kept))
	require.True(t, kept, "no payment can begin")
}
