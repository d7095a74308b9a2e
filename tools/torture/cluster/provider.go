package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"

	"holdfast/internal/payment/sandbox"
	"holdfast/internal/servertest"
)

// SandboxKey is the bearer key of the run's payment provider.
const SandboxKey = "sk_of_the_torture"

const sandboxSecret = "whsec_of_the_torture" //nolint:gosec // G101: it signs the webhooks of a sandbox that ends with the run

// Provider is the run's payment provider, a sandbox in a process of its own.
type Provider struct {
	*Process
	// URL stays the same when the process is started again.
	URL string

	client *http.Client
}

func newProvider(cfg Config, addr, webhookURL string) *Provider {
	p := &Provider{URL: "http://" + addr,
		client: &http.Client{Timeout: answerLimit, Transport: &http.Transport{DisableKeepAlives: true}}}
	env := []string{
		"HOLDFAST_DATA_DIR=" + filepath.Join(cfg.Dir, "provider"), "HOLDFAST_SANDBOX_ADDR=" + addr,
		"HOLDFAST_SANDBOX_KEY=" + SandboxKey,
		"HOLDFAST_SANDBOX_FILE=" + filepath.Join(cfg.Dir, "provider.db"),
		"HOLDFAST_SANDBOX_WEBHOOK_SECRET=" + sandboxSecret,
		"HOLDFAST_SANDBOX_WEBHOOK_URL=" + webhookURL, "HOLDFAST_LOG_LEVEL=warn",
	}
	const name = "the payment provider"
	p.Process = newProcess(name, servertest.Config{
		Binary: cfg.Binary, Args: []string{"sandbox"}, Env: env, OutputDir: filepath.Join(cfg.Dir, "output", name),
	}, func(ctx context.Context) error { return p.ask(ctx, http.MethodGet, nil) })
	return p
}

// Harm arms a fault of the sandbox.
func (p *Provider) Harm(ctx context.Context, f sandbox.Fault) error {
	return p.ask(ctx, http.MethodPost, map[string]any{
		"kind": f.Kind, "on": f.On, "count": f.Count, "probability": f.Probability, "seed": f.Seed,
		"delay_ms": f.Delay.Milliseconds(), "for_ms": f.For.Milliseconds(),
	})
}

// Heal disarms all faults of the sandbox.
func (p *Provider) Heal(ctx context.Context) error { return p.ask(ctx, http.MethodDelete, nil) }

func (p *Provider) ask(ctx context.Context, method string, body any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode a fault: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.URL+"/admin/faults", bytes.NewReader(encoded))
	if err != nil {
		return fmt.Errorf("ask the payment provider: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+SandboxKey)
	response, err := p.client.Do(request)
	if err != nil {
		return fmt.Errorf("ask the payment provider: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("ask the payment provider: %s: %s: %w", response.Status, answer, err)
	}
	return nil
}
