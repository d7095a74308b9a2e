package money

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/console/frame"
	"holdfast/internal/operation"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
	"holdfast/internal/web"
)

// routeMoney adds the pages of payments, wallets and reconciliation.
func (s section) routeMoney() {
	s.Get("/payments", frame.NeedOf(payment.OpListAllPayments), s.showPayments)
	s.Get("/payments/:id", frame.NeedOf(payment.OpGetPayment), s.showPayment)
	s.Get("/payments/:id/receipt", frame.NeedOf(payment.OpGetReceipt), s.showReceipt)
	s.FormPage("/payments/reconciliation", payment.OpReconcile, s.showReconciliation, s.reconcile)
	s.Get("/payments/till", frame.NeedOf(payment.OpSumOfflinePayments), s.showTill)
	s.FormPage("/payments/:id/hand-back", payment.OpCompleteRefund, s.showHandBack, s.handBack)
	record := payment.OpCreatePayment
	record.CallsProvider = false // what people took themselves
	s.FormPage("/bookings/:id/record", record, s.showRecord, s.recordPayment)
	s.FormPage("/bookings/:id/refund/:payment", payment.OpCreateRefund, s.showRefund, s.refund)
	s.Form("/payments/:id/cancel", payment.OpCancelPayment, s.showPayment, 1, s.cancelPayment)

	// A page of wallets reads the customer of each, and a wallet its entries.
	wallets := frame.Need{Scope: wallet.OpListWallets.Scope, Cost: operation.FullPage}
	find := frame.Need{Scope: wallet.OpTransfer.Scope, Cost: operation.FullPage}
	s.Get("/payments/wallets", wallets, s.showWallets)
	s.FormPage("/payments/wallets/new", wallet.OpCreateWallet, s.showNewWallet, s.createWallet)
	s.Form("/payments/wallets/look-up", wallet.OpLookUpWallet, s.showWallets, 1, s.lookUpWallet)
	s.Get("/payments/wallets/:id", wallets, s.showWallet)
	s.FormPage("/payments/wallets/:id/rotate", wallet.OpRotateWalletCode, s.askToRotate, s.rotateCode)
	s.FormPage("/payments/wallets/:id/credit", wallet.OpCreditWallet, s.showCredit, s.creditWallet)
	s.FormPage("/payments/wallets/:id/debit", wallet.OpDebitWallet, s.showDebit, s.debitWallet)
	s.Get("/payments/wallets/:id/transfer", find, s.showTransfer)
	s.Form("/payments/wallets/:id/transfer", wallet.OpLookUpWallet, s.showTransfer, 0, s.transferToCode)
	s.FormPage("/payments/wallets/:id/transfer/:to", wallet.OpTransfer, s.askToTransfer, s.transfer)
}

// moneyLinks lead to the pages of the section, as far as the person may see them.
func moneyLinks(v *frame.Visit) (links []web.NavLink) {
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
			to, here := v.Path(p.path...), v.C.Request.URL.Path
			current := here == to || len(p.path) > 1 && strings.HasPrefix(here, to+"/")
			first = first && !current
			links = append(links, web.NavLink{Name: p.name, URL: to, Current: current})
		}
	}
	if first && len(links) > 0 && links[0].URL == v.Path("payments") {
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
	HandBack frame.ToHandBack
	Rows     []payment.Listed
	Location *time.Location
	Next     string // path of the page that follows; empty on the last one
}

func (s section) showPayments(v *frame.Visit) error {
	page := paymentsPage{
		Links:    moneyLinks(v),
		Path:     v.Path("payments"),
		From:     v.Query.Get("from"),
		To:       v.Query.Get("to"),
		Kind:     v.Query.Get("kind"),
		Status:   v.Query.Get("status"),
		Code:     strings.TrimSpace(v.Query.Get("code")),
		Kinds:    paymentKinds,
		Statuses: paymentStatuses,
		Location: v.Tenant().Location,
		Method:   v.Query.Get("method"),
		Methods:  offlineMethods,
	}
	f, found, err := s.paymentFilter(v, page)
	if err != nil {
		return err
	}
	if page.HandBack, err = s.ToHandBack(v); err != nil {
		return err
	}
	if found {
		if page.Rows, err = s.Payments.ListAll(v.Context(), v.Tenant(), f); err != nil {
			return err
		}
	}
	page.Rows, page.Next = web.Page(v, page.Rows, frame.PageSize, func(last payment.Listed) string {
		return strconv.FormatInt(last.UpdatedAt.UnixMicro(), 10) + "_" + last.ID.String()
	})
	return s.Render(v, http.StatusOK, "payments", "Payments", page)
}

// paymentFilter returns the filter that the page's fields ask for. found is false if no booking has the code. Errors:
// problem.ValidationFailed.
func (s section) paymentFilter(v *frame.Visit, page paymentsPage) (f payment.Filter, found bool, err error) {
	f = payment.Filter{Kind: payment.Kind(page.Kind), Status: payment.Status(page.Status), Limit: frame.PageSize + 1}
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
	if f.From, err = frame.DateOf(v.Query, "from"); err != nil {
		return f, false, err
	}
	if f.To, err = frame.DateOf(v.Query, "to"); err != nil {
		return f, false, err
	}
	if f.AfterAt, f.AfterID, err = positionOf(v.Query.Get(web.FieldAfter)); err != nil {
		return f, false, err
	}
	if page.Code == "" {
		return f, true, nil
	}
	list, err := s.Bookings.List(v.Context(), v.Tenant(), booking.Filter{Code: &page.Code, Limit: 1})
	if err != nil || len(list) == 0 {
		return f, false, err
	}
	f.Booking = &list[0].ID
	return f, true, nil
}

// positionOf returns the time and the id behind which a page of a list begins, zero without a text. Errors:
// problem.ValidationFailed, problem.NotFound.
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
