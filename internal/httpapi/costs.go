package httpapi

import (
	"net/url"
	"strconv"
	"strings"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
)

// Permits of a page of availability, by its dates, those of each service counted. A service with very many slots fills a page within a
// date.
const (
	availabilityCost     = 4
	longAvailabilityCost = 8
	longAvailability     = 31 // dates
)

// costOfAvailability is the permits of availability of one service, of those of service_ids, or of a resource.
func costOfAvailability(query url.Values) int {
	from, err := civil.ParseDate(query.Get("from"))
	to, err2 := civil.ParseDate(query.Get("to"))
	services := 1 + strings.Count(query.Get("service_ids"), ",")
	if query.Has("resource_id") {
		services = booking.MaxAvailabilityServices
	}
	if err == nil && err2 == nil && (to.DaysSince(from)+1)*services <= longAvailability {
		return availabilityCost
	}
	return longAvailabilityCost
}

// costOfPDF is the permits of making a PDF: it takes the processor for as long as some bookings.
func costOfPDF(url.Values) int { return 4 }

// costOfExport is the permits of exporting a customer: some lists with up to 1,000 rows each.
func costOfExport(url.Values) int { return 8 }

// costOfDelivery is the permits of a delivery's log, which may have a megabyte of responses.
func costOfDelivery(url.Values) int { return 4 }

// rowsPerPermit is how many rows of a list a permit is for, and costOfFullPage the permits of the longest page.
const (
	rowsPerPermit  = 50
	costOfFullPage = 200 / rowsPerPermit
)

// costOfWallet is the permits of reading a wallet. As it was at a time, it is made of up to 256 entries.
func costOfWallet(query url.Values) int {
	if query.Get("as_of") == "" {
		return 1
	}
	return costOfFullPage
}

// costOfBookings is costOfList. A list in a payment state looks at many more bookings than it shows.
func costOfBookings(query url.Values) int {
	if query.Get("payment_state") != "" {
		return costOfFullPage
	}
	return costOfList(query)
}

// costOfConflicts is that of the longest page: a page looks at up to 1,000 bookings, however few it shows.
func costOfConflicts(url.Values) int { return costOfFullPage }

func costOfList(query url.Values) int {
	limit, _ := strconv.Atoi(query.Get("limit"))
	return min(max(1, (limit+rowsPerPermit-1)/rowsPerPermit), costOfFullPage)
}
