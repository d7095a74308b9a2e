package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// customerBody is who booked.
type customerBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	NewCustomerBody
}

// newBookingBody asks for a booking.
type newBookingBody struct {
	ServiceID   uuid.UUID        `json:"service_id" format:"uuid" example:"0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a10"`
	ResourceID  *uuid.UUID       `json:"resource_id,omitempty" format:"uuid" doc:"Without it, the first of the service's resources that fits is taken."`
	Date        *string          `json:"date,omitempty" format:"date" example:"2027-07-01" doc:"For a date service."`
	StartsAt    *string          `json:"starts_at,omitempty" maxLength:"40" format:"date-time" example:"2027-07-01T10:00:00+02:00" doc:"For a slot service: RFC 3339 with an offset."`
	PartySize   *int             `json:"party_size,omitempty" minimum:"1" maximum:"1000" doc:"Units that the booking takes; 1 if absent."`
	Customer    *NewCustomerBody `json:"customer,omitempty" doc:"Either this or customer_id. What is given here and differs from what is known of the customer with this email replaces it."`
	CustomerID  *uuid.UUID       `json:"customer_id,omitempty" format:"uuid" doc:"Either this or customer."`
	HoldMinutes *int             `json:"hold_minutes,omitempty" minimum:"1" maximum:"10080" doc:"Makes a hold that expires by itself; without it the booking is confirmed at once."`
	Metadata    metadata         `json:"metadata,omitempty"`
}

// NewCustomerBody is a customer as a client gives it.
type NewCustomerBody struct {
	Name     string  `json:"name" minLength:"1" maxLength:"200" example:"Ada Lovelace" doc:"Not blank, and without control characters."`
	Email    string  `json:"email" minLength:"3" maxLength:"254" example:"ada@example.com" doc:"Matches the customer within the tenant, whatever its case."`
	Phone    *string `json:"phone,omitempty" minLength:"1" maxLength:"50" example:"+49 30 901820"`
	TimeZone *string `json:"time_zone,omitempty" minLength:"1" maxLength:"64" example:"Europe/London"`
	Birthday *string `json:"birthday,omitempty" format:"date" example:"1990-12-10" doc:"Not after today, where the customer is or, without time_zone, where the tenant is."`
}

// bookingBody is a booking.
type bookingBody struct {
	ID            uuid.UUID      `json:"id" format:"uuid"`
	ServiceID     uuid.UUID      `json:"service_id" format:"uuid"`
	ResourceID    uuid.UUID      `json:"resource_id" format:"uuid"`
	Customer      customerBody   `json:"customer"`
	Status        booking.Status `json:"status" enum:"held,confirmed,completed,cancelled,expired,no_show" example:"confirmed"`
	Date          string         `json:"date" format:"date" example:"2027-07-01" doc:"The civil date of starts_at in time_zone."`
	StartsAt      time.Time      `json:"starts_at" example:"2027-07-01T10:00:00+02:00"`
	EndsAt        time.Time      `json:"ends_at" example:"2027-07-01T11:00:00+02:00"`
	TimeZone      string         `json:"time_zone" example:"Europe/Berlin"`
	PartySize     int            `json:"party_size" example:"2"`
	HoldExpiresAt *time.Time     `json:"hold_expires_at,omitempty" doc:"When the hold ends, or would have ended, by itself. A hold past it counts as free."`
	Price         int64          `json:"price" example:"4500" doc:"Minor units of currency, as of when the booking was made."`
	Deposit       int64          `json:"deposit" example:"1000"`
	Paid          int64          `json:"paid" example:"1000" doc:"What was captured; the balance tells what was refunded of it."`
	Due           int64          `json:"due" example:"3500" doc:"What is still to pay; zero for a booking that won't take place."`
	Currency      string         `json:"currency" example:"EUR"`
	Version       int64          `json:"version" example:"1" doc:"Grows with every change, those of the money included; the ETag is its text."`
	Metadata      metadata       `json:"metadata"`
	CreatedAt     time.Time      `json:"created_at"`
	UpdatedAt     time.Time      `json:"updated_at"`
}

