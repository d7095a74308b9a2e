package pages

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
	"holdfast/internal/web"
)

// bookingPage is a booking as its customer sees it.
type bookingPage struct {
	ownURLs

	Summary summary
	// State is the booking's: held, lapsed, confirmed, completed, cancelled, expired or no_show.
	State   string
	Heading string
	// Notice is what has just happened, such as a declined payment; empty for nothing.
	Notice string

	HoldEnds  string // when the hold ends; empty unless the booking is a hold that lasts
	HoldLeft  int    // seconds until then: the visitor's clock may be another one
	EmailSent string // address to which a confirmation is sent; empty if none is
	Over      bool   // nothing can be done about it any more
	Edit      string // URL of the page with the details open
	TermsURL  string
	Details   *detailsForm // of a hold whose customer isn't known
	Pay       *payForm     // nil if nothing can be paid now
	Open      *openPayment // that the customer can go on with
	Again     string       // URL of the booking page, for a booking that is over

	CanMove, CanCancel, HasEntry bool
	Payments                     []paymentLine
	Key                          string
}

// ownURLs are the URLs of a booking's pages.
type ownURLs struct{ path, query string }

// To returns the URL of the page of the booking, or of one below it.
func (u ownURLs) To(below string) string { return u.path + below + u.query }

func (p *Pages) urls(v *visit) ownURLs { return ownURLs{p.ownPath(v, ""), v.withLanguage("", nil)} }

// summary is what is booked.
type summary struct {
	Service, When string
	Starts        time.Time
	WholeDates    bool
	Zone          string
	Party         string
	Code          string
	Name, Email   string
	Items         []itemLine
	Price         string
	Deposit       string // empty without one
	Fee           string // that is kept, or due, of a booking that has ended; empty if it is nothing
	Paid, Due     string // empty if it is nothing
	Overpaid      string // that was paid too much, and isn't on its way back; empty if it is nothing
	ComesBack     bool   // Overpaid is returned without being asked for, as the booking has ended
	Business      string // whom the customer asks about it
	Policy        []string
}

type itemLine struct{ Text, Amount string }

// paymentLine is a payment or a refund.
type paymentLine struct {
	Text, Amount, Date string
	Method             string // of offline money; empty for all other
	Receipt            string // URL; empty without one
}

// maxPayments is how many payments a page shows.
const maxPayments = 100

// bookingPath is the path of the page of a booking.
func (p *Pages) bookingPath(link booking.Link) string {
	return booking.LinksPath + p.Links.Token(link)
}

// ownPath is the path of the page of the visit's booking, or below it.
func (p *Pages) ownPath(v *visit, below string) string { return p.bookingPath(*v.link) + below }

func (p *Pages) showBooking(v *visit) error {
	return p.renderBooking(v)
}

// fieldEdit opens the details of a hold anew.
const fieldEdit = "edit"

// fieldNotice is what a redirect says has just happened.
const fieldNotice = "done"

// notice returns what has just happened, in words.
func (v *visit) notice(done string) string {
	if name := "done_" + done; done != "" && v.hasText(name) {
		return v.text(name)
	}
	return ""
}

// untrue reports whether the booking isn't as an address says: a page that was kept is opened again later.
func untrue(done string, b booking.Booking) bool {
	return done == "paid" && b.Kept() == 0 || done == "booked" && b.Status != booking.Confirmed ||
		done == "cancelled" && b.Status != booking.Cancelled
}

// renderBooking shows the booking as it is. The payments are read before the booking: one that succeeds in between is
// shown as open, and the page looks again. The other way round the page would show a payment and a booking that doesn't
// know of it, and stay so.
func (p *Pages) renderBooking(v *visit) error {
	payments, err := p.Payments.List(v.ctx(), v.tenant.ID, v.link.BookingID, uuid.Nil, maxPayments)
	if err != nil {
		return err
	}
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	page := bookingPage{ownURLs: p.urls(v), Summary: p.summary(v, b), State: string(b.Status), Key: web.NewKey(),
		Notice: v.notice(v.Query.Get(fieldNotice)), Again: v.withLanguage(v.bookPath(), nil)}
	lasts := b.Status == booking.Held && b.HoldExpiresAt.After(time.Now())
	if b.Status == booking.Held && !lasts {
		page.State = "lapsed"
	}
	lapsed := page.State == "lapsed" || b.Status == booking.Expired
	if lapsed && v.Why != nil && v.Why.Code != problem.HoldExpired {
		v.Why = nil // what was wrong with the form matters no more
	}
	if untrue(v.Query.Get(fieldNotice), b) {
		page.Notice = ""
	}
	page.Heading = v.text("booking_" + page.State)
	page.Payments = p.paymentLines(v, payments)
	page.Open = p.openPayment(v, b, payments)
	if page.Notice == "" {
		page.Notice = v.paymentNotice(b, payments)
	}
	if page.State != "lapsed" {
		now, paying := time.Now(), page.Open != nil
		page.CanMove = v.rules().CheckMove(b, paying, now) == nil
		page.CanCancel = v.rules().CheckCancel(b, paying, now) == nil
	}
	switch {
	case lasts:
		now := time.Now()
		page.HoldEnds = v.clock(b.HoldExpiresAt.In(b.Location), now)
		page.HoldLeft = int(b.HoldExpiresAt.Sub(now) / time.Second)
		page.TermsURL = v.withLanguage(v.bookPath("terms"), nil)
		page.Edit = v.withLanguage(p.ownPath(v, ""), url.Values{fieldEdit: {"1"}})
		if v.rules().CheckDetails(b, page.Open != nil) == nil {
			page.Details = v.detailsForm(b)
		}
	case b.Status == booking.Confirmed:
		page.HasEntry = true
		if p.sendsEmail && v.sendsEmail && !isErased(b) {
			page.EmailSent = b.Customer.Email
		}
	default:
		page.Over = true
	}
	if page.Open == nil && page.Details == nil && (lasts || b.Status == booking.Confirmed || b.Due > 0) {
		page.Pay = p.payForm(v, b)
	}
	if page.Open != nil && page.Open.Waits {
		v.C.Header("Refresh", strconv.Itoa(lookSeconds)+"; url="+page.Open.next)
	}
	return p.render(v, http.StatusOK, "booking", page.Heading, page)
}

