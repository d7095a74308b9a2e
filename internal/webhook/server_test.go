package webhook_test

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"holdfast/internal/webhook"
)

// hookName is a name of httptest's certificate.
const hookName = "example.com"

// endpoint is a server at a loopback address that counts its connections.
type endpoint struct {
	*httptest.Server

	opened atomic.Int32
	closed chan struct{} // gets a value for each connection that was closed
	done   chan struct{} // is closed when the test ends, and ends the handlers
}

func (e *endpoint) countConnection(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		e.opened.Add(1)
	case http.StateClosed:
		e.closed <- struct{}{}
	default:
	}
}

// listen skips the test if the machine doesn't have the loopback address: macOS has only 127.0.0.1.
func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Skipf("%v", err)
	}
	require.NoError(t, err)
	return listener
}

// startEndpoint starts a server on a port of an address, such as "127.0.0.1:0".
func startEndpoint(t *testing.T, address string, start func(*httptest.Server),
	handler func(e *endpoint, w http.ResponseWriter, r *http.Request),
) *endpoint {
	t.Helper()
	return startOn(t, listen(t, address), start, handler)
}

func startOn(t *testing.T, listener net.Listener, start func(*httptest.Server),
	handler func(e *endpoint, w http.ResponseWriter, r *http.Request),
) *endpoint {
	t.Helper()
	e := &endpoint{closed: make(chan struct{}, 100), done: make(chan struct{})}
	e.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		handler(e, w, r)
	}))
	require.NoError(t, e.Listener.Close())
	e.Listener = listener
	e.Config.ConnState = e.countConnection
	start(e.Server)
	t.Cleanup(e.Close)
	t.Cleanup(func() { close(e.done) })
	return e
}

func startTLS(t *testing.T, handler func(e *endpoint, w http.ResponseWriter, r *http.Request)) *endpoint {
	t.Helper()
	return startEndpoint(t, "127.0.0.1:0", (*httptest.Server).StartTLS, handler)
}

func answerOK(_ *endpoint, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

// named returns the endpoint's URL with a name in place of its address.
func (e *endpoint) named(t *testing.T, name string) string {
	t.Helper()
	u, err := url.Parse(e.URL)
	require.NoError(t, err)
	u.Host = net.JoinHostPort(name, u.Port())
	return u.String()
}

// roots returns a pool with the certificate of all httptest servers.
func (e *endpoint) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(e.Certificate())
	return pool
}

func networks(t *testing.T, text string) webhook.Networks {
	t.Helper()
	parsed, err := webhook.ParseNetworks(text)
	require.NoError(t, err)
	return parsed
}

// reach returns a client that may reach the endpoint's loopback address.
func reach(t *testing.T, e *endpoint) *webhook.Client {
	t.Helper()
	return webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.0/8"), Roots: e.roots()})
}

// shortTimeout is long enough for a handshake on a busy machine where one is needed.
const shortTimeout = 2 * time.Second

// reachBriefly returns a client with a short timeout that may reach the endpoint's loopback address.
func reachBriefly(t *testing.T, e *endpoint) *webhook.Client {
	t.Helper()
	return webhook.NewClient(webhook.Config{Allowed: networks(t, "127.0.0.0/8"), Roots: e.roots(),
		Timeout: shortTimeout})
}

// nameServer is a DNS server on a loopback address. It answers with one entry of answers at each look-up of a name's
// IPv4 addresses, and with the last one from then on. A nil entry gets no answer at all.
type nameServer struct {
	mu      sync.Mutex
	answers [][]netip.Addr
	asked   []string
}

// startNameServer returns the server and a resolver that asks it.
func startNameServer(t *testing.T, answers ...[]netip.Addr) (*nameServer, *net.Resolver) {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	server := &nameServer{answers: answers}
	go server.serve(socket)
	return server, &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

func (s *nameServer) serve(socket net.PacketConn) {
	packet := make([]byte, 1500)
	for {
		n, from, err := socket.ReadFrom(packet)
		if err != nil {
			return
		}
		var message dnsmessage.Message
		if message.Unpack(packet[:n]) != nil || len(message.Questions) != 1 {
			continue
		}
		if reply := s.reply(message.ID, message.Questions[0]); reply != nil {
			_, _ = socket.WriteTo(reply, from)
		}
	}
}

func (s *nameServer) reply(id uint16, question dnsmessage.Question) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: id, Response: true, Authoritative: true},
		Questions: []dnsmessage.Question{question},
	}
	if question.Name.String() != hookName+"." {
		reply.RCode = dnsmessage.RCodeNameError
	}
	if question.Type == dnsmessage.TypeA {
		s.asked = append(s.asked, question.Name.String())
		answer := s.answers[0]
		s.answers = s.answers[min(1, len(s.answers)-1):]
		if answer == nil {
			return nil
		}
		for _, addr := range answer {
			reply.Answers = append(reply.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class},
				Body:   &dnsmessage.AResource{A: addr.As4()},
			})
		}
	}
	packet, err := reply.Pack()
	if err != nil {
		return nil
	}
	return packet
}

// lookups returns the names whose IPv4 addresses were asked for.
func (s *nameServer) lookups() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func addrs(texts ...string) []netip.Addr {
	parsed := make([]netip.Addr, len(texts))
	for i, text := range texts {
		parsed[i] = netip.MustParseAddr(text)
	}
	return parsed
}