func bookingBodyOf(b booking.Booking) bookingBody {
	body := bookingBody{
		ID: b.ID, ServiceID: b.ServiceID, ResourceID: b.ResourceID, Status: b.Status, Date: b.Date.String(),
		Customer: customerBody{
			ID: b.Customer.ID,
			NewCustomerBody: NewCustomerBody{
				Name: b.Customer.Name, Email: b.Customer.Email, Phone: b.Customer.Phone, TimeZone: b.Customer.TimeZone,
			},
		},
		StartsAt: b.StartsAt, EndsAt: b.EndsAt, TimeZone: b.Location.String(), PartySize: b.PartySize,
		Price: b.Price, Deposit: b.Deposit, Paid: b.Paid, Due: b.Due, Currency: b.Currency, Version: b.Version, Metadata: metadata(b.Metadata),
		CreatedAt: b.CreatedAt.UTC(), UpdatedAt: b.UpdatedAt.UTC(),
	}
	if b.Customer.Birthday != nil {
		birthday := b.Customer.Birthday.String()
		body.Customer.Birthday = &birthday
	}
	if b.HoldExpiresAt != nil {
		expires := b.HoldExpiresAt.UTC()
		body.HoldExpiresAt = &expires
	}
	return body
}

func (b newBookingBody) booking() (booking.New, error) {
	n := booking.New{
		ServiceID: b.ServiceID, ResourceID: b.ResourceID, When: booking.When{StartsAt: b.StartsAt}, PartySize: 1,
		CustomerID: b.CustomerID, HoldMinutes: b.HoldMinutes,
	}
	if b.PartySize != nil {
		n.PartySize = *b.PartySize
	}
	if b.Date != nil {
		d, err := parseDate("date", *b.Date)
		if err != nil {
			return n, err
		}
		n.When.Date = &d
	}
	if c := b.Customer; c != nil {
		n.Customer = &booking.Customer{Name: c.Name, Email: c.Email, Phone: c.Phone, TimeZone: c.TimeZone}
		if c.Birthday != nil {
			d, err := parseDate("customer.birthday", *c.Birthday)
			if err != nil {
				return n, err
			}
			n.Customer.Birthday = &d
		}
	}
	var err error
	n.Metadata, err = b.Metadata.raw()
	return n, err
}

func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// precondition reads If-Match: none and * match any version, a list matches the versions in it. Weak tags
// never match (RFC 9110, section 13.1.1).
func precondition(ifMatch string) booking.Precondition {
	return func(version int64) error {
		if ifMatch == "" || strings.TrimSpace(ifMatch) == "*" {
			return nil
		}
		for tag := range strings.SplitSeq(ifMatch, ",") {
			if strings.TrimSpace(tag) == etag(version) {
				return nil
			}
		}
		return problem.New(problem.VersionMismatch, "The booking has changed since the version that If-Match names.")
	}
}

type bookingOutput struct {
	ETag string `header:"ETag"`
	Body bookingBody
}

func (a *API) routeBookings() {
	const path = "/v1/bookings"
	tags := []string{"Bookings"}
	security := []map[string][]string{{schemeAPIKey: {}}}

	huma.Register(a.huma, idempotent[bookingBody](a, huma.Operation{
		OperationID: "create-booking", Method: http.MethodPost, Path: path, DefaultStatus: http.StatusCreated,
		Summary: "Book, or hold, a date or a slot",
		Description: "Either the booking is made and nobody else can have the same units at the same time, or nothing is written. " +
			"A customer is known by email. The name, and the phone, time_zone and birthday if they are given, replace what is known of " +
			"the customer, in the same commit as the booking; a retry with the same Idempotency-Key changes nothing.",
		Tags: tags, Security: security, Errors: []int{400, 401, 404, 409, 413, 415, 422, 503},
	}), func(ctx context.Context, in *struct{ Body newBookingBody }) (*storedOutput, error) {
		n, err := in.Body.booking()
		if err != nil {
			return nil, err
		}
		return stored(a.Bookings.Create(ctx, tenantOf(ctx), idempotencyOf(ctx), n, func(b booking.Booking) (idempotency.Response, error) {
			return respond(http.StatusCreated, path+"/"+b.ID.String(), etag(b.Version), bookingBodyOf(b))
		}))
	})

	huma.Register(a.huma, huma.Operation{
		OperationID: "get-booking", Method: http.MethodGet, Path: path + "/{id}", Summary: "Read a booking",
		Tags: tags, Security: security, Errors: []int{400, 401, 404, 503},
	}, func(ctx context.Context, in *IDInput) (*bookingOutput, error) {
		b, err := a.Bookings.Get(ctx, tenantOf(ctx), in.ID)
		if err != nil {
			return nil, err
		}
		return &bookingOutput{ETag: etag(b.Version), Body: bookingBodyOf(b)}, nil
	})

	list := huma.Operation{
		OperationID: "list-bookings", Method: http.MethodGet, Path: path, Summary: "List bookings by date",
		Tags: tags, Security: security, Errors: []int{400, 401, 422, 503},
	}
	a.costs.declare(list, costOfList)
	huma.Register(a.huma, list, a.listBookings)

	for _, c := range []struct {
		change  booking.Change
		summary string
	}{
		{booking.Confirm, "Confirm a hold before it expires"},
		{booking.Cancel, "Cancel a hold or a booking and free its time"},
		{booking.Complete, "Record that a booking took place"},
		{booking.MarkNoShow, "Record that nobody came"},
	} {
		huma.Register(a.huma, idempotent[bookingBody](a, huma.Operation{
			OperationID: string(c.change) + "-booking", Method: http.MethodPost, Path: path + "/{id}/" + string(c.change),
			DefaultStatus: http.StatusOK, Summary: c.summary,
			Tags: tags, Security: security, Errors: []int{400, 401, 404, 409, 412, 413, 415, 422, 503},
		}), func(ctx context.Context, in *changeInput) (*storedOutput, error) {
			if err := noBody(ctx); err != nil {
				return nil, err
			}
			return stored(a.Bookings.Change(ctx, tenantOf(ctx), idempotencyOf(ctx), in.ID, c.change, precondition(in.IfMatch),
				func(b booking.Booking) (idempotency.Response, error) {
					return respond(http.StatusOK, "", etag(b.Version), bookingBodyOf(b))
				}))
		})
	}
}

