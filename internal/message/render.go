package message

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/change"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/settings"
)

// pendingEmail is an email that an event asks for, before it is rendered.
type pendingEmail struct {
	kind         email.Kind
	cancelReason string         // why it no longer makes sense; empty if it does
	slug         string         // the tenant's
	own          *email.Address // the tenant's; nil if it sends no emails
	from         email.Address  // zero if the server has no sender for the tenant
	replyTo      *email.Address
	to           email.Address
	customer     uuid.UUID
	template     email.Template // the tenant's own, zero without one
	data         email.Data
	link         *booking.Link // that leads the customer to the booking; nil for none
	invitation   *email.Invitation
	content      *email.Content // of an email that has no template
}

// emailAbout returns an email about a booking. about is what its event says of the occurrence.
func emailAbout(d bookingData, kind email.Kind, about string) pendingEmail {
	p := pendingEmail{
		kind:     kind,
		slug:     d.slug,
		own:      d.settings.From,
		to:       email.Address{Name: d.Customer.Name, Email: d.Customer.Email},
		customer: d.Customer.ID,
		template: d.template,
		data:     dataOf(d),
	}
	if kind.Links() && d.settings.BookingPage.Enabled {
		p.link = new(booking.LinkOf(d.tenantID, d.Booking))
	}
	switch kind {
	case email.BookingConfirmed, email.BookingRescheduled:
		p.invitation = invitation(d)
	case email.BookingCancelled:
		// A hold that is cancelled was in no calendar. Its withdrawal does no harm.
		p.invitation = invitation(d)
		p.invitation.Cancelled = true
	case email.BookingAnniversary:
		if year, err := strconv.Atoi(about); err == nil {
			p.data.Years = year - d.Date.Year
		}
	default: // no calendar entry
	}
	return p
}

// withdrawal makes p the email that withdraws a booking's calendar entry from its former contact. It says nothing of
// the money: it is somebody else's. version is the first of the booking with another contact, former the change before
// it, and emails are those about the booking. There is nothing to withdraw if the former contact got no confirmation.
// One that is still to be sent turns out not to make sense, so the withdrawal waits for it.
func withdrawal(
	d bookingData, p pendingEmail, version int64, former *change.Record, emails []plannedEvent,
) (pendingEmail, error) {
	before, err := parseBooking(former)
	switch {
	case err != nil:
		return p, err
	case before == nil || contactOf(before) == "":
		p.cancelReason = customerErased
		return p, nil
	case contactOf(before) == d.Customer.Email:
		p.cancelReason = "The booking has this contact again."
		return p, nil
	}
	switch confirmationBefore(version, emails) {
	case event.Pending, event.Processing, event.Failed:
		return p, &event.AttemptError{Reason: "The confirmation to the former contact is being sent."}
	case event.Cancelled, event.Dead:
		p.cancelReason = "The former contact got no confirmation."
		return p, nil
	case event.Completed:
	}
	p.to = email.Address{Name: before.Customer.Name, Email: before.Customer.Email}
	p.data.CustomerName, p.data.Price, p.data.Paid, p.data.Refunded, p.data.Due = before.Customer.Name, email.Amount{},
		email.Amount{},
		email.Amount{}, email.Amount{}
	p.data.Overpaid, p.data.Language = email.Amount{}, languageOf(d.settings, before.Customer.Language, p.template)
	p.invitation = invitation(d)
	p.invitation.Cancelled, p.invitation.Version = true, version
	return p, nil
}

// confirmationBefore returns the status of the last confirmation of a booking that tells of a change before a version,
// completed if none is stored any more.
func confirmationBefore(version int64, emails []plannedEvent) event.Status {
	status, newest := event.Completed, int64(0)
	for _, e := range emails {
		kind, about := emailOf(e.Occurrence)
		if of := changeOf(kind, about); kind == email.BookingConfirmed && of < version && of > newest {
			status, newest = event.Status(e.Status), of
		}
	}
	return status
}

// emailToCustomer returns an email about a customer.
func emailToCustomer(d customerData, kind email.Kind) pendingEmail {
	return pendingEmail{
		kind:     kind,
		slug:     d.slug,
		own:      d.settings.From,
		to:       email.Address{Name: d.Name, Email: d.Email},
		customer: d.ID,
		template: d.template,
		data: email.Data{
			Language: languageOf(d.settings, nil, d.template), TenantName: d.tenantName, CustomerName: d.Name,
			Contact: d.settings.BookingPage.Contact, Address: d.settings.BookingPage.Address,
		},
	}
}

// languageOf returns the language of an email: the one that the booking's contact has, or else the first of the
// tenant's booking page. A template of the tenant's own is in one language, so it has the dates and amounts of the
// tenant's.
func languageOf(s settings.Settings, given *email.Language, own email.Template) email.Language {
	if given != nil && own == (email.Template{}) {
		return *given
	}
	return s.BookingPage.Offered()[0]
}

func dataOf(m bookingData) email.Data {
	reference := *cmp.Or(m.Reference, &m.Code)
	d := email.Data{
		Language:     languageOf(m.settings, m.Customer.Language, m.template),
		Contact:      m.settings.BookingPage.Contact,
		Address:      m.settings.BookingPage.Address,
		TenantName:   m.tenantName,
		CustomerName: m.Customer.Name,
		Reference:    reference,
		ServiceName:  m.serviceName,
		ResourceName: m.resourceName,
		Starts:       m.StartsAt,
		Ends:         m.EndsAt,
		AllDay:       m.allDay,
		PartySize:    m.PartySize,
	}
	d.Price, d.Paid = amountOf(m.Price, m.Currency), amountOf(m.Paid, m.Currency)
	d.Refunded, d.Due = amountOf(m.Refunded, m.Currency), amountOf(m.Due, m.Currency)
	d.Overpaid = amountOf(m.Overpaid, m.Currency)
	if m.Status == booking.Held && m.HoldExpiresAt != nil {
		d.HoldExpiresAt = m.HoldExpiresAt.In(m.Location)
	}
	return d
}

// amountOf returns an amount, empty if it is zero.
func amountOf(minor int64, currency string) email.Amount {
	if minor <= 0 {
		return email.Amount{}
	}
	return email.Amount{Minor: minor, Currency: currency}
}

// invitation returns the calendar entry of a booking. Its id is the booking's, and its sequence the booking's version.
func invitation(d bookingData) *email.Invitation {
	return &email.Invitation{
		BookingID:   d.ID,
		Version:     d.Version,
		Starts:      d.StartsAt,
		Ends:        d.EndsAt,
		AllDay:      d.allDay,
		Summary:     d.serviceName + ", " + d.tenantName,
		Description: d.resourceName,
		Place:       d.settings.BookingPage.Address,
	}
}

// render renders the email with the tenant's template or, without one, with Holdfast's own.
func (p pendingEmail) render() (email.Content, error) {
	if p.content != nil {
		return *p.content, nil
	}
	return email.Render(p.kind, cmp.Or(p.template, email.Default(p.kind, p.data.Language)), p.data)
}

// unsubscribeURL returns the link that ends greetings and follow-ups to the email's customer. Emails of other kinds
// have none.
func (s *Service) unsubscribeURL(p pendingEmail, tenant uuid.UUID, publicURL string) string {
	if !p.kind.Unsubscribable() {
		return ""
	}
	token := s.unsubscribing.Token(email.Subscription{TenantID: tenant, CustomerID: p.customer})
	return strings.TrimSuffix(publicURL, "/") + "/unsubscribe?token=" + url.QueryEscape(token)
}
