package dbtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Proxy stands between a DB and its database. It counts round trips on the wire, changes statements on
// their way, to see whether a test notices a server that does something else, and cuts connections.
// Its fields are set before the first connection.
type Proxy struct {
	// URL reaches the database through the proxy.
	URL string
	// Rewrite returns what the database gets instead of a statement; nil changes nothing.
	Rewrite func(sql string) string
	// Before is called with each statement that is about to run; its connection waits until it returns. nil is not
	// called.
	Before func(sql string)
	// BeforeCommit and AfterCommit are asked for each COMMIT, the one before the database gets it and the other
	// when its answer is on the way back; true cuts the connection there.
	BeforeCommit, AfterCommit func() bool
	// Only, if set, limits the two to transactions with a statement for which it returns true.
	Only func(sql string) bool

	target   atomic.Pointer[pgx.ConnConfig]
	listener net.Listener
	open     sync.WaitGroup
	trips    atomic.Int64
	prepared atomic.Int64
	cancels  atomic.Int64
}

// cancelRequestCode begins a request to cancel what another connection does (PostgreSQL manual, "Message Formats",
// "CancelRequest").
const cancelRequestCode = 80877102

// NewProxy returns a proxy for the database at databaseURL that ends with the test. configure sets its fields where
// other processes connect.
func NewProxy(t testing.TB, databaseURL string, configure ...func(*Proxy)) *Proxy {
	t.Helper()
	p, err := StartProxy(databaseURL, configure...)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// StartProxy is NewProxy for callers that are no test. They end it with Close.
func StartProxy(databaseURL string, configure ...func(*Proxy)) (*Proxy, error) {
	target, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, fmt.Errorf("parse the database's URL: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the database: %w", err)
	}
	query, host := url.Values{"sslmode": {"disable"}}, listener.Addr().String()
	if os.Getenv(citusEnv) != "" { // the URL of a schema of Citus names several hosts
		_, port, _ := net.SplitHostPort(host)
		host += ",localhost:" + port
	}
	if path := target.RuntimeParams["search_path"]; path != "" {
		query.Set("search_path", path)
	}
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(target.User, target.Password), Host: host,
		Path: "/" + target.Database, RawQuery: query.Encode(),
	}
	p := &Proxy{URL: address.String(), listener: listener}
	p.target.Store(target)
	for _, f := range configure {
		f(p)
	}
	p.open.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.open.Go(func() { p.forward(client) })
		}
	})
	return p, nil
}

// Retarget leads new connections to another server, at databaseURL, as an address does that moves with a failover.
func (p *Proxy) Retarget(databaseURL string) error {
	target, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return fmt.Errorf("parse the database's URL: %w", err)
	}
	p.target.Store(target)
	return nil
}

// Close refuses further connections and returns when those that are open have ended.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.open.Wait()
}

// Trips returns how many round trips there were so far: how often a client sent something and got an answer.
// Notifications of workers aren't counted: a process sends them in the background, at most one in a while, and no
// request waits for them. Nor is the pool's question whether a connection still lives, which it asks once the
// connection was idle for a second: how often that is depends on the machine.
func (p *Proxy) Trips() int { return int(p.trips.Load()) }

// Prepared returns how many statements were prepared under a name so far.
func (p *Proxy) Prepared() int { return int(p.prepared.Load()) }

// Cancels returns how many requests to cancel a statement there were so far.
func (p *Proxy) Cancels() int { return int(p.cancels.Load()) }

// link is one proxied connection.
type link struct {
	proxy          *Proxy
	client, server net.Conn
	answered       atomic.Bool // the server is ready for what the client sends next
	committing     atomic.Bool
	// the transaction has a statement that Only chose; used by the client's direction only
	asked     bool
	named     map[string]string // prepared statements; used by the client's direction only
	uncounted atomic.Bool       // the round trip isn't counted
}

func (p *Proxy) forward(client net.Conn) {
	target := p.target.Load()
	network, address := "tcp", fmt.Sprintf("%s:%d", target.Host, target.Port)
	if strings.HasPrefix(target.Host, "/") {
		network, address = "unix", fmt.Sprintf("%s/.s.PGSQL.%d", target.Host, target.Port)
	}
	server, err := net.Dial(network, address)
	if err != nil {
		_ = client.Close()
		return
	}
	l := &link{proxy: p, client: client, server: server, named: make(map[string]string)}
	l.answered.Store(true)
	var both sync.WaitGroup
	both.Go(func() { defer l.cut(); l.forward() })
	both.Go(func() { defer l.cut(); l.back() })
	both.Wait()
}

