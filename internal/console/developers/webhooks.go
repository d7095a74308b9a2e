package developers

import (
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
	"holdfast/internal/webhook"
)

// routeWebhooks adds the pages of webhook endpoints.
func (s section) routeWebhooks() {
	list := frame.Need{Scope: operation.ScopeAdmin, Cost: frame.CostOfList}
	p := s.endpoints()
	s.Get("/webhooks", list, s.showEndpoints)
	s.FormPage("/webhooks/new", webhook.OpCreateWebhookEndpoint, p.ShowNew, p.CreateNew)
	s.Get("/webhooks/:id", list, s.showEndpoint)
	s.FormPage("/webhooks/:id/change", webhook.OpChangeWebhookEndpoint, p.ShowChange, p.ChangeOne)
	s.Form("/webhooks/:id/ping", webhook.OpPingWebhookEndpoint, s.showEndpoint, 1, s.pingEndpoint)
	s.FormPage("/webhooks/:id/rotate", webhook.OpRotateWebhookSecret, s.askToRotateSecret, s.rotateSecret)
	s.FormPage("/webhooks/:id/delete", webhook.OpDeleteWebhookEndpoint, s.askToDeleteEndpoint, s.deleteEndpoint)
}

// endpoints are the pages of webhook endpoints, but for their list and the one that shows an endpoint.
func (s section) endpoints() *frame.Things[webhook.Endpoint] {
	return &frame.Things[webhook.Endpoint]{
		Console: s.Console,
		Section: "api-keys",
		Path:    "webhooks",
		Shown:   true,

		Get: s.Webhooks.Endpoint,
		About: func(e webhook.Endpoint) frame.About {
			spec := struct {
				webhook.EndpointBody

				Enabled bool `json:"enabled"`
			}{e.Body(), e.Status == webhook.Enabled}
			return frame.About{ID: e.ID, Version: e.Version, Name: e.URL, Spec: spec}
		},
		Form: func(v *frame.Visit, e *webhook.Endpoint) (form.Form, error) {
			return endpointForm(v.Tenant(), e != nil), nil
		},

		NewPage: frame.EditPage{
			Heading: "New webhook endpoint", Button: "Add the endpoint",
			Help: "Events that occur from now on are delivered to it.",
		},
		Start: func(*frame.Visit) url.Values { return url.Values{"types": {"*"}} },
		Create: func(v *frame.Visit, d form.Document) (idempotency.Outcome, error) {
			return frame.Create(s.Console, v, d, s.Webhooks.Create)
		},
		Made: s.showEndpointSecret,

		ChangePage: func(*frame.Visit, webhook.Endpoint) (frame.EditPage, error) {
			return frame.EditPage{Heading: "Change the endpoint"}, nil
		},
		Change: func(v *frame.Visit, e webhook.Endpoint, d form.Document) error {
			asked, err := form.ReadBody[endpointFields](s.CheckBody, d)
			if err != nil {
				return err
			}
			change := webhook.EndpointPatch{URL: &asked.URL, Types: asked.Types, Description: &asked.Description}
			if asked.Enabled != (e.Status == webhook.Enabled) {
				change.Enabled = &asked.Enabled
			}
			_, err = s.Webhooks.Change(v.Context(), v.Tenant(), e.ID, string(v.Version()), change)
			return err
		},
	}
}

// maxEndpoints is how many endpoints the page shows: more than a tenant can have.
const maxEndpoints = 100

// endpointsPage are the webhook endpoints.
type endpointsPage struct {
	Tabs []web.NavLink
	New  string
	Rows []endpointRow
}

type endpointRow struct {
	webhook.Endpoint

	Path         string
	FailingWords string // since when; empty if the last attempt succeeded
}

func rowOfEndpoint(v *frame.Visit, e webhook.Endpoint) endpointRow {
	row := endpointRow{Endpoint: e, Path: v.Path("webhooks", e.ID.String())}
	if e.FailingSince != nil {
		row.FailingWords = frame.Moment(e.FailingSince.In(v.Tenant().Location))
	}
	return row
}

func (s section) showEndpoints(v *frame.Visit) error {
	list, err := s.Webhooks.Endpoints(v.Context(), v.Tenant(), uuid.Nil, maxEndpoints)
	if err != nil {
		return err
	}
	page := endpointsPage{Tabs: v.Tabs("api-keys"), New: v.Path("webhooks", "new")}
	for _, e := range list {
		page.Rows = append(page.Rows, rowOfEndpoint(v, e))
	}
	return s.Render(v, http.StatusOK, "webhooks", "Webhooks", page)
}

