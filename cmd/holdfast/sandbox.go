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
	sandboxURLFile    = "sandbox-url" // where the sandbox in a server's process is
)

type sandboxCmd struct {
	Addr       string `name:"sandbox-addr" env:"HOLDFAST_SANDBOX_ADDR" default:"127.0.0.1:0" range:"host:port" help:"Address to serve the sandbox on; port 0 is any free one."`
	File       string `name:"sandbox-file" env:"HOLDFAST_SANDBOX_FILE" range:"a path" help:"File of its journal. Unset: sandbox.db in the data directory."`
	WebhookURL string `name:"sandbox-webhook-url" env:"HOLDFAST_SANDBOX_WEBHOOK_URL" range:"an http or https URL" help:"Where to send events. Unset: nowhere, until it is told."`
}

// Run serves the sandbox until ctx ends.
func (cmd *sandboxCmd) Run(ctx context.Context, c *Config) error {
	key, secret, err := c.sandboxSecrets()
	if err != nil {
		return err
	}
	cfg := sandbox.Config{
		Addr: cmd.Addr, File: cmp.Or(cmd.File, filepath.Join(c.DataDir, sandboxFile)), Key: key,
		WebhookURL: cmd.WebhookURL, WebhookSecret: secret, Logger: c.logger(),
	}
	server, err := sandbox.Start(cfg)
	if err != nil {
		return err
	}
	fmt.Printf("The sandbox serves %s\n  key             %s\n  webhook secret  %s\n", server.URL(), cfg.Key,
		cfg.WebhookSecret)
	<-ctx.Done()
	return server.Close()
}
