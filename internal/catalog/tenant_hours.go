package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// TenantHours are the hours of the resources that inherit theirs. They are never inherited themselves.
type TenantHours struct {
	timetable.Hours
	// Version is that of the tenant's settings: every change of them, and of the hours, raises it.
	Version int64
}

// ETag returns the strong entity tag of the version.
func (h TenantHours) ETag() string { return etag.Of(h.Version) }

// Body returns the hours as the API shows them.
func (h TenantHours) Body() timetable.HoursBody { return h.Hours.Body().HoursBody }

// hoursFromRow returns the hours of a row. A tenant that never got hours is always open. It returns an error for a row
// that can't be read.
func hoursFromRow(row tenantHoursRow) (h TenantHours, err error) {
	h.Version = row.SettingsVersion
	if err := json.Unmarshal(row.Hours, &h.Hours); err != nil {
		return h, fmt.Errorf("read a tenant's hours: %w", err)
	}
	h.AlwaysOpen = h.Weekly == nil
	return h, nil
}

// TenantHours returns the hours of a tenant. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) TenantHours(ctx context.Context, t tenant.Tenant) (TenantHours, error) {
	row, err := readHours(ctx, s.db, t.ID)
	if err != nil {
		return TenantHours{}, err
	}
	return hoursFromRow(row)
}

// SetTenantHours replaces the hours of a tenant. Bookings that were made by the old ones stay. A change to what is
// already so writes nothing and keeps the version.
//
// Errors: problem.NotFound, problem.ValidationFailed, problem.VersionMismatch; those of db.DB.Write.
func (s *Service) SetTenantHours(
	ctx context.Context,
	t tenant.Tenant,
	given timetable.Hours,
	allowed etag.Precondition,
) (h TenantHours, err error) {
	given.AlwaysOpen = given.Weekly == nil
	if err := given.Check(); err != nil {
		return h, err
	}
	err = s.db.Write(ctx, changing, t.ID, nil, func(tx *db.WriteTx) func() error {
		var row *tenantHoursRow
		queueLockedHours(tx, &row)
		return func() error {
			if row == nil {
				return problem.Missing()
			}
			if h, err = hoursFromRow(*row); err != nil {
				return err
			}
			if err := allowed.Check("tenant", h.Version); err != nil {
				return err
			}
			before := h.Body()
			if h.Hours = given; reflect.DeepEqual(before, h.Body()) {
				return nil
			}
			h.Version++
			hours, err := json.Marshal(h.Hours)
			if err != nil {
				return fmt.Errorf("encode a tenant's hours: %w", err)
			}
			queueHours(tx, hours)
			return nil
		}
	})
	return h, err
}
