package message

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/email"
)

// pendingEmail is an email that an event asks for, before it is rendered.
type pendingEmail struct {
	kind     email.Kind
	obsolete string // why it no longer makes sense; empty if it does
	from     *email.Address
	to       email.Address
	customer uuid.UUID
	template email.Template // the tenant's own, zero without one
	data     email.Data
	calendar *email.Invitation
}

// emailAbout returns an email about a booking. about is what its event says of the occurrence.
func emailAbout(d booking.MessageData, kind email.Kind, about string) pendingEmail {
	p := pendingEmail{
		kind: kind, from: d.Settings.From, to: email.Address{Name: d.Customer.Name, Email: d.Customer.Email}, customer: d.Customer.ID,
		template: d.Template, data: dataOf(d),
	}
	switch kind {
	case email.BookingConfirmed, email.BookingRescheduled:
		p.calendar = invitation(d)
	case email.BookingCancelled:
		// A hold that is cancelled was in no calendar. Its withdrawal does no harm.
		p.calendar = invitation(d)
		p.calendar.Cancelled = true
	case email.BookingAnniversary:
		if year, err := strconv.Atoi(about); err == nil {
			p.data.Years = year - d.Date.Year
		}
	default: // no calendar entry
	}
	return p
}

// withdrawal returns the email that withdraws a booking's calendar entry from a former contact. It says nothing of the money: it is somebody else's.
func withdrawal(d booking.MessageData, w booking.Withdrawal) pendingEmail {
	p := emailAbout(d, email.BookingWithdrawn, "")
	p.to = email.Address{Name: w.Name, Email: w.Email}
	p.data.CustomerName, p.data.Price, p.data.Paid, p.data.Refunded, p.data.Due = w.Name, email.Amount{}, email.Amount{}, email.Amount{}, email.Amount{}
	p.calendar = invitation(d)
	p.calendar.Cancelled, p.calendar.Version = true, w.Version
	return p
}

// emailToCustomer returns an email about a customer.
func emailToCustomer(d booking.CustomerMessageData, kind email.Kind) pendingEmail {
	return pendingEmail{
		kind: kind, from: d.Settings.From, to: email.Address{Name: d.Name, Email: d.Email}, customer: d.ID, template: d.Template,
		data: email.Data{TenantName: d.TenantName, CustomerName: d.Name},
	}
}

func dataOf(m booking.MessageData) email.Data {
	reference := *cmp.Or(m.Reference, &m.Code)
	d := email.Data{
		TenantName: m.TenantName, CustomerName: m.Customer.Name, Reference: reference, ServiceName: m.ServiceName, ResourceName: m.ResourceName,
		Starts: m.StartsAt, Ends: m.EndsAt, AllDay: m.AllDay, PartySize: m.PartySize,
	}
	// An amount of zero is left empty.
	for _, a := range []struct {
		minor int64
		to    *email.Amount
	}{{m.Price, &d.Price}, {m.Paid, &d.Paid}, {m.Refunded, &d.Refunded}, {m.Due, &d.Due}} {
		if a.minor > 0 {
			*a.to = email.Amount{Minor: a.minor, Currency: m.Currency}
		}
	}
	if m.Status == booking.Held && m.HoldExpiresAt != nil {
		d.HoldExpiresAt = m.HoldExpiresAt.In(m.Location)
	}
	return d
}

// invitation returns the calendar entry of a booking. Its id is the booking's, and its sequence the booking's version.
func invitation(d booking.MessageData) *email.Invitation {
	return &email.Invitation{
		BookingID: d.ID, Version: d.Version, Starts: d.StartsAt, Ends: d.EndsAt, AllDay: d.AllDay,
		Summary: d.ServiceName + ", " + d.TenantName, Description: d.ResourceName,
	}
}

// render renders the email with the tenant's template or, without one, with Holdfast's own.
func (p pendingEmail) render() (email.Content, error) {
	return email.Render(p.kind, cmp.Or(p.template, email.Default(p.kind)), p.data)
}

// unsubscribeURL returns the link that ends greetings and follow-ups to the email's customer. Emails of other kinds have none.
func (s *Service) unsubscribeURL(p pendingEmail, tenant uuid.UUID, publicURL string) string {
	if !p.kind.Unsubscribable() {
		return ""
	}
	token := s.unsubscribing.Token(email.Subscription{TenantID: tenant, CustomerID: p.customer})
	return strings.TrimSuffix(publicURL, "/") + "/unsubscribe?token=" + url.QueryEscape(token)
}
