package admission

import (
	"net/netip"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// holdsWindow is the time for which Limits.VisitorHolds counts holds.
const holdsWindow = 10 * time.Minute

// visitor is everyone who uses a tenant's website from one network: an IPv4 address, or 64 bits of an IPv6 address, of which a household
// has all others.
type visitor struct {
	tenant  uuid.UUID
	network netip.Prefix
}

// visitorOf returns the visitor of a tenant who sends a request. Its address is that of the connection, or what the trusted proxies say:
// see edge.Edge.TrustProxies. Requests whose address can't be read are one visitor's.
func visitorOf(c *gin.Context, tenant uuid.UUID) visitor {
	v := visitor{tenant: tenant}
	address, err := netip.ParseAddr(c.ClientIP())
	if err != nil {
		return v
	}
	address = address.Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	v.network = netip.PrefixFrom(address, bits).Masked()
	return v
}

// TakeVisitorToken takes a token of the visitor of a tenant who sends a request, or returns problem.RateLimited. Call it once for each
// request that anyone may send: with a publishable API key, or to a page.
func (a *Admission) TakeVisitorToken(c *gin.Context, tenant uuid.UUID) error {
	err := a.visitors.take(visitorOf(c, tenant), c.Writer.Header())
	if err != nil {
		a.metrics.limited.Inc()
	}
	return err
}

// TakeVisitorHold takes one of the holds that a visitor of a tenant may make, or returns problem.RateLimited. Call giveBack if no hold was
// made.
func (a *Admission) TakeVisitorHold(c *gin.Context, tenant uuid.UUID) (giveBack func(), err error) {
	return a.reserve(a.holds, c, tenant)
}

// TakeVisitorPayment takes one of the payments that a visitor of a tenant may try, or returns problem.RateLimited. A declined payment
// counts: else a thief could find out which cards work. Call giveBack if the provider wasn't asked.
func (a *Admission) TakeVisitorPayment(c *gin.Context, tenant uuid.UUID) (giveBack func(), err error) {
	return a.reserve(a.pays, c, tenant)
}

func (a *Admission) reserve(l *rateLimiter[visitor], c *gin.Context, tenant uuid.UUID) (giveBack func(), err error) {
	giveBack, err = l.reserve(visitorOf(c, tenant), c.Writer.Header())
	if err != nil {
		a.metrics.limited.Inc()
	}
	return giveBack, err
}

// TakeSignIn takes one of the guesses of a secret that an address may make, or returns problem.RateLimited. Call giveBack if the guess was
// right.
func (a *Admission) TakeSignIn(c *gin.Context) (giveBack func(), err error) {
	return a.reserve(a.signIns, c, Unauthenticated)
}
