package message

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/event"
)

// An email that the mail server doesn't take for now is sent again for about a day.
var emailBackoff = event.Backoff{First: time.Minute, Longest: 2 * time.Hour}

const (
	maxEmailAttempts = 19
	emailTimeout     = time.Minute
)

// Email returns the kind of event that sends one email, through a sender. Retries repeat nothing but the email: what tells of the event
// by other ways was written before, in the commit that planned the email. publicURL is where customers reach this server.
//
// It checks just before the sending that the email still makes sense. An email may arrive twice if a server dies at the end of its
// sending; both have one Message-ID, which is made of the event's id.
func (s *Service) Email(sender email.Sender, publicURL string) event.Kind {
	return event.Kind{
		Name: event.KindEmail, MaxAttempts: maxEmailAttempts, Backoff: emailBackoff, Timeout: emailTimeout,
		Handle: event.Flow[pendingEmail]{
			Load:   s.load,
			Checks: []event.Check[pendingEmail]{stillMakesSense, tenantSendsEmail},
			Act: func(ctx context.Context, e event.Event, p pendingEmail) (event.Result, error) {
				return event.Done(), s.send(ctx, sender, publicURL, e, p)
			},
		}.Handle,
	}
}

// load returns the email that an event asks for.
func (s *Service) load(ctx context.Context, e event.Event) (pendingEmail, error) {
	kind, about := booking.EmailOf(e.Occurrence)
	if kind == email.BookingWithdrawn {
		return s.loadWithdrawal(ctx, e)
	}
	if e.Subject.Type == event.SubjectCustomer {
		d, err := s.bookings.CustomerMessageData(ctx, e.TenantID, e.Subject.ID, kind)
		for err == nil && d.MergedInto != nil {
			d, err = s.bookings.CustomerMessageData(ctx, e.TenantID, *d.MergedInto, kind)
		}
		if err != nil {
			return pendingEmail{}, err
		}
		p := emailToCustomer(d, kind)
		p.obsolete = d.ObsoleteEmail(kind, about, e.ClaimedAt)
		return p, nil
	}
	d, err := s.bookings.MessageData(ctx, e.TenantID, e.Subject.ID, kind)
	if err != nil {
		return pendingEmail{}, err
	}
	p := emailAbout(d, kind, about)
	p.obsolete = d.ObsoleteEmail(kind, about, e.ClaimedAt)
	return p, nil
}

// loadWithdrawal returns the email that withdraws a booking's calendar entry from a former contact.
func (s *Service) loadWithdrawal(ctx context.Context, e event.Event) (pendingEmail, error) {
	w, err := booking.WithdrawalOf(e)
	if err != nil {
		return pendingEmail{}, err
	}
	if w == (booking.Withdrawal{}) {
		return pendingEmail{obsolete: booking.CustomerErased}, nil
	}
	d, err := s.bookings.MessageData(ctx, e.TenantID, w.BookingID, email.BookingWithdrawn)
	if err != nil {
		return pendingEmail{}, err
	}
	p := withdrawal(d, w)
	p.obsolete = d.ObsoleteWithdrawal(w, e.ClaimedAt)
	return p, nil
}

func stillMakesSense(_ event.Event, p pendingEmail) string { return p.obsolete }

func tenantSendsEmail(_ event.Event, p pendingEmail) string {
	if p.from == nil {
		return "The tenant has no sender of emails."
	}
	return ""
}

func (s *Service) send(ctx context.Context, sender email.Sender, publicURL string, e event.Event, p pendingEmail) error {
	link := s.unsubscribeURL(p, e.TenantID, publicURL)
	p.data.UnsubscribeURL = link
	c, err := p.render()
	if err != nil {
		return failedAttempt(err)
	}
	seconds, nanoseconds := e.ID.Time().UnixTime() // when the event was planned: the same in each attempt
	m := email.Message{
		ID: e.ID, Date: time.Unix(seconds, nanoseconds).In(time.UTC), From: *p.from, To: p.to, Subject: c.Subject, Text: c.Text, HTML: c.HTML,
		Calendar: p.calendar,
	}
	if strings.HasPrefix(link, "https://") { // mail programs unsubscribe by https only (RFC 8058)
		m.Unsubscribe = link
	}
	return failedAttempt(sender.Send(ctx, m))
}

// failedAttempt returns what is recorded of an email that could not be sent.
func failedAttempt(err error) error {
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*email.PermanentError](err); ok {
		reason := "The email can't be sent."
		if refused.Code != 0 {
			reason = fmt.Sprintf("The mail server refused the email with %d.", refused.Code)
		}
		return &event.AttemptError{Reason: reason, Permanent: true, Err: err}
	}
	return &event.AttemptError{Reason: "The mail server did not take the email.", Err: err}
}
