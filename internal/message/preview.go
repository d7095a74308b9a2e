package message

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/email"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
)

// PreviewRequest asks how the emails of a kind read.
type PreviewRequest struct {
	Template  settings.TemplateKind `json:"template" doc:"Kind of email."`
	Subject   string                `json:"subject,omitempty" example:"See you soon, {{customer_name}}" doc:"As of all parts: without it, that of the tenant's template, or of Holdfast's own."`
	Text      string                `json:"text,omitempty" example:"Hello {{customer_name}}"`
	HTML      string                `json:"html,omitempty" example:"<p>Hello {{customer_name}}</p>"`
	BookingID *uuid.UUID            `json:"booking_id,omitempty" format:"uuid" doc:"A booking to render it for; without it, sample data."`
}

// Preview renders an email and sends nothing. Errors: problem.ValidationFailed; problem.NotFound for the booking;
// problem.DatabaseUnavailable.
func (s *Service) Preview(ctx context.Context, tenant uuid.UUID, p PreviewRequest) (email.Content, error) {
	if err := bounds.Check("", p); err != nil {
		return email.Content{}, err
	}
	kind := email.Kind(p.Template)
	own, err := s.settings.Get(ctx, tenant)
	if err != nil {
		return email.Content{}, err
	}
	language := own.Settings.BookingPage.Offered()[0]
	var d bookingData
	if p.BookingID != nil {
		if d, err = s.bookingData(ctx, tenant, *p.BookingID, kind); err != nil {
			return email.Content{}, err
		}
		language = languageOf(d.settings, d.Customer.Language, own.Templates[kind])
	}
	base := cmp.Or(own.Templates[kind], email.Default(kind, language))
	t := email.Template{Subject: cmp.Or(p.Subject, base.Subject), Text: cmp.Or(p.Text, base.Text),
		HTML: cmp.Or(p.HTML, base.HTML)}
	if err := email.Check("", kind, t); err != nil {
		return email.Content{}, withoutDot(err)
	}
	var c email.Content
	switch {
	case p.BookingID == nil:
		c, err = email.Preview(kind, t, language)
	default:
		pending := emailAbout(d, kind, strconv.Itoa(d.Date.Year+1)) // an anniversary is the first one
		// The customer's own link would unsubscribe the customer when someone tries it.
		pending.template, pending.data.Language, pending.data.UnsubscribeURL = t, language, email.SampleUnsubscribeURL
		if pending.link != nil { // the real one would let whoever reads the preview cancel the booking
			pending.data.ManageURL = email.SampleManageURL
		}
		if kind.OfPayment() { // no payment was asked for
			pending.data.Payment = amountOf(cmp.Or(d.Paid, d.Price), d.Currency)
			pending.data.PaymentMethod = email.MethodCard
		}
		c, err = pending.render()
	}
	if refused, ok := errors.AsType[*email.PermanentError](err); ok {
		return c, problem.Wrap(refused, problem.ValidationFailed,
			"The template can't be rendered; its output is too long.")
	}
	return c, err
}

// withoutDot names the parts of a template that stands at the top of a request: "text", where email.Check says ".text".
func withoutDot(err error) error {
	var p *problem.Error
	if !errors.As(err, &p) {
		return err
	}
	for i, f := range p.Fields {
		if f.Name == "" {
			p.Fields[i].Name = "template"
		} else if f.Name[0] == '.' {
			p.Fields[i].Name = f.Name[1:]
		}
	}
	return p
}
