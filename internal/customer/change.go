package customer

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/mergepatch"
	"holdfast/internal/tenant"
)

// changedBy returns a customer after a change. Errors: problem.ValidationFailed.
func changedBy(p mergepatch.Patch[CustomerSpecBody], c Customer) (Customer, error) {
	spec, err := p.Apply(c.Body().CustomerSpecBody)
	if err != nil {
		return c, err
	}
	changed, err := spec.Customer("")
	changed.ID, changed.Email = c.ID, NormalEmail(changed.Email)
	return changed, err
}

// Change changes a customer. A change to what is already so writes nothing and keeps the version.
//
// Errors: problem.NotFound; problem.ValidationFailed; problem.VersionMismatch; problem.InvalidState for an erased or
// merged customer; problem.AlreadyExists if another customer has the email; those of db.DB.Write.
func (s *Service) Change(
	ctx context.Context, t tenant.Tenant, id uuid.UUID, p mergepatch.Patch[CustomerSpecBody], allowed etag.Precondition,
) (changed Details, err error) {
	err = s.change(ctx, t.ID, nil, id, func(tx *db.WriteTx, row Row) error {
		before := DetailsFromRow(row)
		if err := allowed.Check("customer", before.Version); err != nil {
			return err
		}
		if err := before.CheckPresent(); err != nil {
			return err
		}
		changed = before
		if changed.Customer, err = changedBy(p, before.Customer); err != nil {
			return err
		}
		if err := changed.Check("", t, tx.Now()); err != nil {
			return err
		}
		if changed.Customer.Equal(before.Customer) {
			return nil
		}
		changed.Version++
		return QueueUpdate(tx, UpdatedEvent, row, changed)
	})
	return changed, err
}
