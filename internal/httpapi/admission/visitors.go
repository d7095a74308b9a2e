package admission

import (
	"net/netip"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/httpapi/edge"
)

// holdsWindow is the time for which Limits.VisitorHolds counts holds.
const holdsWindow = 10 * time.Minute

// stockWindow is the time for which units times nights of a visitor's holds are counted: longer than a hold lasts that
// isn't paid for, and unitNightsPerHold times Limits.VisitorHolds of them may be taken in it.
const (
	stockWindow       = time.Hour
	unitNightsPerHold = 20
)

// visitor is everyone who uses a tenant's website from one address, as edge.AddressOf tells it. Requests whose address
// can't be read are one visitor's.
type visitor struct {
	tenant  uuid.UUID
	network netip.Prefix
}

// visitorOf returns the visitor of a tenant who sends a request.
func visitorOf(c *gin.Context, tenant uuid.UUID) visitor {
	return visitor{tenant: tenant, network: edge.AddressOf(c)}
}

// TakeVisitorToken takes a token of the visitor of a tenant who sends a request, or returns problem.RateLimited. Call
// it once for each request that anyone may send: with a publishable API key, or to a page.
func (a *Admission) TakeVisitorToken(c *gin.Context, tenant uuid.UUID) error {
	err := a.visitors.take(visitorOf(c, tenant), c.Writer.Header())
	if err != nil {
		a.metrics.limited.Inc()
	}
	return err
}

// TakeAddressToken takes a token of the address that sends a request of which no tenant is known, or returns
// problem.RateLimited. Call it once for each page that anyone may ask for, before Admit.
func (a *Admission) TakeAddressToken(c *gin.Context) error {
	err := a.addresses.take(visitorOf(c, Unauthenticated), c.Writer.Header())
	if err != nil {
		a.metrics.limited.Inc()
	}
	return err
}

// CheckAddress returns problem.RateLimited if the address that sends a request has no token left. It takes none: call
// it, before Admit, for a request with an API key or a cookie that has to be looked up, and CountMiss if it isn't
// found. Those that are found cost nothing: an application that sends many requests with a key that this server doesn't
// know yet isn't refused.
func (a *Admission) CheckAddress(c *gin.Context) error {
	err := a.addresses.check(visitorOf(c, Unauthenticated))
	if err != nil {
		a.metrics.limited.Inc()
	}
	return err
}

// CountMiss takes a token of the address whose API key or cookie wasn't found, also one that it hasn't: many requests
// may have been under way.
func (a *Admission) CountMiss(c *gin.Context) { a.addresses.owe(visitorOf(c, Unauthenticated)) }

// TakeVisitorHold takes one of the holds that a visitor of a tenant may make, and the units times nights that it takes
// of what is sold, or returns problem.RateLimited. Call giveBack if no hold was made. unitNights is zero for what takes
// no more than before, such as a move.
func (a *Admission) TakeVisitorHold(c *gin.Context, tenant uuid.UUID, unitNights int) (giveBack func(), err error) {
	giveHold, err := a.reserve(a.holds, c, tenant, 1)
	if err != nil {
		return giveHold, err
	}
	giveStock, err := a.TakeVisitorStock(c, tenant, unitNights)
	if err != nil {
		giveHold()
		return func() {}, err
	}
	return func() {
		giveHold()
		giveStock()
	}, nil
}

// TakeVisitorStock takes units times nights of what is sold, or returns problem.RateLimited. Call giveBack if no hold
// was made.
func (a *Admission) TakeVisitorStock(c *gin.Context, tenant uuid.UUID, unitNights int) (giveBack func(), err error) {
	if unitNights == 0 {
		return func() {}, nil
	}
	return a.reserve(a.stock, c, tenant, unitNights)
}

// GiveBackStock gives back the units times nights of a hold that its visitor has let go.
func (a *Admission) GiveBackStock(c *gin.Context, tenant uuid.UUID, unitNights int) {
	a.stock.giveBack(visitorOf(c, tenant), unitNights)
}

// TakeVisitorPayment takes one of the payments that a visitor of a tenant may try, or returns problem.RateLimited. A
// declined payment counts: else a thief could find out which cards work. Call giveBack if the provider wasn't asked.
func (a *Admission) TakeVisitorPayment(c *gin.Context, tenant uuid.UUID) (giveBack func(), err error) {
	return a.reserve(a.pays, c, tenant, 1)
}

func (a *Admission) reserve(l *rateLimiter[visitor], c *gin.Context, tenant uuid.UUID, n int,
) (giveBack func(), err error) {
	giveBack, err = l.reserve(visitorOf(c, tenant), n, c.Writer.Header())
	if err != nil {
		a.metrics.limited.Inc()
	}
	return giveBack, err
}

// TakeSignIn takes one of the guesses of a secret that an address may make, or returns problem.RateLimited. Call
// giveBack if the guess was right.
func (a *Admission) TakeSignIn(c *gin.Context) (giveBack func(), err error) {
	return a.reserve(a.signIns, c, Unauthenticated, 1)
}
