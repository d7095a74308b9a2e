package payment

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/problem"
)

// Config configures payments.
type Config struct {
	// Provider handles new payments; nil refuses them with problem.PaymentsNotConfigured. The Legacy providers refund
	// and complete the payments that they handled before.
	Provider Provider
	Legacy   []Provider
	// Bookings confirms the holds whose deposit is paid. Default: one of its own.
	Bookings *booking.Service
	// CallTimeout limits a call of the provider. Default 20 s.
	CallTimeout time.Duration
	// AbsentAfter is the time after the last sending from which an order unknown to the provider counts as not carried
	// out. Default 2 min; at least CallTimeout.
	AbsentAfter time.Duration
	// Timeout is how long a payment may stay open before it is cancelled at the provider, except one on the provider's
	// page. Default DefaultTimeout.
	Timeout time.Duration
	// ResolveEvery is the first pause before an open payment is looked up again. Later pauses are longer. Default 2 s.
	ResolveEvery time.Duration
	// Metrics registers this package's metrics; nil registers none. Logger may be nil.
	Metrics prometheus.Registerer
	Logger  *slog.Logger

	lease, renewEvery time.Duration // shortLease and a third of it, but in tests
}

// DefaultTimeout is the default of Config.Timeout.
const DefaultTimeout = time.Hour

// HasProvider reports whether new payments can be made by a provider.
func (s *Service) HasProvider() bool { return s.cfg.Provider != nil }

// Service has the use cases of payments. It is safe for concurrent use.
type Service struct {
	db        *db.DB
	cfg       Config
	providers map[string]Provider
	backoff   backoff
	metrics   *metrics
	log       *slog.Logger
}

// NewService returns the use cases on d.
func NewService(d *db.DB, cfg Config) *Service {
	cfg.CallTimeout = cmp.Or(cfg.CallTimeout, 20*time.Second)
	cfg.AbsentAfter = max(cmp.Or(cfg.AbsentAfter, 2*time.Minute), cfg.CallTimeout)
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	cfg.ResolveEvery = cmp.Or(cfg.ResolveEvery, 2*time.Second)
	cfg.lease = cmp.Or(cfg.lease, shortLease)
	cfg.renewEvery = cmp.Or(cfg.renewEvery, cfg.lease/3)
	if cfg.Bookings == nil {
		cfg.Bookings = booking.NewService(d)
	}
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	v := &Service{
		db: d, cfg: cfg, providers: make(map[string]Provider),
		backoff: backoff{initial: cfg.ResolveEvery, longest: 30 * time.Second, longestProcessing: 10 * time.Minute},
		metrics: newMetrics(cfg.Metrics), log: cfg.Logger,
	}
	for _, p := range cfg.Legacy {
		v.providers[p.Name()] = p
	}
	if cfg.Provider != nil {
		v.providers[cfg.Provider.Name()] = cfg.Provider
	}
	return v
}

// resendWindow is how long after its first sending an order may be sent again under the same key: the provider's key
// lifetime less the time that a call may take.
func (s *Service) resendWindow(p Provider) time.Duration {
	return p.KeyLifetime() - s.cfg.CallTimeout - time.Minute
}

// provider returns the configured provider of that name, or problem.PaymentsNotConfigured.
func (s *Service) provider(name string) (Provider, error) {
	p, ok := s.providers[name]
	if !ok {
		return nil, problem.Wrap(fmt.Errorf("no payment provider %q is configured", name),
			problem.PaymentsNotConfigured, "")
	}
	return p, nil
}

// providerOf returns the configured provider of that name as it acts for an account, nil for the platform's own.
// Errors: problem.PaymentsNotConfigured.
func (s *Service) providerOf(name string, account *string) (Provider, error) {
	p, err := s.provider(name)
	if err != nil || account == nil {
		return p, err
	}
	return p.Account(*account), nil
}

// shortLease is how long the lease on an open payment lasts that isn't renewed, and so how long the payment of a
// process that died waits.
const shortLease = 3 * time.Second
