package edge

import (
	"net/netip"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"holdfast/internal/problem"
)

// Bounds of the bodies that are on their way: of one address, and of all, which bounds the memory that they take. Most
// bodies arrive with the head of their request and aren't counted.
const (
	maxArrivingOfAddress = 64
	maxArriving          = 2048
)

// arrivals counts the bodies that are on their way, by the address that sends them. The zero value has none.
type arrivals struct {
	mu        sync.Mutex
	all       int
	byAddress map[netip.Prefix]int
}

// enter counts a body until leave is called. Errors: problem.RateLimited, problem.Overloaded.
func (a *arrivals) enter(address netip.Prefix) (leave func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.byAddress[address] >= maxArrivingOfAddress:
		return nil, problem.New(problem.RateLimited,
			"Too many requests from this address are still on their way. Nothing was written.").Retry(time.Second)
	case a.all >= maxArriving:
		return nil, problem.New(problem.Overloaded,
			"Too many requests are still on their way. Nothing was written.").Retry(time.Second)
	case a.byAddress == nil:
		a.byAddress = make(map[netip.Prefix]int)
	}
	a.all++
	a.byAddress[address]++
	return func() { a.leave(address) }, nil
}

func (a *arrivals) leave(address netip.Prefix) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all--
	if a.byAddress[address]--; a.byAddress[address] == 0 {
		delete(a.byAddress, address)
	}
}

// AddressOf returns the address that sends a request: an IPv4 address, or the first 64 bits of an IPv6 address, whose
// other bits are one household's. It is that of the connection, or what the trusted proxies say: see Edge.TrustProxies.
// The zero value is an address that can't be read.
func AddressOf(c *gin.Context) netip.Prefix {
	address, err := netip.ParseAddr(c.ClientIP())
	if err != nil {
		return netip.Prefix{}
	}
	return networkOf(address)
}

// networkOf returns what counts as one address.
func networkOf(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(address, bits).Masked()
}
