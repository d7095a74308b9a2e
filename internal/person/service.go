package person

import (
	"holdfast/internal/db"
)

// Service has the use cases over all that is stored of a person. It is safe for concurrent use.
type Service struct {
	db *db.DB
}

// NewService returns the use cases on d.
func NewService(d *db.DB) *Service {
	return &Service{db: d}
}
