package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"holdfast/internal/booking"
	"holdfast/internal/lockview"
	"holdfast/internal/payment"
	"holdfast/internal/tenant"
)

// Services are the use cases that the API offers.
type Services struct {
	Bookings *booking.Service
	Locks    *lockview.Service
	Payments *payment.Service
	Tenants  *tenant.Service
}

// API is Holdfast's HTTP API.
type API struct {
	Services
	adminKey string
	admission
	engine *gin.Engine
	huma   huma.API
	drain  drainer
}

// New returns the API of the given use cases.
func New(cfg Config, use Services) *API {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	m := newMetrics(nil)
	if cfg.Registry != nil {
		m = newMetrics(cfg.Registry)
	}
	a := &API{Services: use, adminKey: cfg.AdminKey, admission: newAdmission(cfg.Limits, cfg.Logger, m)}
	a.engine = newEngine(cfg.Logger, m, &a.drain)
	a.engine.Use(a.admit, a.authenticate, readRequest)
	a.huma = newAPI(a.engine, cfg.Version)
	serveOperations(a.engine, cfg, &a.drain)
	a.routeBookings()
	a.routePayments()
	a.routeReceipts()
	a.routeServices()
	a.routeResources()
	a.routeClosures()
	a.routeTenants()
	a.routeLocks()
	return a
}

// Handler returns what answers requests.
func (a *API) Handler() http.Handler { return a.engine }

// Announce makes /readyz fail while requests are still served.
func (a *API) Announce() { a.drain.announce() }

// Drain refuses new requests and returns when those that run are answered, or with ctx's error.
func (a *API) Drain(ctx context.Context) error {
	a.drain.refuse()
	return a.drain.wait(ctx)
}

// Description returns the OpenAPI document, indented, as docs/openapi.json holds it.
func Description(version string) ([]byte, error) {
	document, err := json.MarshalIndent(New(Config{Version: version}, Services{}).huma.OpenAPI(), "", "  ")
	return append(document, '\n'), err
}