// IDInput is the id in a path. It is exported because huma sees embedded structs only if they are.
type IDInput struct {
	ID uuid.UUID `path:"id" format:"uuid"`
}

type changeInput struct {
	IDInput
	IfMatch string `header:"If-Match" maxLength:"1000" doc:"The change is refused with 412 unless the booking is at this ETag." example:"\"1\""`
}

// Resolve reads a list that is spread over several headers, of which huma reads the first.
func (in *changeInput) Resolve(ctx huma.Context) []error {
	in.IfMatch = strings.Join(humagin.Unwrap(ctx).Request.Header.Values("If-Match"), ",")
	return nil
}

type listBookingsInput struct {
	PageInput
	From       string `query:"from" format:"date" doc:"First date."`
	To         string `query:"to" format:"date" doc:"Last date."`
	Status     string `query:"status" enum:"held,confirmed,completed,cancelled,expired,no_show"`
	ServiceID  string `query:"service_id" format:"uuid"`
	ResourceID string `query:"resource_id" format:"uuid"`
	CustomerID string `query:"customer_id" format:"uuid"`
}

func (in *listBookingsInput) filter() (f booking.Filter, err error) {
	if f.From, err = parseOptionalDate("from", in.From); err != nil {
		return f, err
	}
	if f.To, err = parseOptionalDate("to", in.To); err != nil {
		return f, err
	}
	if in.Status != "" {
		status := booking.Status(in.Status)
		f.Status = &status
	}
	for _, id := range []struct {
		field, text string
		to          **uuid.UUID
	}{{"service_id", in.ServiceID, &f.ServiceID}, {"resource_id", in.ResourceID, &f.ResourceID}, {"customer_id", in.CustomerID, &f.CustomerID}} {
		if *id.to, err = parseOptionalID(id.field, id.text); err != nil {
			return f, err
		}
	}
	parts, err := in.after(2)
	if err != nil || parts == nil {
		return f, err
	}
	if f.AfterDate, err = parseDate("cursor", parts[0]); err != nil {
		return f, badCursor()
	}
	var ok bool
	if f.AfterID, ok = parseID(parts[1]); !ok {
		return f, badCursor()
	}
	return f, nil
}

func (a *API) listBookings(ctx context.Context, in *listBookingsInput) (*struct{ Body page[bookingBody] }, error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	list, n, err := readPage(in.Limit, sizeOfBooking, func(last *booking.Booking, limit int) ([]booking.Booking, error) {
		if last != nil {
			f.AfterDate, f.AfterID = last.Date, last.ID
		}
		f.Limit = limit
		return a.Bookings.List(ctx, tenantOf(ctx), f)
	})
	if err != nil {
		return nil, err
	}
	return &struct{ Body page[bookingBody] }{pageOf(list, n, bookingBodyOf, func(b booking.Booking) string {
		return b.Date.String() + "|" + b.ID.String()
	})}, nil
}
