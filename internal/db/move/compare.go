package move

import (
	"context"
	"fmt"

	"holdfast/internal/db"
	"holdfast/internal/db/preflight"
	"holdfast/internal/problem"
)

// Compare finds out whether tenants can move between two databases. Errors: problem.InvalidState if they have
// different schema versions, or are one database and schema; problem.DatabaseUnavailable.
func Compare(ctx context.Context, from, to *db.DB) error {
	source, err := preflight.Identity(ctx, from)
	if err != nil {
		return fmt.Errorf("the source: %w", err)
	}
	target, err := preflight.Identity(ctx, to)
	if err != nil {
		return fmt.Errorf("the target: %w", err)
	}
	if source == target {
		return problem.New(problem.InvalidState, "The source and the target are one database and schema.")
	}
	before, err := preflight.Version(ctx, from)
	if err != nil {
		return err
	}
	after, err := preflight.Version(ctx, to)
	if err == nil && before != after {
		err = problem.New(problem.InvalidState,
			fmt.Sprintf("The source has schema version %d, the target %d: migrate both.", before,
				after))
	}
	return err
}
