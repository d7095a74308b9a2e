package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

func TestPayments_AreFoundByBookingDateKindAndState(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.signedIn(t, "ada", user.RoleStaff)
	code := f.business.booking(t, f.booking)["code"].(string)
	for query, want := range map[string]int{
		"": 2, "code=" + code: 2, "code=" + strings.ToLower(code): 2, "code=NOTHERE1": 0, "kind=deposit": 1,
		"kind=refund":      1,
		"kind=balance":     0,
		"status=succeeded": 2, "status=declined": 0, "from=2099-01-01": 0, "to=2020-01-01": 0,
		"from=2020-01-01&to=2099-01-01": 2,
	} {
		shown := f.at(t, p, "/payments?"+query)
		require.Equal(t, http.StatusOK, shown.Status, query)
		require.Equal(t, want, strings.Count(shown.Raw, `<span class="state succeeded">`), query)
	}
	for _, query := range []string{"kind=x", "status=x", "from=x", "to=2027-02-30", "after=x",
		"after=99999999999999999999_x",
		"from=9999-01-01"} {
		require.Equal(t, http.StatusUnprocessableEntity, f.at(t, p, "/payments?"+query).Status, query)
	}
	require.Equal(t, http.StatusNotFound, f.at(t, p, "/payments?after=1_x").Status)
}

func TestPayments_MoreThanAPage_AreAllFound(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	f.exec(t, `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('payment_id', gen_random_uuid()))).*
		FROM payments p, generate_series(1, 120) n WHERE p.refund_of IS NULL`)
	p := f.at(t, f.signedIn(t, "ada", user.RoleStaff), "/payments?kind=deposit")
	seen := strings.Count(p.Raw, "state succeeded")
	for strings.Contains(p.Raw, `rel="next"`) {
		p = p.Follow(t, "More")
		seen += strings.Count(p.Raw, "state succeeded")
	}
	require.Equal(t, 121, seen)
}

func TestPayment_ShowsWhatBelongsToIt(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	read, staff := f.signedIn(t, "joan", user.RoleRead), f.signedIn(t, "ada", user.RoleStaff)
	p := f.at(t, read, "/payments/"+f.payment)
	for _, words := range []string{"Payment €10", "Succeeded", "Deposit", "sandbox", "pm_ok", "Receipt"} {
		require.Contains(t, p.Text(), words)
	}
	require.NotContains(t, p.Raw, "/refund/", "the role lets look, and nothing else")
	receipt := p.Follow(t, "Receipt")
	for _, words := range []string{"Harbour Tours", "Grace Hopper, grace@example.com", "Harbour tour", "€10", "−€3"} {
		require.Contains(t, receipt.Text(), words)
	}
	require.Contains(t, f.at(t, staff, "/payments/"+f.payment).Raw, "/refund/"+f.payment)
	refund := f.at(t, read, "/payments/"+f.refund)
	require.Contains(t, refund.Text(), "Amount −€3")
	require.Equal(t, "/console/harbour/payments/"+f.payment, refund.Follow(t, "a payment").URL.Path)
	require.Equal(t, http.StatusConflict, f.at(t, read, "/payments/"+f.refund+"/receipt").Status,
		"of a refund there is none")
	require.Equal(t, http.StatusForbidden, f.at(t, read, "/payments").Status,
		"as of the API, the list of all is for those who handle money")
}

func TestPayment_WithoutAnEnd_IsCancelledOnce(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	booking := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))["id"].(string)
	open := s.made(t, "/v1/bookings/"+booking+"/payments", object{"kind": "balance",
		"checkout": object{"return_url": "https://example.com/"}})
	p := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/payments/"+open)
	require.Contains(t, p.Text(), "Processing")
	form := p.Form(t, "Cancel the payment")
	for range 2 {
		require.Contains(t, form.Submit(t).Text(), "The payment is cancelled.")
	}
	require.Equal(t, "declined", s.call(t, http.MethodGet, "/v1/payments/"+open, s.key, nil)["status"])
}

