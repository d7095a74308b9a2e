package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

const (
	maxLog = 50 // attempts that are shown of a delivery
	// maxChanges is of how many changes of a subject the deliveries are listed.
	maxChanges = 20
	// maxRange is how many events one request delivers again.
	maxRange = 10_000
	// maxOpen is how many deliveries a tenant may have that are to be made when it asks for a range again.
	maxOpen = 20_000
)

// farFuture is after every event.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Deliveries lists up to limit deliveries to an endpoint with events older than before, the newest events first;
// uuid.Max begins with the newest one. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Deliveries(ctx context.Context, t tenant.Tenant, endpoint, before uuid.UUID, limit int,
) ([]DeliveryBody, error) {
	rows, err := s.deliveryRows(ctx, t.ID, endpoint, before.String(), limit)
	if err != nil {
		return nil, err
	}
	return deliveryBodies(rows)
}

// DeliveriesOf lists the deliveries of a subject's last 20 changes to all endpoints, the newest change first. Errors:
// problem.DatabaseUnavailable.
func (s *Service) DeliveriesOf(ctx context.Context, t tenant.Tenant, subject uuid.UUID) ([]DeliveryBody, error) {
	rows, err := s.deliveryRowsOf(ctx, t.ID, subject, maxChanges)
	if err != nil {
		return nil, err
	}
	return deliveryBodies(rows)
}

