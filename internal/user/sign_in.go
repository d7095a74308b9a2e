package user

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timezone"
)

const (
	// LinkTime is for how long a sign-in link works.
	LinkTime = 15 * time.Minute
	// InvitationTime is for how long the first link of a new user works.
	InvitationTime = 7 * 24 * time.Hour
	// SignInTime is for how long a browser stays signed in.
	SignInTime = 7 * 24 * time.Hour
	// maxLinks bounds the links that a user gets within linksWithin, which is shorter than LinkTime, so that whoever
	// asks for somebody else's links keeps nobody out: one that works is in the mailbox.
	maxLinks    = 3
	linksWithin = 10 * time.Minute
)

// Session is a browser in which a person is signed in.
type Session struct {
	User User
	// Tenant has the scopes of the person's role, and names the person as the actor of changes.
	Tenant tenant.Tenant
	// ExpiresAt is UTC.
	ExpiresAt time.Time

	hash hash
}

// Recognize returns the sign-in of a browser's secret as it was when it was last looked up, false if that is some
// seconds ago or never was. It asks no database.
func (s *Service) Recognize(text string) (Session, bool) {
	secret, ok := parseSecret(text)
	if !ok {
		return Session{}, false
	}
	return s.signedIn.GetIfPresent(secret.hash())
}

// Authenticate returns the sign-in of a browser's secret. Errors: problem.Unauthenticated for a secret that is
// malformed, unknown or ended; problem.TenantSuspended; problem.DatabaseUnavailable.
func (s *Service) Authenticate(ctx context.Context, text string) (Session, error) {
	secret, ok := parseSecret(text)
	if !ok {
		return Session{}, unauthenticated()
	}
	hash := secret.hash()
	if known, ok := s.signedIn.GetIfPresent(hash); ok {
		return known, nil
	}
	row, err := readSignIn(ctx, s.db, secret)
	switch {
	case problem.Is(err, problem.NotFound):
		return Session{}, unauthenticated()
	case err != nil:
		return Session{}, err
	case tenant.Status(row.Status) != tenant.StatusActive:
		return Session{}, problem.New(problem.TenantSuspended, "The tenant is suspended.")
	}
	loc, err := timezone.Load(row.TimeZone)
	if err != nil {
		return Session{}, err
	}
	u := User{ID: row.UserID, Email: row.Email, Name: row.Name, Role: Role(row.Role)}
	session := Session{
		User: u, ExpiresAt: row.ExpiresAt.UTC(), hash: hash,
		Tenant: tenant.Tenant{
			ID:        secret.tenant(),
			Slug:      row.Slug,
			Name:      row.TenantName,
			Location:  loc,
			Currency:  row.Currency,
			CreatedAt: row.TenantCreatedAt,
			UserID:    u.ID,
			Scopes:    u.Role.Scopes(),
		},
	}
	s.signedIn.Set(hash, session)
	return session, nil
}

func unauthenticated() error { return problem.New(problem.Unauthenticated, "Nobody is signed in.") }

// RequestLink has a link emailed to the user who has an email, at most one a minute and maxLinks within linksWithin.
// For an email that no user has it does nothing, and says nothing either. Errors: problem.DatabaseUnavailable,
// problem.OutcomeUnknown.
func (s *Service) RequestLink(ctx context.Context, t tenant.Tenant, address string) error {
	u, err := s.WithEmail(ctx, t, address)
	if problem.Is(err, problem.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	since := time.Now().Add(-linksWithin)
	return s.db.Write(ctx, changing, t.ID, nil, func(tx *db.WriteTx) func() error {
		var users lockedUsers
		queueUsers(tx, u.ID, since, &users)
		return func() error {
			if users.user != nil && users.links < maxLinks {
				tx.PlanEvents(planLink(u.ID, signIn, tx.Now()))
			}
			return nil
		}
	})
}

// NewLink makes a link that signs a user in, once and within valid. It is for the operator, and for emails: whoever has
// the link is the user. Errors: problem.NotFound for a user who was removed; those of db.DB.Write.
func (s *Service) NewLink(ctx context.Context, t tenant.Tenant, id uuid.UUID, valid time.Duration) (string, error) {
	secret := newSecret(t.ID)
	err := s.writeFor(ctx, t, id, func(tx *db.WriteTx, _ lockedUsers) error {
		queueLink(tx, secret, id, tx.Now().Add(valid))
		return nil
	})
	return fmt.Sprintf("%s/console/%s/enter/%s", strings.TrimSuffix(s.cfg.PublicURL, "/"), url.PathEscape(t.Slug),
		secret), err
}

// EmailsLinks reports whether links of a tenant's users are emailed: the server sends emails, and has a sender for
// them. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) EmailsLinks(ctx context.Context, tenant uuid.UUID) (bool, error) {
	if s.cfg.Sender == nil {
		return false, nil
	}
	of, err := s.settings.Get(ctx, tenant)
	if err != nil {
		return false, err
	}
	_, _, ok := s.cfg.Senders.OfLinks(of.Slug, of.Settings.From)
	return ok, nil
}

// Linked returns whom a link signs in, and uses nothing up: programs that look at the links of emails don't sign in.
// Errors: problem.NotFound for a link that doesn't work, or not any more; problem.DatabaseUnavailable.
func (s *Service) Linked(ctx context.Context, text string) (User, error) {
	secret, ok := parseSecret(text)
	if !ok {
		return User{}, problem.Missing()
	}
	row, err := readLinked(ctx, s.db, secret)
	return fromRow(row), err
}

// SignIn uses up a link and signs a browser in. It returns the browser's secret, which is stored nowhere, and until
// when it works. The user's other links work on. Errors: problem.NotFound for a link that doesn't work, or not any
// more; those of db.DB.Write.
func (s *Service) SignIn(ctx context.Context, text string) (browser string, until time.Time, err error) {
	link, ok := parseSecret(text)
	if !ok {
		return "", until, problem.Missing()
	}
	made := newSecret(link.tenant())
	err = s.db.Write(ctx, changing, link.tenant(), nil, func(tx *db.WriteTx) func() error {
		var linked *userRow
		queueUseOfLink(tx, link, &linked)
		return func() error {
			if linked == nil {
				return problem.Missing()
			}
			until = tx.Now().Add(SignInTime).UTC()
			queueSignIn(tx, made, linked.UserID, until)
			return nil
		}
	})
	return made.String(), until, err
}

// SignInByEmail signs a browser in for the user of a tenant who has an email, which somebody trusted has confirmed. It
// returns what SignIn returns. Errors: problem.NotFound for an email that no user has; those of db.DB.Write.
func (s *Service) SignInByEmail(ctx context.Context, t tenant.Tenant, address string,
) (browser string, until time.Time, err error) {
	u, err := s.WithEmail(ctx, t, address)
	if err != nil {
		return "", until, err
	}
	made := newSecret(t.ID)
	err = s.writeFor(ctx, t, u.ID, func(tx *db.WriteTx, _ lockedUsers) error {
		until = tx.Now().Add(SignInTime).UTC()
		queueSignIn(tx, made, u.ID, until)
		return nil
	})
	return made.String(), until, err
}

// SignOut ends a sign-in. Ending it again changes nothing. Errors: those of db.DB.Write.
func (s *Service) SignOut(ctx context.Context, session Session) error {
	defer s.signedIn.Invalidate(session.hash)
	return s.db.Write(ctx, changing, session.Tenant.ID, nil, func(tx *db.WriteTx) func() error {
		return func() error {
			queueSignOut(tx, session.hash)
			return nil
		}
	})
}
