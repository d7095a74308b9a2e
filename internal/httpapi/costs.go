package httpapi

import (
	"net/url"
	"strconv"

	"cloud.google.com/go/civil"
)

// Permits of a page of availability, by its dates. A service with very many slots fills a page within a date.
const (
	availabilityCost     = 4
	longAvailabilityCost = 8
	longAvailability     = 31 // dates
)

func costOfAvailability(query url.Values) int {
	from, err := civil.ParseDate(query.Get("from"))
	to, err2 := civil.ParseDate(query.Get("to"))
	if err == nil && err2 == nil && to.DaysSince(from) < longAvailability {
		return availabilityCost
	}
	return longAvailabilityCost
}

// costOfPDF is the permits of making a PDF: it takes the processor for as long as some bookings.
func costOfPDF(url.Values) int { return 4 }

// rowsPerPermit is how many rows of a list a permit is for.
const rowsPerPermit = 50

func costOfList(query url.Values) int {
	limit, _ := strconv.Atoi(query.Get("limit"))
	return min(max(1, (limit+rowsPerPermit-1)/rowsPerPermit), 200/rowsPerPermit)
}