func (l *link) cut() {
	_ = l.client.Close()
	_ = l.server.Close()
}

// forward passes the client's messages on, one by one. See the PostgreSQL manual, "Message Formats".
func (l *link) forward() {
	for startup := true; ; startup = false {
		kind, body, err := readMessage(l.client, startup)
		if err != nil {
			return
		}
		if startup && binary.BigEndian.Uint32(body) == cancelRequestCode {
			l.proxy.cancels.Add(1)
		}
		if l.answered.Swap(false) {
			l.uncounted.Store(false)
		}
		if kind == 'P' {
			body = l.parse(body)
		}
		switch {
		case kind == 'B' || kind == 'P':
			l.leaveOutNotification(kind, body)
		case kind == 'Q' && string(body) == pingQuery:
			l.uncounted.Store(true)
		}
		if kind == 'B' && l.proxy.Before != nil {
			l.proxy.Before(l.bound(body))
		}
		commit := kind == 'B' && l.bindsCommit(body)
		if commit && l.proxy.BeforeCommit != nil && l.proxy.BeforeCommit() {
			return
		}
		if commit {
			l.committing.Store(true)
		}
		if writeMessage(l.server, kind, body, startup) != nil {
			return
		}
	}
}

// parse keeps the text of a statement that is prepared, and rewrites it.
func (l *link) parse(body []byte) []byte {
	parts := strings.SplitN(string(body), "\x00", 3) // name, text, parameter types
	l.named[parts[0]] = parts[1]
	if parts[0] != "" {
		l.proxy.prepared.Add(1)
	}
	if l.proxy.Rewrite != nil {
		parts[1] = l.proxy.Rewrite(parts[1])
	}
	return []byte(strings.Join(parts, "\x00"))
}

// leaveOutNotification leaves the round trip out of the count if it prepares or runs a notification of workers.
func (l *link) leaveOutNotification(kind byte, body []byte) {
	parts := strings.SplitN(string(body), "\x00", 3)
	name := parts[0]
	if kind == 'B' {
		name = parts[1]
	}
	if strings.HasPrefix(l.named[name], "-- name: EventNotify ") {
		l.uncounted.Store(true)
	}
}

// pingQuery is the message by which pgx asks whether a connection still lives.
const pingQuery = "-- ping\x00"

// bound returns the text of the statement that is about to run.
func (l *link) bound(body []byte) string {
	parts := strings.SplitN(string(body), "\x00", 3) // portal, statement, …
	return l.named[parts[1]]
}

// bindsCommit reports whether a statement that is about to run is a COMMIT to ask about.
func (l *link) bindsCommit(body []byte) bool {
	sql := l.bound(body)
	if l.proxy.Only == nil {
		return sql == "commit"
	}
	if sql == "commit" {
		return l.asked
	}
	l.asked = !strings.HasPrefix(sql, "begin") && (l.asked || l.proxy.Only(sql))
	return false
}

// ready begins the server's message ReadyForQuery; a byte with the state of the transaction ends it.
var ready = []byte{'Z', 0, 0, 0, 5}

// back passes the server's bytes on. A COMMIT's response comes with the end of its batch, in one piece.
func (l *link) back() {
	buffer := make([]byte, 64<<10)
	var last []byte // what was sent last, as long as a ready message
	for {
		n, err := l.server.Read(buffer)
		if n > 0 {
			if l.committing.Swap(false) && l.proxy.AfterCommit != nil && l.proxy.AfterCommit() {
				return
			}
			// A long answer begins before all of its batch has been forwarded, so a round trip ends when the server is
			// ready. It is counted then: only then is known whether it is one that is left out.
			last = append(last, buffer[:n]...)
			last = last[max(0, len(last)-len(ready)-1):]
			if bytes.HasPrefix(last, ready) && !l.answered.Swap(true) && !l.uncounted.Load() {
				l.proxy.trips.Add(1)
			}
			if _, err := l.client.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func readMessage(r io.Reader, startup bool) (kind byte, body []byte, err error) {
	head := make([]byte, 5)
	if startup {
		head = head[:4]
	}
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	if !startup {
		kind = head[0]
	}
	body = make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
	_, err = io.ReadFull(r, body)
	return kind, body, err
}

func writeMessage(w io.Writer, kind byte, body []byte, startup bool) error {
	var message []byte
	if !startup {
		message = append(message, kind)
	}
	message = binary.BigEndian.AppendUint32(message, uint32(len(body)+4))
	_, err := w.Write(append(message, body...))
	return err
}
