package user

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timezone"
)

// Why a link is emailed.
const (
	invitation = "invitation"
	signIn     = "sign_in"
)

// planLink returns the event that emails a link. Of one minute there is at most one for a reason.
func planLink(id uuid.UUID, reason string, now time.Time) db.NewEvent {
	minute := now.UTC().Truncate(time.Minute).Format(time.RFC3339)
	return event.New(event.KindSignInLink, event.Subject{Type: event.SubjectUser, ID: id}, reason+"/"+minute, now,
		time.UTC)
}

const (
	maxEmailAttempts = 6
	emailTimeout     = time.Minute
)

// Retries are quick, because a person waits for the link.
var emailBackoff = event.Backoff{First: 10 * time.Second, Longest: 2 * time.Minute}

// pendingLink is a link that is to be emailed.
type pendingLink struct {
	tenant  tenant.Tenant
	user    User
	from    email.Address
	replyTo *email.Address
	sends   bool // there is such a sender
	reason  string
	gone    bool
}

// Email returns the kind of event that emails a link. Each attempt makes a link of its own. Call it only if Config has
// a Sender.
func (s *Service) Email() event.Kind {
	return event.Kind{
		Name: event.KindSignInLink, MaxAttempts: maxEmailAttempts, Backoff: emailBackoff, Timeout: emailTimeout,
		Handle: event.Flow[pendingLink]{
			Load: s.load,
			Checks: []event.Check[pendingLink]{
				func(e event.Event, p pendingLink) string {
					switch {
					case p.gone:
						return "The user was removed."
					case !p.sends:
						return "Neither the server nor the tenant has a sender of emails."
					case p.reason == signIn && e.LeasedAt.After(e.DueAt.Add(LinkTime)):
						return "The link was asked for long ago."
					}
					return ""
				},
			},
			Act: s.send,
		}.Handle,
	}
}

func (s *Service) load(ctx context.Context, e event.Event) (p pendingLink, err error) {
	p.reason, _, _ = strings.Cut(e.Occurrence, "/")
	row, err := readUser(ctx, s.db, e.TenantID, e.Subject.ID)
	if problem.Is(err, problem.NotFound) || err == nil && row.RemovedAt != nil {
		p.gone = true
		return p, nil
	}
	if err != nil {
		return p, err
	}
	p.user = fromRow(row)
	of, err := s.settings.Get(ctx, e.TenantID)
	if err != nil {
		return p, err
	}
	loc, err := timezone.Load(of.TimeZone)
	if err != nil {
		return p, err
	}
	p.tenant = tenant.Tenant{ID: e.TenantID, Slug: of.Slug, Name: of.Name, Location: loc}
	p.from, p.replyTo, p.sends = s.cfg.Senders.OfLinks(of.Slug, of.Settings.From)
	return p, nil
}

func (s *Service) send(ctx context.Context, e event.Event, p pendingLink) (event.Result, error) {
	valid := LinkTime
	if p.reason == invitation {
		valid = InvitationTime
	}
	link, err := s.NewLink(ctx, p.tenant, p.user.ID, valid)
	if err != nil {
		return event.Result{}, err
	}
	until := e.LeasedAt.Add(valid).In(p.tenant.Location)
	m := email.Message{
		ID:      e.ID,
		Date:    e.LeasedAt.UTC(),
		From:    p.from,
		ReplyTo: p.replyTo,
		To:      email.Address{Name: p.user.Name, Email: p.user.Email},
		Subject: "Sign in to " + p.tenant.Name,
		Text: fmt.Sprintf("Hello %s,\n\nthis link signs you in to %s:\n\n%s\n\nIt works once, until %s.\n"+
			"If you didn't ask for it, you need do nothing.\n",
			p.user.Name, p.tenant.Name, link, until.Format("2 January 2006 15:04 MST")),
	}
	if p.reason == invitation {
		m.Subject = "You are invited to " + p.tenant.Name
		m.Text = fmt.Sprintf("Hello %s,\n\nyou are invited to the console of %s. This link signs you in:\n\n%s\n\n"+
			"It works once, until %s. After that, ask for another one at\n%s/console/%s\n",
			p.user.Name, p.tenant.Name, link, until.Format("2 January 2006 15:04 MST"),
			strings.TrimSuffix(s.cfg.PublicURL, "/"), p.tenant.Slug)
	}
	if err := s.cfg.Sender.Send(ctx, m); err != nil {
		reason, permanent := email.WhyNotSent(err)
		return event.Result{}, &event.AttemptError{Reason: reason, Permanent: permanent, Err: err}
	}
	return event.Done(), nil
}
