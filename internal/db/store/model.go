package store

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"holdfast/internal/claim"
	"holdfast/internal/db/internal/dbsqlc"
)

// Rows as they stand in the database. Times are UTC instants, dates are civil dates in the tenant's time zone,
// amounts are minor units of the currency.
type (
	// Block is time of a resource that is taken without a booking.
	Block = dbsqlc.Block
	// Booking is a booking with its customer and the period that it occupies, buffers included.
	Booking = dbsqlc.BookingGetRow
	// Closure is a period of dates on which a resource, or all of a tenant's, can't be booked, or not at some hours of each date.
	Closure = dbsqlc.Closure
	// Customer is the person who books.
	Customer = dbsqlc.Customer
	// OpenPayment is a payment or refund without a final result.
	OpenPayment = dbsqlc.PaymentGetOpenRow
	// Resource is a room, person or boat with its hours.
	Resource = dbsqlc.Resource
	// Service is what is sold, with its resources' ids and what it takes from its tenant.
	Service = dbsqlc.ServiceGetRow
	// TenantHours are the hours that a tenant's resources can follow, a JSON object, with the version of the settings.
	TenantHours = dbsqlc.TenantHoursGetRow
)

// PostgreSQL gives discrete ranges in the form [from, until).
func unitRanges(m pgtype.Multirange[pgtype.Range[pgtype.Int4]]) []claim.UnitRange {
	units := make([]claim.UnitRange, len(m))
	for i, r := range m {
		units[i] = claim.UnitRange{From: r.Lower.Int32, Until: r.Upper.Int32}
	}
	return units
}

// multirange writes units down as PostgreSQL reads them.
func multirange(units []claim.UnitRange) string {
	text := []byte{'{'}
	for i, u := range units {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "[%d,%d)", u.From, u.Until)
	}
	return string(append(text, '}'))
}

// convert returns rows in another type.
func convert[From, To any](rows []From, to func(From) To) []To {
	list := make([]To, len(rows))
	for i, r := range rows {
		list[i] = to(r)
	}
	return list
}
