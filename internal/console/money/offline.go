package money

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
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
func offlineFieldsOf(v *frame.Visit, form url.Values, method payment.OfflineMethod, back bool) offlineFields {
	return offlineFields{
		Methods: offlineMethods, Method: cmp.Or(payment.OfflineMethod(form.Get("method")),
			method), Note: form.Get("note"), At: form.Get("at"),
		Zone: v.Tenant().Location.String(), Back: back,
	}
}

// offlineOf returns what a form says of offline money. at is when it moved, nil for now. Errors:
// problem.ValidationFailed.
func offlineOf(v *frame.Visit) (method payment.OfflineMethod, note string, at *time.Time, err error) {
	method, note = payment.OfflineMethod(v.Form.Get("method")), strings.TrimSpace(v.Form.Get("note"))
	if text := v.Form.Get("at"); text != "" {
		found, err := form.Moments("at", text, v.Tenant().Location)
		if err != nil {
			return method, note, nil, err
		}
		at = &found[0]
	}
	return method, note, at, nil
}

// ofOffline names the fields of a refused request's offline money as forms do.
func ofOffline(err error) error {
	return form.NameFields(err, func(name string) string { return strings.TrimPrefix(name, "offline.") })
}

// handedBack returns what a form says of money that was handed back. Errors: problem.ValidationFailed.
func handedBack(v *frame.Visit) (o payment.OfflineRefund, err error) {
	o.Method, o.Note, o.ReturnedAt, err = offlineOf(v)
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

func (s section) newRecordPage(v *frame.Visit) (recordPage, error) {
	b, err := s.BookingOfPath(v)
	if err != nil {
		return recordPage{}, err
	}
	page := recordPage{
		Booking: b, Path: v.BookingPath(b.ID, "record"), Back: v.BookingPath(b.ID), Offline: offlineFieldsOf(v, v.Form,
			payment.Cash, false),
		Kind: cmp.Or(payment.Kind(v.Form.Get("kind")), payment.Balance), Amount: v.Form.Get("amount"),
	}
	page.Balance, err = s.Payments.BalanceSummary(v.Context(), v.Tenant().ID, b.ID)
	return page, err
}

func (s section) showRecord(v *frame.Visit) error {
	page, err := s.newRecordPage(v)
	if err == nil && page.Balance.Due == 0 {
		err = problem.New(problem.Overpayment, "Nothing is due.")
	}
	if err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "record", "Record a payment", page)
}

func (s section) recordPayment(v *frame.Visit) error {
	page, err := s.newRecordPage(v)
	if err != nil {
		return err
	}
	_, err = s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		request, err := paymentOf(v, page.Booking.Currency)
		if err != nil {
			return idempotency.Outcome{}, err
		}
		return s.Payments.Pay(v.Context(), v.Tenant().ID, r, page.Booking.ID, request)
	})
	if err != nil {
		return ofOffline(err)
	}
	return v.Done("recorded", page.Back)
}

// paymentOf returns the offline payment that a form asks to record. Errors: problem.ValidationFailed.
func paymentOf(v *frame.Visit, currency string) (r payment.PayRequest, err error) {
	r = payment.PayRequest{Kind: payment.Kind(v.Form.Get("kind")), Offline: new(payment.OfflinePayment),
		Allowed: v.Version()}
	if text := strings.TrimSpace(v.Form.Get("amount")); text != "" || r.Kind == payment.Amount {
		amount, err := form.MinorUnits("amount", text, currency)
		if err != nil {
			return r, err
		}
		r.Amount = &amount
	}
	r.Offline.Method, r.Offline.Note, r.Offline.ReceivedAt, err = offlineOf(v)
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

func (s section) newHandBackPage(v *frame.Visit) (page handBackPage, err error) {
	if page.Payment, err = s.onePayment(v); err != nil {
		return page, err
	}
	page.Path, page.Back = paymentPath(v, page.ID, "hand-back"), paymentPath(v, page.ID)
	page.Offline = offlineFieldsOf(v, v.Form, page.OfflineMethod(), true)
	page.Booking, err = s.Bookings.Get(v.Context(), v.Tenant(), page.BookingID)
	return page, err
}

func (s section) showHandBack(v *frame.Visit) error {
	page, err := s.newHandBackPage(v)
	if err == nil && (page.RefundOf == nil || !page.WaitsForPerson()) {
		err = problem.New(problem.InvalidState,
			"Only an open refund of an offline payment waits for its money to be handed back.")
	}
	if err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "hand_back", "Hand money back", page)
}

func (s section) handBack(v *frame.Visit) error {
	page, err := s.newHandBackPage(v)
	if err != nil {
		return err
	}
	_, err = s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		o, err := handedBack(v)
		if err != nil {
			return idempotency.Outcome{}, err
		}
		done := payment.CompleteRequest{OfflineRefund: o, Allowed: v.Version()}
		return s.Payments.CompleteRefund(v.Context(), v.Tenant().ID, r, page.ID, done)
	})
	if err != nil {
		return err
	}
	return v.Done("handed_back", page.Back)
}

// isOffline reports whether a payment, and no refund, was received offline.
func isOffline(p payment.Payment) bool { return p.RefundOf == nil && p.OfflineMethod() != "" }
