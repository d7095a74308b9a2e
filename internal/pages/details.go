package pages

import (
	"errors"
	"net/http"
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

// saveDetails gives a hold its customer, and confirms it unless a deposit is due.
func (p *Pages) saveDetails(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	if b.Status != booking.Held { // the link lets nobody change who a booking is for
		return p.reload(v, "")
	}
	form := v.newDetails(b)
	form.Name, form.Email, form.Phone = v.trimmed(fieldName), v.trimmed(fieldEmail), v.trimmed(fieldPhone)
	form.Accepted = v.form.Get(fieldTerms) != ""
	if form.Wrong = v.wrong(form); len(form.Wrong) > 0 {
		return p.renderBooking(v, http.StatusUnprocessableEntity, pageState{details: form})
	}
	who := &customer.Customer{Name: form.Name, Email: form.Email, Language: new(v.tag)}
	if form.Phone != "" {
		who.Phone = &form.Phone
	}
	change := booking.Amendment{CustomerChoice: booking.CustomerChoice{Customer: who, ByVisitor: true}, DepositFirst: true}
	if form.Books {
		_, err = p.once(v, func(r idempotency.Request) (idempotency.Response, error) {
			return p.Bookings.Confirm(v.ctx(), v.tenant, r, b.ID, change, "")
		})
	} else {
		b, err = p.Bookings.Amend(v.ctx(), v.tenant, b.ID, change, etag.Precondition(b.ETag()))
	}
	if problem.Is(err, problem.VersionMismatch) {
		return p.reload(v, "")
	}
	var refusal *problem.Error
	if errors.As(err, &refusal) && (refusal.Code == problem.ValidationFailed || refusal.Code == problem.InvalidState && !form.Books) {
		if form.Wrong = v.wrongFields(refusal); len(form.Wrong) == 0 {
			form.Wrong[fieldEmail] = v.text("wrong_too_often")
		}
		return p.renderBooking(v, v.noteRefusal(refusal), pageState{details: form})
	}
	if err != nil {
		return err
	}
	if form.Books {
		if b, err = p.Bookings.Get(v.ctx(), v.tenant, b.ID); err != nil {
			return err
		}
		v.link.Revision = b.LinkRevision // another address ended the former links
		return p.reload(v, "booked")
	}
	v.link.Revision = b.LinkRevision
	p.keepHold(v, *v.link)
	return p.startPayment(v, b)
}

func (v *visit) trimmed(name string) string { return strings.TrimSpace(v.form.Get(name)) }

// wrong returns what is wrong with a form before the booking's rules see it.
func (v *visit) wrong(f *detailsForm) map[string]string {
	wrong := make(map[string]string)
	for name, text := range map[string]string{fieldName: f.Name, fieldEmail: f.Email} {
		if text == "" {
			wrong[name] = v.text("wrong_" + name + "_missing")
		}
	}
	if f.AsksTerms && !f.Accepted {
		wrong[fieldTerms] = v.text("wrong_terms")
	}
	for name, bound := range map[string]struct {
		text string
		most int
	}{fieldName: {f.Name, maxNameLength}, fieldPhone: {f.Phone, maxPhoneLength}, fieldEmail: {f.Email, maxEmailLength}} {
		if len([]rune(bound.text)) > bound.most {
			wrong[name] = v.text("wrong_too_long")
		}
	}
	return wrong
}

// Bounds of a customer, as those of the API.
const (
	maxNameLength  = 200
	maxPhoneLength = 50
	maxEmailLength = 254
)

// wrongFields returns what the booking's rules refuse, by the field's name.
func (v *visit) wrongFields(refusal *problem.Error) map[string]string {
	wrong := make(map[string]string)
	for _, f := range refusal.Fields {
		name := strings.TrimPrefix(f.Name, "customer.")
		text := "wrong_" + name
		if !v.has(text) {
			text = "wrong_field"
		}
		wrong[name] = v.text(text)
	}
	return wrong
}
