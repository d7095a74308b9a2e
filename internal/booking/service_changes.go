package booking

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// ServiceChange is what a request changes of a service. What it doesn't give stays.
type ServiceChange struct {
	Name                *string                 `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Harbour tour"`
	ResourceIDs         []uuid.UUID             `json:"resource_ids,omitempty" minItems:"1" maxItems:"100" nullable:"false" format:"uuid" doc:"Replaces the list and its order. Bookings of a resource that is left out stay."`
	DurationMinutes     *int                    `json:"duration_minutes,omitempty" minimum:"0" maximum:"10080" example:"60" doc:"In place of duration_days and until_closing."`
	DurationDays        *int                    `json:"duration_days,omitempty" minimum:"0" maximum:"7" doc:"In place of duration_minutes and until_closing."`
	UntilClosing        *bool                   `json:"until_closing,omitempty" doc:"true: in place of duration_minutes and duration_days."`
	SlotIntervalMinutes *int                    `json:"slot_interval_minutes,omitempty" minimum:"0" maximum:"1440" example:"30"`
	BufferBeforeMinutes *int                    `json:"buffer_before_minutes,omitempty" minimum:"0" maximum:"1440" doc:"In place of buffer_before_days."`
	BufferBeforeDays    *int                    `json:"buffer_before_days,omitempty" minimum:"0" maximum:"7" doc:"In place of buffer_before_minutes."`
	BufferAfterMinutes  *int                    `json:"buffer_after_minutes,omitempty" minimum:"0" maximum:"1440" doc:"In place of buffer_after_days."`
	BufferAfterDays     *int                    `json:"buffer_after_days,omitempty" minimum:"0" maximum:"7" doc:"In place of buffer_after_minutes."`
	MinLeadMinutes      *int                    `json:"min_lead_minutes,omitempty" minimum:"0" maximum:"527040"`
	BookingWindowDays   *int                    `json:"booking_window_days,omitempty" minimum:"0" maximum:"3650"`
	MaxPerDay           *int                    `json:"max_per_day,omitempty" minimum:"0" maximum:"1000000" doc:"0 removes the maximum."`
	Price               *int64                  `json:"price,omitempty" minimum:"0" maximum:"9007199254740991" example:"4500" doc:"Of new bookings."`
	Deposit             *int64                  `json:"deposit,omitempty" minimum:"0" maximum:"9007199254740991" example:"1000" doc:"Of new bookings."`
	PricePer            *string                 `json:"price_per,omitempty" enum:"booking,unit" doc:"Of new bookings."`
	DepositPercent      *int                    `json:"deposit_percent,omitempty" minimum:"0" maximum:"100" example:"20" doc:"0 removes it."`
	Rates               []Rate                  `json:"rates,omitzero" maxItems:"100" nullable:"false" doc:"Replaces the list."`
	UnitTypes           []UnitType              `json:"unit_types,omitzero" maxItems:"20" nullable:"false" doc:"Replaces the list."`
	CancellationPolicy  *CancellationPolicy     `json:"cancellation_policy,omitempty" doc:"Of new bookings. {} removes it."`
	ConfirmOnDeposit    *bool                   `json:"confirm_on_deposit,omitempty" doc:"Of new bookings."`
	Metadata            Metadata                `json:"metadata,omitempty" doc:"Replaces the object."`
	Reminders           []settings.ReminderBody `json:"reminders,omitzero" maxItems:"10" nullable:"false" doc:"In place of the tenant's. An empty list sends none. Those of bookings that exist are planned within minutes."`
	TenantReminders     bool                    `json:"tenant_reminders,omitempty" doc:"true: the tenant's reminders again. Either this or reminders."`
}

// applyTo changes a service. Errors: problem.ValidationFailed.
func (c ServiceChange) applyTo(o *BookableService) (err error) {
	set(&o.Name, c.Name)
	c.setLengths(o)
	set(&o.SlotIntervalMinutes, c.SlotIntervalMinutes)
	set(&o.MinLeadMinutes, c.MinLeadMinutes)
	set(&o.BookingWindowDays, c.BookingWindowDays)
	set(&o.Price, c.Price)
	set(&o.Deposit, c.Deposit)
	set(&o.PricePer, c.PricePer)
	set(&o.DepositPercent, c.DepositPercent)
	set(&o.CancellationPolicy, c.CancellationPolicy)
	set(&o.ConfirmOnDeposit, c.ConfirmOnDeposit)
	if c.Rates != nil {
		o.Rates = nonEmpty(c.Rates)
	}
	if c.UnitTypes != nil {
		o.UnitTypes = nonEmpty(c.UnitTypes)
	}
	if c.ResourceIDs != nil {
		o.ResourceIDs = c.ResourceIDs
	}
	if c.MaxPerDay != nil {
		if o.MaxPerDay = c.MaxPerDay; *c.MaxPerDay == 0 {
			o.MaxPerDay = nil
		}
	}
	if c.Metadata != nil {
		o.Metadata = json.RawMessage(c.Metadata)
	}
	switch {
	case c.Reminders != nil && c.TenantReminders:
		return problem.Invalid("tenant_reminders", "excluded", "Leave out tenant_reminders, or leave out reminders.")
	case c.TenantReminders:
		o.Reminders = nil
	case c.Reminders != nil:
		o.Reminders, err = settings.Reminders("reminders", c.Reminders)
	}
	return err
}

