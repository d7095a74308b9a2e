package httpapi

import (
	"context"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
)

// bookingLinkBody is the link that leads a customer to a booking.
type bookingLinkBody struct {
	URL string `json:"url" format:"uri" example:"https://booking.example.com/booking/k3Vt…"`
}

// getBookingLink returns the link of a booking, which works while the tenant has a booking page.
func (a *API) getBookingLink(ctx context.Context, in *IDInput) (*output[bookingLinkBody], error) {
	t := callOf(ctx).tenant
	b, err := a.Bookings.Get(ctx, t, in.ID)
	if err != nil {
		return nil, err
	}
	of, err := a.Settings.Get(ctx, t.ID)
	switch {
	case err != nil:
		return nil, err
	case !of.Settings.BookingPage.Enabled:
		return nil, problem.New(problem.InvalidState,
			"The tenant has no booking page: see booking_page of PATCH /v1/tenant.")
	}
	return &output[bookingLinkBody]{bookingLinkBody{URL: a.Links.URL(booking.LinkOf(t.ID, b))}}, nil
}
