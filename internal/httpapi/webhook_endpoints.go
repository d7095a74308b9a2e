package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/webhook"
)

type changeEndpointInput struct {
	IDInput
	IfMatchInput
	Body webhook.EndpointPatch
}

// ofTenant returns a route of webhooks as it is for tenants.
func ofTenant(r route) route { return r }

// ofOperator returns a route of a tenant's webhooks as it is for the operator's, which get the events of all tenants.
func ofOperator(r route) route {
	verb, rest, _ := strings.Cut(r.op.Name, "-")
	r.op.Name, r.path, r.key, r.op.Scope, r.tag = verb+"-operator-"+rest, "/admin"+r.path, adminKey, "",
		"Administration"
	r.summary += " (all tenants)"
	return r
}

// routeWebhookEndpoints adds the routes of endpoints, of is ofTenant or ofOperator.
func (a *API) routeWebhookEndpoints(of func(route) route) {
	const path, tag = "/v1/webhook-endpoints", "Webhooks"

	registerIdempotent[webhook.EndpointWithSecretBody](a, of(route{
		op:       webhook.OpCreateWebhookEndpoint,
		method:   http.MethodPost,
		onlyHere: true,
		path:     path,
		tag:      tag,
		status:   http.StatusCreated,
		summary:  "Add a webhook endpoint",
		description: "Events that occur from now on are delivered to the URL: those of the tenant, or, to the operator, those of all " +
			"tenants, with tenant_id. There are at most 20 endpoints.",
	}), func(ctx context.Context, in *struct{ Body webhook.EndpointRequest }) (idempotency.Outcome, error) {
		return a.Webhooks.Create(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.Body)
	})

	registerGetVersioned(a, of(route{op: webhook.OpGetWebhookEndpoint, path: path + "/{id}", tag: tag,
		summary: "Read a webhook endpoint"}),
		a.Webhooks.Endpoint)

	registerList(a, of(route{op: webhook.OpListWebhookEndpoints, path: path, tag: tag,
		summary: "List webhook endpoints"}),
		a.Webhooks.Endpoints, webhook.Endpoint.Body, func(e webhook.Endpoint) uuid.UUID { return e.ID },
		webhook.Endpoint.JSONSize)

	register(a, of(route{
		op:          webhook.OpChangeWebhookEndpoint,
		method:      http.MethodPatch,
		path:        path + "/{id}",
		tag:         tag,
		errors:      []int{404, 412},
		summary:     "Change a webhook endpoint",
		description: schema.MergePatch + "A change to what is already so keeps the version.",
	}), func(ctx context.Context, in *changeEndpointInput) (*versioned[webhook.EndpointBody], error) {
		if mergepatch.IsNull(edge.RawBody(ctx), "description") {
			in.Body.Description = new("")
		}
		return versionedOf(a.Webhooks.Change(ctx, callOf(ctx).tenant, in.ID, in.IfMatch, in.Body))
	})

	register(a, of(route{
		op:          webhook.OpDeleteWebhookEndpoint,
		method:      http.MethodDelete,
		path:        path + "/{id}",
		tag:         tag,
		status:      http.StatusNoContent,
		errors:      []int{404},
		summary:     "Delete a webhook endpoint",
		description: "Each planned delivery to it is cancelled when it is due.",
	}), func(ctx context.Context, in *IDInput) (*struct{}, error) {
		return nil, a.Webhooks.Delete(ctx, callOf(ctx).tenant, in.ID)
	})

	registerIdempotent[webhook.EndpointWithSecretBody](a, of(route{
		op:          webhook.OpRotateWebhookSecret,
		method:      http.MethodPost,
		onlyHere:    true,
		path:        path + "/{id}/rotate-secret",
		tag:         tag,
		noBody:      true,
		status:      http.StatusOK,
		errors:      []int{404},
		summary:     "Replace the secret of a webhook endpoint",
		description: "The former secret signs too for 24 hours.",
	}), func(ctx context.Context, in *IDInput) (idempotency.Outcome, error) {
		return a.Webhooks.RotateSecret(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID)
	})

	registerIdempotent[webhook.DeliveryBody](a, of(route{
		op:      webhook.OpPingWebhookEndpoint,
		method:  http.MethodPost,
		path:    path + "/{id}/ping",
		tag:     tag,
		noBody:  true,
		status:  http.StatusCreated,
		errors:  []int{404},
		summary: "Send a test event to a webhook endpoint",
		description: "An event of the type webhook.ping is delivered to this endpoint alone, with one attempt. Read the delivery to see " +
			"what came of it.",
	}), func(ctx context.Context, in *IDInput) (idempotency.Outcome, error) {
		return a.Webhooks.Ping(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID)
	})

	registerIdempotent[webhook.RangeBody](a, of(route{
		op:       webhook.OpReplayWebhookEvents,
		method:   http.MethodPost,
		onlyHere: true,
		path:     path + "/{id}/replay",
		tag:      tag,
		status:   http.StatusOK,
		errors:   []int{404, 410},
		summary:  "Deliver a range of events to a webhook endpoint again",
		description: "All events of the range that have the endpoint's types are delivered, also those that occurred before it existed " +
			"or while it was disabled. At most 10000 at once.",
	}), func(ctx context.Context, in *struct {
		IDInput
		Body webhook.Range
	}) (idempotency.Outcome, error) {
		return a.Webhooks.ReplayRange(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body)
	})
}
