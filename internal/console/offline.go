package console

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

// offlineMethods are how money moves that no provider sees.
var offlineMethods = []payment.OfflineMethod{payment.Cash, payment.BankTransfer, payment.CardTerminal}

// offlineFields are the fields of what a person records of offline money.
type offlineFields struct {
	Methods []payment.OfflineMethod
	Method  payment.OfflineMethod
	Note    string
	At      string
	Zone    string // of the tenant, in which At is read
	Back    bool   // the money goes back to the customer
	// Optional: no method is chosen if the money goes back through the provider.
	Optional bool
}

// offlineFieldsOf returns the fields as a form was sent; method is chosen in a form that wasn't.
func (v *visit) offlineFieldsOf(form url.Values, method payment.OfflineMethod, back bool) offlineFields {
	return offlineFields{
		Methods: offlineMethods, Method: cmp.Or(payment.OfflineMethod(form.Get("method")),
			method), Note: form.Get("note"), At: form.Get("at"),
		Zone: v.tenant().Location.String(), Back: back,
	}
}

// offlineOf returns what a form says of offline money. at is when it moved, nil for now. Errors:
// problem.ValidationFailed.
func (v *visit) offlineOf() (method payment.OfflineMethod, note string, at *time.Time, err error) {
	method, note = payment.OfflineMethod(v.Form.Get("method")), strings.TrimSpace(v.Form.Get("note"))
	if text := v.Form.Get("at"); text != "" {
		found, err := momentsOf("at", text, v.tenant().Location)
		if err != nil {
			return method, note, nil, err
		}
		at = &found[0]
	}
	return method, note, at, nil
}

// ofOffline names the fields of a refused request's offline money as forms do.
func ofOffline(err error) error {
	return nameFields(err, func(name string) string { return strings.TrimPrefix(name, "offline.") })
}

// handedBack returns what a form says of money that was handed back. Errors: problem.ValidationFailed.
func (v *visit) handedBack() (o payment.OfflineRefund, err error) {
	o.Method, o.Note, o.ReturnedAt, err = v.offlineOf()
	return o, err
}

// recordPage records a payment that was received offline.
type recordPage struct {
	Booking booking.Booking
	Path    string
	Back    string
	Balance payment.BalanceSummary
	Kind    payment.Kind
	Amount  string
	Offline offlineFields
}

func (c *Console) newRecordPage(v *visit) (recordPage, error) {
	b, err := c.bookingOfPath(v)
	if err != nil {
		return recordPage{}, err
	}
	page := recordPage{
		Booking: b, Path: v.bookingPath(b.ID, "record"), Back: v.bookingPath(b.ID), Offline: v.offlineFieldsOf(v.Form,
			payment.Cash, false),
		Kind: cmp.Or(payment.Kind(v.Form.Get("kind")), payment.Balance), Amount: v.Form.Get("amount"),
	}
	page.Balance, err = c.Payments.BalanceSummary(v.ctx(), v.tenant().ID, b.ID)
	return page, err
}

func (c *Console) showRecord(v *visit) error {
	page, err := c.newRecordPage(v)
	if err == nil && page.Balance.Due == 0 {
		err = problem.New(problem.Overpayment, "Nothing is due.")
	}
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "record", "Record a payment", page)
}

func (c *Console) recordPayment(v *visit) error {
	page, err := c.newRecordPage(v)
	if err != nil {
		return err
	}
	_, err = c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		request, err := v.paymentOf(page.Booking.Currency)
		if err != nil {
			return idempotency.Outcome{}, err
		}
		return c.Payments.Pay(v.ctx(), v.tenant().ID, r, page.Booking.ID, request)
	})
	if err != nil {
		return ofOffline(err)
	}
	return v.done("recorded", page.Back)
}

// paymentOf returns the offline payment that a form asks to record. Errors: problem.ValidationFailed.
func (v *visit) paymentOf(currency string) (r payment.PayRequest, err error) {
	r = payment.PayRequest{Kind: payment.Kind(v.Form.Get("kind")), Offline: new(payment.OfflinePayment),
		Allowed: v.version()}
	if text := strings.TrimSpace(v.Form.Get("amount")); text != "" || r.Kind == payment.Amount {
		amount, err := minorOf("amount", text, currency)
		if err != nil {
			return r, err
		}
		r.Amount = &amount
	}
	r.Offline.Method, r.Offline.Note, r.Offline.ReceivedAt, err = v.offlineOf()
	return r, err
}

// handBackPage says that the money of an open offline refund was handed back.
type handBackPage struct {
	payment.Payment

	Booking booking.Booking
	Path    string
	Back    string
	Offline offlineFields
}

func (c *Console) newHandBackPage(v *visit) (page handBackPage, err error) {
	if page.Payment, err = c.onePayment(v); err != nil {
		return page, err
	}
	page.Path, page.Back = v.paymentPath(page.ID, "hand-back"), v.paymentPath(page.ID)
	page.Offline = v.offlineFieldsOf(v.Form, page.OfflineMethod(), true)
	page.Booking, err = c.Bookings.Get(v.ctx(), v.tenant(), page.BookingID)
	return page, err
}

func (c *Console) showHandBack(v *visit) error {
	page, err := c.newHandBackPage(v)
	if err == nil && (page.RefundOf == nil || !page.WaitsForPerson()) {
		err = problem.New(problem.InvalidState, "Only an open refund of an offline payment waits for its money to be handed back.")
	}
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "hand_back", "Hand money back", page)
}

func (c *Console) handBack(v *visit) error {
	page, err := c.newHandBackPage(v)
	if err != nil {
		return err
	}
	_, err = c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		o, err := v.handedBack()
		if err != nil {
			return idempotency.Outcome{}, err
		}
		done := payment.CompleteRequest{OfflineRefund: o, Allowed: v.version()}
		return c.Payments.CompleteRefund(v.ctx(), v.tenant().ID, r, page.ID, done)
	})
	if err != nil {
		return err
	}
	return v.done("handed_back", page.Back)
}

// isOffline reports whether a payment, and no refund, was received offline.
func isOffline(p payment.Payment) bool { return p.RefundOf == nil && p.OfflineMethod() != "" }
