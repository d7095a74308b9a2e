package catalog

import (
	"fmt"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/lock"
)

// DateKeys names the locks of some civil dates of a tenant.
func DateKeys(tenant uuid.UUID, dates []civil.Date) (lock.DateKeys, error) {
	locked := make([]lock.Date, len(dates))
	for i, d := range dates {
		locked[i] = lock.Date(d)
	}
	keys, err := lock.Dates(tenant, locked...)
	if err != nil {
		return keys, fmt.Errorf("name date locks: %w", err)
	}
	return keys, nil
}
