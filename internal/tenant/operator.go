package tenant

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

// StillTime is how long a tenant must have been suspended before it is deleted, and before its time zone or currency
// changes: other servers remember API keys for keyCacheTime, and a request that began before may take its time.
const StillTime = time.Minute

// Listed is a tenant as the operator sees it.
type Listed struct {
	ID                             uuid.UUID
	Slug, Name, TimeZone, Currency string
	Status                         Status
	// Reason is why the tenant is suspended, empty if none was given.
	Reason string
	// Since is since when the tenant has the status, CreatedAt when it was made; both UTC.
	Since, CreatedAt time.Time
	// Version grows with every change of the tenant and of its settings.
	Version int64
}

// ETag returns the strong entity tag of the version.
func (t Listed) ETag() string { return etag.Of(t.Version) }

// Location returns the tenant's time zone.
func (t Listed) Location() (*time.Location, error) { return timezone.Load(t.TimeZone) }

// Filter bounds a list of tenants. Nil matches all; without a status deleted tenants are left out.
type Filter struct {
	Slug   *string
	Status *Status
}

// List lists all tenants by id: at most limit that follow the id after. It is for the operator. Errors:
// problem.DatabaseUnavailable.
func (s *Service) List(ctx context.Context, f Filter, after uuid.UUID, limit int) ([]Listed, error) {
	rows, err := listTenants(ctx, s.db, f, after, limit)
	list := make([]Listed, len(rows))
	for i, r := range rows {
		list[i] = listedOf(tenantRow{
			TenantID:        r.TenantID,
			Slug:            r.Slug,
			Name:            r.Name,
			TimeZone:        r.TimeZone,
			Currency:        r.Currency,
			CreatedAt:       r.CreatedAt,
			Status:          r.Status,
			StatusReason:    r.StatusReason,
			StatusSince:     r.StatusSince,
			SettingsVersion: r.SettingsVersion,
		})
	}
	return list, err
}

// Get returns a tenant, also a deleted one. It is for the operator. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, id uuid.UUID) (Listed, error) {
	r, err := readTenant(ctx, s.db, id)
	return listedOf(r), err
}

func listedOf(r tenantRow) Listed {
	t := Listed{
		ID:        r.TenantID,
		Slug:      r.Slug,
		Name:      r.Name,
		TimeZone:  r.TimeZone,
		Currency:  r.Currency,
		Status:    Status(r.Status),
		Since:     r.CreatedAt.UTC(),
		CreatedAt: r.CreatedAt.UTC(),
		Version:   r.SettingsVersion,
	}
	if r.StatusSince != nil {
		t.Since = r.StatusSince.UTC()
	}
	if r.StatusReason != nil {
		t.Reason = *r.StatusReason
	}
	return t
}

// Suspend has the tenant's API keys refused: at once by this process, and by all others within keyCacheTime. What was
// begun goes on. To suspend a suspended tenant again changes the reason only, and not since when. The response is an
// OperatorTenantBody.
//
// Errors: problem.ValidationFailed for a reason that can't be one; problem.NotFound; problem.InvalidState for a tenant
// that is deleting or deleted; those of db.Request.Outcome.
func (s *Service) Suspend(ctx context.Context, r idempotency.Request, id uuid.UUID, why SuspendRequest,
) (idempotency.Outcome, error) {
	if err := bounds.Check("", why); err != nil {
		return idempotency.Outcome{}, err
	}
	if why.Reason != "" {
		if err := problem.CheckText("reason", why.Reason); err != nil {
			return idempotency.Outcome{}, err
		}
	}
	return s.setStatus(ctx, r, id, StatusSuspended, why.Reason)
}

// Resume has the tenant's API keys work again: at once in this process, and in all others within keyCacheTime. The
// response is an OperatorTenantBody. Errors: problem.NotFound; problem.InvalidState for a tenant that is deleting or
// deleted; those of db.Request.Outcome.
func (s *Service) Resume(ctx context.Context, r idempotency.Request, id uuid.UUID) (idempotency.Outcome, error) {
	return s.setStatus(ctx, r, id, StatusActive, "")
}

func (s *Service) setStatus(ctx context.Context, r idempotency.Request, id uuid.UUID, to Status, reason string,
) (idempotency.Outcome, error) {
	request := r.DBRequest(uuid.Nil)
	_, err := s.changeTenant(ctx, id, request, "", func(tx *db.WriteTx, _ lockedTenant, t *Listed) error {
		if t.Status != to || t.Reason != reason {
			if t.Status != to {
				t.Since = tx.Now()
			}
			t.Status, t.Reason = to, reason
			queueStatus(tx, to, t.Reason, t.Since)
			t.Version++
		}
		return tx.Respond(idempotency.Changed(tenantKind, t.ID, t.Version, t.Body()))
	})
	return request.Outcome(err)
}

