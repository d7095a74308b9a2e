package console

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/console/frame"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
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
func (s section) routeUsers() {
	s.FormPage("/users", user.OpInviteUser, s.showUsers, s.invite)
	s.Form("/users/:id/role", user.OpChangeUser, s.showUsers, 2, s.changeRole)
	s.Form("/users/:id/remove", user.OpRemoveUser, s.showUsers, 2, s.removeUser)
}

func (s section) showUsers(v *frame.Visit) error {
	emailed, err := s.Users.EmailsLinks(v.Context(), v.Tenant().ID)
	if err != nil {
		return err
	}
	list, err := s.Users.List(v.Context(), v.Tenant(), uuid.Nil, user.MaxUsers)
	if err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "users", "Users", usersPage{
		Path: v.Path("users"), Users: list, Roles: user.Roles(), Me: v.Session.User.ID, SendsEmail: emailed,
	})
}

func (s section) invite(v *frame.Visit) error {
	spec := user.UserSpec{
		Email: strings.TrimSpace(v.Form.Get("email")), Name: strings.TrimSpace(v.Form.Get("name")),
		Role: user.Role(v.Form.Get("role")),
	}
	response, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Users.Invite(v.Context(), v.Tenant(), r, spec)
	})
	if err != nil {
		return err
	}
	emailed, err := s.Users.EmailsLinks(v.Context(), v.Tenant().ID)
	if err != nil {
		return err
	}
	if emailed {
		return v.Done("invited", v.Path("users"))
	}
	link, err := s.Users.NewLink(v.Context(), v.Tenant(), response.ID, user.InvitationTime)
	if err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "secret", "A link for "+spec.Name, frame.SecretPage{
		Heading: "A link for " + spec.Name, Name: "No email can be sent from here: give " + spec.Name + " this link",
		Label:  "Link",
		Secret: link, Back: v.Path("users"),
		Note: "It signs " + spec.Email + " in, once, within seven days. Whoever has it is that person.",
	})
}

func (s section) changeRole(v *frame.Visit) error {
	id := v.ID("id")
	patch, err := json.Marshal(map[string]string{"role": v.Form.Get("role")})
	if err != nil {
		return err
	}
	if _, err := s.Users.Change(v.Context(), v.Tenant(), id, mergepatch.Of[user.UserSpec](string(patch)),
		string(v.Version())); err != nil {
		return err
	}
	return v.Done("changed", v.Path("users"))
}

func (s section) removeUser(v *frame.Visit) error {
	id := v.ID("id")
	if err := s.Users.Remove(v.Context(), v.Tenant(), id); err != nil {
		return err
	}
	return v.Done("removed", v.Path("users"))
}
