package booking

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// visitorTime is for how long after its confirmation, or else after its hold's end, a visitor may see a booking: enough
// for the page that confirms it, and for a payment that the bank is slow to decide.
const visitorTime = time.Hour

// Hold is a booking that a visitor of the tenant's website made, as a hold, and still goes on with.
type Hold struct{ Booking }

// GetHold returns a visitor's hold, also for a while after it was confirmed or ended. Errors: problem.NotFound, also
// for a booking that was made otherwise, and for one that was confirmed, or ended, longer ago;
// problem.DatabaseUnavailable.
func (s *Service) GetHold(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Hold, error) {
	row, err := readRow(ctx, s.db, t.ID, id)
	if err != nil {
		return Hold{}, err
	}
	b, err := FromRow(&row)
	if err != nil {
		return Hold{}, err
	}
	if !row.ByVisitor || !b.visitorMaySee(row.ReadAt) {
		return Hold{}, problem.Missing()
	}
	return Hold{b}, nil
}

// visitorMaySee reports whether a booking that a visitor made is one that the visitor still goes on with at now.
func (b Booking) visitorMaySee(now time.Time) bool {
	until := b.HoldExpiresAt
	if b.ConfirmedAt != nil {
		until = b.ConfirmedAt
	}
	return until != nil && now.Before(until.Add(visitorTime))
}

// HoldBody is a hold as a visitor of the tenant's website sees it, and what became of it. It shows nothing of the
// customer: the visitor gave it, and whoever else learns the id needn't see it. It has no metadata and no references,
// which are the tenant's.
type HoldBody struct {
	ID          uuid.UUID   `json:"id" format:"uuid" doc:"Whoever knows it can go on with the hold: keep it in the visitor's browser, and out of URLs."`
	Code        string      `json:"code" example:"K7MX2PQR" doc:"A short name to be read over the phone."`
	ServiceID   uuid.UUID   `json:"service_id" format:"uuid"`
	ResourceID  uuid.UUID   `json:"resource_id" format:"uuid"`
	ResourceIDs []uuid.UUID `json:"resource_ids,omitempty" format:"uuid" doc:"All resources that it has, the first of them resource_id; absent if it has only that."`
	Status      Status      `json:"status" example:"held"`
	Date        string      `json:"date" format:"date" example:"2027-07-01" doc:"The civil date of starts_at in time_zone."`
	StartsAt    time.Time   `json:"starts_at" example:"2027-07-01T10:00:00+02:00"`
	EndsAt      time.Time   `json:"ends_at" example:"2027-07-01T11:00:00+02:00"`
	TimeZone    string      `json:"time_zone" example:"Europe/Berlin"`
	StayBody
	PartySize     int              `json:"party_size" example:"2"`
	Party         map[string]int   `json:"party,omitempty" doc:"How many come of each unit type; absent if the service has none."`
	HoldExpiresAt *time.Time       `json:"hold_expires_at,omitempty" doc:"When the hold ends, or would have ended, by itself."`
	Price         int64            `json:"price" example:"4500" doc:"Minor units of currency."`
	Deposit       int64            `json:"deposit" example:"1000" doc:"What must be paid of the price before the hold can be confirmed."`
	Paid          int64            `json:"paid" example:"0"`
	Due           int64            `json:"due" example:"4500" doc:"What is still to pay of the price."`
	Currency      string           `json:"currency" example:"EUR"`
	Items         []timetable.Item `json:"items" nullable:"false" doc:"What the price is made of."`
	catalog.Terms
	Version     int64      `json:"version" example:"1" doc:"Grows with every change; the ETag is its text."`
	ConfirmedAt *time.Time `json:"confirmed_at,omitempty" doc:"When it was confirmed."`
}

// Body returns the hold as a visitor sees it.
func (h Hold) Body() HoldBody { return h.Booking.Body().Hold() }

// Hold returns the hold as a visitor sees it.
func (b BookingBody) Hold() HoldBody {
	return HoldBody{
		ID:            b.ID,
		Code:          b.Code,
		ServiceID:     b.ServiceID,
		ResourceID:    b.ResourceID,
		ResourceIDs:   b.ResourceIDs,
		Status:        b.Status,
		Date:          b.Date,
		StartsAt:      b.StartsAt,
		EndsAt:        b.EndsAt,
		TimeZone:      b.TimeZone,
		StayBody:      b.StayBody,
		PartySize:     b.PartySize,
		Party:         b.Party,
		HoldExpiresAt: b.HoldExpiresAt,
		Price:         b.Price,
		Deposit:       b.Deposit,
		Paid:          b.Paid,
		Due:           b.Due,
		Currency:      b.Currency,
		Items:         b.Items,
		Terms:         b.Terms,
		Version:       b.Version,
		ConfirmedAt:   b.ConfirmedAt,
	}
}

// readHolds has a transaction count the holds that visitors have open with the customer's email, if a visitor may open
// only so many.
func (c *CustomerChoice) readHolds(asked *reads, rs *rules) {
	if c.Limited && c.Customer != nil {
		asked.VisitorHolds = rs.limits.OpenHoldsPerEmail
	}
}

// checkHolds returns problem.ValidationFailed if visitors have as many holds open with the customer's email as the
// tenant allows. Holds that other requests make at the same moment aren't counted.
func (c *CustomerChoice) checkHolds(st state, rs *rules) error {
	if !c.Limited || c.Customer == nil || rs.limits.AllowHold(st.VisitorHolds) {
		return nil
	}
	const detail = "With this email %d holds are open, which is the most. " +
		"Confirm one, give one back, or wait until one ends."
	return problem.Invalid("customer.email", "too_many", fmt.Sprintf(detail, rs.limits.OpenHoldsPerEmail))
}
