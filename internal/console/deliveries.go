package console

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/webhook"
)

// routeDeliveries adds the pages of deliveries.
func (c *Console) routeDeliveries(of *gin.RouterGroup) {
	admin := need{scope: operation.ScopeAdmin}
	of.GET("/webhooks/:id/replay", c.handle(admin, c.user, c.showReplay))
	of.POST("/webhooks/:id/replay", c.form(webhook.OpReplayWebhookEvents, c.showReplay, 0, c.replayRange))
	of.GET("/webhooks/:id/progress",
		c.handle(need{scope: operation.ScopeAdmin, cost: costOfProgress}, c.user, c.showProgress))
	of.GET("/deliveries/:id", c.handle(need{scope: operation.ScopeAdmin, cost: webhook.OpGetDelivery.Permits}, c.user,
		c.showDelivery))
	of.POST("/deliveries/:id/replay", c.form(webhook.OpReplayDelivery, c.showDelivery, 1, c.replayDelivery))
}

// deliveryRow is a delivery with its times in words.
type deliveryRow struct {
	webhook.DeliveryBody

	URL           string
	Created, Next string
}

func (v *visit) deliveryRow(d webhook.DeliveryBody) deliveryRow {
	row := deliveryRow{DeliveryBody: d, URL: v.path("deliveries", d.ID.String()), Created: v.moment(d.CreatedAt)}
	if d.NextAttemptAt != nil {
		row.Next = v.moment(*d.NextAttemptAt)
	}
	return row
}

// moment returns date and time of day of t where the tenant is.
func (v *visit) moment(t time.Time) string { return moment(t.In(v.tenant().Location)) }

// deliveryPage is a delivery with its attempts.
type deliveryPage struct {
	deliveryRow

	Tabs     []tab
	Endpoint string // path
	Log      []attemptRow
}

type attemptRow struct {
	webhook.AttemptBody

	Started string
}

func (c *Console) showDelivery(v *visit) error {
	id := v.ID("id")
	d, err := c.Webhooks.Delivery(v.ctx(), v.tenant(), id)
	if err != nil {
		return err
	}
	page := deliveryPage{deliveryRow: v.deliveryRow(d.DeliveryBody), Tabs: v.tabs("api-keys"),
		Endpoint: v.path("webhooks", d.EndpointID.String())}
	for _, a := range d.Log {
		page.Log = append(page.Log, attemptRow{a, v.moment(a.StartedAt)})
	}
	return c.render(v, http.StatusOK, "delivery", "Delivery", page)
}

func (c *Console) replayDelivery(v *visit) error {
	id := v.ID("id")
	to := v.path("deliveries", id.String())
	return c.doOnce(v, "replayed", to, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Webhooks.Replay(v.ctx(), v.tenant(), r, id)
	})
}
