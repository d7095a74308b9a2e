package httpapi

import (
	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/webhook"
)

// Bounds of a page of rows of any size.
const (
	// maxPageBytes ends a page, whatever its limit, when the large parts of its rows have so many bytes.
	maxPageBytes = 1 << 20
	// firstRows is how many rows are read before it is known how large they are.
	firstRows = 50
)

// readPage reads a page of up to limit rows: n of the returned ones, of which one more says that there is another page.
// A page of large rows has fewer. It reads in steps, so that memory is bounded by the page and not by what its rows may
// hold. size returns about how many bytes the large parts of a row have; read returns up to limit rows behind last, or
// the first ones if last is nil.
func readPage[Row any](limit int, size func(Row) int, read func(last *Row, limit int) ([]Row, error),
) (rows []Row, n int, err error) {
	bytes := 0
	for step := min(limit, firstRows); ; {
		var last *Row
		if n > 0 {
			last = &rows[n-1]
		}
		next, err := read(last, step+1)
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows[:n:n], next...)
		for read := n + min(len(next), step); n < read && bytes < maxPageBytes; n++ {
			bytes += size(rows[n])
		}
		if len(next) <= step || n == limit || bytes >= maxPageBytes {
			return rows, n, nil
		}
		step = min(limit-n, 1+(maxPageBytes-bytes)*n/max(bytes, 1))
	}
}

// Bytes of JSON of a row's unbounded parts.

func sizeOfBooking(b booking.Booking) int {
	const item, step = 300, 60 // bytes of JSON
	return len(b.Metadata) + item*len(b.Items) + step*len(b.CancellationPolicy.Steps)
}

func sizeOfBlock(b catalog.Block) int {
	const blockTime = 80 // bytes of JSON
	return len(b.Reason) + blockTime*len(b.Times)
}

func sizeOfClosure(c catalog.Closure) int { return len(c.Reason) }

func sizeOfEndpoint(e webhook.Endpoint) int {
	const eventType = 84 // bytes of JSON
	return len(e.URL) + len(e.Description) + eventType*len(e.Types)
}

func sizeOfResource(r catalog.Resource) int {
	const hours = 64 // bytes of JSON
	n := len(r.Hours.Weekly) + len(r.Hours.Overrides)
	for _, s := range r.Hours.Seasons {
		n += 1 + len(s.Weekly)
	}
	return hours * n
}

func sizeOfService(svc catalog.BookableService) int {
	const id, rate, unit, step = 39, 200, 300, 60 // bytes of JSON
	n := len(svc.Metadata) + id*len(svc.AllResourceIDs()) + unit*len(svc.UnitTypes) +
		step*len(svc.CancellationPolicy.Steps)
	for _, r := range svc.Rates {
		n += rate + id*len(r.UnitPrices)
	}
	return n
}
