package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/datetime"
	"holdfast/internal/payment"
)

type offlineDaysInput struct {
	From string `query:"from" required:"true" format:"date" example:"2027-07-01" doc:"First date, in the tenant's time zone."`
	To   string `query:"to" required:"true" format:"date" example:"2027-07-31" doc:"Last date; at most 31 dates in all."`
}

func (in offlineDaysInput) days() (days payment.Days, err error) {
	if days.From, err = datetime.ParseDate("from", in.From); err != nil {
		return days, err
	}
	days.To, err = datetime.ParseDate("to", in.To)
	return days, err
}

// routeOfflineDays adds the route by which a business counts its till.
func (a *API) routeOfflineDays(path, tag string) {
	register(a, route{
		op:         payment.OpSumOfflinePayments,
		method:     http.MethodGet,
		mayBeStale: true,
		path:       path + "/offline",
		tag:        tag,
		errors:     []int{422},
		summary:    "Add up offline money by day and method",
		description: "For counting a till: what was received and what was handed back on each date, by when it happened and not by when " +
			"it was recorded. An open refund isn't in it.",
	}, func(ctx context.Context, in *offlineDaysInput) (*output[payment.OfflineDaysBody], error) {
		days, err := in.days()
		if err != nil {
			return nil, err
		}
		sums, err := a.Payments.OfflineDays(ctx, callOf(ctx).tenant.ID, callOf(ctx).tenant.Location, days)
		if err != nil {
			return nil, err
		}
		return &output[payment.OfflineDaysBody]{sums}, nil
	})
}
