package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/tracing"
)

const (
	// concurrency is how many deliveries a worker makes at a time, which bounds its memory, and perEndpoint how many of
	// them to one endpoint.
	concurrency = 512
	perEndpoint = 100
)

// DeliveryKind returns the kind of event that delivers a change to an endpoint.
func (s *Service) DeliveryKind() event.Kind {
	return event.Kind{
		Name: event.KindWebhookDelivery, Concurrency: concurrency, PerEndpoint: perEndpoint,
		Timeout:     2 * s.client.timeout,
		MaxAttempts: maxAttempts,
		Handle: event.Flow[delivery]{Load: s.load, Checks: []event.Check[delivery]{stillEnabled, stillKept},
			Act: s.deliver}.Handle,
	}
}

// delivery is what is delivered. Its endpoint is as it was at loaded, by this process's clock, and at now, by the
// database's.
type delivery struct {
	endpoint *Endpoint // nil if it was deleted
	payload  *payload  // nil if the event isn't kept any more
	ping     bool
	now      time.Time
	loaded   time.Time
}

// clock returns the time by the database's clock.
func (d delivery) clock() time.Time { return d.now.Add(time.Since(d.loaded)) }

func (s *Service) load(ctx context.Context, e event.Event) (delivery, error) {
	data, err := readDeliveryData(e.Data)
	if err != nil {
		return delivery{}, err
	}
	key := deliveryKey{tenant: e.TenantID, endpoint: e.Subject.ID, subject: data.SubjectID, event: data.EventID}
	if data.TenantID != nil {
		key.tenant = *data.TenantID
	}
	row, err := s.loads.load(ctx, e.TenantID, key)
	if err != nil {
		return delivery{}, err
	}
	d := delivery{ping: data.PingAt != nil, now: row.now, loaded: time.Now()}
	if row.endpoint == nil {
		return d, nil
	}
	endpoint, err := fromRow(*row.endpoint)
	if err != nil {
		return d, err
	}
	d.endpoint = &endpoint
	switch {
	case d.ping:
		d.payload, err = pingOf(data.EventID, *data.PingAt, endpoint)
		return d, err
	case row.event != nil:
		d.payload = payloadOf(*row.event, data)
	}
	return d, nil
}

func stillEnabled(_ event.Event, d delivery) string {
	switch {
	case d.endpoint == nil:
		return "The endpoint was deleted."
	case d.endpoint.Status != Enabled:
		return "The endpoint is " + string(d.endpoint.Status) + "."
	}
	return ""
}

func stillKept(_ event.Event, d delivery) string {
	if d.payload == nil {
		return "The event is no longer kept."
	}
	return ""
}

// deliver makes one attempt, unless the circuit is open.
func (s *Service) deliver(ctx context.Context, e event.Event, d delivery) (event.Result, error) {
	if d.endpoint.open(d.now) && !d.ping {
		return event.RetryUncounted(afterPause(*d.endpoint.openUntil, d.now)), nil
	}
	probe := false
	if d.endpoint.openUntil != nil && !d.ping {
		var until *time.Time
		var err error
		if probe, until, err = s.beginProbe(ctx, e.TenantID, d.endpoint.ID); err != nil || until != nil {
			return retryAfterPause(until, d.clock()), err
		}
	}
	x, err := s.exchange(ctx, d)
	if err != nil {
		return event.Result{}, err
	}
	return s.finish(ctx, e, d, x, probe)
}

func retryAfterPause(until *time.Time, now time.Time) event.Result {
	if until == nil {
		return event.Result{}
	}
	return event.RetryUncounted(afterPause(*until, now))
}

// afterPause returns when a delivery is due that waits for the end of a pause: at random, from the end until as long
// after it as the pause lasts from now. So a backlog isn't claimed at once.
func afterPause(end, now time.Time) time.Time { return end.Add(event.Jitter(end.Sub(now))) }

// beginProbe reports whether this delivery probes an endpoint whose circuit was open. It returns until when to wait if
// another delivery probes, or the circuit was opened again. If the circuit was closed meanwhile, the delivery neither
// probes nor waits.
func (s *Service) beginProbe(ctx context.Context, tenant, id uuid.UUID) (probe bool, until *time.Time, err error) {
	err = s.changeLocked(ctx, tenant, id, func(tx *db.WriteTx, e Endpoint) (after Endpoint, err error) {
		if until = nil; e.open(tx.Now()) {
			until = e.openUntil
		}
		after, probe = e.probing(tx.Now())
		return after, nil
	})
	return probe, until, err
}

// exchanged is what an exchange came to.
type exchanged struct {
	response Response
	failure  *Failure // nil if there is a response
	log      AttemptLog
	at       time.Time // when it ended
}

