package webhook

import (
	"cmp"
	"log/slog"

	"holdfast/internal/change"
	"holdfast/internal/db"
)

// Service has the use cases of endpoints and their deliveries, and the kind of event that makes deliveries. It is safe
// for concurrent use.
type Service struct {
	db      *db.DB
	client  *Client
	allowed Networks
	feed    *change.Service
	loads   loads
	// maxBacklog is as the constant.
	maxBacklog int64
	log        *slog.Logger
}

// NewService returns the use cases on d. feed is the feed of d. config says which addresses webhooks may reach. log may
// be nil.
func NewService(d *db.DB, feed *change.Service, config Config, log *slog.Logger) *Service {
	return &Service{
		db:         d,
		feed:       feed,
		client:     NewClient(config),
		allowed:    config.Allowed,
		loads:      newLoads(d),
		maxBacklog: maxBacklog,
		log:        cmp.Or(log, slog.New(slog.DiscardHandler)),
	}
}
