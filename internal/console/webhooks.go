package console

import (
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
	"holdfast/internal/webhook"
)

// routeWebhooks adds the pages of webhook endpoints.
func (c *Console) routeWebhooks(of *gin.RouterGroup) {
	list, admin := need{scope: operation.ScopeAdmin, cost: costOfList}, need{scope: operation.ScopeAdmin}
	p := c.endpoints()
	of.GET("/webhooks", c.handle(list, c.user, c.showEndpoints))
	of.GET("/webhooks/new", c.handle(admin, c.user, p.showNew))
	of.POST("/webhooks/new", c.handle(admin.on(p.showNew, 0), c.user, p.createNew))
	of.GET("/webhooks/:id", c.handle(list, c.user, c.showEndpoint))
	of.GET("/webhooks/:id/change", c.handle(admin, c.user, p.showChange))
	of.POST("/webhooks/:id/change", c.handle(admin.on(p.showChange, 0), c.user, p.changeOne))
	of.POST("/webhooks/:id/ping", c.handle(admin.on(c.showEndpoint, 1), c.user, c.pingEndpoint))
	of.GET("/webhooks/:id/rotate", c.handle(admin, c.user, c.askToRotateSecret))
	of.POST("/webhooks/:id/rotate", c.handle(admin.on(c.askToRotateSecret, 0), c.user, c.rotateSecret))
	of.GET("/webhooks/:id/delete", c.handle(admin, c.user, c.askToDeleteEndpoint))
	of.POST("/webhooks/:id/delete", c.handle(admin.on(c.askToDeleteEndpoint, 0), c.user, c.deleteEndpoint))
}

// endpoints are the pages of webhook endpoints, but for their list and the one that shows an endpoint.
func (c *Console) endpoints() *things[webhook.Endpoint] {
	return &things[webhook.Endpoint]{
		c:       c,
		section: "api-keys",
		path:    "webhooks",
		shown:   true,

		get: c.Webhooks.Endpoint,
		about: func(e webhook.Endpoint) about {
			spec := struct {
				webhook.EndpointBody

				Enabled bool `json:"enabled"`
			}{e.Body(), e.Status == webhook.Enabled}
			return about{e.ID, e.Version, e.URL, spec}
		},
		form: func(v *visit, e *webhook.Endpoint) (form, error) { return endpointForm(v.tenant(), e != nil), nil },

		newPage: editPage{
			Heading: "New webhook endpoint", Button: "Add the endpoint",
			Help: "Events that occur from now on are delivered to it.",
		},
		start: func(*visit) url.Values { return url.Values{"types": {"*"}} },
		create: func(v *visit, d document) (idempotency.Outcome, error) {
			return createThing(c, v, d, c.Webhooks.Create)
		},
		made: c.showEndpointSecret,

		changePage: func(*visit, webhook.Endpoint) (editPage, error) {
			return editPage{Heading: "Change the endpoint"}, nil
		},
		change: func(v *visit, e webhook.Endpoint, d document) error {
			asked, err := readBody[endpointFields](c, d)
			if err != nil {
				return err
			}
			change := webhook.EndpointPatch{URL: &asked.URL, Types: asked.Types, Description: &asked.Description}
			if asked.Enabled != (e.Status == webhook.Enabled) {
				change.Enabled = &asked.Enabled
			}
			_, err = c.Webhooks.Change(v.ctx(), v.tenant(), e.ID, string(v.version()), change)
			return err
		},
	}
}

// maxEndpoints is how many endpoints the page shows: more than a tenant can have.
const maxEndpoints = 100

// endpointsPage are the webhook endpoints.
type endpointsPage struct {
	Tabs []tab
	New  string
	Rows []endpointRow
}

type endpointRow struct {
	webhook.Endpoint

	Path         string
	FailingWords string // since when; empty if the last attempt succeeded
}

func (v *visit) endpointRow(e webhook.Endpoint) endpointRow {
	row := endpointRow{Endpoint: e, Path: v.path("webhooks", e.ID.String())}
	if e.FailingSince != nil {
		row.FailingWords = moment(e.FailingSince.In(v.tenant().Location))
	}
	return row
}

func (c *Console) showEndpoints(v *visit) error {
	list, err := c.Webhooks.Endpoints(v.ctx(), v.tenant(), uuid.Nil, maxEndpoints)
	if err != nil {
		return err
	}
	page := endpointsPage{Tabs: v.tabs("api-keys"), New: v.path("webhooks", "new")}
	for _, e := range list {
		page.Rows = append(page.Rows, v.endpointRow(e))
	}
	return c.render(v, http.StatusOK, "webhooks", "Webhooks", page)
}

