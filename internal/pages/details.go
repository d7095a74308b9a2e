package pages

import (
	"net/url"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// detailsForm asks who a booking is for.
type detailsForm struct {
	Name, Email, Phone string
	AsksTerms          bool
	Accepted           bool
	// Wrong says by a field's name what is wrong with it.
	Wrong map[string]string
	// Submit is what the button says: that it books, or that payment follows.
	Submit string
	Books  bool
}

// Fields of the form.
const (
	fieldName  = "name"
	fieldEmail = "email"
	fieldPhone = "phone"
	fieldTerms = "terms"
)

// detailsForm returns the form for who a hold is for: as it was sent, if it was refused. It returns nil if the page
// knows that, isn't asked to change it, and a payment comes next. Without one, the form books.
func (v *visit) detailsForm(b booking.Booking) *detailsForm {
	sent := v.Refused != nil && v.Refused.Values.Has(fieldName)
	if b.HasCustomer() && !sent && !v.Query.Has(fieldEdit) && b.DepositDue(time.Now()) > 0 {
		return nil
	}
	f := v.newDetails(b)
	if sent {
		f.fill(v.Refused.Values)
	}
	if sent && v.Why != nil {
		if f.Wrong = v.wrong(v.Why, f.Books); len(f.Wrong) > 0 {
			v.Why = nil
		}
	}
	return f
}

func (v *visit) newDetails(b booking.Booking) *detailsForm {
	due := b.DepositDue(time.Now())
	f := &detailsForm{AsksTerms: v.page.Terms != "", Books: due == 0, Submit: v.text("book_now")}
	if due > 0 {
		f.Submit = v.text("continue_to_payment", "Amount", v.amount(due, b.Currency))
	}
	if b.HasCustomer() {
		f.Name, f.Email = b.Customer.Name, b.Customer.Email
		if b.Customer.Phone != nil {
			f.Phone = *b.Customer.Phone
		}
	}
	return f
}

// fill fills in what was sent.
func (f *detailsForm) fill(sent url.Values) {
	text := func(name string) string { return strings.TrimSpace(sent.Get(name)) }
	f.Name, f.Email, f.Phone, f.Accepted = text(fieldName), text(fieldEmail), text(fieldPhone),
		sent.Get(fieldTerms) != ""
}

// saveDetails gives a hold its customer, and confirms it unless a deposit is due.
func (p *Pages) saveDetails(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	if b.Status != booking.Held { // it is done already
		return p.reload(v, "")
	}
	form, before := v.newDetails(b), *v.newDetails(b)
	form.fill(v.Form)
	if err := form.check(); err != nil {
		return err
	}
	who := &customer.Customer{Name: form.Name, Email: form.Email, Language: new(v.tag)}
	if form.Phone != "" {
		who.Phone = &form.Phone
	}
	change := booking.AmendRequest{
		CustomerChoice: booking.CustomerChoice{Customer: who, ByVisitor: true, Limited: true}, ByCustomer: v.rules(),
		DepositFirst: true,
	}
	if form.Books {
		_, err = p.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
			return p.Bookings.Confirm(v.ctx(), v.tenant, r, b.ID, change, "")
		})
		if err == nil {
			b, err = p.Bookings.Get(v.ctx(), v.tenant, b.ID)
		}
		if err != nil {
			return err
		}
		v.link.Revision = b.LinkRevision // another address ended the former links
		return p.reload(v, "booked")
	}
	b, err = p.Bookings.Amend(v.ctx(), v.tenant, b.ID, change, etag.Precondition(b.ETag()))
	if problem.Is(err, problem.PaymentInProgress) && form.same(before) { // the same form again, whose answer was lost
		return p.goToPayment(v)
	}
	if err != nil {
		return err
	}
	v.link.Revision = b.LinkRevision
	p.keepHold(v, *v.link)
	if err = p.startPayment(v, b); err != nil {
		v.Form = url.Values{} // the details are saved: the page needn't show them again
	}
	return err
}

// same reports whether two forms have the same details.
func (f *detailsForm) same(as detailsForm) bool {
	return f.Name == as.Name && customer.NormalEmail(f.Email) == customer.NormalEmail(as.Email) && f.Phone == as.Phone
}

// check checks the form before the booking's rules see it. Errors: problem.ValidationFailed.
func (f *detailsForm) check() error {
	var wrong []problem.Field
	refuse := func(is bool, name, code, detail string) {
		if is {
			wrong = append(wrong, problem.Field{Name: name, Code: code, Detail: detail})
		}
	}
	refuse(f.AsksTerms && !f.Accepted, fieldTerms, "required", "Expected that the terms are accepted.")
	refuse(f.Name == "", fieldName, "required", "Expected a text.")
	refuse(f.Email == "", fieldEmail, "required", "Expected a text.")
	if len(wrong) == 0 {
		return nil
	}
	refusal := problem.New(problem.ValidationFailed, "The request is not valid; see errors.")
	refusal.Fields = wrong
	return refusal
}

// wrong says by the field's name what a refusal is about; nothing if it is about no field. books says whether the form
// books at once.
func (v *visit) wrong(why *problem.Document, books bool) map[string]string {
	wrong := make(map[string]string)
	for _, f := range why.Errors {
		name := strings.TrimPrefix(f.Name, "customer.")
		for _, text := range []string{"wrong_" + name + "_" + f.Code, "wrong_" + f.Code, "wrong_" + name,
			"wrong_field"} {
			if v.hasText(text) {
				wrong[name] = v.text(text)
				break
			}
		}
	}
	if why.Code == problem.InvalidState && !books {
		wrong[fieldEmail] = v.text("wrong_too_often")
	}
	return wrong
}
