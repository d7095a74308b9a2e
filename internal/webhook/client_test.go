package webhook_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
	"holdfast/internal/webhook"
)

// post sends a small webhook. Its context ends long after any client's timeout.
func post(t *testing.T, client *webhook.Client, url string) (webhook.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	return client.Post(ctx, url, nil, []byte("{}"))
}

// requireFailure checks that a caller learns the reason and nothing else.
func requireFailure(t *testing.T, reason webhook.Reason, response webhook.Response, err error) {
	t.Helper()
	var failure *webhook.Failure
	require.ErrorAs(t, err, &failure)
	require.Equal(t, reason, failure.Reason, "%v", failure.Unwrap())
	require.Equal(t, "webhook: "+string(reason), err.Error())
	require.Equal(t, webhook.Response{Took: response.Took}, response)
	require.Positive(t, response.Took)
}

func TestPost_SignedWebhook_ArrivesAsItWasSigned(t *testing.T) {
	t.Parallel()
	for _, version := range []int{1, 2} {
		secret := webhook.NewSecret()
		receiver, err := standardwebhooks.NewWebhook(secret.Reveal())
		require.NoError(t, err)
		received := make(chan *http.Request, 1)
		e := startEndpoint(t, "127.0.0.1:0", func(s *httptest.Server) {
			s.EnableHTTP2 = version == 2
			s.StartTLS()
		}, func(_ *endpoint, w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = receiver.Verify(body, r.Header)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			received <- r
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("Content-Encoding", "gzip") // it is not decompressed
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, "thanks")
		})
		body := []byte(`{"type":"booking.confirmed"}`)
		header, err := webhook.Sign("evt_1", testtime.Now(), body, secret)
		require.NoError(t, err)
		response, err := reach(t, e).Post(t.Context(), e.URL+"/hooks?a=b", header, body)
		require.NoError(t, err)
		require.Positive(t, response.Took)
		require.Equal(t, webhook.Response{
			Status: http.StatusAccepted, ContentType: "text/plain; charset=utf-8", RetryAfter: "120", Body: "thanks",
			Took: response.Took,
		}, response)
		require.True(t, response.Succeeded())

		r := testtime.Receive(t, received)
		require.Equal(t, version, r.ProtoMajor)
		require.Equal(t, http.MethodPost, r.Method)
		require.Equal(t, "/hooks?a=b", r.RequestURI)
		require.Equal(t, int64(len(body)), r.ContentLength)
		require.Equal(t, "application/json", r.Header.Get("Content-Type"))
		require.Equal(t, "Holdfast-Webhooks/1", r.Header.Get("User-Agent"))
		require.NotContains(t, r.Header, "Accept-Encoding")
		require.NotContains(t, header, "User-Agent", "the caller's headers are not changed")
	}
}

func TestPost_StatusOfAFailure_IsAResponse(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 410, 429, 500, 503} {
		e := startTLS(t, func(_ *endpoint, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		response, err := post(t, reach(t, e), e.URL)
		require.NoError(t, err)
		require.Equal(t, status, response.Status)
		require.False(t, response.Succeeded())
	}
}

func TestPost_BlockedAddress_IsNotConnectedTo(t *testing.T) {
	t.Parallel()
	e := startTLS(t, answerOK)
	port := netip.MustParseAddrPort(e.Listener.Addr().String()).Port()
	client := webhook.NewClient(webhook.Config{Roots: e.roots()})
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::1]", "[::]", "0.0.0.0",
		"[::ffff:169.254.169.254]"} {
		for _, scheme := range []string{"http", "https"} {
			response, err := post(t, client, fmt.Sprintf("%s://%s:%d/", scheme, host, port))
			requireFailure(t, webhook.ReasonBlockedAddress, response, err)
		}
	}
	for _, answer := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1"} {
		_, resolver := startNameServer(t, addrs(answer))
		client := webhook.NewClient(webhook.Config{Roots: e.roots(), Resolver: resolver})
		response, err := post(t, client, e.named(t, hookName))
		requireFailure(t, webhook.ReasonBlockedAddress, response, err)
	}
	require.Zero(t, e.opened.Load())
}

