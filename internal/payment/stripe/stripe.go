package stripe

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"holdfast/internal/payment"
	"holdfast/internal/tracing"
)

const (
	// keyLifetime is shorter than Stripe's 24 hours: the clocks differ, and the last sending must arrive before the key
	// expires.
	keyLifetime = 23 * time.Hour
	// callTime limits a call whose context has no deadline. Stripe's own libraries use the same limit.
	callTime = 80 * time.Second
	// connections are kept open to Stripe, because a new one costs two round trips. Go's default is 2 per host.
	connections = 64
)

// Config configures the adapter.
type Config struct {
	// Key is the secret or restricted API key, "sk_…" or "rk_…".
	Key string
	// WebhookSecret is the signing secret of the webhook endpoint, "whsec_…".
	WebhookSecret string
	// ConnectWebhookSecret is the signing secret of the endpoint that gets the events of connected accounts, "whsec_…".
	// Empty: tenants have no accounts of their own.
	ConnectWebhookSecret string
	// ReturnURL is where customers return from their bank's page. Empty: payment methods that redirect are not offered,
	// and a card is authenticated in the tenant's page, with Outcome.ClientSecret.
	ReturnURL string
	// URL is the API's address. Empty: Stripe's.
	URL string
}

// Provider is Stripe. Use New to make one. It is safe for concurrent use.
type Provider struct {
	cfg       Config
	transport http.RoundTripper
	client    *api.Client
	account   string // the connected account for which it acts; empty for the platform's own
}

var _ payment.Provider = (*Provider)(nil)

// New returns an adapter. It sends nothing. An error names the invalid setting and contains no secret.
func New(c Config) (*Provider, error) {
	switch {
	case !strings.HasPrefix(c.Key, "sk_") && !strings.HasPrefix(c.Key, "rk_"):
		return nil, errors.New("stripe: the API key must begin with sk_ or rk_")
	case !isWebhookSecret(c.WebhookSecret):
		return nil, errors.New("stripe: the webhook secret must begin with whsec_")
	case c.ConnectWebhookSecret != "" && !isWebhookSecret(c.ConnectWebhookSecret):
		return nil, errors.New("stripe: the webhook secret of connected accounts must begin with whsec_")
	}
	for _, address := range []string{c.URL, c.ReturnURL} {
		if parsed, err := url.Parse(address); address != "" && (err != nil || parsed.Host == "") {
			return nil, fmt.Errorf("stripe: %q is not a URL", address)
		}
	}
	if c.URL == "" {
		c.URL = api.APIURL
	}
	transport := tracing.Transport(&http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: connections,
		IdleConnTimeout:     90 * time.Second,
		ForceAttemptHTTP2:   true,
	})
	return newProvider(c, transport, ""), nil
}

func isWebhookSecret(text string) bool {
	return len(text) > len("whsec_") && strings.HasPrefix(text, "whsec_")
}

func newProvider(c Config, transport http.RoundTripper, account string) *Provider {
	p := &Provider{cfg: c, transport: transport, account: account}
	if account != "" {
		transport = forAccount{transport, account}
	}
	backend := api.GetBackendWithConfig(api.APIBackend, &api.BackendConfig{
		URL: api.String(c.URL),
		HTTPClient: &http.Client{
			Timeout:   callTime,
			Transport: transport,
			// Stripe's API doesn't redirect. The target of a redirect must not get the key.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		LeveledLogger:     &api.LeveledLogger{Level: api.LevelNull},
		MaxNetworkRetries: api.Int64(0),
		EnableTelemetry:   api.Bool(false),
	})
	p.client = api.NewClient(c.Key, api.WithBackends(&api.Backends{API: backend}))
	return p
}

// forAccount has every request carried out in a connected account. No call can be made without it: a call that forgot
// the account would be carried out in the platform's.
type forAccount struct {
	base    http.RoundTripper
	account string
}

// RoundTrip sends a copy of the request with the account's header.
func (t forAccount) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Stripe-Account", t.account)
	return t.base.RoundTrip(r)
}

// Account returns the adapter for a connected account, "acct_…".
func (p *Provider) Account(id string) payment.Provider { return newProvider(p.cfg, p.transport, id) }

// Name returns "stripe".
func (p *Provider) Name() string { return "stripe" }

// KeyLifetime returns 23 hours: Stripe keeps a key for at least 24.
func (p *Provider) KeyLifetime() time.Duration { return keyLifetime }
