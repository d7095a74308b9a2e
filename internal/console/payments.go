package console

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/operation"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
	"holdfast/internal/web"
)

// routeMoney adds the pages of payments, wallets and reconciliation.
func (c *Console) routeMoney() {
	list := need{scope: operation.ScopeMoney, cost: costOfList}
	read, money := need{scope: operation.ScopeRead}, need{scope: operation.ScopeMoney}
	c.get("/payments", list, c.showPayments)
	c.get("/payments/:id", read, c.showPayment)
	c.get("/payments/:id/receipt", read, c.showReceipt)
	c.get("/payments/reconciliation", money, c.showReconciliation)
	c.form("/payments/reconciliation", payment.OpReconcile, c.showReconciliation, 0, c.reconcile)
	c.get("/payments/till", list, c.showTill)
	c.get("/payments/:id/hand-back", money, c.showHandBack)
	c.form("/payments/:id/hand-back", payment.OpCompleteRefund, c.showHandBack, 0, c.handBack)
	c.get("/bookings/:id/record", money, c.showRecord)
	c.post("/bookings/:id/record", money.on(c.showRecord, 0), c.recordPayment)
	c.get("/bookings/:id/refund/:payment", money, c.showRefund)
	c.form("/bookings/:id/refund/:payment", payment.OpCreateRefund, c.showRefund, 0, c.refund)
	c.form("/payments/:id/cancel", payment.OpCancelPayment, c.showPayment, 1, c.cancelPayment)

	c.routeAccount()

	// A page of wallets reads the customer of each, and a wallet its entries.
	wallets := need{scope: operation.ScopeRead, cost: operation.FullPage}
	find := need{scope: operation.ScopeMoney, cost: operation.FullPage}
	c.get("/payments/wallets", wallets, c.showWallets)
	c.get("/payments/wallets/new", money, c.showNewWallet)
	c.form("/payments/wallets/new", wallet.OpCreateWallet, c.showNewWallet, 0, c.createWallet)
	c.form("/payments/wallets/look-up", wallet.OpLookUpWallet, c.showWallets, 1, c.lookUpWallet)
	c.get("/payments/wallets/:id", wallets, c.showWallet)
	c.get("/payments/wallets/:id/rotate", money, c.askToRotate)
	c.form("/payments/wallets/:id/rotate", wallet.OpRotateWalletCode, c.askToRotate, 0, c.rotateCode)
	c.get("/payments/wallets/:id/credit", money, c.showCredit)
	c.form("/payments/wallets/:id/credit", wallet.OpCreditWallet, c.showCredit, 0, c.creditWallet)
	c.get("/payments/wallets/:id/debit", money, c.showDebit)
	c.form("/payments/wallets/:id/debit", wallet.OpDebitWallet, c.showDebit, 0, c.debitWallet)
	c.get("/payments/wallets/:id/transfer", find, c.showTransfer)
	c.form("/payments/wallets/:id/transfer", wallet.OpLookUpWallet, c.showTransfer, 0, c.transferToCode)
	c.get("/payments/wallets/:id/transfer/:to", money, c.askToTransfer)
	c.form("/payments/wallets/:id/transfer/:to", wallet.OpTransfer, c.askToTransfer, 0, c.transfer)
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

// oneOf returns problem.ValidationFailed for a text that a list lacks. An empty text is none.
func oneOf[T ~string](field, text string, list []T) error {
	if text == "" {
		return nil
	}
	for _, known := range list {
		if string(known) == text {
			return nil
		}
	}
	return problem.Invalid(field, "not_one_of", "Choose one of the list.")
}
