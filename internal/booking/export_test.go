package booking

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// WithCodes has bookings get the codes that next returns.
func WithCodes(next func() string) Option { return func(s *Service) { s.newCode = next } }

// ChangeReferences changes the references of a booking, and nothing else.
func (s *Service) ChangeReferences(ctx context.Context, t tenant.Tenant, id uuid.UUID, c ReferenceChange, unique bool) (after Booking, err error) {
	if err := c.check(); err != nil {
		return after, err
	}
	seen, err := s.Get(ctx, t, id)
	if err != nil {
		return after, err
	}
	keys, err := calendarKeys(t.ID, datesOf(seen.busyFrom, seen.busyUntil, seen.Location))
	if err != nil {
		return after, err
	}
	read := store.CalendarRead{BookRead: store.BookRead{Taken: c.names(unique)}, Booking: &id}
	err = s.store.Calendar(ctx, keys, read, func(tx *store.CalendarTx, st store.CalendarState) error {
		if after, err = fromRow(st.Booking); err != nil {
			return err
		}
		return c.applyTo(tx, &after, st.Taken, unique)
	})
	return after, err
}
