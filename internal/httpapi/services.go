package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

// newServiceBody asks for a service.
type newServiceBody struct {
	Name                string                  `json:"name" minLength:"1" maxLength:"200" example:"Harbour tour"`
	Kind                booking.Kind            `json:"kind" enum:"date,slot" doc:"date sells whole dates, slot a duration inside the opening hours."`
	ResourceIDs         []uuid.UUID             `json:"resource_ids" minItems:"1" maxItems:"100" nullable:"false" format:"uuid" doc:"What can serve it, in the order in which it is tried."`
	DurationMinutes     int                     `json:"duration_minutes,omitempty" minimum:"0" maximum:"10080" example:"60" doc:"For a slot service: how long a slot lasts. Either this, or duration_days, or until_closing."`
	DurationDays        int                     `json:"duration_days,omitempty" minimum:"0" maximum:"7" example:"1" doc:"For a slot service: a slot ends so many days later at the same time of day, also when clocks change meanwhile."`
	UntilClosing        bool                    `json:"until_closing,omitempty" doc:"For a slot service: a slot lasts until the opening hours in which it starts end. Resources that close at different times have slots of their own."`
	SlotIntervalMinutes int                     `json:"slot_interval_minutes,omitempty" minimum:"0" maximum:"1440" example:"30" doc:"For a slot service: slots start this often, by the clock, from the opening time on. If absent: duration_minutes, but at most a day; a day with duration_days or until_closing."`
	BufferBeforeMinutes int                     `json:"buffer_before_minutes,omitempty" minimum:"0" maximum:"1440" doc:"Kept free before a booking. Either this or buffer_before_days."`
	BufferBeforeDays    int                     `json:"buffer_before_days,omitempty" minimum:"0" maximum:"7" doc:"Kept free before a booking, in days: whole dates for a date service, else until the same time of day."`
	BufferAfterMinutes  int                     `json:"buffer_after_minutes,omitempty" minimum:"0" maximum:"1440" doc:"Kept free after a booking. Either this or buffer_after_days."`
	BufferAfterDays     int                     `json:"buffer_after_days,omitempty" minimum:"0" maximum:"7" doc:"Kept free after a booking, in days: whole dates for a date service, else until the same time of day."`
	MinLeadMinutes      int                     `json:"min_lead_minutes,omitempty" minimum:"0" maximum:"527040" doc:"How long before it begins it must be booked: a date begins at midnight. 0: a date can be booked until it ends. At most the booking window."`
	BookingWindowDays   *int                    `json:"booking_window_days,omitempty" minimum:"0" maximum:"3650" doc:"How many days after today can be booked; 365 if absent."`
	MaxPerDay           *int                    `json:"max_per_day,omitempty" minimum:"1" maximum:"1000000" doc:"Most bookings that start on one date."`
	Price               int64                   `json:"price" minimum:"0" maximum:"9007199254740991" example:"4500" doc:"Minor units of the tenant's currency; 0 if it is free."`
	Deposit             int64                   `json:"deposit,omitempty" minimum:"0" maximum:"9007199254740991" example:"1000" doc:"Part of the price that is due at once."`
	ConfirmOnDeposit    bool                    `json:"confirm_on_deposit,omitempty" doc:"true: the payment of a hold's deposit confirms the hold, if its customer is known. Copied to each booking."`
	Metadata            booking.Metadata        `json:"metadata,omitempty"`
	Reminders           []settings.ReminderBody `json:"reminders,omitzero" maxItems:"10" nullable:"false" doc:"In place of the tenant's. An empty list sends none."`

	booking.Pricing
	CancellationPolicy booking.CancellationPolicy `json:"cancellation_policy,omitempty" doc:"What is kept, or due, of the price of a confirmed booking that is cancelled. Without it the tenant decides what is refunded. Copied to each booking."`
}

