package message

import (
	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/email"
	"holdfast/internal/settings"
)

// Service has the use cases of messages. It is safe for concurrent use.
type Service struct {
	db            *db.DB
	settings      *settings.Service
	unsubscribing *email.Unsubscriber
	links         *booking.Links
	email         bool
}

// NewService returns the use cases on d. unsubscribing makes and reads the tokens of unsubscribe links, links those
// that lead to bookings. sendsEmail says that this server sends emails. Otherwise none is planned.
func NewService(d *db.DB, tenantSettings *settings.Service, unsubscribing *email.Unsubscriber, links *booking.Links,
	sendsEmail bool,
) *Service {
	return &Service{
		db: d, settings: tenantSettings, unsubscribing: unsubscribing, links: links, email: sendsEmail,
	}
}