func deliveryBodies(rows []deliveryRow) (list []DeliveryBody, err error) {
	list = make([]DeliveryBody, len(rows))
	for i, row := range rows {
		if list[i], err = deliveryBody(row); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Delivery returns a delivery with its last attempts. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Delivery(ctx context.Context, t tenant.Tenant, id uuid.UUID) (DeliveryWithLogBody, error) {
	row, attempts, err := s.deliveryRow(ctx, t.ID, id, maxLog)
	if err != nil {
		return DeliveryWithLogBody{}, err
	}
	b := DeliveryWithLogBody{Log: make([]AttemptBody, len(attempts))}
	if b.DeliveryBody, err = deliveryBody(row); err != nil {
		return b, err
	}
	for i, a := range attempts {
		if b.Log[i], err = attemptBody(a); err != nil {
			return b, err
		}
	}
	return b, nil
}

// Ping plans the delivery of an event of the type webhook.ping to one endpoint; the response is a DeliveryBody. It is
// tried once, also while the circuit is open. Errors, besides those of all changes: problem.NotFound;
// problem.InvalidState for an endpoint that is not enabled.
func (s *Service) Ping(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID,
) (idempotency.Outcome, error) {
	return s.once(ctx, t, r, func(tx *db.WriteTx) func() (idempotency.Outcome, error) {
		var row *endpointRow
		queueEndpoint(tx, id, &row)
		return func() (resp idempotency.Outcome, err error) {
			if err := requireEnabled(row); err != nil {
				return resp, err
			}
			now := tx.Now()
			d := deliveryData{EventID: uuid.Must(uuid.NewV7()), SubjectID: id, Type: PingType, PingAt: &now}
			planned := event.New(event.KindWebhookDelivery, event.Subject{Type: event.SubjectEndpoint, ID: id},
				d.EventID.String(), now, time.UTC)
			if planned.Data, err = json.Marshal(d); err != nil {
				return resp, fmt.Errorf("encode a ping: %w", err)
			}
			tx.PlanEvents(planned)
			body, err := deliveryBody(deliveryRow{
				EventID:   planned.EventID,
				SubjectID: id,
				Status:    string(event.Pending),
				DueAt:     now,
				Data:      planned.Data,
				CreatedAt: now,
				UpdatedAt: now,
			})
			if err != nil {
				return resp, err
			}
			return idempotency.Made(kindFor(t, deliveryKind), body.ID, 0, body)
		}
	})
}

// Replay makes a delivery again, at once and with all attempts; the response is a DeliveryBody. Errors, besides those
// of all changes: problem.NotFound; problem.InvalidState while an attempt is under way, or if the endpoint is not
// enabled.
func (s *Service) Replay(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	id uuid.UUID,
) (idempotency.Outcome, error) {
	found, _, err := s.deliveryRow(ctx, t.ID, id, 0)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	return s.once(ctx, t, r, func(tx *db.WriteTx) func() (idempotency.Outcome, error) {
		var row *endpointRow
		var delivery *deliveryRow
		queueEndpoint(tx, found.SubjectID, &row)
		queueDelivery(tx, id, &delivery)
		return func() (idempotency.Outcome, error) {
			switch {
			case delivery == nil:
				return idempotency.Outcome{}, problem.Missing()
			case delivery.Status == string(event.Processing):
				return idempotency.Outcome{},
					problem.New(problem.InvalidState, "An attempt of this delivery is under way.")
			}
			if err := requireEnabled(row); err != nil {
				return idempotency.Outcome{}, err
			}
			queueReplay(tx, id)
			d := *delivery
			d.Status, d.DueAt, d.Attempts, d.LastError, d.UpdatedAt = string(event.Pending), tx.Now(), 0, nil, tx.Now()
			body, err := deliveryBody(d)
			if err != nil {
				return idempotency.Outcome{}, err
			}
			return idempotency.Changed(kindFor(t, deliveryKind), body.ID, 0, body)
		}
	})
}

// ReplayRange delivers the events of a range that have the endpoint's types to it, whether they were delivered before
// or not; the response is a RangeBody. Errors: those of Ping, also problem.InvalidState for a tenant that has maxOpen
// deliveries to be made; problem.CursorExpired.
func (s *Service) ReplayRange(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID,
	in Range,
) (idempotency.Outcome, error) {
	if err := bounds.Check("", in); err != nil {
		return idempotency.Outcome{}, err
	}
	e, err := s.Endpoint(ctx, t, id)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	events, err := in.ofTypes(change.FilterTypes(e.Types...))
	if err != nil {
		return idempotency.Outcome{}, err
	}
	if in.After != "" {
		if events.after, err = s.feed.Position(ctx, t.ID, in.After); err != nil {
			return idempotency.Outcome{}, err
		}
	}
	n, last, err := s.countRange(ctx, t.ID, events, maxRange)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	body := RangeBody{Deliveries: n}
	if n == maxRange {
		cursor, err := s.feed.Cursor(ctx, t.ID, last)
		if err != nil {
			return idempotency.Outcome{}, err
		}
		body.NextCursor = &cursor
	}
	return s.once(ctx, t, r, func(tx *db.WriteTx) func() (idempotency.Outcome, error) {
		var open int64
		var row *endpointRow
		queueOpen(tx, maxOpen, &open)
		queueEndpoint(tx, id, &row)
		return func() (idempotency.Outcome, error) {
			if err := requireEnabled(row); err != nil {
				return idempotency.Outcome{}, err
			}
			if open >= maxOpen {
				return idempotency.Outcome{}, tooManyOpen()
			}
			if n > 0 {
				queueRangeReplay(tx, id, events, last)
			}
			return idempotency.Changed(kindFor(t, deliveryKind), uuid.Nil, 0, body)
		}
	})
}

// feedRange is the changes and notices that follow after, occurred at from or later and before to, and have a type that
// matches one of patterns, which are those of LIKE.
type feedRange struct {
	after    change.Position
	from, to time.Time
	patterns []string
}

// ofTypes returns the range as it is read. Errors: problem.ValidationFailed.
func (r Range) ofTypes(types change.TypeFilter) (feedRange, error) {
	feed := feedRange{after: change.Begin(), to: farFuture, patterns: types.Patterns()}
	switch {
	case r.From == nil && r.After == "":
		return feed, problem.Invalid("from", "required", "Give from, after, or both.")
	case r.From != nil && r.To != nil && !r.To.After(*r.From):
		return feed, problem.Invalid("to", "before_from", "The end must be after the beginning.")
	}
	if r.From != nil {
		feed.from = *r.From
	}
	if r.To != nil {
		feed.to = *r.To
	}
	return feed, nil
}
