package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"holdfast/internal/idempotency"
)

// storedOutput is an answer that is stored under its idempotency key. Its body is written as it is.
type storedOutput struct {
	Status      int
	ContentType string `header:"Content-Type"`
	Location    string `header:"Location"`
	ETag        string `header:"ETag"`
	Replayed    string `header:"Idempotent-Replayed"`
	Body        []byte
}

func stored(r idempotency.Response, err error) (*storedOutput, error) {
	if err != nil {
		return nil, err
	}
	out := &storedOutput{Status: r.Status, ContentType: contentTypeOf(r), Location: r.Location, ETag: r.ETag, Body: r.Body}
	if r.Replayed {
		out.Replayed = "true"
	}
	return out, nil
}

// contentTypeOf tells problem documents, which are stored where they are final for their key, from what was done.
func contentTypeOf(r idempotency.Response) string {
	if r.Status >= http.StatusBadRequest {
		return "application/problem+json"
	}
	return "application/json"
}

type idempotencyKey struct{}

// idempotencyOf returns the request's idempotency key with its fingerprint.
func idempotencyOf(ctx context.Context) idempotency.Request {
	r, _ := ctx.Value(idempotencyKey{}).(idempotency.Request)
	return r
}

// requireKey reads the Idempotency-Key before anything else of the request is looked at.
func requireKey(ctx huma.Context, next func(huma.Context)) {
	c := humagin.Unwrap(ctx)
	r, err := idempotency.NewRequest(c.Request.Header.Values("Idempotency-Key"), c.Request.Method, c.Request.URL.Path, rawBody(ctx.Context()))
	if err != nil {
		writeProblem(c, err)
		return
	}
	next(huma.WithValue(ctx, idempotencyKey{}, r))
}

// idempotent completes an operation that answers with a T and stores its answer.
func idempotent[T any](a *API, op huma.Operation) huma.Operation {
	op.Middlewares = append(op.Middlewares, requireKey)
	minLength, maxLength := 1, idempotency.MaxKeyBytes
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "Idempotency-Key", In: "header", Required: true,
		Description: "A new value for every new change, the same one for every retry of it. Kept for 30 days.",
		Schema:      &huma.Schema{Type: huma.TypeString, MinLength: &minLength, MaxLength: &maxLength},
		Example:     "6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11",
	})
	t := reflect.TypeFor[T]()
	text := &huma.Schema{Type: huma.TypeString}
	response := &huma.Response{
		Description: http.StatusText(op.DefaultStatus),
		Headers: map[string]*huma.Param{
			"Idempotent-Replayed": {Description: "true when this is the stored answer of an earlier request with the same key.", Schema: text},
		},
		Content: map[string]*huma.MediaType{
			"application/json": {Schema: a.huma.OpenAPI().Components.Schemas.Schema(t, true, t.Name())},
		},
	}
	if op.DefaultStatus == http.StatusCreated {
		response.Headers["Location"] = &huma.Param{Description: "Where the new resource is.", Schema: text}
	}
	op.Responses = map[string]*huma.Response{strconv.Itoa(op.DefaultStatus): response}
	return op
}
