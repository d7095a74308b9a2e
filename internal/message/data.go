package message

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/email"
	"holdfast/internal/settings"
	"holdfast/internal/timetable"
	"holdfast/internal/timezone"
)

// bookingData is a booking with what a message about it tells and depends on.
type bookingData struct {
	booking.Booking
	// settings are the tenant's, with the service's own reminders in place of the tenant's if it has some.
	settings                              settings.Settings
	tenantID                              uuid.UUID
	slug                                  string // the tenant's
	tenantName, serviceName, resourceName string
	// allDay says that the booking is for whole dates.
	allDay bool
	// customerVersion is the customer's version, 0 without a customer.
	customerVersion int64
	// suspended says that the tenant is.
	suspended bool
	// paying says that a payment of the booking is open.
	paying bool
	// unsubscribed says that the customer wants no greetings and no follow-ups.
	unsubscribed bool
	// template is the tenant's own of the kind that was asked for, zero without one.
	template email.Template
}

// bookingData reads a booking with what a message about it tells and depends on. kind is that of an email, or empty.
// Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) bookingData(ctx context.Context, tenant, id uuid.UUID, kind email.Kind) (d bookingData, err error) {
	row, more, err := s.readBooking(ctx, tenant, id, string(kind))
	if err != nil {
		return d, err
	}
	if d.Booking, err = booking.FromRow(&row); err != nil {
		return d, err
	}
	if d.settings, err = settings.Parse(more.Settings); err != nil {
		return d, err
	}
	own, err := settings.ParseReminders(more.Reminders)
	if err != nil {
		return d, err
	}
	d.settings, d.tenantID = d.settings.Override(own), tenant
	d.tenantName, d.serviceName, d.resourceName, d.suspended = more.TenantName, more.ServiceName, more.ResourceName,
		more.Suspended
	d.slug = more.Slug
	d.customerVersion, d.paying = more.CustomerVersion, more.Paying
	d.allDay, d.unsubscribed = timetable.ServiceKind(more.ServiceKind).WholeDates() && d.WholeDates(),
		more.UnsubscribedAt != nil
	d.template, err = parseTemplate(more.Template)
	return d, err
}

// customerData is a customer with what a message about it tells and depends on.
type customerData struct {
	customer.Details
	settings   settings.Settings
	slug       string // the tenant's
	tenantName string
	suspended  bool // the tenant is
	// tenantZone is the tenant's time zone, location the customer's: that of the tenant if none is known.
	tenantZone, location *time.Location
	// template is the tenant's own of the kind that was asked for, zero without one.
	template email.Template
	// greeted are the customer and those who were merged into it, as far as they had the greeting that was asked for,
	// or have none on request.
	greeted []uuid.UUID
}

// customerData reads a customer with what a message about it tells and depends on. kind is that of an email, or empty.
// Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) customerData(ctx context.Context, tenant, id uuid.UUID, kind email.Kind) (d customerData, err error) {
	row, more, err := s.readCustomer(ctx, tenant, id, string(kind))
	if err != nil {
		return d, err
	}
	d = customerData{
		Details: customer.DetailsFromRow(row), slug: more.Slug, tenantName: more.TenantName, suspended: more.Suspended,
	}
	if d.settings, err = settings.Parse(more.Settings); err != nil {
		return d, err
	}
	if d.tenantZone, err = timezone.Load(more.TenantTimeZone); err != nil {
		return d, err
	}
	if d.location, err = d.Location(d.tenantZone); err != nil {
		return d, err
	}
	d.template, err = parseTemplate(more.Template)
	return d, err
}

func parseTemplate(stored []byte) (t email.Template, err error) {
	if err := json.Unmarshal(stored, &t); err != nil {
		return t, fmt.Errorf("read a template: %w", err)
	}
	return t, nil
}
