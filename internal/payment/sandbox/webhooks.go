package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	maxDeliveries    = 16
	deliveryTimeout  = 10 * time.Second
	maxBackoff       = 30 * time.Second
	deliveryLifetime = 72 * time.Hour
)

// webhooks delivers the journal's events, each at least once, in no fixed order.
type webhooks struct {
	client *http.Client
	paused atomic.Bool
	url    atomic.Pointer[string] // empty: deliver nothing
	wake   chan struct{}
}

func newWebhooks(cfg Config) *webhooks {
	h := &webhooks{
		wake: make(chan struct{}, 1),
		client: &http.Client{
			Timeout:       deliveryTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport:     &http.Transport{MaxIdleConnsPerHost: maxDeliveries, IdleConnTimeout: time.Minute},
		},
	}
	h.url.Store(&cfg.WebhookURL)
	return h
}

func (h *webhooks) pause(paused bool) {
	h.paused.Store(paused)
	h.wakeUp()
}

// wakeUp makes the delivery check the journal again.
func (h *webhooks) wakeUp() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// queueEvent writes an event for delivery. Without a receiver the event is discarded.
func (s *Server) queueEvent(e entries, ev event) error {
	if *s.webhooks.url.Load() == "" {
		return nil
	}
	body, err := json.Marshal(ev)
	if err != nil {
		return err
	}
	now := time.Now()
	for _, due := range s.faults.deliveryTimes(now) {
		if err := e.putByTime(bucketPending, due, delivery{EventID: ev.ID, Body: body, Since: now}); err != nil {
			return err
		}
	}
	return nil
}

// deliverWebhooks sends due webhooks until ctx ends.
func (s *Server) deliverWebhooks(ctx context.Context) {
	for ctx.Err() == nil {
		next := time.Now().Add(time.Minute)
		if url := *s.webhooks.url.Load(); url != "" && !s.webhooks.paused.Load() {
			due, err := read(s.journal, func(e entries) ([]delivery, error) {
				due, at, err := e.deliveries(time.Now(), maxDeliveries)
				if !at.IsZero() && at.Before(next) {
					next = at
				}
				return due, err
			})
			if err == nil && len(due) > 0 {
				err = s.sendAll(ctx, url, due)
				next = time.Now()
			}
			if err != nil {
				s.log.Error("the sandbox's webhooks", "error", err)
				next = time.Now().Add(s.cfg.WebhookBackoff)
			}
		}
		select {
		case <-ctx.Done():
		case <-s.webhooks.wake:
		case <-time.After(time.Until(next)):
		}
	}
}

// sendAll sends webhooks in parallel and records which ones arrived.
func (s *Server) sendAll(ctx context.Context, url string, due []delivery) error {
	failures := make([]error, len(due))
	var sending sync.WaitGroup
	for i, d := range due {
		sending.Go(func() { failures[i] = s.send(ctx, url, d) })
	}
	sending.Wait()
	now := time.Now()
	return s.journal.write(func(e entries) error {
		for i, d := range due {
			if err := e.dropDelivery(d); err != nil {
				return err
			}
			if failures[i] == nil || now.Sub(d.Since) > deliveryLifetime {
				continue
			}
			s.log.Debug("a webhook of the sandbox didn't arrive", "event", d.EventID, "error", failures[i])
			d.Attempts++
			if err := e.putByTime(bucketPending, now.Add(retryDelay(s.cfg.WebhookBackoff, d.Attempts)), d); err != nil {
				return err
			}
		}
		return nil
	})
}

// retryDelay doubles with each attempt. A random part of up to a half is subtracted.
func retryDelay(backoff time.Duration, attempts int) time.Duration {
	longest := min(backoff<<min(attempts-1, 16), maxBackoff)
	return longest - rand.N(longest/2+1) //nolint:gosec // not a secret
}

func (s *Server) send(ctx context.Context, url string, d delivery) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(d.Body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(headerSignature, sign(s.cfg.WebhookSecret, time.Now(), d.Body))
	response, err := s.webhooks.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, maxBody) // allows the connection to be reused
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("answered %s", response.Status)
	}
	return nil
}