// Correct changes the slug, the name, the time zone and the currency of a tenant. ifMatch names the versions that may
// be changed, empty for any; see etag.Match. A change to what is already so writes nothing.
//
// Errors: problem.ValidationFailed; problem.NotFound; problem.VersionMismatch; problem.AlreadyExists for a slug in use;
// problem.InvalidState for a time zone or a currency that can't change any more, and for a tenant that is being
// deleted, or is; those of db.DB.Write.
func (s *Service) Correct(ctx context.Context, id uuid.UUID, p mergepatch.Patch[Identity], ifMatch string,
) (t Listed, err error) {
	if s.slugs != nil {
		restore, failed := s.renameFirst(ctx, id, p)
		if failed != nil {
			return Listed{}, failed
		}
		defer func() {
			if err != nil && !problem.Is(err, problem.OutcomeUnknown) {
				restore()
			}
		}()
	}
	return s.correct(ctx, id, p, ifMatch)
}

// renameFirst gives a tenant that gets another slug that name over all databases. restore gives the old one back.
func (s *Service) renameFirst(ctx context.Context, id uuid.UUID, p mergepatch.Patch[Identity],
) (restore func(), err error) {
	t, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	after, err := p.Apply(Identity{Slug: t.Slug, Name: t.Name, TimeZone: t.TimeZone, Currency: t.Currency})
	if err != nil || after.Slug == t.Slug {
		return func() {}, err
	}
	if _, err := CreateRequest(after).check(); err != nil {
		return nil, err
	}
	return func() { _ = s.slugs.Rename(context.WithoutCancel(ctx), id, t.Slug) }, s.slugs.Rename(ctx, id, after.Slug)
}

func (s *Service) correct(ctx context.Context, id uuid.UUID, p mergepatch.Patch[Identity], ifMatch string,
) (Listed, error) {
	return s.changeTenant(ctx, id, nil, ifMatch, func(tx *db.WriteTx, locked lockedTenant, t *Listed) error {
		before := Identity{Slug: t.Slug, Name: t.Name, TimeZone: t.TimeZone, Currency: t.Currency}
		after, err := p.Apply(before)
		if err != nil || after == before {
			return err
		}
		if _, err := CreateRequest(after).check(); err != nil {
			return err
		}
		if after.TimeZone != before.TimeZone {
			if err := canChange("time zone", *t, tx.Now(), locked.has.Bookings || locked.has.Blocks,
				"bookings or blocks"); err != nil {
				return err
			}
		}
		if after.Currency != before.Currency {
			has := locked.has.Services || locked.has.Bookings || locked.has.Wallets || locked.has.Payments
			if err := canChange("currency", *t, tx.Now(), has, "services, bookings, wallets or payments"); err != nil {
				return err
			}
		}
		queueIdentity(tx, after)
		t.Slug, t.Name, t.TimeZone, t.Currency = after.Slug, after.Name, after.TimeZone, after.Currency
		t.Version++
		return nil
	})
}

// canChange returns problem.InvalidState if the tenant's time zone or currency can't change: what was made by it keeps
// its meaning, and no request may still run that knows the old one.
func canChange(what string, t Listed, now time.Time, has bool, things string) error {
	switch {
	case has:
		return problem.New(problem.InvalidState,
			"The "+what+" can't change any more: the tenant has "+things+", which were made by it. "+
				"Create another tenant.")
	case t.Status != StatusSuspended || now.Sub(t.Since) < StillTime:
		return problem.New(problem.InvalidState,
			"The "+what+" changes only while the tenant is suspended, and has been so for a minute: "+
				"servers remember it for some seconds.")
	}
	return nil
}

// Delete begins the deletion of a tenant, which can't be undone; Deletion goes on with it. export is the id that the
// last line of an export told. Errors: problem.NotFound; problem.InvalidState, with the reason, for a tenant that can't
// be deleted now; those of db.DB.Write.
func (s *Service) Delete(ctx context.Context, id, export uuid.UUID) (Listed, error) {
	return s.changeTenant(ctx, id, nil, "", func(tx *db.WriteTx, locked lockedTenant, t *Listed) error {
		if err := canDelete(*t, locked, tx.Now(), export); err != nil {
			return err
		}
		t.Status, t.Since = StatusDeleting, tx.Now()
		queueStatus(tx, t.Status, t.Reason, t.Since)
		t.Version++
		return nil
	})
}

