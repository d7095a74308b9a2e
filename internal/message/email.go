package message

import (
	"context"
	"strings"
	"time"

	"holdfast/internal/change"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/tracing"
)

// An email that the mail server doesn't take for now is sent again for about a day.
var emailBackoff = event.Backoff{First: time.Minute, Longest: 2 * time.Hour}

const (
	maxEmailAttempts = 19
	emailTimeout     = time.Minute
)

// Emails returns the kinds of events that send one email each, through a sender: emails to customers, those about their
// payments, and those to the tenants themselves. Retries repeat nothing but the email: what tells of the event by other
// ways was written before, in the commit that planned the email. senders are the addresses that the sender sends from,
// publicURL is where customers reach this server.
//
// It checks just before the sending that the email still makes sense. An email may arrive twice if a server dies at the
// end of its sending; both have one Message-ID, which is made of the event's id.
func (s *Service) Emails(sender email.Sender, senders email.Senders, publicURL string) []event.Kind {
	kind := func(name string, load func(context.Context, event.Event) (pendingEmail, error)) event.Kind {
		return event.Kind{
			Name: name, MaxAttempts: maxEmailAttempts, Backoff: emailBackoff, Timeout: emailTimeout,
			Handle: event.Flow[pendingEmail]{
				Load: func(ctx context.Context, e event.Event) (pendingEmail, error) {
					p, err := load(ctx, e)
					if p.own != nil {
						if from, replyTo, ok := senders.Sender(p.slug, *p.own); ok {
							p.from, p.replyTo = from, replyTo
						}
					}
					return p, err
				},
				Checks: []event.Check[pendingEmail]{isStillWanted, hasSender},
				Act: func(ctx context.Context, e event.Event, p pendingEmail) (event.Result, error) {
					return event.Done(), s.send(ctx, sender, publicURL, e, p)
				},
			}.Handle,
		}
	}
	return []event.Kind{
		kind(event.KindEmail, s.load), kind(event.KindPaymentEmail, s.loadPaymentEmail),
		kind(event.KindOwnerEmail, s.loadOwnerEmail),
	}
}

// load returns the email that an event asks for.
func (s *Service) load(ctx context.Context, e event.Event) (pendingEmail, error) {
	kind, about := emailOf(e.Occurrence)
	if e.Subject.Type == event.SubjectCustomer {
		return s.loadForCustomer(ctx, e, kind, about)
	}
	d, err := s.bookingData(ctx, e.TenantID, e.Subject.ID, kind)
	if err != nil {
		return pendingEmail{}, err
	}
	p := emailAbout(d, kind, about)
	if p.cancelReason = d.cancelReason(kind, about, e.LeasedAt); p.cancelReason != "" {
		return p, nil
	}
	if version := changeOf(kind, about); version > 0 {
		return s.forChange(ctx, e, d, p, version)
	}
	return p, nil
}

// loadForCustomer returns an email about a customer, or about the one who the customer was merged into.
func (s *Service) loadForCustomer(ctx context.Context, e event.Event, kind email.Kind, about string,
) (pendingEmail, error) {
	d, err := s.customerData(ctx, e.TenantID, e.Subject.ID, kind)
	for err == nil && d.MergedInto != nil {
		d, err = s.customerData(ctx, e.TenantID, *d.MergedInto, kind)
	}
	if err == nil {
		d.greeted, err = s.greeted(ctx, e.TenantID, d.ID, string(kind), about)
	}
	if err != nil {
		return pendingEmail{}, err
	}
	p := emailToCustomer(d, kind)
	p.cancelReason = d.cancelReason(e, kind, about)
	return p, nil
}

// forChange returns an email that tells of a change of a booking. It doesn't make sense if a later change has its own
// email, or if the booking has another contact than after the change.
func (s *Service) forChange(ctx context.Context, e event.Event, d bookingData, p pendingEmail, version int64,
) (pendingEmail, error) {
	former, changes, err := change.OfSubject(ctx, s.db, e.TenantID, d.ID, version-1, 1)
	if err != nil {
		return p, err
	}
	emails, err := s.plannedEvents(ctx, e.TenantID, d.ID, event.KindEmail)
	if err != nil {
		return p, err
	}
	if p.kind == email.BookingWithdrawn {
		return withdrawal(d, p, version, former, emails)
	}
	for _, other := range emails {
		if kind, about := emailOf(other.Occurrence); kind != email.BookingWithdrawn && changeOf(kind, about) > version {
			p.cancelReason = "A later email tells of the booking."
			return p, nil
		}
	}
	if len(changes) == 0 {
		return p, nil // the change was deleted for its age
	}
	told, err := parseBooking(&changes[0])
	if err == nil && contactOf(told) != d.Customer.Email {
		p.cancelReason = "The booking has another contact now."
	}
	return p, err
}

func isStillWanted(_ event.Event, p pendingEmail) string { return p.cancelReason }

func hasSender(_ event.Event, p pendingEmail) string {
	switch {
	case p.own == nil:
		return "The tenant has no sender of emails."
	case p.from == email.Address{}:
		return "The server has no sender for emails of this tenant, and doesn't list the domain of the tenant's own."
	}
	return ""
}

func (s *Service) send(ctx context.Context, sender email.Sender, publicURL string, e event.Event, p pendingEmail,
) error {
	link := s.unsubscribeURL(p, e.TenantID, publicURL)
	p.data.UnsubscribeURL = link
	if p.link != nil {
		p.data.ManageURL = s.links.URL(*p.link)
		if p.invitation != nil {
			p.invitation.URL = p.data.ManageURL
		}
	}
	c, err := p.render()
	if err != nil {
		return failedAttempt(err)
	}
	seconds, nanoseconds := e.ID.Time().UnixTime() // when the event was planned: the same in each attempt
	m := email.Message{
		ID:         e.ID,
		Date:       time.Unix(seconds, nanoseconds).In(time.UTC),
		From:       p.from,
		ReplyTo:    p.replyTo,
		To:         p.to,
		Subject:    c.Subject,
		Text:       c.Text,
		HTML:       c.HTML,
		Invitation: p.invitation,
	}
	if strings.HasPrefix(link, "https://") { // mail programs unsubscribe by https only (RFC 8058)
		m.Unsubscribe = link
	}
	ctx, span := tracing.StartClient(ctx, "send the email")
	defer span.End()
	err = sender.Send(ctx, m)
	if err != nil {
		span.Fail("not_sent")
	}
	return failedAttempt(err)
}

// failedAttempt returns what is recorded of an email that could not be sent.
func failedAttempt(err error) error {
	if err == nil {
		return nil
	}
	reason, permanent := email.WhyNotSent(err)
	return &event.AttemptError{Reason: reason, Permanent: permanent, Err: err}
}
