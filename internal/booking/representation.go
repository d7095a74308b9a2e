package booking

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/timetable"
)

// made returns the outcome of a request that made the booking.
func (b Booking) made() (idempotency.Outcome, error) {
	return idempotency.Made(event.SubjectBooking, b.ID, b.Version, b.Body())
}

// changed returns the outcome of a request that changed the booking.
func (b Booking) changed() (idempotency.Outcome, error) {
	return idempotency.Changed(event.SubjectBooking, b.ID, b.Version, b.Body())
}

// BookingBody is a booking in the API.
type BookingBody struct {
	ID          uuid.UUID              `json:"id" format:"uuid"`
	ServiceID   uuid.UUID              `json:"service_id" format:"uuid"`
	ResourceID  uuid.UUID              `json:"resource_id" format:"uuid"`
	ResourceIDs []uuid.UUID            `json:"resource_ids,omitempty" format:"uuid" doc:"All resources that it has, the first of them resource_id; absent if it has only that."`
	Customer    *customer.CustomerBody `json:"customer,omitempty" doc:"Absent of a hold whose customer is not known yet."`
	Status      Status                 `json:"status" example:"confirmed"`
	Date        string                 `json:"date" format:"date" example:"2027-07-01" doc:"The civil date of starts_at in time_zone."`
	StartsAt    time.Time              `json:"starts_at" example:"2027-07-01T10:00:00+02:00"`
	EndsAt      time.Time              `json:"ends_at" example:"2027-07-01T11:00:00+02:00"`
	TimeZone    string                 `json:"time_zone" example:"Europe/Berlin"`
	StayBody
	PartySize     int        `json:"party_size" example:"2"`
	HoldExpiresAt *time.Time `json:"hold_expires_at,omitempty" doc:"When the hold ends, or would have ended, by itself. A hold past it counts as free."`
	Price         int64      `json:"price" example:"4500" doc:"Minor units of currency, as of when the booking was made, or quoted anew."`
	Deposit       int64      `json:"deposit" example:"1000"`
	Paid          int64      `json:"paid" example:"1000" doc:"What was captured, also of what was refunded since."`
	Refunded      int64      `json:"refunded" example:"0" doc:"What was returned of it. The balance tells what is on its way back."`
	Due           int64      `json:"due" example:"3500" doc:"What is still to pay: of the price, or of the fee of a booking that ended with a cancellation fee, less what refunds lower it by. Zero for any other booking that won't take place."`
	Overpaid      int64      `json:"overpaid" example:"0" doc:"What was captured, and neither returned nor is on its way back, beyond what the booking owes. POST /v1/bookings/{id}/refunds returns it. Zero for a booking that was cancelled without a cancellation fee: you decide what is refunded."`
	Currency      string     `json:"currency" example:"EUR"`
	Version       int64      `json:"version" example:"1" doc:"Grows with every change, those of the money included; the ETag is its text."`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`

	Code string `json:"code" example:"K7MX2PQR" doc:"A short name to be read over the phone."`
	DetailsBody
	PriceBody
	StatusTimes
}

// StayBody is what only a stay has, in the API.
type StayBody struct {
	Nights   int    `json:"nights,omitempty" example:"3" doc:"Of a stay: how many nights it has. A date that clocks skip has none."`
	CheckOut string `json:"check_out,omitempty" format:"date" example:"2027-07-04" doc:"Of a stay: the check-out date. date is the check-in date."`
}

func (b Booking) stayBody() StayBody {
	if b.Nights == 0 {
		return StayBody{}
	}
	return StayBody{Nights: b.Nights, CheckOut: b.checkOut().String()}
}

// Body returns the booking as the API shows it. All its times have the offset of its time zone.
func (b Booking) Body() BookingBody {
	loc := b.StartsAt.Location()
	created := b.CreatedAt.In(loc)
	body := BookingBody{
		ID:          b.ID,
		ServiceID:   b.ServiceID,
		ResourceID:  b.ResourceID,
		Status:      b.Status,
		Date:        b.Date.String(),
		StartsAt:    b.StartsAt,
		EndsAt:      b.EndsAt,
		TimeZone:    b.Location.String(),
		PartySize:   b.PartySize,
		Price:       b.Price,
		Deposit:     b.Deposit,
		Paid:        b.Paid,
		Refunded:    b.Refunded,
		Due:         b.Due,
		Overpaid:    b.Overpaid,
		Currency:    b.Currency,
		Version:     b.Version,
		DetailsBody: DetailsBody(b.Details),
		CreatedAt:   created,
		UpdatedAt:   b.UpdatedAt.In(loc),
		PriceBody:   b.priceBody(),
		StatusTimes: b.inZone(loc),
		Code:        b.Code,
		StayBody:    b.stayBody(),
	}
	if len(b.furtherIDs) > 0 {
		body.ResourceIDs = b.ResourceIDs()
	}
	if b.HasCustomer() {
		customer := b.Customer.Body()
		body.Customer = &customer
	}
	if b.HoldExpiresAt != nil {
		expires := b.HoldExpiresAt.In(loc)
		body.HoldExpiresAt = &expires
	} else { // it was never held
		body.ConfirmedAt = &created
	}
	return body
}

// PriceBody is what a booking's price is made of and what its end costs, in the API.
type PriceBody struct {
	Items []timetable.Item `json:"items" nullable:"false" doc:"What the price is made of; empty for a booking that was made before there were items."`
	Party map[string]int   `json:"party,omitempty" doc:"How many come of each unit type; absent if the service has none."`
	catalog.Terms
	CancellationFee    *int64  `json:"cancellation_fee,omitempty" example:"2250" doc:"What is kept, or due, of the price, less what refunds lower it by. Only of a booking that ended by its cancellation policy, or with a fee that the request said."`
	CancellationFeeSet bool    `json:"cancellation_fee_set,omitempty" doc:"true: the request that ended the booking said the fee. Otherwise the cancellation policy did."`
	CancellationReason *string `json:"cancellation_reason,omitempty" example:"The customer is ill."`
}

func (b Booking) priceBody() PriceBody {
	return PriceBody{
		Items: append([]timetable.Item{}, b.Items...), Party: timetable.PartyByType(b.Items), Terms: b.Terms,
		CancellationFee: b.State().Fee, CancellationFeeSet: b.CancellationFeeSet,
		CancellationReason: b.CancellationReason,
	}
}

// JSONSize returns about how many bytes of JSON the unbounded parts of a booking have. A page ends by it.
func (b Booking) JSONSize() int {
	const item, step = 300, 60
	return len(b.Metadata) + item*len(b.Items) + step*len(b.CancellationPolicy.Steps)
}
