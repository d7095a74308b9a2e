package catalog

import (
	"errors"
	"fmt"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/lock"
	"holdfast/internal/problem"
)

// DateKeys names the locks of some civil dates of a tenant. Errors: problem.TooManyDates for more dates than a
// transaction may lock.
func DateKeys(tenant uuid.UUID, dates []civil.Date) (lock.DateKeys, error) {
	locked := make([]lock.Date, len(dates))
	for i, d := range dates {
		locked[i] = lock.Date(d)
	}
	keys, err := lock.Dates(tenant, locked...)
	if errors.Is(err, lock.ErrTooManyKeys) {
		return keys, problem.New(problem.TooManyDates, fmt.Sprintf(
			"One change may touch at most %d dates, those that it leaves and its buffers included.", lock.MaxKeys))
	}
	if err != nil {
		return keys, fmt.Errorf("name date locks: %w", err)
	}
	return keys, nil
}
