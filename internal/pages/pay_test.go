package pages_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// holdTour opens the tour's page on a date and holds ten o'clock for two.
func holdTour(t testing.TB, v *visitor, service string) *pagetest.Page {
	t.Helper()
	hold := v.book(t, "/"+service+slotQuery(testtime.Date(0), 2)).Press(t, "10:00")
	require.Equal(t, "Almost done", hold.Heading(), hold.Text())
	return hold
}

// reloadUntil opens the page again until it has all these texts: what the provider reports comes by itself. The page
// reads the payments before the booking, so its heading may be of a confirmed booking while it still shows the payment
// as open.
func reloadUntil(t testing.TB, p *pagetest.Page, texts ...string) *pagetest.Page {
	t.Helper()
	require.Eventually(t, func() bool {
		p = p.By.Open(t, p.URL.String())
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(p.Text(), text) })
	}, patient, poll, "%q", texts)
	return p
}

// ownPage opens the page of the booking that p shows.
func ownPage(t testing.TB, p *pagetest.Page) *pagetest.Page {
	t.Helper()
	parts := strings.Split(p.URL.Path, "/")
	return p.By.Open(t, p.Resolve(t, "/booking/"+parts[2]))
}

func TestPay_DepositOnTheProvidersPage_ConfirmsTheHold(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.visitor(t)
	hold := holdTour(t, v, s.tour(t, 10, object{"deposit": 1000}))

	open := fill(t, hold, "Continue to payment of €10").Submit(t)
	require.Contains(t, open.Text(), "A payment of €10 is open.")
	require.Equal(t, "held", s.booked(t)[0]["status"])
	checkout := open.Follow(t, "Go to the payment page")
	back := checkout.Press(t, "Pay")
	back = reloadUntil(t, back, "You are booked", "Thank you, your payment has arrived.")
	booked := s.booked(t)[0]
	require.Equal(t, "confirmed", booked["status"])
	require.InDelta(t, 1000, booked["paid"], 0)

	receipt := back.Follow(t, "Receipt")
	require.Contains(t, receipt.Text(), "Ada Lovelace")
	require.Contains(t, receipt.Text(), "€10")
	rest := ownPage(t, back).Press(t, "Pay the rest of €80")
	require.Contains(t, rest.Text(), "A payment of €80 is open.")
}

func TestPay_Declined_LeavesTheHoldAndAsksAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.visitor(t)
	open := fill(t, holdTour(t, v, s.tour(t, 10, object{"deposit": 1000})), "Continue").Submit(t)
	stopped := open.Press(t, "Stop this payment")
	require.Contains(t, stopped.Text(), "The payment is stopped. Nothing was charged.")
	require.Equal(t, "held", s.booked(t)[0]["status"])
	again := stopped.Press(t, "Pay the deposit of €10")
	require.Contains(t, again.Text(), "A payment of €10 is open.")
}

func TestPay_TheHoldLastsLongEnoughForThePaymentPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"hold_minutes": 5})
	v := s.visitor(t)
	fill(t, holdTour(t, v, s.tour(t, 10, object{"deposit": 1000})), "Continue").Submit(t)
	var enough bool
	require.NoError(t, s.sql.QueryRow(t.Context(),
		"SELECT hold_expires_at > now() + interval '31 minutes' FROM bookings").Scan(&enough))
	require.True(t, enough)
}

func TestHold_Lapsed_IsToldAndCannotBeConfirmed(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.visitor(t)
	hold := holdTour(t, v, s.tour(t, 10, nil))
	_, err := s.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = now() - interval '1 minute'")
	require.NoError(t, err)
	_, err = s.sql.Exec(t.Context(), dbtest.SyncClaims)
	require.NoError(t, err)

	late := fill(t, hold, "Book now").Submit(t)
	require.Equal(t, http.StatusConflict, late.Status)
	require.Equal(t, http.MethodGet, late.Method, "the browser can come back to it")
	require.Contains(t, late.Text(), "It took too long, so it is free for others again.")
	shown := ownPage(t, hold)
	require.Equal(t, "The time is no longer held for you", shown.Heading())
	again := shown.Follow(t, "Book again")
	require.Equal(t, http.StatusOK, again.Status)
}

