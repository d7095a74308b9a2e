package payment

import (
	"context"
	"time"

	"holdfast/internal/datetime"

	"github.com/google/uuid"
)

// OfflineDaysBody is the offline money of some days.
type OfflineDaysBody struct {
	From  time.Time        `json:"from" doc:"The first moment of the period."`
	Until time.Time        `json:"until" doc:"The first moment after the period."`
	Sums  []OfflineSumBody `json:"sums" nullable:"false" doc:"By date, method and currency. A date without such money has none."`
}

// OfflineSumBody is the offline money of a day that moved by one method.
type OfflineSumBody struct {
	Date     string        `json:"date" format:"date" doc:"In the tenant's time zone: when the money was received or handed back." example:"2027-07-01"`
	Method   OfflineMethod `json:"method" example:"cash"`
	Currency string        `json:"currency" example:"EUR"`
	Received int64         `json:"received" doc:"Minor units of currency." example:"12000"`
	Refunded int64         `json:"refunded" doc:"What was handed back. An open refund isn't in it." example:"2000"`
	Payments int64         `json:"payments" doc:"How many payments and refunds these are." example:"5"`
}

// OfflineDays adds up a tenant's offline payments and refunds, for at most 31 days, whose dates lie in loc. It needs no
// provider. Errors: problem.ValidationFailed, problem.TooManyDates, problem.DatabaseUnavailable.
func (s *Service) OfflineDays(ctx context.Context, tenant uuid.UUID, loc *time.Location, days Days,
) (OfflineDaysBody, error) {
	if err := days.check(); err != nil {
		return OfflineDaysBody{}, err
	}
	from, until := days.Period(loc)
	body := OfflineDaysBody{From: from, Until: until, Sums: []OfflineSumBody{}}
	var starts []time.Time
	for d := days.From; !d.After(days.To); d = d.AddDays(1) {
		starts = append(starts, datetime.StartOfDay(d, loc))
	}
	sums, err := s.sumOffline(ctx, tenant, starts, until)
	for _, sum := range sums {
		body.Sums = append(body.Sums, OfflineSumBody{
			Date: days.From.AddDays(int(sum.Day)).String(), Method: OfflineMethod(sum.Method), Currency: sum.Currency,
			Received: sum.Received, Refunded: sum.Refunded, Payments: sum.Payments,
		})
	}
	return body, err
}
