package webhook

import (
	"net/http"
	"sync"
	"time"
)

const (
	// connectionsFor is for how long connections are used that one look-up of a name led to. Then the name is looked
	// up, and its addresses are checked, anew.
	connectionsFor = 20 * time.Second
	// idleFor is how long a connection is kept without a request.
	idleFor = 5 * time.Second
	// maxKept is to how many URLs connections are kept at a time.
	maxKept = 256
)

// connections are the connections that a client keeps, by URL: endpoints with different URLs share none, even on one
// host. The zero value is ready but for open.
type connections struct {
	open  func(scheme string) *http.Transport
	mu    sync.Mutex
	byURL map[string]*kept
	swept time.Time
}

// kept is the connections to one URL.
type kept struct {
	transport *http.Transport
	since     time.Time
	users     int  // exchanges
	ended     bool // no exchange begins any more: the last one closes the connections
}

// use returns the transport of a URL. release must be called after the exchange.
func (c *connections) use(url, scheme string) (t *http.Transport, release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if now.Sub(c.swept) > idleFor {
		c.swept = now
		c.end(func(k *kept) bool { return now.Sub(k.since) >= connectionsFor })
	}
	k := c.byURL[url]
	if k != nil && now.Sub(k.since) >= connectionsFor {
		c.endOne(url, k)
		k = nil
	}
	if k == nil {
		k = &kept{transport: c.open(scheme), since: now}
		if len(c.byURL) < maxKept {
			if c.byURL == nil {
				c.byURL = make(map[string]*kept)
			}
			c.byURL[url] = k
		} else {
			k.ended = true
		}
	}
	k.users++
	return k.transport, func() { c.release(k) }
}

func (c *connections) release(k *kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.users--
	if k.ended && k.users == 0 {
		k.transport.CloseIdleConnections()
	}
}

// end ends those that a function chooses.
func (c *connections) end(choose func(*kept) bool) {
	for url, k := range c.byURL {
		if choose(k) {
			c.endOne(url, k)
		}
	}
}

func (c *connections) endOne(url string, k *kept) {
	delete(c.byURL, url)
	k.ended = true
	k.transport.CloseIdleConnections()
}