// setLengths sets the duration and the buffers. What is given replaces the same length in another unit.
func (c ServiceChange) setLengths(o *BookableService) {
	given := func(n *int) bool { return n != nil && *n != 0 }
	if given(c.DurationMinutes) || given(c.DurationDays) || c.UntilClosing != nil && *c.UntilClosing {
		o.DurationMinutes, o.DurationDays, o.UntilClosing = 0, 0, false
	}
	if given(c.BufferBeforeMinutes) || given(c.BufferBeforeDays) {
		o.BufferBeforeMinutes, o.BufferBeforeDays = 0, 0
	}
	if given(c.BufferAfterMinutes) || given(c.BufferAfterDays) {
		o.BufferAfterMinutes, o.BufferAfterDays = 0, 0
	}
	set(&o.DurationMinutes, c.DurationMinutes)
	set(&o.DurationDays, c.DurationDays)
	set(&o.UntilClosing, c.UntilClosing)
	set(&o.BufferBeforeMinutes, c.BufferBeforeMinutes)
	set(&o.BufferBeforeDays, c.BufferBeforeDays)
	set(&o.BufferAfterMinutes, c.BufferAfterMinutes)
	set(&o.BufferAfterDays, c.BufferAfterDays)
}

// nonEmpty returns a list, nil if it is empty: a service without rates has none in its body.
func nonEmpty[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// ETag returns the strong entity tag of the service's version.
func (o BookableService) ETag() string { return etag.Of(o.Version) }

// ChangeService changes a service. Bookings stay as they are, with their price. A change to what is already so writes nothing and keeps
// the version. If the reminders change, the same commit plans the event that plans those of the bookings that exist.
//
// Errors, as of all changes of services: problem.NotFound, also for a resource that doesn't exist; problem.ValidationFailed,
// problem.VersionMismatch; those of store.Store.Write.
func (s *Service) ChangeService(ctx context.Context, t tenant.Tenant, id uuid.UUID, c ServiceChange, allowed Precondition) (o BookableService, err error) {
	err = s.store.Write(ctx, t.ID, store.WriteRead{Scope: t.ID, Service: &id}, func(tx *store.WriteTx, st store.WriteState) error {
		o, err = changeService(tx, st, t, allowed, "service.updated", c.applyTo)
		return err
	})
	return o, err
}

// ArchiveService archives a service, which then takes no new bookings, or takes it back from there. Without force it is refused with
// problem.BookingsInTheWay while the service has bookings that aren't over. Errors: also those of idempotency.Guard.Begin.
func (s *Service) ArchiveService(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, a Archiving, allowed Precondition) (idempotency.Response, error) {
	return s.writeOnce(ctx, t, r, noCheck, a.read(store.WriteRead{Service: &id}), func(tx *store.WriteTx, st store.WriteState) (resp idempotency.Response, err error) {
		o, err := changeService(tx, st, t, allowed, "service."+a.action(), func(o *BookableService) error { return a.apply(&o.ArchivedAt, st) })
		if err != nil {
			return resp, err
		}
		return idempotency.NewResponse(http.StatusOK, "", o.ETag(), o.Body())
	})
}

// changeService changes the service that was read and queues it with its next version and the entry of its history, unless nothing
// differs.
func changeService(tx *store.WriteTx, st store.WriteState, t tenant.Tenant, allowed Precondition, action string,
	change func(*BookableService) error,
) (BookableService, error) {
	if st.Service == nil {
		return BookableService{}, problem.Missing()
	}
	o, err := serviceFromRow(*st.Service)
	if err != nil {
		return o, err
	}
	if err := allowed.Check("service", o.Version); err != nil {
		return o, err
	}
	before := o
	if err := change(&o); err != nil {
		return o, err
	}
	if err := o.Check(); err != nil || reflect.DeepEqual(before.Body(), o.Body()) {
		return o, err
	}
	o.Version, o.UpdatedAt = o.Version+1, st.Now
	row, err := o.row()
	if err != nil {
		return o, err
	}
	tx.UpdateService(row, !slices.Equal(before.ResourceIDs, o.ResourceIDs))
	if !reflect.DeepEqual(before.Reminders, o.Reminders) {
		tx.MoveEvent(settings.PlanAhead(t.ID, st.Now))
	}
	return o, recordChange(tx, action, event.SubjectService, o.ID, o.Version, o.Body())
}

// row returns what is stored of a service.
func (o BookableService) row() (store.Service, error) {
	row := store.Service{
		ServiceID: o.ID, Name: o.Name, Kind: string(o.Kind), ResourceIds: o.ResourceIDs,
		DurationMinutes: int32(o.DurationMinutes), DurationDays: int32(o.DurationDays), UntilClosing: o.UntilClosing,
		SlotIntervalMinutes: int32(o.SlotIntervalMinutes), BufferBeforeMinutes: int32(o.BufferBeforeMinutes), BufferBeforeDays: int32(o.BufferBeforeDays),
		BufferAfterMinutes: int32(o.BufferAfterMinutes), BufferAfterDays: int32(o.BufferAfterDays), LongestMinutes: int32(o.longestMinutes()),
		MinLeadMinutes: int32(o.MinLeadMinutes), BookingWindowDays: int32(o.BookingWindowDays),
		Price: o.Price, Deposit: o.Deposit, ConfirmOnDeposit: o.ConfirmOnDeposit, Metadata: o.Metadata, ArchivedAt: o.ArchivedAt,
	}
	if o.MaxPerDay != nil {
		n := int32(*o.MaxPerDay)
		row.MaxPerDay = &n
	}
	var err error
	if row.Pricing, err = json.Marshal(o.Pricing); err != nil {
		return row, fmt.Errorf("encode a service's prices: %w", err)
	}
	if row.CancellationPolicy, err = json.Marshal(o.CancellationPolicy); err != nil {
		return row, fmt.Errorf("encode a service's cancellation policy: %w", err)
	}
	if o.Reminders != nil {
		reminders, err := json.Marshal(o.Reminders)
		if err != nil {
			return row, fmt.Errorf("encode a service's reminders: %w", err)
		}
		row.Reminders = reminders
	}
	return row, nil
}
