package httpapi

import (
	"net/url"
	"strconv"
	"strings"

	"cloud.google.com/go/civil"
	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
)

// costs is how many permits requests take at work, by route and query. Routes that aren't in it take one.
type costs map[route]func(url.Values) int

type route struct{ method, path string }

// declare says what the requests of an operation may cost.
func (c costs) declare(op huma.Operation, cost func(url.Values) int) {
	path := strings.NewReplacer("{", ":", "}", "").Replace(op.Path) // as gin writes it
	c[route{op.Method, path}] = cost
}

// of returns what a request may cost.
func (c costs) of(request *gin.Context) int {
	cost, ok := c[route{request.Request.Method, request.FullPath()}]
	if !ok {
		return 1
	}
	return cost(request.Request.URL.Query())
}

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
const costOfPDF = 4

// rowsPerPermit is how many rows of a list a permit is for.
const rowsPerPermit = 50

func costOfList(query url.Values) int {
	limit, _ := strconv.Atoi(query.Get("limit"))
	return min(max(1, (limit+rowsPerPermit-1)/rowsPerPermit), 200/rowsPerPermit)
}
