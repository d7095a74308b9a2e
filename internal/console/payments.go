package console

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/operation"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
	"holdfast/internal/web"
)

// routeMoney adds the pages of payments, wallets and reconciliation.
func (c *Console) routeMoney(of *gin.RouterGroup) {
	list := need{scope: operation.ScopeMoney, cost: costOfList}
	read, money := need{scope: operation.ScopeRead}, need{scope: operation.ScopeMoney}
	of.GET("/payments", c.handle(list, c.user, c.showPayments))
	of.GET("/payments/:id", c.handle(read, c.user, c.showPayment))
	of.GET("/payments/:id/receipt", c.handle(read, c.user, c.showReceipt))
	of.GET("/payments/reconciliation", c.handle(money, c.user, c.showReconciliation))
	of.POST("/payments/reconciliation", c.form(payment.OpReconcile, c.showReconciliation, 0, c.reconcile))
	of.GET("/payments/till", c.handle(list, c.user, c.showTill))
	of.GET("/payments/:id/hand-back", c.handle(money, c.user, c.showHandBack))
	of.POST("/payments/:id/hand-back", c.form(payment.OpCompleteRefund, c.showHandBack, 0, c.handBack))
	of.GET("/bookings/:id/record", c.handle(money, c.user, c.showRecord))
	of.POST("/bookings/:id/record", c.handle(money.on(c.showRecord, 0), c.user, c.recordPayment))
	of.POST("/payments/:id/cancel", c.form(payment.OpCancelPayment, c.showPayment, 1, c.cancelPayment))
	of.POST("/bookings/:id/refund-overpaid", c.form(payment.OpRefundOverpaid, c.showBooking, 1, c.refundOverpaid))

	// A page of wallets reads the customer of each, and a wallet its entries.
	wallets := need{scope: operation.ScopeRead, cost: operation.FullPage}
	find := need{scope: operation.ScopeMoney, cost: operation.FullPage}
	of.GET("/payments/wallets", c.handle(wallets, c.user, c.showWallets))
	of.GET("/payments/wallets/new", c.handle(money, c.user, c.showNewWallet))
	of.POST("/payments/wallets/new", c.form(wallet.OpCreateWallet, c.showNewWallet, 0, c.createWallet))
	of.POST("/payments/wallets/look-up", c.form(wallet.OpLookUpWallet, c.showWallets, 1, c.lookUpWallet))
	of.GET("/payments/wallets/:id", c.handle(wallets, c.user, c.showWallet))
	of.GET("/payments/wallets/:id/rotate", c.handle(money, c.user, c.askToRotate))
	of.POST("/payments/wallets/:id/rotate", c.form(wallet.OpRotateWalletCode, c.askToRotate, 0, c.rotateCode))
	of.GET("/payments/wallets/:id/credit", c.handle(money, c.user, c.showCredit))
	of.POST("/payments/wallets/:id/credit", c.form(wallet.OpCreditWallet, c.showCredit, 0, c.creditWallet))
	of.GET("/payments/wallets/:id/debit", c.handle(money, c.user, c.showDebit))
	of.POST("/payments/wallets/:id/debit", c.form(wallet.OpDebitWallet, c.showDebit, 0, c.debitWallet))
	of.GET("/payments/wallets/:id/transfer", c.handle(find, c.user, c.showTransfer))
	of.POST("/payments/wallets/:id/transfer", c.form(wallet.OpLookUpWallet, c.showTransfer, 0, c.transferToCode))
	of.GET("/payments/wallets/:id/transfer/:to", c.handle(money, c.user, c.askToTransfer))
	of.POST("/payments/wallets/:id/transfer/:to", c.form(wallet.OpTransfer, c.askToTransfer, 0, c.transfer))
}

// moneyLinks lead to the pages of the section, as far as the person may see them.
func (v *visit) moneyLinks() (links []web.NavLink) {
	first := true // no other page of the section is shown
	for _, p := range []struct {
		name  string
		path  []string
		scope operation.Scope
	}{
		{"Payments", []string{"payments"}, operation.ScopeMoney},
		{"Wallets", []string{"payments", "wallets"}, operation.ScopeRead},
		{"Till", []string{"payments", "till"}, operation.ScopeMoney},
		{"Reconciliation", []string{"payments", "reconciliation"}, operation.ScopeMoney},
		{"Payment account", []string{"payments", "account"}, operation.ScopeRead},
	} {
		if v.May(p.scope) {
			to, here := v.path(p.path...), v.C.Request.URL.Path
			current := here == to || len(p.path) > 1 && strings.HasPrefix(here, to+"/")
			first = first && !current
			links = append(links, web.NavLink{Name: p.name, URL: to, Current: current})
		}
	}
	if first && len(links) > 0 && links[0].URL == v.path("payments") {
		links[0].Current = true // a payment
	}
	return links
}