func (b newServiceBody) service() (booking.BookableService, error) {
	raw, err := metadataOf(b.Metadata)
	o := booking.BookableService{
		Name: b.Name, Kind: b.Kind, ResourceIDs: b.ResourceIDs, DurationMinutes: b.DurationMinutes, DurationDays: b.DurationDays,
		UntilClosing: b.UntilClosing, SlotIntervalMinutes: b.SlotIntervalMinutes,
		BufferBeforeMinutes: b.BufferBeforeMinutes, BufferBeforeDays: b.BufferBeforeDays,
		BufferAfterMinutes: b.BufferAfterMinutes, BufferAfterDays: b.BufferAfterDays, MinLeadMinutes: b.MinLeadMinutes, BookingWindowDays: booking.DefaultBookingWindowDays,
		MaxPerDay: b.MaxPerDay, Price: b.Price, Deposit: b.Deposit, Pricing: b.Pricing, CancellationPolicy: b.CancellationPolicy,
		ConfirmOnDeposit: b.ConfirmOnDeposit, Metadata: raw,
	}
	if b.BookingWindowDays != nil {
		o.BookingWindowDays = *b.BookingWindowDays
	}
	if err == nil && b.Reminders != nil {
		o.Reminders, err = settings.Reminders("reminders", b.Reminders)
	}
	return o, err
}

type changeServiceInput struct {
	IDInput
	IfMatchInput
	Body booking.ServiceChange
}

type listServicesInput struct {
	PageInput
	ArchivedInput
	NameInput
}

func (a *API) routeServices() {
	const path, tag = "/v1/services", "Services"

	registerIdempotent[booking.ServiceBody](a, route{
		id: "create-service", method: http.MethodPost, path: path, scope: tenant.ScopeAdmin, tag: tag, status: http.StatusCreated, errors: []int{404},
		summary: "Define what is sold",
	}, func(ctx context.Context, in *struct{ Body newServiceBody }) (idempotency.Response, error) {
		o, err := in.Body.service()
		if err != nil {
			return idempotency.Response{}, err
		}
		return a.Bookings.CreateService(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, o)
	})

	registerGetVersioned(a, route{id: "get-service", path: path + "/{id}", tag: tag, summary: "Read a service"}, a.Bookings.Service)

	register(a, route{
		id: "list-services", method: http.MethodGet, path: path, scope: tenant.ScopeRead, tag: tag, cost: costOfList, errors: []int{422}, summary: "List services",
	}, a.listServices)

	register(a, route{
		id: "change-service", method: http.MethodPatch, path: path + "/{id}", scope: tenant.ScopeAdmin, tag: tag, errors: []int{404, 412}, summary: "Change a service",
		description: "What isn't given stays as it is. Bookings stay as they are, with their price. A change to what is already so keeps the version.",
	}, func(ctx context.Context, in *changeServiceInput) (*versioned[booking.ServiceBody], error) {
		if in.Body.Metadata != nil {
			raw, err := metadataOf(in.Body.Metadata)
			if err != nil {
				return nil, err
			}
			in.Body.Metadata = booking.Metadata(raw)
		}
		return versionedOf(a.Bookings.ChangeService(ctx, callOf(ctx).tenant, in.ID, in.Body, booking.Precondition(in.IfMatch)))
	})

	registerArchive[booking.ServiceBody](a, path, tag, "service", a.Bookings.ArchiveService)
	a.registerConflicts(path, tag, "service", func(q *booking.ConflictQuery, id *uuid.UUID) { q.ServiceID = id })

	a.routeAvailability(path+"/{id}/availability", tag)
}

func (a *API) listServices(ctx context.Context, in *listServicesInput) (*output[page[booking.ServiceBody]], error) {
	after, err := in.afterID()
	if err != nil {
		return nil, err
	}
	rows, n, err := readPage(in.Limit, sizeOfService, func(last *booking.BookableService, limit int) ([]booking.BookableService, error) {
		if last != nil {
			after = last.ID
		}
		return a.Bookings.Services(ctx, callOf(ctx).tenant, booking.ListQuery{Archived: in.Archived, Name: in.Name, After: after, Limit: limit})
	})
	if err != nil {
		return nil, err
	}
	return &output[page[booking.ServiceBody]]{pageOf(rows, n, booking.BookableService.Body, func(o booking.BookableService) string {
		return o.ID.String()
	})}, nil
}
