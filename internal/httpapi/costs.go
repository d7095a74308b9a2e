package httpapi

import (
	"math"
	"net/url"
	"strconv"
	"strings"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
	"holdfast/internal/operation"
)

// costOfAvailability is the permits of availability of one service, of those of service_ids, or of a resource.
func costOfAvailability(query url.Values) int {
	from, err := civil.ParseDate(query.Get("from"))
	to, err2 := civil.ParseDate(query.Get("to"))
	services := 1 + strings.Count(query.Get("service_ids"), ",")
	if query.Has("resource_id") {
		services = booking.MaxAvailabilityServices
	}
	dates := math.MaxInt32 // of a query that is refused
	if err == nil && err2 == nil {
		dates = to.DaysSince(from) + 1
	}
	return booking.AvailabilityPermits(dates, services)
}

// costOfWallet is the permits of reading a wallet. As it was at a time, it is made of up to 256 entries.
func costOfWallet(query url.Values) int {
	if query.Get("as_of") == "" {
		return 1
	}
	return operation.FullPage
}

// costOfBookings is costOfList. A list in a payment state looks at many more bookings than it shows.
func costOfBookings(query url.Values) int {
	if query.Get("payment_state") != "" {
		return operation.FullPage
	}
	return costOfList(query)
}

func costOfList(query url.Values) int {
	limit, _ := strconv.Atoi(query.Get("limit"))
	return operation.ListPermits(limit)
}

// permits returns what a request of the route costs at admission.
func (r route) permits(query url.Values) int {
	switch {
	case r.cost != nil:
		return r.cost(query)
	case r.op.List:
		return costOfList(query)
	}
	return max(r.op.Permits, 1)
}
