package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	oteltrace "go.opentelemetry.io/otel/trace"

	"holdfast/internal/app"
	"holdfast/internal/cell"
	"holdfast/internal/console"
	"holdfast/internal/console/operator"
	"holdfast/internal/db"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/webhook"
)

// server returns the configured server, which isn't open yet. p are the payment providers.
func (c *Config) server(
	specs []cell.Spec, p *providers, registry *prometheus.Registry, tracer oteltrace.Tracer, log *slog.Logger,
) (app.ServerConfig, error) {
	cfg := app.ServerConfig{
		Cells: specs, WebhookTenant: p.tenantOf, Log: log,
		Connect: db.Config{MaxConns: c.DatabaseConns, LockTimeout: c.LockTimeout, CommitTimeout: c.CommitTimeout},
	}
	cfg.Version, cfg.PublicURL, cfg.MetricsAddr, cfg.Limits = version, c.PublicURL, c.MetricsAddr, c.limits()
	cfg.OIDC = console.OIDC{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret, TrustEmail: c.OIDCTrustEmail,
	}
	cfg.Senders = c.senders()
	cfg.Payments = c.payments(p)
	cfg.Cleanup = idempotency.CleanupConfig{Interval: c.CleanupInterval, Batch: c.CleanupBatch}
	cfg.ChangeRetention, cfg.EventRetention = c.ChangeRetention, c.EventRetention
	cfg.Registry, cfg.Tracer, cfg.Sampler = registry, tracer, operator.NewSampler(registry, log)
	var err error
	if cfg.AdminKey, err = c.adminKey(); err != nil {
		return cfg, err
	}
	if cfg.LinkKey, err = c.linkKey(); err != nil {
		return cfg, err
	}
	if cfg.Sender, err = c.openSender(); err != nil {
		return cfg, err
	}
	if cfg.Webhooks.Allowed, err = webhook.ParseNetworks(c.WebhookAllow); err != nil {
		return cfg, fmt.Errorf("HOLDFAST_WEBHOOK_ALLOW: %w", err)
	}
	cfg.TrustedProxies, err = webhook.ParseNetworks(c.TrustedProxies)
	return cfg, err
}

// linkKey returns the key that signs all links that people get.
func (c *Config) linkKey() ([]byte, error) {
	secret, err := c.loadOrCreateSecret(c.UnsubscribeKey, unsubscribeKeyFile, "hfu_")
	key := sha256.Sum256([]byte(secret))
	return key[:], err
}

// payments returns how payments are made.
func (c *Config) payments(p *providers) payment.Config {
	return payment.Config{
		Provider: p.current, Legacy: p.legacy, CallTimeout: c.ProviderTimeout, AbsentAfter: c.ProviderAbsentAfter,
		Timeout: c.PaymentTimeout,
	}
}

// tenantOf returns the tenant that a provider's webhook is about.
func (p *providers) tenantOf(name string, header http.Header, body []byte) (uuid.UUID, error) {
	for _, provider := range append([]payment.Provider{p.current}, p.legacy...) {
		if provider != nil && provider.Name() == name {
			event, err := provider.Event(header, body, time.Now())
			return event.Reference.TenantID, err
		}
	}
	return uuid.Nil, errors.New("there is no such provider")
}
