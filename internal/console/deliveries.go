package console

import (
	"net/http"

	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/webhook"
)

// routeDeliveries adds the pages of deliveries.
func (c *Console) routeDeliveries() {
	admin := need{scope: operation.ScopeAdmin}
	c.get("/webhooks/:id/replay", admin, c.showReplay)
	c.form("/webhooks/:id/replay", webhook.OpReplayWebhookEvents, c.showReplay, 0, c.replayRange)
	c.get("/webhooks/:id/progress", need{scope: operation.ScopeAdmin, cost: costOfProgress}, c.showProgress)
	c.get("/deliveries/:id", need{scope: operation.ScopeAdmin, cost: webhook.OpGetDelivery.Permits}, c.showDelivery)
	c.form("/deliveries/:id/replay", webhook.OpReplayDelivery, c.showDelivery, 1, c.replayDelivery)
}

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