func TestPost_HTTPToPublicAddress_IsBlocked(t *testing.T) {
	t.Parallel()
	_, resolver := startNameServer(t, addrs("8.8.8.8"))
	client := webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.0/8"), Resolver: resolver})
	for _, host := range []string{"8.8.8.8", hookName} {
		response, err := post(t, client, "http://"+host+"/")
		requireFailure(t, webhook.ReasonBlockedAddress, response, err)
	}
}

func TestPost_HTTPToAllowedAddress_IsSent(t *testing.T) {
	t.Parallel()
	e := startEndpoint(t, "127.0.0.1:0", (*httptest.Server).Start, answerOK)
	client := webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.1")})
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]"} {
		_, port, err := net.SplitHostPort(e.Listener.Addr().String())
		require.NoError(t, err)
		response, err := post(t, client, "http://"+host+":"+port)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.Status)
	}
}

// twoEndpoints starts servers on the same port of 127.0.0.2 and 127.0.0.1.
func twoEndpoints(t *testing.T) (allowed, internal *endpoint) {
	t.Helper()
	for range 20 { // the port may be in use at the other address
		first := listen(t, "127.0.0.2:0")
		second, err := net.Listen("tcp",
			fmt.Sprintf("127.0.0.1:%d", netip.MustParseAddrPort(first.Addr().String()).Port()))
		if err != nil {
			require.NoError(t, first.Close())
			continue
		}
		return startOn(t, first, (*httptest.Server).StartTLS, answerOK),
			startOn(t, second, (*httptest.Server).StartTLS, answerOK)
	}
	require.Fail(t, "no port is free at both addresses")
	return nil, nil
}

func TestPost_NameThatRebinds_IsBlockedAtTheSecondLookup(t *testing.T) {
	t.Parallel()
	allowed, internal := twoEndpoints(t)
	server, resolver := startNameServer(t, addrs("127.0.0.2"), addrs("127.0.0.1"))
	client := webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.2"), Roots: allowed.roots(),
		Resolver: resolver})
	response, err := post(t, client, allowed.named(t, hookName))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.Status)
	require.Len(t, server.lookups(), 1)

	webhook.EndConnections(client)
	response, err = post(t, client, allowed.named(t, hookName))
	requireFailure(t, webhook.ReasonBlockedAddress, response, err)
	require.Len(t, server.lookups(), 2)
	require.Zero(t, internal.opened.Load())
}

func TestPost_NameWithABlockedAndAnAllowedAddress_ReachesTheAllowedOne(t *testing.T) {
	t.Parallel()
	allowed, internal := twoEndpoints(t)
	for _, answer := range [][]netip.Addr{addrs("127.0.0.1", "127.0.0.2"), addrs("127.0.0.2", "127.0.0.1")} {
		_, resolver := startNameServer(t, answer)
		client := webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.2"), Roots: allowed.roots(),
			Resolver: resolver})
		response, err := post(t, client, allowed.named(t, hookName))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.Status)
	}
	require.Equal(t, int32(2), allowed.opened.Load())
	require.Zero(t, internal.opened.Load())
}

func TestPost_Redirect_IsAFailureAndNotFollowed(t *testing.T) {
	t.Parallel()
	target := startTLS(t, answerOK)
	for _, status := range []int{300, 301, 302, 303, 304, 307, 308, 399} {
		for _, location := range []string{target.URL, "https://public.example/", "http://169.254.169.254/", "/other",
			""} {
			e := startTLS(t, func(_ *endpoint, w http.ResponseWriter, _ *http.Request) {
				if location != "" {
					w.Header().Set("Location", location)
				}
				w.WriteHeader(status)
			})
			server, resolver := startNameServer(t, addrs("127.0.0.1"))
			client := webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.1"), Roots: e.roots(),
				Resolver: resolver})
			response, err := post(t, client, e.named(t, hookName))
			requireFailure(t, webhook.ReasonRedirect, response, err)
			require.Equal(t, []string{hookName + "."}, server.lookups())
			require.Equal(t, int32(1), e.opened.Load())
		}
	}
	require.Zero(t, target.opened.Load())
}

