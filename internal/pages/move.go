package pages

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/datetime"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
	"holdfast/internal/web"
)

// movePage lets a customer choose another time, and shows what it would cost before it is taken.
type movePage struct {
	ownURLs

	Lang     string
	Summary  summary
	Calendar *calendar
	Zone     string // the tenant's time zone
	Taken    string
	Offer    *moveOffer
}

// moveOffer is the time that was chosen, with what it costs.
type moveOffer struct {
	When, Price, Before string
	More, Less          string // the difference; both empty if there is none
	Others              string // who or what is instead of what the booking has; empty if nothing is
	Fields              []field
	Key                 string
	Version             int64
	PriceShown          int64
}

// fieldPrice is the price that was shown when the customer agreed.
const fieldPrice = "price"

// rules are what the tenant lets its customers change.
func (v *visit) rules() *booking.CustomerRules {
	return &booking.CustomerRules{MayMove: v.page.MayMove(), MayCancel: v.page.MayCancel()}
}

// moveQuery returns the question for the calendar of a booking that is to move.
func (p *Pages) moveQuery(v *visit, b booking.Booking) (calendarQuery, error) {
	svc, err := p.Catalog.Service(v.ctx(), v.tenant, b.ServiceID)
	if err != nil {
		return calendarQuery{}, err
	}
	values := v.asked()
	sel := selection{partySize: b.PartySize, nights: b.Nights, month: firstOfMonth(maxDate(b.Date, v.today()))}
	if svc.Vary() {
		sel.length = b.LengthOf(svc.ServiceSpec, b.Location)
	}
	if d, err := datetime.ParseDate(fieldShow, values.Get(fieldShow)+"-01"); err == nil {
		sel.month = d
	} else if d, err := datetime.ParseDate(fieldDate, values.Get(fieldDate)); err == nil {
		sel.date, sel.month = &d, firstOfMonth(d)
	} else if d, err := datetime.ParseDate(fieldMonth, values.Get(fieldMonth)+"-01"); err == nil {
		sel.month = d
	}
	return calendarQuery{svc: &svc, sel: sel, except: &b.ID, path: p.ownPath(v, "/move")}, nil
}

func (p *Pages) showMove(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	if _, over := endOf(b); over { // the browser went back to this page
		return p.reload(v, "")
	}
	if err := v.rules().CheckMove(b, false, time.Now()); err != nil {
		return err
	}
	q, err := p.moveQuery(v, b)
	if err != nil {
		return err
	}
	page := movePage{ownURLs: p.urls(v), Lang: v.chosenLanguage(), Summary: p.summary(v, b),
		Zone: v.tenant.Location.String()}
	status := http.StatusOK
	if page.Calendar, err = p.calendar(v.ctx(), v, q); err != nil {
		return err
	}
	if m, chosen := q.chosenMove(v); chosen {
		if page.Offer, err = p.offer(v, b, q, m); err != nil {
			refusal := refusalOf(err)
			if refusal == nil {
				return err
			}
			status, page.Taken = v.noteRefusal(refusal), v.whyTaken(refusal)
		}
	}
	return p.render(v, status, "move", v.text("move_title"), page)
}

// chosenMove returns the move that a query or a form asks for, false if no time is chosen yet. It is quoted anew:
// another day may have another price.
func (q calendarQuery) chosenMove(v *visit) (m booking.Move, chosen bool) {
	values := v.asked()
	m = booking.Move{
		When: q.sel.when(values, q.svc.Kind), OthersIfTaken: true, Price: booking.PriceQuoted, ByCustomer: v.rules(),
	}
	if q.svc.Kind == timetable.KindSlot {
		return m, values.Get(fieldStarts) != ""
	}
	return m, q.sel.date != nil
}

// asked returns the query of the page for the time that a form asks for.
func (q calendarQuery) asked(form url.Values) url.Values {
	query := url.Values{}
	for _, name := range []string{fieldDate, fieldStarts} {
		if form.Has(name) {
			query.Set(name, form.Get(name))
		}
	}
	return query
}

// offer returns what a move would come to. Errors: the refusal of a move that can't be made.
func (p *Pages) offer(v *visit, b booking.Booking, q calendarQuery, m booking.Move) (*moveOffer, error) {
	quote, err := p.Bookings.QuoteMove(v.ctx(), v.tenant, b.ID, m)
	switch {
	case err != nil:
		return nil, err
	case quote.Refusal != nil:
		return nil, quote.Refusal
	}
	after := quote.Booking
	offer := &moveOffer{
		When: v.when(after), Price: v.amount(after.Price, b.Currency), Before: v.amount(b.Price,
			b.Currency), Key: web.NewKey(),
		Version: b.Version, PriceShown: after.Price,
	}
	switch difference := after.Price - b.Price; {
	case difference > 0:
		offer.More = v.amount(difference, b.Currency)
	case difference < 0:
		offer.Less = v.amount(-difference, b.Currency)
	}
	if offer.Others, err = p.othersThan(v, b, after); err != nil {
		return nil, err
	}
	if m.When.StartsAt != nil {
		offer.Fields = append(offer.Fields, field{fieldStarts, *m.When.StartsAt})
	}
	if q.sel.date != nil {
		offer.Fields = append(offer.Fields, field{fieldDate, q.sel.date.String()})
	}
	return offer, nil
}

// othersThan says which resources a booking gets in place of those that it has, such as "Ada instead of Ben"; empty if
// it keeps them.
func (p *Pages) othersThan(v *visit, b, after booking.Booking) (string, error) {
	names := func(ids, except []uuid.UUID) (string, error) {
		var list []string
		for _, id := range ids {
			if slices.Contains(except, id) {
				continue
			}
			res, err := p.Catalog.Resource(v.ctx(), v.tenant, id)
			if err != nil {
				return "", err
			}
			list = append(list, res.Name)
		}
		return strings.Join(list, ", "), nil
	}
	had, has := b.ResourceIDs(), after.ResourceIDs()
	before, err := names(had, has)
	if err != nil {
		return "", err
	}
	now, err := names(has, had)
	if err != nil || before == "" || now == "" {
		return "", err
	}
	return v.text("move_others", "Now", now, "Before", before), nil
}

// move moves the booking for the price that was shown. If it is another one by now, the customer is asked again.
func (p *Pages) move(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	q, err := p.moveQuery(v, b)
	if err != nil {
		return err
	}
	m, chosen := q.chosenMove(v)
	if !chosen {
		return cmp.Or(v.rules().CheckMove(b, false, time.Now()),
			error(problem.New(problem.MalformedRequest, "The form has no time.")))
	}
	price, version, err := v.agreedTo(fieldPrice)
	if err != nil {
		return err
	}
	req := booking.RescheduleRequest{Move: m, AtPrice: booking.AtPrice{ExpectPrice: &price}}
	_, err = p.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		giveBack, err := p.admission.TakeVisitorHold(v.C, v.tenant.ID,
			0) // a move takes a time and sends an email, as a hold does
		if err != nil {
			return idempotency.Outcome{}, err
		}
		moved, err := p.Bookings.Reschedule(v.ctx(), v.tenant, r, b.ID, req, version)
		if err != nil || moved.Replayed {
			giveBack()
		}
		return moved, err
	})
	changed := problem.Is(err, problem.VersionMismatch) || problem.Is(err, problem.PriceChanged)
	if refusalOf(err) != nil || changed {
		edge.NoteProblem(v.ctx(), problem.DocumentOf(err))
		return v.redirect(q.path, q.asked(v.Form)) // the page says what the move comes to now, or why it can't be made
	}
	if err != nil {
		return err
	}
	return p.reload(v, "moved")
}
