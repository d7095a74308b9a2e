package operator

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
)

// usersPage are the people who sign in to a tenant's console.
type usersPage struct {
	tenantHead

	Users []user.User
}

func (c *Console) showUsers(v *visit) error {
	t, err := c.tenantOf(v)
	if err != nil {
		return err
	}
	page := usersPage{tenantHead: t}
	if page.Users, err = c.Users.List(v.ctx(), tenant.Tenant{ID: t.ID}, uuid.Nil, user.MaxUsers); err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "users", "Users of "+t.Slug, page)
}

// actFor returns the tenant of the path for the operator, who acts in its place, and a context in which its history
// names the operator. Errors: problem.NotFound; problem.TenantSuspended for a tenant that is being deleted.
func (c *Console) actFor(v *visit) (tenant.Tenant, context.Context, error) {
	id := v.ID("id")
	t, err := c.Tenants.ActFor(v.ctx(), id.String(), v.session.Name)
	return t, t.AsActor(v.ctx(), v.RequestID()), err
}

// invite lets a person sign in. The server emails the first link, if it sends emails; makeLink makes one in any case.
func (c *Console) invite(v *visit) error {
	t, ctx, err := c.actFor(v)
	if err != nil {
		return err
	}
	asked, err := readBody[user.UserSpec](c, document{
		"email": v.field("email"), "name": v.field("name"), "role": v.field("role"),
	})
	if err != nil {
		return err
	}
	var made user.UserBody
	err = c.once(v, t.ID, &made, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Users.Invite(ctx, t, r, asked)
	})
	if err != nil {
		return err
	}
	emailed, err := c.Users.EmailsLinks(ctx, t.ID)
	if err != nil {
		return err
	}
	if !emailed {
		return v.done("invited_unsent", tenantPath(t.ID, "users"))
	}
	return v.done("invited", tenantPath(t.ID, "users"))
}

// makeLink shows a link that signs a user in, as holdfast user link prints it.
func (c *Console) makeLink(v *visit) error {
	t, ctx, err := c.actFor(v)
	if err != nil {
		return err
	}
	id := v.ID("user")
	// Nobody can sign in to a tenant that is suspended.
	if _, err = c.Tenants.ForVisitors(ctx, "", t.ID); problem.Is(err, problem.NotFound) {
		err = problem.New(problem.InvalidState, "The tenant is suspended, so nobody can sign in.")
	}
	if err != nil {
		return err
	}
	u, err := c.Users.Get(ctx, t, id)
	if err != nil {
		return err
	}
	link, err := c.Users.NewLink(ctx, t, u.ID, user.InvitationTime)
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "secret", "A link for "+u.Name, secretPage{
		Heading: "A link for " + u.Name, Label: "Link", Secret: link, Back: tenantPath(t.ID, "users"),
		Note: "It signs " + u.Email + " in, once, within seven days. Whoever has it is that person.",
	})
}
