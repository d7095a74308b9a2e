package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"holdfast/internal/payment/sandbox"
)

const (
	sandboxKeyFile    = "sandbox-key"
	sandboxSecretFile = "sandbox-webhook-secret"
	sandboxFile       = "sandbox.db"
)

type sandboxCmd struct {
	Addr          string `name:"sandbox-addr" env:"HOLDFAST_SANDBOX_ADDR" default:"127.0.0.1:0" help:"Address to serve the sandbox on; port 0 is any free one."`
	File          string `name:"sandbox-file" env:"HOLDFAST_SANDBOX_FILE" help:"File of its journal. Unset: sandbox.db in the data directory."`
	Key           string `name:"sandbox-key" env:"HOLDFAST_SANDBOX_KEY" help:"Bearer key of its clients. Unset: made once and kept in the data directory."`
	WebhookURL    string `name:"sandbox-webhook-url" env:"HOLDFAST_SANDBOX_WEBHOOK_URL" help:"Where to send events. Unset: nowhere, until it is told."`
	WebhookSecret string `name:"sandbox-webhook-secret" env:"HOLDFAST_SANDBOX_WEBHOOK_SECRET" help:"Secret that signs events. Unset: made once and kept in the data directory."`
}

// Run serves the sandbox until ctx ends.
func (cmd *sandboxCmd) Run(ctx context.Context, c *Config) (err error) {
	cfg := sandbox.Config{
		Addr: cmd.Addr, File: cmp.Or(cmd.File, filepath.Join(c.DataDir, sandboxFile)), Key: cmd.Key,
		WebhookURL: cmd.WebhookURL, WebhookSecret: cmd.WebhookSecret, Logger: c.logger(),
	}
	if cfg.Key == "" {
		if cfg.Key, err = c.keptSecret(sandboxKeyFile, "sk_sandbox_"); err != nil {
			return err
		}
	}
	if cfg.WebhookSecret == "" {
		if cfg.WebhookSecret, err = c.keptSecret(sandboxSecretFile, "whsec_sandbox_"); err != nil {
			return err
		}
	}
	server, err := sandbox.Start(cfg)
	if err != nil {
		return err
	}
	fmt.Printf("The sandbox serves %s\n  key             %s\n  webhook secret  %s\n", server.URL(), cfg.Key, cfg.WebhookSecret)
	<-ctx.Done()
	return server.Close()
}
