package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"holdfast/internal/db/store"
	"holdfast/internal/email"
	"holdfast/internal/etag"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
)

// Service has the use cases of tenants' settings. It is safe for concurrent use.
type Service struct {
	store   *store.Store
	senders email.Senders
}

// NewService returns the use cases on s.
func NewService(s *store.Store) *Service { return &Service{store: s} }

// SendAs tells the service, before it is used, which senders the server has.
func (s *Service) SendAs(senders email.Senders) { s.senders = senders }

// Get returns a tenant with its settings. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, tenant uuid.UUID) (Tenant, error) {
	row, err := s.store.TenantSettings(ctx, tenant)
	if err != nil {
		return Tenant{}, err
	}
	return fromRow(tenant, row)
}

func fromRow(id uuid.UUID, row store.TenantSettings) (t Tenant, err error) {
	t = Tenant{
		ID: id, Slug: row.Slug, Name: row.Name, TimeZone: row.TimeZone, Currency: row.Currency, Version: row.SettingsVersion,
		CreatedAt: row.CreatedAt, LogoHash: row.LogoHash,
	}
	if t.Settings, err = Parse(row.Settings); err != nil {
		return t, err
	}
	if err := json.Unmarshal(row.EmailTemplates, &t.Templates); err != nil {
		return t, fmt.Errorf("read a tenant's templates: %w", err)
	}
	return t, nil
}

// Change changes a tenant's settings. In the same commit it moves the event that plans what the settings ask for, unless they ask for the
// same as before. ifMatch names the versions that may be changed, empty for any; see etag.Match. A change to what is
// already so writes nothing and keeps the version.
//
// Errors: problem.NotFound, problem.ValidationFailed, problem.VersionMismatch; those of store.Store.Write.
func (s *Service) Change(ctx context.Context, tenant uuid.UUID, p mergepatch.Patch[Spec], ifMatch string) (t Tenant, err error) {
	err = s.store.Write(ctx, tenant, nil, store.WriteRead{Settings: true}, func(tx *store.WriteTx, st store.WriteState) error {
		if st.Settings == nil {
			return problem.Missing()
		}
		if t, err = fromRow(tenant, *st.Settings); err != nil {
			return err
		}
		if !etag.Match(ifMatch, t.Version) {
			return problem.New(problem.VersionMismatch, "The settings have changed since the version that If-Match names.")
		}
		before := t
		spec, err := p.Apply(t.spec())
		if err != nil {
			return err
		}
		if err := spec.applyTo(&t); err != nil {
			return err
		}
		// An address that was given to an earlier version stays, so that other settings can be changed. Nothing is sent from it.
		if from := t.Settings.From; from != nil && (before.Settings.From == nil || from.Email != before.Settings.From.Email) {
			if err := s.senders.Check("email.from.email", *from); err != nil {
				return err
			}
		}
		if reflect.DeepEqual(t.Body(), before.Body()) {
			return nil
		}
		t.Settings.keepSince(before.Settings, st.Now)
		t.Version++
		settings, err := json.Marshal(t.Settings)
		if err != nil {
			return fmt.Errorf("encode a tenant's settings: %w", err)
		}
		templates, err := json.Marshal(t.Templates)
		if err != nil {
			return fmt.Errorf("encode a tenant's templates: %w", err)
		}
		tx.SetSettings(t.Name, settings, templates)
		if !t.Settings.plansLike(before.Settings) {
			tx.MoveEvent(PlanAhead(tenant, st.Now))
		}
		return nil
	})
	return t, err
}
