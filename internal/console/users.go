package console

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/operation"
	"holdfast/internal/user"
)

// usersPage are the people who sign in.
type usersPage struct {
	Path       string
	Users      []user.User
	Roles      []user.Role
	Me         uuid.UUID
	SendsEmail bool
}

// routeUsers adds the page of the people who sign in.
func (c *Console) routeUsers() {
	admin := need{scope: operation.ScopeAdmin}
	c.get("/users", admin, c.showUsers)
	c.post("/users", admin.on(c.showUsers, 0), c.invite)
	c.post("/users/:id/role", admin.on(c.showUsers, 2), c.changeRole)
	c.post("/users/:id/remove", admin.on(c.showUsers, 2), c.removeUser)
}

func (c *Console) showUsers(v *visit) error {
	emailed, err := c.Users.EmailsLinks(v.ctx(), v.tenant().ID)
	if err != nil {
		return err
	}
	list, err := c.Users.List(v.ctx(), v.tenant(), uuid.Nil, user.MaxUsers)
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "users", "Users", usersPage{
		Path: v.path("users"), Users: list, Roles: user.Roles(), Me: v.session.User.ID, SendsEmail: emailed,
	})
}

func (c *Console) invite(v *visit) error {
	spec := user.UserSpec{
		Email: strings.TrimSpace(v.Form.Get("email")), Name: strings.TrimSpace(v.Form.Get("name")),
		Role: user.Role(v.Form.Get("role")),
	}
	response, err := c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Users.Invite(v.ctx(), v.tenant(), r, spec)
	})
	if err != nil {
		return err
	}
	emailed, err := c.Users.EmailsLinks(v.ctx(), v.tenant().ID)
	if err != nil {
		return err
	}
	if emailed {
		return v.done("invited", v.path("users"))
	}
	link, err := c.Users.NewLink(v.ctx(), v.tenant(), response.ID, user.InvitationTime)
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "secret", "A link for "+spec.Name, secretPage{
		Heading: "A link for " + spec.Name, Name: "No email can be sent from here: give " + spec.Name + " this link",
		Label:  "Link",
		Secret: link, Back: v.path("users"),
		Note: "It signs " + spec.Email + " in, once, within seven days. Whoever has it is that person.",
	})
}

func (c *Console) changeRole(v *visit) error {
	id := v.ID("id")
	patch, err := json.Marshal(map[string]string{"role": v.Form.Get("role")})
	if err != nil {
		return err
	}
	if _, err := c.Users.Change(v.ctx(), v.tenant(), id, mergepatch.Of[user.UserSpec](string(patch)), string(v.version())); err != nil {
		return err
	}
	return v.done("changed", v.path("users"))
}

func (c *Console) removeUser(v *visit) error {
	id := v.ID("id")
	if err := c.Users.Remove(v.ctx(), v.tenant(), id); err != nil {
		return err
	}
	return v.done("removed", v.path("users"))
}
