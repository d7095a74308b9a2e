package message

import (
	"holdfast/internal/email"
	"holdfast/internal/settings"
	"holdfast/internal/store"
)

// Service has the use cases of messages. It is safe for concurrent use.
type Service struct {
	store         *store.Store
	settings      *settings.Service
	unsubscribing *email.Unsubscriber
	email         bool
}

// NewService returns the use cases on s. unsubscribing makes and reads the tokens of unsubscribe links. sendsEmail says that this server
// sends emails. Otherwise none is planned.
func NewService(s *store.Store, tenantSettings *settings.Service, unsubscribing *email.Unsubscriber, sendsEmail bool) *Service {
	return &Service{store: s, settings: tenantSettings, unsubscribing: unsubscribing, email: sendsEmail}
}
