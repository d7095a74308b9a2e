package console_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

func TestKeyboard_IsEnoughToRefund(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, object{"deposit": 1000}), tourAt(t, 0, 10))
	path := "/v1/bookings/" + made["id"].(string)
	s.call(t, http.MethodPost, path+"/payments", s.key, object{"kind": "deposit", "payment_method": "pm_ok"})
	b := s.browser(t, pagetest.Desktop, user.RoleStaff)
	b.Open(t, s.url+"/console/harbour/bookings/"+made["id"].(string))
	b.TabTo(t, "Refund")
	b.Run(t, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.CSS(`[name="amount"]`)))
	b.TabToField(t, "amount")
	b.TabTo(t, "Refund")
	b.Run(t, chromedp.KeyEvent(kb.Enter))
	require.Eventually(t, func() bool { return s.booking(t, made["id"])["refunded"] == 1000.0 }, patient, poll)
}
