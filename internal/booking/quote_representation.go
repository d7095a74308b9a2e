package booking

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// QuoteBody is a quote in the API.
type QuoteBody struct {
	Available   bool         `json:"available" doc:"Whether the booking, or the move, would be accepted now. It may be refused a moment later."`
	Reason      *RefusalBody `json:"reason,omitempty" doc:"Why it would be refused now; absent if it is available."`
	ServiceID   uuid.UUID    `json:"service_id" format:"uuid"`
	ResourceID  *uuid.UUID   `json:"resource_id,omitempty" format:"uuid" doc:"The resource that it would get now; absent if it isn't available."`
	ResourceIDs []uuid.UUID  `json:"resource_ids,omitempty" format:"uuid" doc:"All resources that it would get now; absent if that is only resource_id."`
	Date        string       `json:"date" format:"date" example:"2027-07-01" doc:"The civil date of starts_at in time_zone."`
	StartsAt    time.Time    `json:"starts_at" example:"2027-07-01T10:00:00+02:00"`
	EndsAt      time.Time    `json:"ends_at" example:"2027-07-01T11:00:00+02:00" doc:"If it isn't available, and lasts until its resource closes: when the last of the resources closes."`
	TimeZone    string       `json:"time_zone" example:"Europe/Berlin"`
	StayBody
	PartySize int `json:"party_size" example:"2"`

	HoldExpiresAt *time.Time `json:"hold_expires_at,omitempty" doc:"Of a new hold: when it would end if it were made now. Of a move: the booking's, which stays."`

	Price    int64            `json:"price" example:"4500" doc:"Minor units of currency."`
	Deposit  int64            `json:"deposit" example:"1000"`
	Due      int64            `json:"due" example:"3500" doc:"What would still be to pay."`
	Overpaid int64            `json:"overpaid" example:"0" doc:"What would be paid too much after a move."`
	Currency string           `json:"currency" example:"EUR"`
	Items    []timetable.Item `json:"items" nullable:"false" doc:"What the price is made of; empty for a booking that was made before there were items."`
	Party    map[string]int   `json:"party,omitempty" doc:"How many come of each unit type; absent if the service has none."`
	catalog.Terms
	Before *QuotedMoneyBody `json:"before,omitempty" doc:"Of a move: the booking's money as it is now."`
}

// QuotedMoneyBody is the money of a booking that is to move, in the API.
type QuotedMoneyBody struct {
	Price    int64 `json:"price" example:"4000"`
	Deposit  int64 `json:"deposit" example:"1000"`
	Due      int64 `json:"due" example:"3000"`
	Overpaid int64 `json:"overpaid" example:"0"`
}

// RefusalBody is why a booking would be refused, in the API: a part of the problem document that it would get.
type RefusalBody struct {
	Code   problem.Code    `json:"code" example:"slot_unavailable" doc:"The code of the refusal. Codes are stable."`
	Detail string          `json:"detail" example:"The time is taken." doc:"Why, for people."`
	Errors []problem.Field `json:"errors,omitempty" doc:"The parts of the request that would be refused."`
}

// Body returns the quote as the API shows it. All its times have the offset of its time zone.
func (q Quote) Body() QuoteBody {
	b := q.Booking.Body()
	body := QuoteBody{
		Available:     q.Refusal == nil,
		ServiceID:     b.ServiceID,
		Date:          b.Date,
		StartsAt:      b.StartsAt,
		EndsAt:        b.EndsAt,
		TimeZone:      b.TimeZone,
		StayBody:      b.StayBody,
		PartySize:     b.PartySize,
		HoldExpiresAt: b.HoldExpiresAt,
		Price:         b.Price,
		Deposit:       b.Deposit,
		Due:           b.Due,
		Overpaid:      b.Overpaid,
		Currency:      b.Currency,
		Items:         b.Items,
		Party:         b.Party,
		Terms:         b.Terms,
	}
	if q.Refusal == nil {
		body.ResourceID, body.ResourceIDs = &b.ResourceID, b.ResourceIDs
	} else {
		body.Reason = &RefusalBody{Code: q.Refusal.Code, Detail: problem.DocumentOf(q.Refusal).Detail,
			Errors: q.Refusal.Fields}
	}
	if q.Before != nil {
		body.Before = &QuotedMoneyBody{Price: q.Before.Price, Deposit: q.Before.Deposit, Due: q.Before.Due,
			Overpaid: q.Before.Overpaid}
	}
	return body
}
