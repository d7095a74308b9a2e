package tenant

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
)

// IDOf returns the id of the tenant that has a text as its slug or as its id, also of a deleted one. It is for the
// operator's commands, and takes no lock. Errors: one that says so if there is no such tenant, or two;
// problem.DatabaseUnavailable.
func IDOf(ctx context.Context, d *db.DB, slugOrID string) (uuid.UUID, error) {
	found, err := findTenant(ctx, d, slugOrID)
	switch {
	case problem.Is(err, problem.NotFound):
		return uuid.Nil, fmt.Errorf("there is no tenant %q", slugOrID)
	case problem.Is(err, problem.InvalidState):
		return uuid.Nil, fmt.Errorf("%q is the slug of one tenant and the id of another: give the tenant's other name",
			slugOrID)
	}
	return found.TenantID, err
}