// endpointFields are those of the form of an endpoint that is known.
type endpointFields struct {
	webhook.EndpointRequest

	Enabled bool `json:"enabled" required:"false"`
}

// endpointForm is the form of an endpoint.
func endpointForm(t tenant.Tenant, known bool) form.Form {
	g := form.Group{Label: "Webhook endpoint", Fields: []form.Field{
		{Name: "url", Label: "URL", Help: "An https URL on the public internet."},
		{Name: "description", Label: "Description"},
		{Name: "types", Label: "Types of events",
			Help: "One a line: exact, such as booking.created, a group such as booking.*, or * for all."},
	}}
	if known {
		g.Fields = append(g.Fields, form.Field{Name: "enabled", Label: "Deliver events to it"})
	}
	return form.Of[endpointFields](t, []form.Group{g})
}

// showEndpointSecret shows the secret of an endpoint that was made, or that got another one.
func (s section) showEndpointSecret(v *frame.Visit, response idempotency.Outcome) error {
	var made webhook.EndpointWithSecretBody
	if err := json.Unmarshal(response.Body, &made); err != nil {
		return err
	}
	return s.showNewSecret(v, frame.SecretPage{
		Heading: "The secret of the endpoint", Name: made.URL, Secret: made.Secret,
		Back: v.Path("webhooks", made.ID.String()),
		Note: "Verify signatures with it.", Lost: "It was shown once. If it is lost, replace the secret.",
	})
}

func (s section) endpointOfPath(v *frame.Visit) (webhook.Endpoint, error) {
	return s.endpoints().OfPath(v)
}

// endpointPage is an endpoint with its deliveries.
type endpointPage struct {
	endpointRow

	Tabs       []web.NavLink
	Deliveries []frame.DeliveryRow
	Next       string
}

func (s section) showEndpoint(v *frame.Visit) error {
	e, err := s.endpointOfPath(v)
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
	list, err := s.Webhooks.Deliveries(v.Context(), v.Tenant(), e.ID, before, frame.PageSize+1)
	if err != nil {
		return err
	}
	page := endpointPage{endpointRow: rowOfEndpoint(v, e), Tabs: v.Tabs("api-keys")}
	list, page.Next = web.Page(v, list, frame.PageSize, func(last webhook.DeliveryBody) string {
		return last.EventID.String()
	})
	for _, d := range list {
		page.Deliveries = append(page.Deliveries, v.DeliveryRow(d))
	}
	return s.Render(v, http.StatusOK, "webhook", "Webhook endpoint", page)
}

func (s section) pingEndpoint(v *frame.Visit) error {
	e, err := s.endpointOfPath(v)
	if err != nil {
		return err
	}
	to := v.Path("webhooks", e.ID.String())
	return s.DoOnce(v, "pinged", to, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Webhooks.Ping(v.Context(), v.Tenant(), r, e.ID)
	})
}

func (s section) askToRotateSecret(v *frame.Visit) error {
	return s.askOfEndpoint(v, "rotate", "Replace the secret", "Replace the secret",
		"The new secret is shown once. The old one signs too for 24 hours; "+
			"one that was replaced before doesn’t any more.")
}

func (s section) askToDeleteEndpoint(v *frame.Visit) error {
	return s.askOfEndpoint(v, "delete", "Delete the endpoint", "Delete the endpoint",
		"Nothing is delivered to it any more, and its deliveries that are still open are cancelled. "+
			"It can’t be taken back.")
}

// askOfEndpoint asks before something is done with an endpoint.
func (s section) askOfEndpoint(v *frame.Visit, what, heading, button, does string) error {
	e, err := s.endpointOfPath(v)
	if err != nil {
		return err
	}
	path := v.Path("webhooks", e.ID.String())
	return s.Render(v, http.StatusOK, "ask", heading, askPage{
		Tabs: v.Tabs("api-keys"), Heading: heading + " " + e.URL, Does: does, Button: button, Path: path + "/" + what,
		Back: path,
	})
}

func (s section) rotateSecret(v *frame.Visit) error {
	e, err := s.endpointOfPath(v)
	if err != nil {
		return err
	}
	made, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Webhooks.RotateSecret(v.Context(), v.Tenant(), r, e.ID)
	})
	if err != nil {
		return err
	}
	return s.showEndpointSecret(v, made)
}

func (s section) deleteEndpoint(v *frame.Visit) error {
	id := v.ID("id")
	if err := s.Webhooks.Delete(v.Context(), v.Tenant(), id); err != nil {
		return err
	}
	return v.Done("deleted", v.Path("webhooks"))
}
