package message

import (
	"context"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
)

// CustomerOfBooking returns the birthday and the version of a booking's customer, as a message about the booking reads
// them.
func (s *Service) CustomerOfBooking(ctx context.Context, tenant,
	id uuid.UUID,
) (birthday *civil.Date, version int64, err error) {
	row, more, err := s.readBooking(ctx, tenant, id, "")
	return row.Birthday, more.CustomerVersion, err
}
