package webhook

import "time"

const (
	// openAfter is how many attempts in a row fail before the circuit opens.
	openAfter = 5
	// The circuit stays open for firstPause, and twice as long after each probe that fails, up to longestPause.
	firstPause   = 30 * time.Second
	longestPause = 15 * time.Minute
	// probeTime is how long other deliveries wait for the one that probes.
	probeTime = 30 * time.Second
	// disableAfter is for how long all attempts fail before the endpoint is disabled. At least openAfter must have
	// failed: an endpoint that gets few events isn't disabled for two failures.
	disableAfter = 5 * 24 * time.Hour
)

// open reports whether the circuit is open at a time: nothing is sent.
func (e Endpoint) open(now time.Time) bool { return e.openUntil != nil && e.openUntil.After(now) }

// probing returns the endpoint while one delivery probes whether the circuit may close, and false if none may: the
// circuit is closed or still open.
func (e Endpoint) probing(now time.Time) (Endpoint, bool) {
	if e.openUntil == nil || e.open(now) {
		return e, false
	}
	until := now.Add(probeTime)
	e.openUntil = &until
	return e, true
}

// succeeded returns the endpoint after an attempt that succeeded.
func (e Endpoint) succeeded(now time.Time) Endpoint {
	e.failures, e.openUntil = 0, nil
	if e.FailingSince != nil {
		e.FailingSince = nil
		return e.changed(now)
	}
	return e
}

// failed returns the endpoint after an attempt that failed. An attempt that began before the circuit opened doesn't
// open it for longer; probe says that it was made to probe. After disableAfter the endpoint is disabled.
func (e Endpoint) failed(now time.Time, probe bool) Endpoint {
	if e.open(now) && !probe {
		return e
	}
	if e.FailingSince == nil {
		since := now.UTC()
		e.FailingSince = &since
		e = e.changed(now)
	}
	if e.failures++; e.failures >= openAfter {
		until := now.Add(min(firstPause<<min(e.failures-openAfter, 10), longestPause))
		e.openUntil = &until
	}
	if e.failures >= openAfter && now.Sub(*e.FailingSince) >= disableAfter {
		return e.disabled(Disabled, "Every attempt has failed for five days.", now)
	}
	return e
}
