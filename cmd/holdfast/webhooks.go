package main

import (
	"fmt"
	"log/slog"

	"holdfast/internal/change"
	"holdfast/internal/store"
	"holdfast/internal/webhook"
)

func (c *Config) webhooks(st *store.Store, feed *change.Service, log *slog.Logger) (*webhook.Service, error) {
	allowed, err := webhook.ParseNetworks(c.WebhookAllow)
	if err != nil {
		return nil, fmt.Errorf("HOLDFAST_WEBHOOK_ALLOW: %w", err)
	}
	return webhook.NewService(st, feed, webhook.Config{Allowed: allowed}, log), nil
}