func TestReceipt_OfAnotherBookingsPayment_IsNotFound(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, object{"deposit": 1000})
	paid := fill(t, holdTour(t, s.visitor(t), service), "Continue").Submit(t).Follow(t,
		"Go to the payment page").Press(t, "Pay")
	paid = reloadUntil(t, paid, "You are booked")
	payment := s.call(t, http.MethodGet, "/v1/payments", s.key, nil)["data"].([]any)[0].(object)["id"].(string)
	other := holdTour(t, s.visitor(t), service)
	require.Equal(t, http.StatusOK, paid.By.Open(t, paid.Resolve(t, paid.URL.Path+"/receipts/"+payment)).Status)
	require.Equal(t, http.StatusNotFound,
		other.By.Open(t, other.Resolve(t, other.URL.Path+"/receipts/"+payment)).Status)
}

func TestOffline_PaidInCash_IsNamedInEachLanguageAndClaimsNoRefund(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	booked := bookTour(t, s, s.tour(t, 10, nil))
	id := s.booked(t)[0]["id"].(string)
	for method, names := range map[string][3]string{
		"cash":     {"Cash", "Barzahlung", "Efectivo"},
		"transfer": {"Bank transfer", "Überweisung", "Transferencia bancaria"},
		"terminal": {"Card terminal", "Kartenterminal", "Terminal de tarjeta"},
	} {
		paid := s.call(t, http.MethodPost, "/v1/bookings/"+id+"/payments", s.key, object{
			"kind": "amount", "amount": 1000, "offline": object{"method": method, "note": "Taken by Bert"},
		})["id"].(string)
		for i, language := range []string{"en", "de", "es"} {
			shown := booked.By.Open(t, booked.Resolve(t, booked.URL.Path+"?lang="+language))
			require.Contains(t, shown.Text(), "("+names[i]+")")
			receipt := booked.By.Open(t, booked.Resolve(t, booked.URL.Path+"/receipts/"+paid+"?lang="+language))
			require.Contains(t, receipt.Text(), names[i])
			require.NotContains(t, shown.Text()+receipt.Text(), "Bert", "the note isn't for the customer")
		}
		_, err := s.sql.Exec(t.Context(), `
			INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider,
				automatic, fence, leased_until, resolve_at, first_sent_at, last_sent_at, created_at, updated_at)
			SELECT tenant_id, gen_random_uuid(), booking_id, payment_id, 'refund', 'processing', 1, currency, method, provider,
				true, 1, '9000-01-01Z', '9000-01-01Z', now(), now(), now(), now()
			FROM payments WHERE payment_id = $1`, paid)
		require.NoError(t, err)
	}
	for language, text := range map[string]string{
		"en": "Refund not yet paid out", "de": "Erstattung noch nicht ausgezahlt", "es": "Devolución aún no pagada",
	} {
		shown := booked.By.Open(t, booked.Resolve(t, booked.URL.Path+"?lang="+language)).Text()
		require.Contains(t, shown, text)
		require.NotContains(t, shown, "on its way")
	}
	refund := s.call(t, http.MethodGet, "/v1/payments?kind=refund&method=transfer", s.key,
		nil)["data"].([]any)[0].(object)
	s.call(t, http.MethodPost, "/v1/payments/"+refund["id"].(string)+"/complete", s.key,
		object{"note": "Done", "method": "cash"})
	receipt := booked.By.Open(t,
		booked.Resolve(t, booked.URL.Path+"/receipts/"+refund["refund_of"].(string)+"?lang=en"))
	require.Contains(t, receipt.Text(), "Refund (Cash)")
}