// endpointFields are those of the form of an endpoint that is known.
type endpointFields struct {
	webhook.EndpointRequest

	Enabled bool `json:"enabled" required:"false"`
}

// endpointForm is the form of an endpoint.
func endpointForm(t tenant.Tenant, known bool) form {
	g := group{Label: "Webhook endpoint", Fields: []field{
		{Name: "url", Label: "URL", Help: "An https URL on the public internet."},
		{Name: "description", Label: "Description"},
		{Name: "types", Label: "Types of events",
			Help: "One a line: exact, such as booking.created, a group such as booking.*, or * for all."},
	}}
	if known {
		g.Fields = append(g.Fields, field{Name: "enabled", Label: "Deliver events to it"})
	}
	return formOf[endpointFields](t, []group{g})
}

// showEndpointSecret shows the secret of an endpoint that was made, or that got another one.
func (c *Console) showEndpointSecret(v *visit, response idempotency.Outcome) error {
	var made webhook.EndpointWithSecretBody
	if err := json.Unmarshal(response.Body, &made); err != nil {
		return err
	}
	return c.showNewSecret(v, secretPage{
		Heading: "The secret of the endpoint", Name: made.URL, Secret: made.Secret, Back: v.path("webhooks", made.ID.String()),
		Note: "Verify signatures with it.", Lost: "It was shown once. If it is lost, replace the secret.",
	})
}

func (c *Console) endpointOfPath(v *visit) (webhook.Endpoint, error) { return c.endpoints().ofPath(v) }

// endpointPage is an endpoint with its deliveries.
type endpointPage struct {
	endpointRow

	Tabs       []tab
	Deliveries []deliveryRow
	Next       string
}

func (c *Console) showEndpoint(v *visit) error {
	e, err := c.endpointOfPath(v)
	if err != nil {
		return err
	}
	before, err := v.After()
	if err != nil {
		return err
	}
	if before == uuid.Nil {
		before = uuid.Max
	}
	list, err := c.Webhooks.Deliveries(v.ctx(), v.tenant(), e.ID, before, pageSize+1)
	if err != nil {
		return err
	}
	page := endpointPage{endpointRow: v.endpointRow(e), Tabs: v.tabs("api-keys")}
	list, page.Next = web.Page(v, list, pageSize, func(last webhook.DeliveryBody) string {
		return last.EventID.String()
	})
	for _, d := range list {
		page.Deliveries = append(page.Deliveries, v.deliveryRow(d))
	}
	return c.render(v, http.StatusOK, "webhook", "Webhook endpoint", page)
}

func (c *Console) pingEndpoint(v *visit) error {
	e, err := c.endpointOfPath(v)
	if err != nil {
		return err
	}
	to := v.path("webhooks", e.ID.String())
	return c.doOnce(v, "pinged", to, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Webhooks.Ping(v.ctx(), v.tenant(), r, e.ID)
	})
}

func (c *Console) askToRotateSecret(v *visit) error {
	return c.askOfEndpoint(v, "rotate", "Replace the secret", "Replace the secret",
		"The new secret is shown once. The old one signs too for 24 hours; one that was replaced before doesn’t any more.")
}

func (c *Console) askToDeleteEndpoint(v *visit) error {
	return c.askOfEndpoint(v, "delete", "Delete the endpoint", "Delete the endpoint",
		"Nothing is delivered to it any more, and its deliveries that are still open are cancelled. It can’t be taken back.")
}

// askOfEndpoint asks before something is done with an endpoint.
func (c *Console) askOfEndpoint(v *visit, what, heading, button, does string) error {
	e, err := c.endpointOfPath(v)
	if err != nil {
		return err
	}
	path := v.path("webhooks", e.ID.String())
	return c.render(v, http.StatusOK, "ask", heading, askPage{
		Tabs: v.tabs("api-keys"), Heading: heading + " " + e.URL, Does: does, Button: button, Path: path + "/" + what, Back: path,
	})
}

func (c *Console) rotateSecret(v *visit) error {
	e, err := c.endpointOfPath(v)
	if err != nil {
		return err
	}
	made, err := c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Webhooks.RotateSecret(v.ctx(), v.tenant(), r, e.ID)
	})
	if err != nil {
		return err
	}
	return c.showEndpointSecret(v, made)
}

func (c *Console) deleteEndpoint(v *visit) error {
	id := v.ID("id")
	if err := c.Webhooks.Delete(v.ctx(), v.tenant(), id); err != nil {
		return err
	}
	return v.done("deleted", v.path("webhooks"))
}
