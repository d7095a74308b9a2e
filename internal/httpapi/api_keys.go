package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// routeAPIKeys adds the routes by which a tenant manages its own keys.
func (a *API) routeAPIKeys() {
	const path, tag = "/v1/api-keys", "API keys"

	registerIdempotent[tenant.NewAPIKeyBody](a, route{
		op:       tenant.OpCreateOwnAPIKey,
		method:   http.MethodPost,
		onlyHere: true,
		path:     path,
		tag:      tag,
		status:   http.StatusCreated,
		summary:  "Make another API key",
		description: "A key grants only scopes that it has itself; others get 403 with a detail that names them. The new key is shown " +
			"in this " +
			"response only.",
	}, func(ctx context.Context, in *struct{ Body tenant.KeyRequest }) (idempotency.Outcome, error) {
		return a.Tenants.CreateKey(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.Body)
	})

	registerGet(a, route{op: tenant.OpGetOwnAPIKey, path: path + "/{id}", tag: tag,
		summary: "Read what is known of an API key"},
		a.Tenants.Key, tenant.Key.Body)

	registerList(a, route{
		op: tenant.OpListOwnAPIKeys, path: path, tag: tag, summary: "List API keys",
		description: "Also those that have ended.",
	}, func(ctx context.Context, t tenant.Tenant, after uuid.UUID, limit int) ([]tenant.Key, error) {
		return a.Tenants.Keys(ctx, t.ID, after, limit)
	}, tenant.Key.Body, func(k tenant.Key) uuid.UUID { return k.ID }, nil)

	register(a, route{
		op:      tenant.OpChangeOwnAPIKey,
		method:  http.MethodPatch,
		path:    path + "/{id}",
		tag:     tag,
		errors:  []int{404, 409},
		summary: "Change the name and the scopes of an API key",
		description: "Scopes that are added must be scopes of the key that asks; any scope may be removed. Another scope works at once " +
			"on the " +
			"server that is asked, and within ten seconds on all others. The last key with the scope admin keeps it.",
	}, func(ctx context.Context, in *struct {
		IDInput
		Body tenant.KeyChange
	}) (*output[tenant.APIKeyBody], error) {
		k, err := a.Tenants.ChangeKey(ctx, callOf(ctx).tenant, in.ID, in.Body)
		if err != nil {
			return nil, err
		}
		return &output[tenant.APIKeyBody]{k.Body()}, nil
	})

	registerIdempotent[tenant.NewAPIKeyBody](a, route{
		op:       tenant.OpRotateOwnAPIKey,
		method:   http.MethodPost,
		onlyHere: true,
		path:     path + "/{id}/rotate",
		tag:      tag,
		status:   http.StatusCreated,
		errors:   []int{404},
		summary:  "Replace an API key",
		description: "The new key has the same name and scopes, which must all be scopes of the key that asks. It is shown in this " +
			"response " +
			"only. The old key ends after the overlap, or sooner if it was to end sooner; servers that are not asked notice within ten " +
			"seconds.",
	}, func(ctx context.Context, in *struct {
		IDInput
		Body *tenant.KeyRotation
	}) (idempotency.Outcome, error) {
		return a.Tenants.RotateKey(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, valueOf(in.Body))
	})

	register(a, route{
		op:      tenant.OpRevokeOwnAPIKey,
		method:  http.MethodDelete,
		path:    path + "/{id}",
		tag:     tag,
		status:  http.StatusNoContent,
		errors:  []int{404, 409},
		summary: "Revoke an API key",
		description: "Also a key with scopes that the key that asks lacks. It stops working at once on the server that is asked, and " +
			"within ten " +
			"seconds on all others. The last key with the scope admin can't be revoked here: make or rotate one first.",
	}, func(ctx context.Context, in *IDInput) (*struct{}, error) {
		return nil, a.Tenants.RevokeOwnKey(ctx, callOf(ctx).tenant, in.ID)
	})
}
