package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// register adds a route whose requests are handled by handle. Its errors become problem documents.
func register[I, O any](a *API, r route, handle func(context.Context, *I) (*O, error)) {
	if r.forWebsites() {
		a.websiteMethods[r.path] = append(a.websiteMethods[r.path], r.method)
	}
	op := r.operation()
	op.Middlewares = huma.Middlewares{func(ctx huma.Context, next func(huma.Context)) { a.handle(ctx, r, next) }}
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		if r.noBody {
			if raw := strings.TrimSpace(string(edge.RawBody(ctx))); raw != "" && raw != "{}" {
				return nil, problem.Invalid("body", "unknown_field", "This request has no body.")
			}
		}
		out, err := handle(ctx, in)
		if err != nil {
			return nil, a.withCurrent(ctx, r, in, err)
		}
		callOf(ctx).stale.tell()
		return out, nil
	})
}

// registerIdempotent adds a route that needs an Idempotency-Key, and whose response, which shows a T, is stored.
func registerIdempotent[T, I any](a *API, r route, handle func(context.Context, *I) (idempotency.Outcome, error)) {
	registerShown[T](a, r, handle, func(*I, *storedOutput) error { return nil })
}

// registerShown is registerIdempotent for a route whose show changes the output before it is sent; clients see a T.
// Stored is what handle returned. A refusal is shown as it is, but for its Location.
func registerShown[T, I any](a *API, r route, handle func(context.Context, *I) (idempotency.Outcome, error),
	show func(*I, *storedOutput) error,
) {
	if !r.op.Once {
		panic("httpapi: the response of " + r.op.Name + " is stored, so its operation is served once")
	}
	r.response = jsonResponse[T](a, r.status)
	text := &huma.Schema{Type: huma.TypeString}
	r.response.Headers = map[string]*huma.Param{
		"Idempotent-Replayed": {Description: "true when this is the stored answer of an earlier request with the same key.", Schema: text},
	}
	if r.status == http.StatusCreated {
		r.response.Headers["Location"] = &huma.Param{Description: "Where the new resource is.", Schema: text}
	}
	register(a, r, func(ctx context.Context, in *I) (*storedOutput, error) {
		response, err := a.once(ctx, func() (idempotency.Outcome, error) { return handle(ctx, in) })
		if err != nil {
			return nil, err
		}
		out := storedOutputOf(ctx, response)
		if err := show(in, out); err != nil {
			return nil, err
		}
		return out, nil
	})
}

// once works on a request when it has the permit of its idempotency key, unless it has a stored response.
func (a *API) once(ctx context.Context, work func() (idempotency.Outcome, error)) (idempotency.Outcome, error) {
	c := callOf(ctx)
	permit, stored, err := a.Guard.Begin(ctx, c.tenant.ID, c.idempotency)
	if permit == nil {
		return stored, err
	}
	defer permit.End()
	c.idempotency = permit.Request
	response, err := work()
	return permit.Outcome(ctx, response, err)
}

// jsonResponse describes a response that shows a T.
func jsonResponse[T any](a *API, status int) *huma.Response {
	t := reflect.TypeFor[T]()
	return &huma.Response{
		Description: http.StatusText(max(status, http.StatusOK)),
		Content: map[string]*huma.MediaType{
			"application/json": {Schema: a.huma.OpenAPI().Components.Schemas.Schema(t, true, t.Name())},
		},
	}
}
