package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/user"
)

type changeUserInput struct {
	IDInput
	IfMatchInput
	Body schema.Patch[user.UserSpec]
}

// routeUsers adds the routes by which a tenant says who signs in to the console.
func (a *API) routeUsers() {
	const path, tag = user.Path, "Users"

	registerIdempotent[user.UserBody](a, route{
		op:      user.OpInviteUser,
		method:  http.MethodPost,
		path:    path,
		tag:     tag,
		status:  http.StatusCreated,
		errors:  []int{409},
		summary: "Let a person sign in to the console",
		description: "A link that signs the person in is emailed. It works once, within seven days. Later the person " +
			"gets another one at the console, by the email. A server that sends no email makes links by " +
			"`holdfast user link`. A key gives only roles whose scopes it has itself: 403.",
	}, func(ctx context.Context, in *struct{ Body user.UserSpec }) (idempotency.Outcome, error) {
		return a.Users.Invite(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.Body)
	})

	registerGetVersioned(a, route{
		op: user.OpGetUser, path: path + "/{id}", tag: tag, summary: "Read who a user is",
	}, a.Users.Get)

	registerList(a, route{
		op: user.OpListUsers, path: path, tag: tag, summary: "List users",
		description: "By id, without those who were removed.",
	}, a.Users.List, user.User.Body, func(u user.User) uuid.UUID { return u.ID }, nil)

	register(a, route{
		op:      user.OpChangeUser,
		method:  http.MethodPatch,
		path:    path + "/{id}",
		tag:     tag,
		errors:  []int{404, 409, 412},
		summary: "Change a user",
		description: schema.MergePatch +
			"Another email ends the user's sign-ins. Another role works at once on the server that is asked, and " +
			"within ten seconds on all others. A change to what is already so keeps the version. 403: the key lacks a scope " +
			"of the user's former role or of the new one.",
	}, func(ctx context.Context, in *changeUserInput) (*versioned[user.UserBody], error) {
		return versionedOf(a.Users.Change(ctx, callOf(ctx).tenant, in.ID, in.Body.Patch, in.IfMatch))
	})

	register(a, route{
		op:      user.OpRemoveUser,
		method:  http.MethodDelete,
		path:    path + "/{id}",
		tag:     tag,
		status:  http.StatusNoContent,
		errors:  []int{404, 409},
		summary: "Remove a user",
		description: "The person is signed out: at once on the server that is asked, and within ten seconds on all others. Histories go " +
			"on naming the person.",
	}, func(ctx context.Context, in *IDInput) (*struct{}, error) {
		return nil, a.Users.Remove(ctx, callOf(ctx).tenant, in.ID)
	})
}