func TestRefund_InAnotherVersion_IsRefused(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.at(t, f.signedIn(t, "ada", user.RoleStaff), "/bookings/"+f.booking+"/refund/"+f.payment)
	f.call(t, http.MethodPatch, "/v1/bookings/"+f.booking, f.key, object{"reference": "another"})
	before := f.facts(t)
	require.Equal(t, http.StatusPreconditionFailed, p.Form(t, "Refund").With("amount", "1").Submit(t).Status)
	require.Equal(t, before, f.facts(t))
	fresh := f.at(t, p, "/bookings/"+f.booking+"/refund/"+f.payment)
	require.Equal(t, http.StatusUnprocessableEntity, fresh.Form(t, "Refund").With("amount", "7.01").Submit(t).Status,
		"€7 is left")
	owed := fresh.Form(t, "Refund").With("amount", "7").With("owed_again", "1").Submit(t)
	require.Contains(t, owed.Text(), "The refund is made.")
	require.EqualValues(t, 8700, f.call(t, http.MethodGet, "/v1/bookings/"+f.booking+"/balance", f.key, nil)["due"])
}

func TestRefundOverpaid_ReturnsIt(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service := s.tour(t, nil)
	booking := s.book(t, service, tourAt(t, 0, 10))["id"].(string)
	s.made(t, "/v1/bookings/"+booking+"/payments", object{"kind": "balance", "payment_method": "pm_ok"})
	s.call(t, http.MethodPatch, "/v1/services/"+service, s.key, object{"price": 4000})
	p := s.signedIn(t, "ada", user.RoleStaff)
	moved := s.at(t, p, "/bookings/"+booking+"/move").Form(t, "See what it comes to").With("date",
		testtime.Date(1).String()).Submit(t)
	over := moved.Press(t, "Move it for €80")
	require.Contains(t, over.Text(), "Overpaid €10")
	form := over.Form(t, "Refund what is overpaid")
	for range 2 {
		require.Contains(t, form.Submit(t).Text(), "The refund is made.")
	}
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM payments WHERE refund_of IS NOT NULL AND amount = 1000"))
}

// A customer's bank may refuse a payment: what Holdfast stored of it is shown, not sent again.
func TestRefund_Declined_IsSaidAgainAndAgain(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	booking := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))["id"].(string)
	paid := s.made(t, "/v1/bookings/"+booking+"/payments",
		object{"kind": "balance", "payment_method": "pm_refund_fails"})
	form := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/bookings/"+booking+"/refund/"+paid).Form(t, "Refund")
	for range 2 {
		require.Equal(t, http.StatusPaymentRequired, form.Submit(t).Status)
	}
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM payments WHERE refund_of IS NOT NULL AND status = 'declined'"))
}

func TestAttack_QueriesOfMoney_NeverFailTheServer(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.signedIn(t, "ada", user.RoleOwner)
	for path, fields := range map[string][]string{
		"/customers": {"q", "archived", "after"}, "/customers/" + f.customer: {"after", "done", "undo"},
		"/customers/" + f.customer + "/merge": {"q"}, "/payments": {"code", "from", "to", "kind", "status", "after"},
		"/payments/wallets": {"after"}, "/payments/wallets/" + f.wallet: {"after"},
		"/payments/wallets/new":                                 {"customer"},
		"/payments/wallets/" + f.wallet + "/transfer":           {"q"},
		"/payments/wallets/" + f.wallet + "/transfer/" + f.card: {"amount", "reason", "reference"},
	} {
		for _, name := range fields {
			for _, value := range append(odd(), hostile, "\x00", "%", "1_"+f.payment) {
				shown := f.at(t, p, path+"?"+url.Values{name: {value}}.Encode())
				require.Less(t, shown.Status, http.StatusInternalServerError, "%s?%s=%.100q: %.300s", path, name, value,
					shown.Text())
				require.NotContains(t, shown.Raw, "<script>alert", path)
			}
		}
	}
}