// exchange signs and posts a webhook. Its error is not the endpoint's fault.
func (s *Service) exchange(ctx context.Context, d delivery) (x exchanged, err error) {
	body, err := encode(d.payload)
	if err != nil {
		return x, err
	}
	at := d.clock()
	header, err := Sign(d.payload.ID.String(), at, body, d.endpoint.secrets(at)...)
	if err != nil {
		return x, err
	}
	ctx, span := tracing.StartClient(ctx, "deliver the webhook")
	defer span.End()
	x.response, err = s.client.Post(ctx, d.endpoint.URL, header, body)
	if err != nil && !errors.As(err, &x.failure) {
		return x, err
	}
	x.trace(span, d.endpoint.ID)
	x.at, x.log = d.clock(), newAttemptLog(d.endpoint.URL, at, body, x.response, x.failure)
	return x, nil
}

// trace notes on its span what an exchange came to. The URL isn't recorded: it may have a secret.
func (x exchanged) trace(span tracing.Span, endpoint uuid.UUID) {
	switch {
	case !span.Recording():
		return
	case x.failure != nil:
		span.Fail(string(x.failure.Reason))
	default:
		span.Set(semconv.HTTPResponseStatusCode(x.response.Status))
		if !x.response.Succeeded() {
			span.Fail("refused")
		}
	}
	span.Set(tracing.EndpointID.String(endpoint.String()))
}

// finish records on the endpoint what an exchange came to, and returns what becomes of the delivery. If the endpoint
// can't be updated, its health is as before: the next delivery updates it.
func (s *Service) finish(ctx context.Context, e event.Event, d delivery, x exchanged, probe bool,
) (event.Result, error) {
	if isOperator(e.TenantID) {
		x.log = x.log.withoutBodies()
	}
	log, err := encode(x.log)
	if err != nil {
		return event.Result{}, err
	}
	succeeded := x.failure == nil && x.response.Succeeded()
	gone := x.failure == nil && x.response.Status == http.StatusGone
	if !succeeded || d.endpoint.failures > 0 || d.endpoint.FailingSince != nil || d.endpoint.openUntil != nil {
		// The response is known, so the worker's end must not lose it.
		if err := s.recordHealth(context.WithoutCancel(ctx), e.TenantID, *d.endpoint, func(old Endpoint,
			now time.Time) Endpoint {
			switch {
			case succeeded:
				return old.succeeded(now)
			case gone:
				return old.disabled(Gone, "The endpoint answered 410.", now)
			}
			return old.failed(now, probe)
		}); err != nil {
			s.log.WarnContext(ctx, "record the health of a webhook endpoint", "endpoint", d.endpoint.ID, "error", err)
		}
	}
	if succeeded {
		return event.Done().Log(log), nil
	}
	reason := fmt.Sprintf("The endpoint answered %d.", x.response.Status)
	if x.failure != nil {
		reason = "There was no usable response: " + string(x.failure.Reason) + "."
	}
	return event.Result{}, &event.AttemptError{
		Reason: reason, Permanent: gone || d.ping, RetryAt: x.at.Add(pause(e.Attempt, askedPause(x))), Log: log,
		Err: failureCause(x),
	}
}

// askedPause returns the pause that a response asks for: with 429 and 503, Retry-After means that.
func askedPause(x exchanged) time.Duration {
	if x.failure == nil &&
		(x.response.Status == http.StatusTooManyRequests || x.response.Status == http.StatusServiceUnavailable) {
		return RetryAfter(x.response, x.at)
	}
	return 0
}

func failureCause(x exchanged) error {
	if x.failure == nil {
		return nil
	}
	return x.failure.Unwrap()
}

// recordHealth changes an enabled endpoint by a rule, unless its URL has changed since the delivery loaded it. If that
// disables the endpoint, the change is recorded, and each planned delivery is cancelled when it is due: there may be
// more of them than one statement can change in time.
func (s *Service) recordHealth(ctx context.Context, tenant uuid.UUID, loaded Endpoint,
	rule func(e Endpoint, now time.Time) Endpoint,
) error {
	var open int64
	first := func(tx *db.WriteTx) {
		if isOperator(tenant) && loaded.failures+1 >= openAfter {
			queueOpen(tx, s.maxBacklog, &open)
		}
	}
	return s.changeAfter(ctx, tenant, loaded.ID, first, func(tx *db.WriteTx, old Endpoint) (Endpoint, error) {
		if old.Status != Enabled || old.URL != loaded.URL {
			return old, nil
		}
		e := rule(old, tx.Now())
		if isOperator(tenant) {
			e = s.limitBacklog(e, open, tx.Now())
		}
		if e.Status == Enabled {
			return e, nil
		}
		disabled, err := e.record()
		tx.AddChange(disabled)
		return e, err
	})
}
