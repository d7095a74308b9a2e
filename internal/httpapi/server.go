package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Names of the security schemes: a tenant's key, and the key of whoever runs the server.
const (
	schemeAPIKey   = "apiKey"
	schemeAdminKey = "adminKey"
)

// Config says how the API is served.
type Config struct {
	// AdminKey opens /admin; empty closes it.
	AdminKey string
	// Limits bound what the API does at once.
	Limits Limits
	// Logger receives the access log and what no caller is told; nil discards both.
	Logger *slog.Logger
	// MetricsAddr is where /metrics is served; empty means with everything else.
	MetricsAddr string
	// Ready reports whether requests can be served, for /readyz; nil means always.
	Ready func(context.Context) error
	// Warning returns what an operator has to mend although requests are served, for /readyz; empty, or nil, says nothing.
	Warning func() string
	// Registry receives the metrics and is what /metrics shows; nil shows none.
	Registry *prometheus.Registry
	// Version is the server's, as the API's description tells it.
	Version string
}

// NewHTTPServer returns an HTTP server with every limit set. Serve it on a Listener.
func NewHTTPServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           answering(compress(headAsGet(handler))),
		ConnContext:       connContext,
		ConnState:         connState,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
		// What goes wrong on a connection is the client's doing, and not worth more.
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		// OPTIONS * is answered like any other path that doesn't exist.
		DisableGeneralOptionsHandler: true,
	}
}

// headAsGet answers HEAD as GET; net/http leaves out the body. RFC 9110, section 9.1 asks for both.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			get := *r
			get.Method = http.MethodGet
			r = &get
		}
		next.ServeHTTP(w, r)
	})
}

// newEngine returns a router with the middleware that every request passes. Admission, authentication and
// readRequest are the caller's to add, in this order, with Use.
func newEngine(log *slog.Logger, m *metrics, d *drainer) *gin.Engine {
	gin.SetMode(gin.ReleaseMode) // else gin prints every route to stdout
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false
	e.RedirectFixedPath = false
	// An escaped slash belongs to its segment: POST /v1/bookings/x%2Fcancel cancels nothing.
	e.UseRawPath = true
	e.UnescapePathValues = true
	_ = e.SetTrustedProxies(nil) // fails only for addresses that can't be parsed
	e.Use(instrument(log, m), recoverPanics(log, m), secureHeaders, d.middleware)
	e.NoRoute(notFound)
	e.NoMethod(methodNotAllowed)
	return e
}

// newAPI returns the API on which routes are registered, and serves its description and documentation.
func newAPI(engine *gin.Engine, version string) huma.API {
	overrideHuma()
	cfg := huma.DefaultConfig("Holdfast", version)
	cfg.Info.Description = introduction
	// huma's own handler of the description writes a shared variable on first use, without a lock.
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath = "", "", ""
	cfg.CreateHooks = nil // they add $schema to every answer
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: unmarshal}
	cfg.Formats = map[string]huma.Format{"application/json": format, "json": format}
	cfg.RejectUnknownQueryParameters = true
	cfg.Transformers = []huma.Transformer{transformProblem}
	cfg.OnAddOperation = append(cfg.OnAddOperation, func(_ *huma.OpenAPI, op *huma.Operation) {
		// readRequest has read the body, and net/http reads on, to notice that the client has gone. The deadline
		// of 5 s that huma sets would end that read and cancel the context of a request still being worked on.
		op.BodyReadTimeout = -1
	}, describeLimits, beStrict)
	cfg.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	cfg.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[booking.Metadata](), reflect.TypeFor[metadataSchema]())
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		schemeAPIKey:   {Type: "http", Scheme: "bearer", Description: "A tenant's API key; it starts with hf_."},
		schemeAdminKey: {Type: "http", Scheme: "bearer", Description: "The server's HOLDFAST_ADMIN_KEY."},
	}
	api := humagin.New(engine, cfg)
	api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) {
		// There is one format. A browser that asks for HTML still gets it, rather than a 406.
		humagin.Unwrap(ctx).Request.Header.Del("Accept")
		next(ctx)
	})
	serveDescription(engine, api)
	serveDocs(engine)
	return api
}

// schemaName returns a type's name in the document: its name in Go, with exceptions for types that would be read differently
// there.
func schemaName(t reflect.Type, hint string) string {
	switch t {
	case reflect.TypeFor[problem.Document](), reflect.TypeFor[*problem.Document]():
		return "ProblemDocument"
	case reflect.TypeFor[problem.Field]():
		return "ProblemField"
	case reflect.TypeFor[tenant.APIKeyBody]():
		return "ApiKeyBody"
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// transformProblem sees every answer that huma writes and completes those that are problem documents. It
// changes none.
func transformProblem(ctx huma.Context, _ string, v any) (any, error) {
	if document, ok := v.(*problem.Document); ok {
		noteProblem(ctx.Context(), document)
		for name, values := range document.GetHeaders() {
			ctx.SetHeader(name, values[0])
		}
	}
	return v, nil
}

func serveDescription(engine *gin.Engine, api huma.API) {
	serve := func(path, media string, encode func() ([]byte, error)) {
		encode = sync.OnceValues(encode) // on first use, when all routes are known
		engine.GET(path, func(c *gin.Context) {
			description, err := encode()
			if err != nil {
				writeProblem(c, err)
				return
			}
			c.Data(http.StatusOK, media, description)
		})
	}
	serve("/openapi.json", "application/openapi+json", func() ([]byte, error) { return json.Marshal(api.OpenAPI()) })
	serve("/openapi.yaml", "application/openapi+yaml", func() ([]byte, error) { return api.OpenAPI().YAML() })
}

const (
	pathHealth  = "/healthz"
	pathMetrics = "/metrics"
	pathReady   = "/readyz"
)

// operational reports whether a route tells how the server is doing, to machines that ask all the time.
func operational(route string) bool {
	return route == pathHealth || route == pathReady || route == pathMetrics
}

// serveOperations adds the routes that tell how the server is doing. They need no key.
func serveOperations(engine *gin.Engine, cfg Config, d *drainer) {
	engine.GET(pathHealth, func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) })
	engine.GET(pathReady, func(c *gin.Context) {
		c.Header("Cache-Control", "no-store")
		if d.announcing() {
			writeProblem(c, problem.New(problem.ShuttingDown, "This server is shutting down.").Retry(time.Second))
			return
		}
		if cfg.Ready != nil {
			if err := cfg.Ready(c.Request.Context()); err != nil {
				writeProblem(c, problem.Wrap(err, problem.DatabaseUnavailable, "The database can't be reached.").Retry(time.Second))
				return
			}
		}
		answer := gin.H{"status": "ready"}
		if cfg.Warning != nil {
			if warning := cfg.Warning(); warning != "" {
				answer["warning"] = warning
			}
		}
		c.JSON(http.StatusOK, answer)
	})
	if cfg.MetricsAddr == "" && cfg.Registry != nil {
		engine.GET(pathMetrics, gin.WrapH(MetricsHandler(cfg.Registry)))
	}
}

// MetricsHandler serves a registry's metrics at any path, for an address of their own.
func MetricsHandler(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
