package person

import "holdfast/internal/db/store"

// Service has the use cases over all that is stored of a person. It is safe for concurrent use.
type Service struct {
	store *store.Store
}

// NewService returns the use cases on s.
func NewService(s *store.Store) *Service {
	return &Service{store: s}
}
