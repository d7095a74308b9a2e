package httpapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"holdfast/internal/change"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/document"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/problem"
)

// huma recognizes problem documents by these interfaces.
var (
	_ huma.StatusError       = (*problem.Document)(nil)
	_ huma.ContentTypeFilter = (*problem.Document)(nil)
	_ huma.HeadersError      = (*problem.Document)(nil)
)

// tenantsPath and operatorsPath are where the routes of tenants' keys and of the admin key are.
const (
	tenantsPath   = "/v1"
	operatorsPath = "/admin/v1"
)

// newHuma returns the API on which routes are registered.
func newHuma(e *edge.Edge, version string) huma.API {
	schema.OverrideHuma()
	cfg := huma.DefaultConfig("Holdfast", version)
	cfg.Info.Description = document.Introduction
	cfg.Info.License = &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"}
	cfg.Info.Contact = &huma.Contact{Name: "The operator of this server"}
	// huma's own handler of the description writes a shared variable on first use, without a lock.
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath = "", "", ""
	cfg.CreateHooks = nil // they add $schema to every answer
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: schema.Unmarshal}
	cfg.Formats = map[string]huma.Format{"application/json": format, "json": format}
	cfg.RejectUnknownQueryParameters = true
	cfg.Transformers = []huma.Transformer{transformProblem}
	cfg.OnAddOperation = append(cfg.OnAddOperation, func(described *huma.OpenAPI, op *huma.Operation) {
		// edge.ReadRequest has read the body, and net/http reads on, to notice that the client has gone. The deadline
		// of 5 s that huma sets would end that read and cancel the context of a request still being worked on.
		op.BodyReadTimeout = -1
		if r, ok := op.Metadata[metadataRoute].(route); ok && r.key == tenantKey { // it passes admission
			admission.Describe(described, op)
		}
	})
	cfg.Components.Schemas = schema.NewRegistry()
	cfg.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[change.Data](), reflect.TypeFor[map[string]any]())
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		schemeAPIKey:   {Type: "http", Scheme: "bearer", Description: "A tenant's API key; it starts with hf_."},
		schemeAdminKey: {Type: "http", Scheme: "bearer", Description: "The server's HOLDFAST_ADMIN_KEY."},
	}
	e.Routes(tenantsPath, edge.FromKey)
	e.Routes(operatorsPath, edge.FromAdminRequest)
	return humagin.NewWithGroup(e.Engine(), e.Routes("/", edge.NoTenant), cfg)
}

// transformProblem sees every response that huma writes and completes those that are problem documents. It
// changes none.
func transformProblem(ctx huma.Context, _ string, v any) (any, error) {
	if refusal, ok := v.(*problem.Document); ok {
		edge.NoteProblem(ctx.Context(), refusal)
		for name, values := range refusal.GetHeaders() {
			ctx.SetHeader(name, values[0])
		}
	}
	return v, nil
}
