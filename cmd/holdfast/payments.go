package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/payment/stripe"
)

const (
	providerSandbox = "sandbox"
	providerStripe  = "stripe"
)

// providers are the payment providers that the server works with.
type providers struct {
	current payment.Provider   // of new payments; nil if none is configured
	legacy  []payment.Provider // only for the payments that they took before
	own     *sandbox.Server    // in this process; nil if there is none
}

// openProviders reaches the configured provider, and each other provider that has settings. A sandbox that kept a
// journal in the data directory stays reachable too, so that its payments can be refunded.
func (c *Config) openProviders(log *slog.Logger) (*providers, error) {
	p := new(providers)
	var err error
	var both = map[string]payment.Provider{}
	if c.StripeKey != "" || c.Provider == providerStripe {
		if both[providerStripe], err = stripe.New(stripe.Config{
			Key: c.StripeKey, WebhookSecret: c.StripeWebhookSecret, ConnectWebhookSecret: c.StripeConnectSecret,
			ReturnURL: c.StripeReturnURL,
		}); err != nil {
			return nil, fmt.Errorf("HOLDFAST_STRIPE_KEY, HOLDFAST_STRIPE_WEBHOOK_SECRET, HOLDFAST_STRIPE_CONNECT_WEBHOOK_SECRET, "+
				"HOLDFAST_STRIPE_RETURN_URL: %w", err)
		}
	}
	_, statErr := os.Stat(filepath.Join(c.DataDir, sandboxFile))
	if c.SandboxURL != "" || c.Provider == providerSandbox || statErr == nil {
		if both[providerSandbox], err = c.openSandbox(p, log); err != nil {
			return nil, err
		}
	}
	for name, provider := range both {
		if name == c.Provider {
			p.current = provider
		} else {
			p.legacy = append(p.legacy, provider)
		}
	}
	return p, nil
}

func (c *Config) openSandbox(p *providers, log *slog.Logger) (payment.Provider, error) {
	key, secret, err := c.sandboxSecrets()
	if err != nil {
		return nil, err
	}
	url := c.SandboxURL
	if url == "" {
		if p.own, err = sandbox.Start(sandbox.Config{
			File: filepath.Join(c.DataDir, sandboxFile), Key: key, WebhookSecret: secret, Logger: log,
		}); err != nil {
			return nil, err
		}
		url = p.own.URL()
		if err := c.writeSecret(sandboxURLFile, url); err != nil { // for commands beside this process
			return nil, errors.Join(err, p.own.Close())
		}
	}
	return sandbox.NewClient(sandbox.ClientConfig{URL: url, Key: key, WebhookSecret: secret}), nil
}

// sandboxSecrets returns what the sandbox and its clients share.
func (c *Config) sandboxSecrets() (key, webhookSecret string, err error) {
	key, keyErr := c.loadOrCreateSecret(c.SandboxKey, sandboxKeyFile, "sk_sandbox_")
	webhookSecret, secretErr := c.loadOrCreateSecret(c.SandboxWebhookSecret, sandboxSecretFile, "whsec_sandbox_")
	return key, webhookSecret, cmp.Or(keyErr, secretErr)
}

// warnOfProvider logs what an operator must know of the provider before money is expected.
func (c *Config) warnOfProvider(log *slog.Logger) {
	switch c.Provider {
	case "":
		log.Warn("new payments are refused with payments_not_configured: no payment provider is chosen", "setting",
			"HOLDFAST_PROVIDER")
	case providerSandbox:
		log.Warn("payments go to the sandbox: no money moves", "setting", "HOLDFAST_PROVIDER")
	}
}

// sendWebhooksTo has a sandbox in this process send its webhooks to this server.
func (p *providers) sendWebhooksTo(baseURL string) {
	if p.own != nil {
		p.own.SetWebhook(baseURL + "/webhooks/" + providerSandbox)
	}
}

func (p *providers) close() {
	if p.own != nil {
		_ = p.own.Close()
	}
}
