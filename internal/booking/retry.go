package booking

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// retryWhileChanging runs change with a booking as it is and with the rules of its service, or of another service,
// which may be nil. It runs change again if the booking or the rules changed before change held the locks, and if holds
// past their expiry were in the way. Errors: those of change and of the reads before it; problem.LockTimeout if the
// booking or the rules keep changing.
func (s *Service) retryWhileChanging(ctx context.Context, t tenant.Tenant, id uuid.UUID, service *uuid.UUID,
	change func(seen Booking, rs *rules) error,
) error {
	for range maxStale {
		seen, err := s.byID(ctx, t.ID, id)
		if err != nil {
			return err
		}
		of := seen.ServiceID
		set(&of, service)
		rs, err := s.rulesOf(ctx, t, of)
		if err != nil {
			return err
		}
		if again, err := s.prepareRetry(ctx, t, rs, change(seen, rs)); !again {
			return err
		}
	}
	return keepsChanging()
}

// retryWhileMoving runs change with a booking as it is, and again if the booking moved before change held its locks.
// Errors: those of change and of reading the booking; problem.LockTimeout if the booking keeps moving.
func (s *Service) retryWhileMoving(ctx context.Context, tenant, id uuid.UUID, change func(seen Booking) error) error {
	for range maxStale {
		seen, err := s.byID(ctx, tenant, id)
		if err != nil {
			return err
		}
		if err := change(seen); !errors.Is(err, errMoved) {
			return err
		}
	}
	return keepsChanging()
}

// prepareRetry removes the cause of err, and reports whether to try again. The causes are: the booking has moved, rs
// aren't the service's rules any more, or holds past their expiry weren't marked as expired. Otherwise it returns err,
// which may be nil, or the error of marking the holds.
func (s *Service) prepareRetry(ctx context.Context, t tenant.Tenant, rs *rules, err error) (bool, error) {
	var lapsed holdsInTheWay
	switch {
	case errors.Is(err, errMoved):
		return true, nil
	case errors.Is(err, errStaleRules):
		s.forgetRules(t, rs)
		return true, nil
	case errors.As(err, &lapsed):
		err = s.expireAll(ctx, t.ID, lapsed)
		return err == nil, err
	}
	return false, err
}

// keepsChanging is the error of a use case that found a booking, or its service's rules, changed maxStale times.
func keepsChanging() error {
	return problem.New(problem.LockTimeout,
		"The booking, or its service, keeps changing. Nothing was written.").Retry(time.Second)
}

// set changes a value to the one that is given, if one is.
func set[T any](to, given *T) {
	if given != nil {
		*to = *given
	}
}