// paymentKinds and paymentStatuses are those by which payments are found.
var (
	paymentKinds    = []payment.Kind{payment.Deposit, payment.Balance, payment.Amount, payment.Refund}
	paymentStatuses = []payment.Status{
		payment.StatusStarted, payment.StatusUnknown, payment.StatusProcessing, payment.StatusSucceeded,
		payment.StatusDeclined,
	}
)

// paymentsPage are the payments and refunds that were asked for.
type paymentsPage struct {
	Links    []web.NavLink
	Path     string
	From, To string
	Kind     string
	Status   string
	Method   string // of offline money
	Code     string // of the booking
	Kinds    []payment.Kind
	Statuses []payment.Status
	Methods  []payment.OfflineMethod
	HandBack toHandBack
	Rows     []payment.Listed
	Location *time.Location
	Next     string // path of the page that follows; empty on the last one
}

func (c *Console) showPayments(v *visit) error {
	page := paymentsPage{
		Links: v.moneyLinks(), Path: v.path("payments"), From: v.Query.Get("from"), To: v.Query.Get("to"),
		Kind:   v.Query.Get("kind"),
		Status: v.Query.Get("status"), Code: strings.TrimSpace(v.Query.Get("code")), Kinds: paymentKinds,
		Statuses: paymentStatuses,
		Location: v.tenant().Location, Method: v.Query.Get("method"), Methods: offlineMethods,
	}
	f, found, err := c.paymentFilter(v, page)
	if err != nil {
		return err
	}
	if page.HandBack, err = c.toHandBack(v); err != nil {
		return err
	}
	if found {
		if page.Rows, err = c.Payments.ListAll(v.ctx(), v.tenant(), f); err != nil {
			return err
		}
	}
	page.Rows, page.Next = web.Page(v, page.Rows, pageSize, func(last payment.Listed) string {
		return strconv.FormatInt(last.UpdatedAt.UnixMicro(), 10) + "_" + last.ID.String()
	})
	return c.render(v, http.StatusOK, "payments", "Payments", page)
}

// paymentFilter returns the filter that the page's fields ask for. found is false if no booking has the code. Errors:
// problem.ValidationFailed.
func (c *Console) paymentFilter(v *visit, page paymentsPage) (f payment.Filter, found bool, err error) {
	f = payment.Filter{Kind: payment.Kind(page.Kind), Status: payment.Status(page.Status), Limit: pageSize + 1}
	if err := oneOf("kind", page.Kind, paymentKinds); err != nil {
		return f, false, err
	}
	if err := oneOf("status", page.Status, paymentStatuses); err != nil {
		return f, false, err
	}
	f.Method = payment.OfflineMethod(page.Method)
	if err := oneOf("method", page.Method, offlineMethods); err != nil {
		return f, false, err
	}
	if f.From, err = dateOf(v.Query, "from"); err != nil {
		return f, false, err
	}
	if f.To, err = dateOf(v.Query, "to"); err != nil {
		return f, false, err
	}
	if f.AfterAt, f.AfterID, err = positionOf(v.Query.Get(web.FieldAfter)); err != nil {
		return f, false, err
	}
	if page.Code == "" {
		return f, true, nil
	}
	list, err := c.Bookings.List(v.ctx(), v.tenant(), booking.Filter{Code: &page.Code, Limit: 1})
	if err != nil || len(list) == 0 {
		return f, false, err
	}
	f.Booking = &list[0].ID
	return f, true, nil
}

// positionOf returns the time and the id behind which a page of a list begins, zero without a text. Errors: problem.ValidationFailed,
// problem.NotFound.
func positionOf(text string) (at time.Time, id uuid.UUID, err error) {
	if text == "" {
		return at, id, nil
	}
	first, second, _ := strings.Cut(text, "_")
	micros, err := strconv.ParseInt(first, 10, 64)
	if at = time.UnixMicro(micros).UTC(); err != nil || at.Year() < 1 || at.Year() > 9999 {
		return at, id, problem.Invalid(web.FieldAfter, "invalid_format", "Begin the list anew.")
	}
	id, err = web.ParseID(second)
	return at, id, err
}
