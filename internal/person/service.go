package person

import (
	"holdfast/internal/db"
	"holdfast/internal/db/store"
)

// Service has the use cases over all that is stored of a person. It is safe for concurrent use.
type Service struct {
	db *db.DB
}

// NewService returns the use cases on s.
func NewService(s *store.Store) *Service {
	return &Service{db: s.DB()}
}
