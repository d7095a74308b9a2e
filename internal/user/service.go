package user

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/db"
	"holdfast/internal/email"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/expiring"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

// Path is where the API has users.
const Path = "/v1/users"

// MaxUsers is how many users a tenant can have.
const MaxUsers = 200

// A tenant invites at most maxInvitations people within invitationsWithin on a server that sends emails: each is an
// email to an address that the tenant chose.
const (
	maxInvitations    = 30
	invitationsWithin = time.Hour
)

// Config says how links reach people.
type Config struct {
	// PublicURL is where people reach this server.
	PublicURL string
	// Sender sends emails, from the addresses of Senders. Without a sender no link is emailed. Without an address for
	// links they come from the tenant's sender, and a tenant that has none sends none.
	Sender  email.Sender
	Senders email.Senders
}

// Service has the use cases of users. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	settings *settings.Service
	cfg      Config
	signedIn *otter.Cache[hash, Session]
}

// NewService returns the use cases on d.
func NewService(d *db.DB, cfg Config) *Service {
	return &Service{
		db: d, settings: settings.NewService(d), cfg: cfg,
		signedIn: expiring.New(maxCached, otter.ExpiryWriting[hash, Session](cacheTime)),
	}
}

// List lists a tenant's users by id: at most limit that follow the id after. Errors: problem.DatabaseUnavailable.
func (s *Service) List(ctx context.Context, t tenant.Tenant, after uuid.UUID, limit int) ([]User, error) {
	rows, err := listUsers(ctx, s.db, t.ID, after, limit)
	users := make([]User, len(rows))
	for i, row := range rows {
		users[i] = fromRow(row)
	}
	return users, err
}

// Get returns a user. Errors: problem.NotFound, also for one who was removed; problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, t tenant.Tenant, id uuid.UUID) (User, error) {
	row, err := readUser(ctx, s.db, t.ID, id)
	if err == nil && row.RemovedAt != nil {
		err = problem.Missing()
	}
	return fromRow(row), err
}

// WithEmail returns the user who has an email. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) WithEmail(ctx context.Context, t tenant.Tenant, address string) (User, error) {
	if !utf8.ValidString(address) || strings.ContainsRune(address, 0) {
		return User{}, problem.Missing() // PostgreSQL has no such text
	}
	row, err := readByEmail(ctx, s.db, t.ID, address)
	return fromRow(row), err
}

// Invite makes a user, and emails a link if the server sends emails. The response is a UserBody.
//
// Errors: problem.ValidationFailed; problem.Forbidden for a role with a scope that the asking key lacks;
// problem.AlreadyExists for an email that another user has; problem.InvalidState for a tenant that has MaxUsers;
// problem.RateLimited for more than maxInvitations; those of db.Request.Outcome.
func (s *Service) Invite(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	spec UserSpec,
) (idempotency.Outcome, error) {
	request, since := r.DBRequest(t.ID), time.Now().Add(-invitationsWithin)
	if err := spec.check(); err != nil {
		return idempotency.Outcome{}, err
	}
	if err := t.Scopes.RequireToGrant(spec.Role.Scopes()); err != nil {
		return idempotency.Outcome{}, err
	}
	u := User{ID: uuid.Must(uuid.NewV7()), Email: spec.Email, Name: spec.Name, Role: spec.Role, Version: 1}
	return request.Outcome(s.db.Write(ctx, changing, t.ID, request, func(tx *db.WriteTx) func() error {
		var users lockedUsers
		queueUsers(tx, uuid.Nil, since, &users)
		return func() error {
			if users.counts.Users >= MaxUsers {
				return problem.New(problem.InvalidState,
					"The tenant has as many users as it may have. Remove one first.")
			}
			if s.cfg.Sender != nil && users.counts.Invited >= maxInvitations {
				return problem.New(problem.RateLimited,
					"At most 30 people can be invited within an hour.").Retry(invitationsWithin)
			}
			u.CreatedAt = tx.Now().UTC()
			queueNew(tx, u)
			if s.cfg.Sender != nil {
				tx.PlanEvents(planLink(u.ID, invitation, tx.Now()))
			}
			return tx.Respond(idempotency.Made(event.SubjectUser, u.ID, u.Version, u.Body()))
		}
	}))
}

