package message

import (
	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/settings"
)

// Service has the use cases of messages. It is safe for concurrent use.
type Service struct {
	bookings      *booking.Service
	settings      *settings.Service
	unsubscribing *email.Unsubscriber
}

// NewService returns the use cases on s. unsubscribing makes and reads the tokens of unsubscribe links.
func NewService(bookings *booking.Service, tenantSettings *settings.Service, unsubscribing *email.Unsubscriber) *Service {
	return &Service{bookings: bookings, settings: tenantSettings, unsubscribing: unsubscribing}
}
