package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

const (
	defaultTimeout = 15 * time.Second
	maxHeaderBytes = 16 << 10
	userAgent      = "Holdfast-Webhooks/1"
)

// Config is what a [Client] needs. The zero value works: public addresses only, 15 seconds, the system's roots and
// resolver.
type Config struct {
	// Allowed are the networks that may be reached although they aren't public, also over plain http.
	Allowed Networks
	// Timeout bounds a whole exchange: DNS, connecting, TLS, the request and the response. Zero means 15 seconds.
	Timeout time.Duration
	// Roots are the trusted certificate authorities. Nil means the system's.
	Roots *x509.CertPool
	// Resolver looks names up. Nil means Go's own resolver with the system's settings, which can be stopped by a
	// timeout; the C library's can't.
	Resolver *net.Resolver
}

// Client sends webhooks. It is safe for concurrent use. It follows no redirect and uses no proxy. It keeps connections
// for a short time, for requests to the same URL alone: see connections.go.
type Client struct {
	guard       addressGuard
	timeout     time.Duration
	roots       *x509.CertPool
	resolver    *net.Resolver
	connections connections
}

// NewClient returns a client.
func NewClient(config Config) *Client {
	c := &Client{guard: newAddressGuard(config.Allowed), timeout: config.Timeout, roots: config.Roots,
		resolver: config.Resolver}
	if c.timeout == 0 {
		c.timeout = defaultTimeout
	}
	if c.resolver == nil {
		c.resolver = &net.Resolver{PreferGo: true}
	}
	c.connections.open = c.transport
	return c
}

// Post sends a JSON body with the headers that [Sign] made, and returns the response. A status under 200 or from 300 to
// 399 is a Failure, any other status is a Response.
//
// Every address is checked when it is connected to. If no usable response came, the Response has only Took, and the
// error is a
// *[Failure] with the reason. If ctx ended first, the error wraps ctx's error instead: the endpoint isn't at fault.
func (c *Client) Post(ctx context.Context, url string, header http.Header, body []byte) (Response, error) {
	start := time.Now()
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var handshakeFailed atomic.Bool
	traced := httptrace.WithClientTrace(bounded, &httptrace.ClientTrace{
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { handshakeFailed.Store(err != nil) },
	})
	response, err := c.exchange(traced, url, header, body)
	response.Took = time.Since(start)
	if err != nil && ctx.Err() != nil {
		return response, fmt.Errorf("post a webhook: %w", ctx.Err())
	}
	if err != nil {
		return response, &Failure{Reason: reasonOf(err, handshakeFailed.Load()), cause: err}
	}
	return response, nil
}

func (c *Client) exchange(ctx context.Context, url string, header http.Header, body []byte) (Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return Response{}, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", userAgent)
	// The endpoint may close a kept connection at the moment at which the request is sent. With this, which isn't sent,
	// net/http then sends it again on another one: receivers expect a webhook twice.
	request.Header["Idempotency-Key"] = nil
	transport, release := c.connections.use(url, request.URL.Scheme)
	defer release()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return Response{}, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode < 200 { // after 101 the body is the connection, and has no end
		return Response{}, errNoFinalStatus
	}
	if response.StatusCode >= 300 && response.StatusCode <= 399 {
		return Response{}, errRedirect
	}
	return readResponse(response)
}

// transport returns a transport with connections of its own. RoundTrip of a transport follows no redirects. net/http
// bounds only what it reads itself by the request's context, and a dial by nothing: so a connection has deadlines of
// its own.
func (c *Client) transport(scheme string) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	setUp := c.timeout + time.Second // so that the exchange's own timeout comes first, and names the reason
	dialer := &net.Dialer{Resolver: c.resolver, Control: c.guard.control(scheme), Timeout: setUp}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return conn, conn.SetDeadline(time.Now().Add(connectionsFor + 2*c.timeout))
		},
		DisableCompression:     true,
		IdleConnTimeout:        idleFor,
		MaxIdleConnsPerHost:    perEndpoint,
		MaxResponseHeaderBytes: maxHeaderBytes,
		Protocols:              protocols,
		Proxy:                  nil,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.roots},
		TLSHandshakeTimeout:    setUp,
	}
}
