package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
)

// ArchivedInput chooses between archived things and the others. It is exported because huma sees embedded structs only
// if they are.
type ArchivedInput struct {
	Archived bool `query:"archived" doc:"true: only archived ones. Otherwise only those that aren't."`
}

// NameInput chooses things by name. It is exported for the same reason.
type NameInput struct {
	Name string `query:"name" minLength:"1" maxLength:"200" example:"boat" doc:"Only those whose name begins with this text, as it is, in small letters, in capitals, or with a capital at its beginning or at that of each word. Of each, the first 1,000 are looked at."`
}

type archiveInput struct {
	IDInput
	IfMatchInput
	Body *catalog.Archiving
}

// archiver is a use case that archives a thing, or takes it back.
type archiver func(context.Context, tenant.Tenant, idempotency.Request, uuid.UUID, catalog.Archiving,
	etag.Precondition) (idempotency.Outcome, error)

// registerArchive adds the routes that archive a thing and take it back. It is called name.
func registerArchive[B any](a *API, path, tag, name string, archive, unarchive operation.Operation, f archiver) {
	registerIdempotent[B](a, route{
		op:      archive,
		method:  http.MethodPost,
		path:    path + "/{id}/archive",
		tag:     tag,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Take no new bookings of a " + name,
		description: "It is in no availability and in no list without archived=true. Bookings stay and can be changed, paid and " +
			"refunded. While it has " +
			"bookings that aren't over, it is refused with 409 bookings_in_the_way unless force is true.",
	}, func(ctx context.Context, in *archiveInput) (idempotency.Outcome, error) {
		how := valueOf(in.Body)
		how.Archived = true
		return f(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, how, etag.Precondition(in.IfMatch))
	})

	registerIdempotent[B](a, route{
		op:      unarchive,
		method:  http.MethodPost,
		path:    path + "/{id}/unarchive",
		tag:     tag,
		noBody:  true,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Take bookings of an archived " + name + " again",
	}, func(ctx context.Context, in *changeInput) (idempotency.Outcome, error) {
		return f(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, catalog.Archiving{},
			etag.Precondition(in.IfMatch))
	})
}

// unconditionalArchiver archives a thing, whatever bookings there are, or takes it back.
type unconditionalArchiver func(context.Context, tenant.Tenant, idempotency.Request, uuid.UUID, bool,
	etag.Precondition) (idempotency.Outcome, error)

// registerUnconditionalArchive adds the two routes of an unconditionalArchiver. archive and unarchive give the
// operation, the summary, the description and the errors of each.
func registerUnconditionalArchive[B any](a *API, path, tag string, archive, unarchive route, f unconditionalArchiver) {
	for _, archived := range []bool{true, false} {
		r, verb := unarchive, "unarchive"
		if archived {
			r, verb = archive, "archive"
		}
		r.method, r.path, r.tag, r.noBody, r.status = http.MethodPost, path+"/{id}/"+verb, tag, true, http.StatusOK
		registerIdempotent[B](a, r, func(ctx context.Context, in *changeInput) (idempotency.Outcome, error) {
			return f(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, archived, etag.Precondition(in.IfMatch))
		})
	}
}
