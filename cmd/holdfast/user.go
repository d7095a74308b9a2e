package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
)

type userCmd struct {
	Invite userInviteCmd `cmd:"" help:"Let a person sign in to a tenant's console, and print the first link."`
	Link   userLinkCmd   `cmd:"" help:"Print a link that signs a user in, once."`
	List   userListCmd   `cmd:"" help:"List a tenant's users."`
	Remove userRemoveCmd `cmd:"" help:"Remove a user, who is signed out."`
}

// ofTenant is a command about the users of a tenant.
type ofTenant struct {
	Tenant string `arg:"" help:"The tenant's slug or id."`
}

// run runs work on the tenant in the configured database, or in that of the server that runs in the data directory. No
// email is sent.
func (n *ofTenant) run(ctx context.Context, c *Config, work func(*user.Service, tenant.Tenant) error) error {
	return n.withAny(ctx, c, func(users *user.Service, tenants *tenant.Service, id uuid.UUID) error {
		t, err := tenants.ForVisitors(ctx, "", id)
		if problem.Is(err, problem.NotFound) {
			return errors.New("the tenant is suspended or deleted: nobody can sign in")
		}
		if err != nil {
			return err
		}
		t.Scopes = tenant.AllScopes() // who reaches the database may grant any role
		return work(users, t)
	})
}

// withAny is with for work that goes on while the tenant is suspended.
func (n *ofTenant) withAny(ctx context.Context, c *Config, work func(*user.Service, *tenant.Service, uuid.UUID) error,
) error {
	return withTenants(ctx, c, func(st *db.DB, tenants *tenant.Service) error {
		id, err := tenant.IDOf(ctx, st, n.Tenant)
		if err != nil {
			return err
		}
		return work(c.users(st), tenants, id)
	})
}

type userInviteCmd struct {
	ofTenant
	Email string `required:"" help:"Where sign-in links are sent."`
	Name  string `required:"" help:"The person's name, as histories show it."`
	Role  string `required:"" enum:"${roles}" help:"One of ${roles}."`
}

// Run makes the user and prints a link that works for a week.
func (cmd *userInviteCmd) Run(ctx context.Context, c *Config) error {
	return cmd.run(ctx, c, func(users *user.Service, t tenant.Tenant) error {
		id, err := inviteUser(ctx, users, t, user.UserSpec{Email: cmd.Email, Name: cmd.Name, Role: user.Role(cmd.Role)})
		if err != nil {
			return err
		}
		return printLink(ctx, users, t, id)
	})
}

// inviteUser makes a user on nobody's request.
func inviteUser(ctx context.Context, users *user.Service, t tenant.Tenant, spec user.UserSpec,
) (id uuid.UUID, err error) {
	r, err := once("user " + spec.Email)
	if err != nil {
		return id, err
	}
	made, err := users.Invite(ctx, t, r, spec)
	return made.ID, err
}

func printLink(ctx context.Context, users *user.Service, t tenant.Tenant, id uuid.UUID) error {
	link, err := users.NewLink(ctx, t, id, user.InvitationTime)
	if err == nil {
		_, err = fmt.Printf("sign in once, within seven days: %s\n", link)
	}
	return err
}

type userLinkCmd struct {
	ofTenant
	Email string `arg:"" help:"The user's email."`
}

// Run prints a link that works for a week.
func (cmd *userLinkCmd) Run(ctx context.Context, c *Config) error {
	return cmd.run(ctx, c, func(users *user.Service, t tenant.Tenant) error {
		u, err := users.WithEmail(ctx, t, cmd.Email)
		if err != nil {
			return err
		}
		return printLink(ctx, users, t, u.ID)
	})
}

type userListCmd struct{ ofTenant }

// Run lists the users.
func (cmd *userListCmd) Run(ctx context.Context, c *Config) error {
	return cmd.withAny(ctx, c, func(users *user.Service, _ *tenant.Service, id uuid.UUID) error {
		t := tenant.Tenant{ID: id}
		list, err := users.List(ctx, t, uuid.Nil, listPage)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		for _, u := range list {
			if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", u.ID, u.Role, u.Email, u.Name); err != nil {
				return err
			}
		}
		return w.Flush()
	})
}

type userRemoveCmd struct {
	ofTenant
	Email string `arg:"" help:"The user's email."`
}

// Run removes the user. Servers notice within ten seconds.
func (cmd *userRemoveCmd) Run(ctx context.Context, c *Config) error {
	return cmd.withAny(ctx, c, func(users *user.Service, _ *tenant.Service, id uuid.UUID) error {
		t := tenant.Tenant{ID: id, Scopes: tenant.AllScopes()}
		u, err := users.WithEmail(ctx, t, cmd.Email)
		if err != nil {
			return err
		}
		return users.Remove(ctx, t, u.ID)
	})
}