// Change changes a user. A change to what is already so writes nothing and keeps the version. Another email ends the
// user's sign-ins: who reads the former one is no longer believed.
//
// Errors: problem.NotFound, problem.ValidationFailed, problem.VersionMismatch; problem.Forbidden for a user whose role
// has, or is to have, a scope that the asking key lacks: with another email the key could sign in as that user;
// problem.AlreadyExists for an email that another user has; problem.InvalidState if a person takes the role from the
// last owner; those of db.DB.Write.
func (s *Service) Change(ctx context.Context, t tenant.Tenant, id uuid.UUID, p mergepatch.Patch[UserSpec],
	ifMatch string,
) (u User, err error) {
	err = s.change(ctx, t, id, func(tx *db.WriteTx, users lockedUsers) error {
		row := *users.user
		u = fromRow(row)
		if !etag.Match(ifMatch, u.Version) {
			return problem.New(problem.VersionMismatch, "The user has changed since the version that If-Match names.")
		}
		former := u
		spec, err := p.Apply(u.spec())
		if err != nil {
			return err
		}
		if err := spec.check(); err != nil {
			return err
		}
		if spec == former.spec() {
			return nil
		}
		for _, role := range []Role{former.Role, spec.Role} {
			if err := t.Scopes.RequireToGrant(role.Scopes()); err != nil {
				return err
			}
		}
		if former.Role == RoleOwner && spec.Role != RoleOwner {
			if err := checkOwners(t, users); err != nil {
				return err
			}
		}
		u.Email, u.Name, u.Role = spec.Email, spec.Name, spec.Role
		u.Version++
		row.Email, row.Name, row.Role = u.Email, u.Name, string(u.Role)
		queueChange(tx, row)
		if u.Email != former.Email {
			queueEnds(tx, id)
		}
		return nil
	})
	return u, err
}

// Remove removes a user, and ends the user's sign-ins. Histories go on naming the person. Errors: problem.NotFound;
// problem.InvalidState for the last owner, unless a key with all scopes removes it; those of db.DB.Write.
func (s *Service) Remove(ctx context.Context, t tenant.Tenant, id uuid.UUID) error {
	return s.change(ctx, t, id, func(tx *db.WriteTx, users lockedUsers) error {
		row, now := *users.user, tx.Now()
		if Role(row.Role) == RoleOwner {
			if err := checkOwners(t, users); err != nil {
				return err
			}
		}
		row.RemovedAt = &now
		queueChange(tx, row)
		queueEnds(tx, id)
		return nil
	})
}

// change is writeFor for a change of the user.
func (s *Service) change(ctx context.Context, t tenant.Tenant, id uuid.UUID,
	decide func(*db.WriteTx, lockedUsers) error,
) error {
	defer s.forget(id)
	return s.writeFor(ctx, t, id, decide)
}

// writeFor runs decide for a user, who is there, in a transaction in which no other one of its kind changes the
// tenant's users. Errors: decide's own; problem.NotFound, also for a user who was removed; those of db.DB.Write.
func (s *Service) writeFor(ctx context.Context, t tenant.Tenant, id uuid.UUID,
	decide func(*db.WriteTx, lockedUsers) error,
) error {
	return s.db.Write(ctx, changing, t.ID, nil, func(tx *db.WriteTx) func() error {
		var users lockedUsers
		queueUsers(tx, id, time.Time{}, &users)
		return func() error {
			if users.user == nil || users.user.RemovedAt != nil {
				return problem.Missing()
			}
			return decide(tx, users)
		}
	})
}

// checkOwners returns problem.InvalidState if a person would leave the tenant without an owner, or a key that can't
// invite another one.
func checkOwners(t tenant.Tenant, users lockedUsers) error {
	invites := t.UserID == uuid.Nil && t.Scopes.RequireToGrant(RoleOwner.Scopes()) == nil
	if users.counts.OtherOwners == 0 && !invites {
		return problem.New(problem.InvalidState, "This is the last owner. Make somebody else an owner first.")
	}
	return nil
}

// forget has the sign-ins of a user looked up again.
func (s *Service) forget(id uuid.UUID) {
	for hash, known := range s.signedIn.All() {
		if known.User.ID == id {
			s.signedIn.Invalidate(hash)
		}
	}
}

const (
	// cacheTime is for how long a sign-in is not looked up again: its end, and another role, work at once in the
	// process that was asked, and within this time in all others.
	cacheTime = 10 * time.Second
	maxCached = 10_000
)
