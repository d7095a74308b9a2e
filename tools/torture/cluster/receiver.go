package cluster

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Receiver is a server of the tenants' that receives their webhooks. It fails in part of the exchanges: each event at
// most once, because the second pause before an attempt is longer than a run, and seldom enough that no circuit opens.
type Receiver struct {
	server *http.Server
	url    string

	mu       sync.Mutex
	random   *rand.Rand
	secrets  map[string][]byte // by tenant
	failed   map[string]bool   // by the id of the event
	calm     map[string]int    // by tenant: the exchanges since the last one that failed
	stalled  map[string]bool   // by tenant: an answer came too late
	received []Webhook
}

// Webhook is an exchange as the receiver saw it.
type Webhook struct {
	// Tenant is the one whose endpoint was called, ID the header webhook-id.
	Tenant, ID string
	Body       []byte
	// Signed says that the signature is that of the endpoint's secret.
	Signed bool
	// Accepted says that the receiver answered 204. Otherwise it failed on purpose.
	Accepted bool
}

// startReceiver starts a receiver that fails in a share of the exchanges.
func startReceiver(ctx context.Context, seed uint64) (*Receiver, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the receiver of webhooks: %w", err)
	}
	r := &Receiver{
		url: "http://" + listener.Addr().String() + "/", secrets: map[string][]byte{}, failed: map[string]bool{},
		calm: map[string]int{}, stalled: map[string]bool{},
		random: rand.New(rand.NewPCG(seed, 1<<32)), //nolint:gosec // repeatable on purpose
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: answerLimit}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// URL is where a tenant's webhooks are received.
func (r *Receiver) URL(tenant string) string { return r.url + tenant }

// Trust has the receiver verify a tenant's webhooks by its endpoint's secret.
func (r *Receiver) Trust(tenant, secret string) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return fmt.Errorf("decode the secret of an endpoint: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[tenant] = key
	return nil
}

// Received returns all exchanges so far. It is never nil.
func (r *Receiver) Received() []Webhook {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Webhook{}, r.received...)
}

// ServeHTTP receives a webhook. It accepts it, answers 500, ends the connection without an answer, or answers too late.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	switch r.note(request, body) {
	case accept:
		w.WriteHeader(http.StatusNoContent)
	case refuse:
		w.WriteHeader(http.StatusInternalServerError)
	case stall:
		select {
		case <-request.Context().Done():
		case <-time.After(20 * time.Second): // longer than an exchange may take
		}
		panic(http.ErrAbortHandler)
	case hangUp:
		panic(http.ErrAbortHandler)
	}
}

// What the receiver does in an exchange.
const (
	accept = iota
	refuse
	hangUp
	// stall costs 15 s. Each tenant has it once, so that it is over when the load ends.
	stall
)

// note records a webhook and decides what to do.
func (r *Receiver) note(request *http.Request, body []byte) (what int) {
	const (
		pause    = 3 // exchanges between two failures
		oneInAll = 4
	)
	tenant, id := strings.TrimPrefix(request.URL.Path, "/"), request.Header.Get("webhook-id")
	r.mu.Lock()
	defer r.mu.Unlock()
	mac := hmac.New(sha256.New, r.secrets[tenant])
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, request.Header.Get("webhook-timestamp"), body)
	wanted := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	hook := Webhook{Tenant: tenant, ID: id, Body: body, Signed: r.secrets[tenant] != nil &&
		request.Header.Get("webhook-signature") == wanted}
	r.calm[tenant]++
	if !r.failed[id] && r.calm[tenant] > pause && r.random.IntN(oneInAll) == 0 {
		what = refuse + r.random.IntN(2)
		if !r.stalled[tenant] {
			what = stall
		}
		r.failed[id], r.calm[tenant], r.stalled[tenant] = true, 0, true
	}
	hook.Accepted = what == accept
	r.received = append(r.received, hook)
	return what
}

func (r *Receiver) close() error { return r.server.Close() }
