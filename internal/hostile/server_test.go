package hostile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app"
	"holdfast/internal/app/apptest"
	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/email"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/user"
)

const (
	adminKey      = apptest.AdminKey
	sandboxSecret = apptest.SandboxSecret
)

// publicURL is where people reach the server, as it believes.
const publicURL = "http://booking.example.com"

// server is the API and the pages with their payment provider, on a database of its own.
type server struct {
	address  string
	routes   gin.RoutesInfo
	registry *prometheus.Registry
	sql      *pgxpool.Pool
	payments *payment.Service
	store    *db.DB
	tokens   *booking.Links
	users    *user.Service

	unsubscribing *email.Unsubscriber
}

// newServer serves the API and the pages until the test ends.
func newServer(t testing.TB, limits ...admission.Limits) *server {
	t.Helper()
	served := apptest.Serve(t, apptest.Options{
		Connect: func(c *db.Config) { c.MaxConns = 4 },
		Sandbox: func(c *sandbox.Config) { c.SlowDelay = 20 * time.Millisecond },
		Configure: func(c *app.Config) {
			c.PublicURL, c.Limits = publicURL, append(limits, admission.Limits{})[0]
			c.Payments.CallTimeout, c.Payments.AbsentAfter = silence, silence
		},
	})
	unsubscribing, err := email.NewUnsubscriber([]byte(apptest.LinkKey))
	require.NoError(t, err)
	return &server{
		address:       strings.TrimPrefix(served.URL, "http://"),
		routes:        served.Edge().Engine().Routes(),
		registry:      served.Registry,
		sql:           served.SQL,
		payments:      served.Payments,
		store:         served.DB(),
		tokens:        served.Links,
		users:         served.Users,
		unsubscribing: unsubscribing,
	}
}

// silence is how long the server waits for a provider that doesn't answer.
const silence = 300 * time.Millisecond
