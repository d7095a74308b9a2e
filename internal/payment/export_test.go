package payment

import "time"

// SetLease has leases on payments last so long, as far as a process may work on a payment for that time, and be renewed
// so often.
func SetLease(cfg *Config, lease, renewEvery time.Duration) {
	cfg.lease, cfg.renewEvery = lease, renewEvery
}