// canDelete returns problem.InvalidState with what has to be done before the tenant can be deleted.
func canDelete(t Listed, locked lockedTenant, now time.Time, export uuid.UUID) error {
	refuse := func(detail string) error { return problem.New(problem.InvalidState, detail) }
	exportedAt := locked.row.ExportedAt
	switch {
	case t.Status != StatusSuspended:
		return refuse("Only a suspended tenant can be deleted. Suspend it first.")
	case now.Sub(t.Since) < StillTime:
		return problem.New(problem.InvalidState,
			"The tenant must have been suspended for a minute: servers remember API keys for some seconds.").
			Retry(StillTime - now.Sub(t.Since))
	case locked.money.Payments > 0:
		return refuse(fmt.Sprintf("%d of the tenant's payments and refunds have no outcome yet. Wait for their end, or cancel the "+
			"payments and complete the offline refunds on the tenant's behalf.", locked.money.Payments))
	case locked.money.Refunds > 0:
		return refuse(fmt.Sprintf("The payments of %d ended bookings are yet to be refunded or cancelled. Wait for it.",
			locked.money.Refunds))
	case exportedAt == nil || locked.row.ExportID == nil || *locked.row.ExportID != export:
		return refuse("Export the tenant first, and give the export_id of the last line of its last export.")
	case exportedAt.Before(t.Since):
		return refuse("The export began before the tenant was suspended. Export it again.")
	case !locked.money.LastChange.Before(*exportedAt):
		return refuse("Something changed since the export began. Export the tenant again.")
	}
	return nil
}

// changeTenant runs decide in a transaction that holds the tenant's row. decide changes the tenant that it is given as
// it queues.
func (s *Service) changeTenant(ctx context.Context, id uuid.UUID, request *db.Request, ifMatch string,
	decide func(*db.WriteTx, lockedTenant, *Listed) error,
) (t Listed, err error) {
	defer s.forgetIf(func(known Tenant) bool { return known.ID == id })
	err = s.db.Write(ctx, changing, id, request, func(tx *db.WriteTx) func() error {
		var locked lockedTenant
		queueLocked(tx, &locked)
		return func() error {
			if locked.row == nil {
				return problem.Missing()
			}
			t = listedOf(*locked.row)
			if !etag.Match(ifMatch, t.Version) {
				return problem.New(problem.VersionMismatch,
					"The tenant has changed since the version that If-Match names.")
			}
			if t.Status == StatusDeleting || t.Status == StatusDeleted {
				return problem.New(problem.InvalidState, "The tenant is "+string(t.Status)+".")
			}
			return decide(tx, locked, &t)
		}
	})
	return t, err
}

// ActFor returns a tenant for the operator, who acts in its place with all scopes. name is the tenant's slug or id,
// operator who acts, as the tenant's history will tell it. A suspended tenant is no obstacle.
//
// Errors: problem.NotFound; problem.InvalidState for a name that two tenants have; problem.TenantSuspended for a tenant
// that is deleting; problem.DatabaseUnavailable.
func (s *Service) ActFor(ctx context.Context, name, operator string) (Tenant, error) {
	t, err := s.Find(ctx, name)
	if err != nil {
		return Tenant{}, err
	}
	switch t.status {
	case StatusDeleted:
		return Tenant{}, problem.Missing()
	case StatusDeleting:
		return Tenant{}, problem.New(problem.TenantSuspended, "The tenant is being deleted.")
	case StatusActive, StatusSuspended:
	}
	t.Scopes, t.Operator = AllScopes(), operator
	return t, nil
}

// Find returns the tenant that has a text as its slug or as its id, also a deleted one, with no scope. It is for the
// operator. Errors: problem.NotFound; problem.InvalidState for a text that is the slug of one tenant and the id of
// another; problem.DatabaseUnavailable.
func (s *Service) Find(ctx context.Context, slugOrID string) (Tenant, error) {
	row, err := findTenant(ctx, s.db, slugOrID)
	if err != nil {
		return Tenant{}, err
	}
	loc, err := timezone.Load(row.TimeZone)
	return Tenant{
		ID:        row.TenantID,
		Slug:      row.Slug,
		Name:      row.Name,
		Location:  loc,
		Currency:  row.Currency,
		CreatedAt: row.CreatedAt,
		status:    Status(row.Status),
	}, err
}