// It can't run in parallel, because it sets the environment.
func TestPost_ProxyInTheEnvironment_IsIgnored(t *testing.T) {
	proxy := startEndpoint(t, "127.0.0.1:0", (*httptest.Server).Start, answerOK)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	for scheme, start := range map[string]func(*httptest.Server){"http": (*httptest.Server).Start,
		"https": (*httptest.Server).StartTLS} {
		found, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: scheme, Host: hookName}})
		require.NoError(t, err)
		require.NotNil(t, found, "the environment must be one that Go's default client uses")

		e := startEndpoint(t, "127.0.0.1:0", start, answerOK)
		_, resolver := startNameServer(t, addrs("127.0.0.1"))
		config := webhook.Config{Allowed: networks(t, "127.0.0.0/8"), Resolver: resolver}
		if scheme == "https" {
			config.Roots = e.roots()
		}
		response, err := post(t, webhook.NewClient(config), e.named(t, hookName))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.Status)
		require.Equal(t, int32(1), e.opened.Load())
	}
	require.Zero(t, proxy.opened.Load())
}

func TestPost_NoSuchName_IsDNS(t *testing.T) {
	t.Parallel()
	_, resolver := startNameServer(t, addrs("127.0.0.1"))
	client := webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.0/8"), Resolver: resolver})
	response, err := post(t, client, "https://other.example./")
	requireFailure(t, webhook.ReasonDNS, response, err)
}

func TestPost_ClosedPort_IsConnect(t *testing.T) {
	t.Parallel()
	e := startTLS(t, answerOK)
	e.Close()
	response, err := post(t, reach(t, e), e.URL)
	requireFailure(t, webhook.ReasonConnect, response, err)
}

func TestPost_CertificateThatIsNotTrusted_IsTLS(t *testing.T) {
	t.Parallel()
	e := startTLS(t, answerOK)
	response, err := post(t, webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.0/8")}), e.URL)
	requireFailure(t, webhook.ReasonTLS, response, err)
}

func TestPost_CertificateOfAnotherName_IsTLS(t *testing.T) {
	t.Parallel()
	// httptest's certificate is for 127.0.0.1
	e := startEndpoint(t, "127.0.0.2:0", (*httptest.Server).StartTLS, answerOK)
	response, err := post(t, reach(t, e), e.URL)
	requireFailure(t, webhook.ReasonTLS, response, err)
}

func TestPost_ServerThatWantsAClientsCertificate_IsTLS(t *testing.T) {
	t.Parallel()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		e := startEndpoint(t, "127.0.0.1:0", func(s *httptest.Server) {
			s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: version}
			s.StartTLS()
		}, answerOK)
		response, err := post(t, reach(t, e), e.URL)
		requireFailure(t, webhook.ReasonTLS, response, err)
	}
}

func TestPost_ServerWithoutTLS_IsTLS(t *testing.T) {
	t.Parallel()
	e := startEndpoint(t, "127.0.0.1:0", (*httptest.Server).Start, answerOK)
	client := webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.0/8")})
	response, err := post(t, client, "https"+strings.TrimPrefix(e.URL, "http"))
	requireFailure(t, webhook.ReasonTLS, response, err)
}

// answerRaw answers with bytes that a handler can't send.
func answerRaw(text string) func(*endpoint, http.ResponseWriter, *http.Request) {
	return func(_ *endpoint, w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

func TestPost_InvalidResponse_IsProtocol(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "SSH-2.0-OpenSSH_9.6\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc",
	} {
		e := startTLS(t, answerRaw(text))
		response, err := post(t, reach(t, e), e.URL)
		requireFailure(t, webhook.ReasonProtocol, response, err)
	}
}

func TestPost_CallersContextEnds_IsNoFailureOfTheEndpoint(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	e := startTLS(t, func(e *endpoint, _ http.ResponseWriter, _ *http.Request) {
		cancel()
		<-e.done
	})
	_, err := reach(t, e).Post(ctx, e.URL, nil, nil)
	require.ErrorIs(t, err, context.Canceled)
	var failure *webhook.Failure
	require.NotErrorAs(t, err, &failure)
}