// isErased reports whether the booking's customer was erased, whose email is a placeholder that nothing is sent to.
func isErased(b booking.Booking) bool { return customer.Customer{Email: b.Customer.Email}.IsErased() }

// summary returns what is booked, in words.
func (p *Pages) summary(v *visit, b booking.Booking) summary {
	s := summary{
		When:       v.when(b),
		Starts:     b.StartsAt,
		WholeDates: b.WholeDates(),
		Zone:       b.Location.String(),
		Code:       b.Code,
		Price:      v.amount(b.Price, b.Currency),
		Name:       b.Customer.Name,
		Email:      b.Customer.Email,
		Party:      v.text("people", "Count", b.PartySize),
		Service:    p.serviceName(v, b.ServiceID),
		Business:   v.tenant.Name,
	}
	if isErased(b) {
		s.Email = ""
	}
	for _, item := range b.Items {
		s.Items = append(s.Items, itemLine{v.itemText(item), v.amount(item.Amount, b.Currency)})
	}
	fee := new(int64)
	if ended := b.State().Fee; ended != nil {
		fee = ended
	}
	for _, a := range []struct {
		minor int64
		to    *string
	}{{b.Deposit, &s.Deposit}, {*fee, &s.Fee}, {b.Kept(), &s.Paid}, {b.Due, &s.Due}, {b.Overpaid, &s.Overpaid}} {
		if a.minor > 0 {
			*a.to = v.amount(a.minor, b.Currency)
		}
	}
	_, s.ComesBack = endOf(b)
	if b.Status == booking.Held || b.Status == booking.Confirmed {
		s.Policy = v.policy(b)
	}
	return s
}

// itemText returns what a part of the price is for, in words.
func (v *visit) itemText(item timetable.Item) string {
	if item.Quantity == 1 {
		return item.Name
	}
	return v.text("item", "Quantity", item.Quantity, "Name", item.Name)
}

// serviceName returns the name of a service, also of one that the page doesn't sell, or not any more.
func (p *Pages) serviceName(v *visit, id uuid.UUID) string {
	for i := range v.services {
		if v.services[i].ID == id {
			return v.services[i].Name
		}
	}
	svc, err := p.Catalog.Service(v.ctx(), v.tenant, id)
	if err != nil {
		return v.tenant.Name
	}
	return svc.Name
}

// paymentLines returns payments and refunds that have succeeded or are on their way, in words.
func (p *Pages) paymentLines(v *visit, payments []payment.Payment) (lines []paymentLine) {
	for _, one := range payments {
		if one.Status == payment.StatusDeclined || one.RefundOf == nil && one.Status != payment.StatusSucceeded {
			continue
		}
		line := paymentLine{Amount: v.amount(one.Amount, one.Currency),
			Date:   v.moment(one.SettledAt().In(v.tenant.Location)),
			Method: v.method(one.OfflineMethod())}
		switch {
		case one.RefundOf == nil:
			line.Text = v.text("paid_line")
			line.Receipt = v.withLanguage(p.ownPath(v, "/receipts/"+one.ID.String()), nil)
		case one.Status == payment.StatusSucceeded:
			line.Text = v.text("refunded_line")
		case one.WaitsForPerson():
			line.Text, line.Method = v.text("refund_open_line"), ""
		default:
			line.Text = v.text("refunding_line")
		}
		lines = append(lines, line)
	}
	return lines
}

// method names how offline money moved; empty for all other payments.
func (v *visit) method(m payment.OfflineMethod) string {
	if m == "" {
		return ""
	}
	return v.text("method_" + string(m))
}

// reload returns the page of the booking after a change, with what was done.
func (p *Pages) reload(v *visit, done string) error {
	v.EndRefused()
	query := url.Values{}
	if done != "" {
		query.Set(fieldNotice, done)
	}
	return v.redirect(p.ownPath(v, ""), query)
}
