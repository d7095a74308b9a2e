package holdfast

import (
	"context"
	"crypto/rand"
	"net/http"
)

// New returns a client of a server, such as https://booking.example.com, with a tenant's API key, or with the server's admin key for the
// operations of tenants. Each operation is a method; Decode reads its response.
//
// A POST whose parameters have no IdempotencyKey gets a random one, so that it can be repeated. Give a key of your own, and keep it, if a
// change must not be made twice although your process ends.
func New(server, apiKey string, retry Retry, options ...ClientOption) (*Client, error) {
	client, err := NewClient(server, options...)
	if err != nil {
		return nil, err
	}
	client.Client = newRetrying(client.Client, retry)
	client.RequestEditors = append([]RequestEditorFn{func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+apiKey)
		if request.Method == http.MethodPost && request.Header.Get("Idempotency-Key") == "" {
			request.Header.Set("Idempotency-Key", rand.Text())
		}
		return nil
	}}, client.RequestEditors...)
	return client, nil
}

// ActingFor is for the operator, with the admin key: each request acts for a tenant, named by its slug or id. actor is who acts, as the
// tenant's history will say.
func ActingFor(tenant, actor string) ClientOption {
	return WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Holdfast-Tenant", tenant)
		request.Header.Set("Holdfast-Actor", actor)
		return nil
	})
}
