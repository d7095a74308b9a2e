package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/email"
	"holdfast/internal/etag"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
)

// Service has the use cases of tenants' settings. It is safe for concurrent use.
type Service struct {
	db      *db.DB
	senders email.Senders
}

// NewService returns the use cases on d.
func NewService(d *db.DB) *Service { return &Service{db: d} }

// SendAs tells the service, before it is used, which senders the server has.
func (s *Service) SendAs(senders email.Senders) { s.senders = senders }

// Get returns a tenant with its settings. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, tenant uuid.UUID) (Tenant, error) {
	row, err := read(ctx, s.db, tenant)
	if err != nil {
		return Tenant{}, err
	}
	return fromRow(tenant, row)
}

func fromRow(id uuid.UUID, row tenantRow) (t Tenant, err error) {
	t = Tenant{
		ID:        id,
		Slug:      row.Slug,
		Name:      row.Name,
		TimeZone:  row.TimeZone,
		Currency:  row.Currency,
		Version:   row.SettingsVersion,
		CreatedAt: row.CreatedAt,
		LogoHash:  row.LogoHash,
	}
	if t.Settings, err = Parse(row.Settings); err != nil {
		return t, err
	}
	if err := json.Unmarshal(row.EmailTemplates, &t.Templates); err != nil {
		return t, fmt.Errorf("read a tenant's templates: %w", err)
	}
	return t, nil
}

// Change changes a tenant's settings. In the same commit it moves the event that plans what the settings ask for,
// unless they ask for the same as before. ifMatch names the versions that may be changed, empty for any; see
// etag.Match. A change to what is already so writes nothing and keeps the version.
//
// Errors: problem.NotFound, problem.ValidationFailed, problem.VersionMismatch; those of db.DB.Write.
func (s *Service) Change(ctx context.Context, tenant uuid.UUID, p mergepatch.Patch[Spec],
	ifMatch string,
) (Tenant, error) {
	return s.change(ctx, tenant, ifMatch, func(tx *db.WriteTx, t *Tenant) error {
		before := *t
		spec, err := p.Apply(t.spec())
		if err != nil {
			return err
		}
		if err := spec.applyTo(t); err != nil {
			return err
		}
		// An address that was given to an earlier version stays, so that other settings can be changed. Nothing is sent
		// from it.
		if from := t.Settings.From; from != nil &&
			(before.Settings.From == nil || from.Email != before.Settings.From.Email) {
			if err := s.senders.Check("email.from.email", *from); err != nil {
				return err
			}
		}
		if reflect.DeepEqual(t.Body(), before.Body()) {
			return nil
		}
		t.Settings.keepSince(before.Settings, tx.Now())
		t.Version++
		settings, err := json.Marshal(t.Settings)
		if err != nil {
			return fmt.Errorf("encode a tenant's settings: %w", err)
		}
		templates, err := json.Marshal(t.Templates)
		if err != nil {
			return fmt.Errorf("encode a tenant's templates: %w", err)
		}
		queueSettings(tx, t.Name, settings, templates)
		if !t.Settings.plansLike(before.Settings) {
			tx.MoveEvent(PlanAhead(tenant, tx.Now()))
		}
		return nil
	})
}

// change runs decide in a transaction that holds the tenant's row. decide changes the tenant that it is given as it
// queues. ifMatch is as of Change. Errors: decide's own; problem.NotFound, problem.VersionMismatch; those of
// db.DB.Write.
func (s *Service) change(ctx context.Context, tenant uuid.UUID, ifMatch string, decide func(*db.WriteTx, *Tenant) error,
) (t Tenant, err error) {
	err = s.db.Write(ctx, "change the tenant's data", tenant, nil, func(tx *db.WriteTx) func() error {
		var row *tenantRow
		queueLocked(tx, &row)
		return func() (err error) {
			if row == nil {
				return problem.Missing()
			}
			if t, err = fromRow(tenant, *row); err != nil {
				return err
			}
			if !etag.Match(ifMatch, t.Version) {
				return problem.New(problem.VersionMismatch,
					"The settings have changed since the version that If-Match names.")
			}
			return decide(tx, &t)
		}
	})
	return t, err
}
