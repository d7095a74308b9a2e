package holdfast

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// userAgent names the client in the server's log.
const userAgent = "holdfast-go"

// Client sends requests to a server. Each operation of the API is a method. Several goroutines may use a Client.
type Client struct {
	server string // without a slash at its end
	header http.Header
	doer   Doer
	retry  Retry
}

// Doer sends a request, as http.Client does.
type Doer interface {
	Do(request *http.Request) (*http.Response, error)
}

// ClientOption changes a client that New makes.
type ClientOption func(*Client)

// New returns a client of a server, such as https://booking.example.com, with a tenant's API key, or with the server's
// admin key for the operations of tenants.
func New(server, apiKey string, options ...ClientOption) (*Client, error) {
	parsed, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("holdfast: the server's URL: %w", err)
	}
	if parsed.Scheme == "" || parsed.Host == "" {
		return nil, fmt.Errorf("holdfast: the server's URL %q needs a scheme and a host", server)
	}
	client := &Client{server: strings.TrimRight(server, "/"), header: http.Header{}, doer: &http.Client{}}
	client.header.Set("Authorization", "Bearer "+apiKey)
	client.header.Set("User-Agent", userAgent)
	for _, option := range options {
		option(client)
	}
	client.doer = newRetrying(client.doer, client.retry)
	return client, nil
}

// WithHTTPClient sends requests with an HTTP client of yours, which may have timeouts and a proxy, or trace requests.
func WithHTTPClient(doer Doer) ClientOption {
	return func(c *Client) { c.doer = doer }
}

// WithRetry says how requests are repeated.
func WithRetry(retry Retry) ClientOption {
	return func(c *Client) { c.retry = retry }
}

// ActingFor is for the operator, with the admin key: each request acts for a tenant, named by its slug or id. actor is
// who acts, as the tenant's history will say.
func ActingFor(tenant, actor string) ClientOption {
	return func(c *Client) {
		c.header.Set("Holdfast-Tenant", tenant)
		c.header.Set("Holdfast-Actor", actor)
	}
}
