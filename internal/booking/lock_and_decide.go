package booking

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/db"
	"holdfast/internal/problem"
)

// errMoved says that a booking isn't where its dates were locked: it is at another time, or of another service or
// resource.
var errMoved = errors.New("booking: moved")

// lockAndDecide locks the dates at which a booking was seen, and newDates in the same set. Then it runs decide with the
// booking as it is now. request is nil for a change without a key. Errors: errMoved if the booking isn't at this time
// any more, or is of another service or resource.
func (s *Service) lockAndDecide(ctx context.Context, tenant uuid.UUID, request *db.Request, seen Booking,
	newDates []civil.Date, asked reads, decide func(*datesTx, state, Booking) error,
) error {
	keys, err := catalog.DateKeys(tenant,
		append(datetime.DatesIn(seen.busyFrom, seen.busyUntil, seen.Location), newDates...))
	if err != nil {
		return err
	}
	asked.Booking = &seen.ID
	return s.dates(ctx, request, keys, asked, func(tx *datesTx, st state) error {
		if st.Booking == nil {
			return problem.Missing()
		}
		b, err := FromRow(st.Booking)
		if err != nil {
			return err
		}
		if b.movedFrom(seen) {
			return errMoved
		}
		return decide(tx, st, b)
	})
}

// movedFrom reports whether the booking occupies another time than when it was seen, or is of another service or
// resource.
func (b Booking) movedFrom(seen Booking) bool {
	return !b.busyFrom.Equal(seen.busyFrom) || !b.busyUntil.Equal(seen.busyUntil) || b.Date != seen.Date ||
		b.ServiceID != seen.ServiceID || !slices.Equal(b.ResourceIDs(), seen.ResourceIDs())
}
