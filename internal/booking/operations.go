package booking

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpCancelBooking           = operation.Operation{Name: "cancel-booking", Scope: operation.ScopeBook, Once: true}
	OpCompleteBooking         = operation.Operation{Name: "complete-booking", Scope: operation.ScopeBook, Once: true}
	OpConfirmBooking          = operation.Operation{Name: "confirm-booking", Scope: operation.ScopeBook, Once: true}
	OpConfirmHold             = operation.Operation{Name: "confirm-hold", Scope: operation.ScopeHold, Once: true}
	OpCreateBooking           = operation.Operation{Name: "create-booking", Scope: operation.ScopeBook, Once: true}
	OpCreateHold              = operation.Operation{Name: "create-hold", Scope: operation.ScopeHold, Once: true}
	OpExtendBooking           = operation.Operation{Name: "extend-booking", Scope: operation.ScopeBook, Once: true}
	OpGetAvailability         = operation.Operation{Name: "get-availability", Scope: operation.ScopeCatalog}
	OpGetBooking              = operation.Operation{Name: "get-booking", Scope: operation.ScopeRead}
	OpGetBookingLink          = operation.Operation{Name: "get-booking-link", Scope: operation.ScopeBook}
	OpGetCancellationQuote    = operation.Operation{Name: "get-cancellation-quote", Scope: operation.ScopeRead}
	OpGetHold                 = operation.Operation{Name: "get-hold", Scope: operation.ScopeHold}
	OpGetServicesAvailability = operation.Operation{Name: "get-services-availability", Scope: operation.ScopeCatalog}
	OpListBookings            = operation.Operation{Name: "list-bookings", Scope: operation.ScopeRead}
	OpNoShowBooking           = operation.Operation{Name: "no-show-booking", Scope: operation.ScopeBook, Once: true}
	OpQuoteBooking            = operation.Operation{Name: "quote-booking", Scope: operation.ScopeCatalog}
	OpReleaseHold             = operation.Operation{Name: "release-hold", Scope: operation.ScopeHold, Once: true}
	OpRescheduleBooking       = operation.Operation{Name: "reschedule-booking", Scope: operation.ScopeBook, Once: true}
	OpUpdateBooking           = operation.Operation{Name: "update-booking", Scope: operation.ScopeBook}
)

// AvailabilityPermits returns what availability of some services on some dates costs at admission. A service with very
// many slots fills a page within a date.
func AvailabilityPermits(dates, services int) int {
	const month = 31
	if dates*services <= month {
		return 4
	}
	return 8
}
