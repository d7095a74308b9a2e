package developers

import (
	"net/http"

	"holdfast/internal/console/frame"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/web"
	"holdfast/internal/webhook"
)

// routeDeliveries adds the pages of deliveries.
func (s section) routeDeliveries() {
	s.FormPage("/webhooks/:id/replay", webhook.OpReplayWebhookEvents, s.showReplay, s.replayRange)
	s.Get("/webhooks/:id/progress", frame.Need{Scope: operation.ScopeAdmin, Cost: costOfProgress}, s.showProgress)
	s.Get("/deliveries/:id", frame.Need{Scope: operation.ScopeAdmin, Cost: webhook.OpGetDelivery.Permits},
		s.showDelivery)
	s.Form("/deliveries/:id/replay", webhook.OpReplayDelivery, s.showDelivery, 1, s.replayDelivery)
}

// deliveryPage is a delivery with its attempts.
type deliveryPage struct {
	frame.DeliveryRow

	Tabs     []web.NavLink
	Endpoint string // path
	Log      []attemptRow
}

type attemptRow struct {
	webhook.AttemptBody

	Started string
}

func (s section) showDelivery(v *frame.Visit) error {
	id := v.ID("id")
	d, err := s.Webhooks.Delivery(v.Context(), v.Tenant(), id)
	if err != nil {
		return err
	}
	page := deliveryPage{DeliveryRow: v.DeliveryRow(d.DeliveryBody), Tabs: v.Tabs("api-keys"),
		Endpoint: v.Path("webhooks", d.EndpointID.String())}
	for _, a := range d.Log {
		page.Log = append(page.Log, attemptRow{a, v.Moment(a.StartedAt)})
	}
	return s.Render(v, http.StatusOK, "delivery", "Delivery", page)
}

func (s section) replayDelivery(v *frame.Visit) error {
	id := v.ID("id")
	to := v.Path("deliveries", id.String())
	return s.DoOnce(v, "replayed", to, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Webhooks.Replay(v.Context(), v.Tenant(), r, id)
	})
}
