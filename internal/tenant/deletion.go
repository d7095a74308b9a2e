package tenant

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"holdfast/internal/db"
)

// Deletion returns a job that deletes what tenants have that are deleting, a batch at a time, until nothing is left but
// their ids. Any number of servers may run it. It keeps only in memory how far it is: after a crash it begins again
// with what is left.
func (s *Service) Deletion() func(ctx context.Context) (more bool, err error) {
	var d deletion
	return func(ctx context.Context) (more bool, err error) { return d.run(ctx, s.db, s.slugs) }
}

// deletion is how far the deletion of a tenant is.
type deletion struct {
	tenant uuid.UUID // uuid.Nil: none was found yet
	table  int
	found  bool // the pass through the tables that is under way has found rows
}

// run deletes one batch. A pass through all tables that finds no row ends the deletion: what a request or a worker
// wrote behind the pass before is found by the next one.
func (d *deletion) run(ctx context.Context, database *db.DB, slugs Slugs) (more bool, err error) {
	if d.tenant == uuid.Nil {
		next, err := findDeleting(ctx, database)
		if next == nil || err != nil {
			return false, err
		}
		*d = deletion{tenant: *next}
	}
	if d.table == len(deletions) {
		if !d.found {
			finished := d.tenant
			*d = deletion{}
			slug := deletedSlug + finished.String()
			if slugs != nil {
				if err := slugs.Rename(ctx, finished, slug); err != nil {
					return false, err
				}
			}
			return true, finishDeletion(ctx, database, finished, slug)
		}
		d.table, d.found = 0, false
	}
	n, err := deleteRows(ctx, database, d.tenant, d.table)
	switch {
	case errors.Is(err, errNotDeleting): // another server has finished
		*d = deletion{}
		return true, nil
	case err != nil:
		*d = deletion{} // the order of tables matters: begin again
		return false, err
	case n == 0:
		d.table++
	default:
		d.found = true
	}
	return true, nil
}
