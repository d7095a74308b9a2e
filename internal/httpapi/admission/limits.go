package admission

import (
	"cmp"
	"time"
)

// Defaults of Limits.
const (
	// WorkingPerConnection is how many requests should be at work for each database connection: enough that those that
	// wait for a lock, or for one another's commit, leave no connection idle.
	WorkingPerConnection = 4
	defaultWorking       = 64
	queuedPerWorking     = 16
	// permitsPerRound is how many permits the requests of a tenant take that go to work in one round: enough for most
	// of what a transaction saves when they share it, few enough that waiting for so many permits wastes little.
	permitsPerRound     = 4
	defaultQueueTimeout = time.Second
)

// Limits bound what the API does at once. They hold once for all requests but those that call the payment provider, and
// once for these.
type Limits struct {
	// MaxWorking is how many requests may be at work. Requests that may cost much count several times. A tenant's may
	// be half of it, and an eighth while other tenants send requests too, payments and refunds excepted; both rounded
	// down, but at least one. Default 64.
	MaxWorking int
	// MaxQueued is how many requests may wait to be at work, or be on their way in. A tenant's may be half of it.
	// Default sixteen times MaxWorking.
	MaxQueued int
	// QueueTimeout is how long a request waits to be at work at most. Default 1 s.
	QueueTimeout time.Duration
	// Rate is how many requests a second an API key may send in the long run; zero or less sets no limit.
	Rate float64
	// Burst is how many requests an API key may send at once. Default Rate, rounded up.
	Burst int
	// VisitorRate and VisitorBurst are the same for a visitor of a tenant's website, see TakeVisitorToken, and for an
	// address of whose requests no tenant is known, see TakeAddressToken and CheckAddress.
	VisitorRate  float64
	VisitorBurst int
	// VisitorHolds is how many holds a visitor may make in ten minutes, and how many payments it may try;
	// unitNightsPerHold times as many units times nights its holds may take in an hour. Zero or less sets no limit.
	VisitorHolds int
}

func (l Limits) keys() bucketPolicy {
	return bucketPolicy{name: "default", rate: l.Rate, burst: l.Burst,
		detail: "This API key sends more requests than it may. Nothing was written."}
}

func (l Limits) visitors() bucketPolicy {
	return bucketPolicy{name: "visitor", rate: l.VisitorRate, burst: l.VisitorBurst,
		detail: "Too many requests came from this address. Nothing was written."}
}

func (l Limits) addresses() bucketPolicy {
	return bucketPolicy{name: "address", rate: l.VisitorRate, burst: l.VisitorBurst,
		detail: "Too many requests with wrong keys, or for pages that don't exist, came from this address. Nothing was written."}
}

func (l Limits) holds() bucketPolicy {
	return bucketPolicy{name: "holds", rate: float64(l.VisitorHolds) / holdsWindow.Seconds(), burst: l.VisitorHolds,
		detail: "Too many holds were made from this address. Nothing was written."}
}

func (l Limits) visitorStock() bucketPolicy {
	n := l.VisitorHolds * unitNightsPerHold
	return bucketPolicy{name: "stock", rate: float64(n) / stockWindow.Seconds(), burst: n,
		detail: "Too many units and nights were held from this address. Nothing was written."}
}

func (l Limits) visitorPayments() bucketPolicy {
	p := l.holds()
	p.name, p.detail = "payments", "Too many payments were tried from this address. Nothing was written."
	return p
}

// signIns are ten guesses at once, and one more a minute. No setting changes them: whoever knows the secret needs one.
func signIns() bucketPolicy {
	return bucketPolicy{name: "sign-in", rate: 1.0 / 60, burst: 10,
		detail: "More wrong keys came from this address than may. Wait a minute."}
}

func (l Limits) withDefaults() Limits {
	if l.MaxWorking <= 0 {
		l.MaxWorking = defaultWorking
	}
	if l.MaxQueued <= 0 {
		l.MaxQueued = queuedPerWorking * l.MaxWorking
	}
	l.QueueTimeout = cmp.Or(max(l.QueueTimeout, 0), defaultQueueTimeout)
	return l
}
