package problem

import (
	"maps"
	"net/http"
	"slices"
)

// meaning is how a code is shown to callers.
type meaning struct {
	status int
	title  string
	// detail, where set, replaces the error's own: the response must not depend on the reason.
	detail string
	// final says that the response is stored under the request's idempotency key: see Final.
	final bool
}

// meanings gives every code its HTTP status and title. Nothing writes to it. docs/errors.md says the same to people; a
// test compares the two.
var meanings = map[Code]meaning{
	AlreadyExists:         {status: http.StatusConflict, title: "Already exists"},
	BlockInTheWay:         {status: http.StatusConflict, title: "Another block in the way"},
	BodyTooLarge:          {status: http.StatusRequestEntityTooLarge, title: "Request body too large"},
	BookingsInTheWay:      {status: http.StatusConflict, title: "Bookings in the way"},
	CellRequired:          {status: http.StatusBadRequest, title: "Cell required"},
	CursorExpired:         {status: http.StatusGone, title: "Cursor expired"},
	DatabaseUnavailable:   {status: http.StatusServiceUnavailable, title: "Database unavailable"},
	DepositDue:            {status: http.StatusConflict, title: "Deposit due"},
	Erased:                {status: http.StatusGone, title: "Erased"},
	Forbidden:             {status: http.StatusForbidden, title: "Forbidden"},
	HoldExpired:           {status: http.StatusConflict, title: "Hold expired"},
	IdempotencyKeyInvalid: {status: http.StatusBadRequest, title: "Idempotency key invalid"},
	IdempotencyKeyMissing: {status: http.StatusBadRequest, title: "Idempotency key missing"},
	IdempotencyKeyReused:  {status: http.StatusUnprocessableEntity, title: "Idempotency key reused"},
	InsufficientFunds:     {status: http.StatusUnprocessableEntity, title: "Insufficient funds", final: true},
	Internal: {
		status: http.StatusInternalServerError, title: "Internal error",
		detail: "Something went wrong on our side. The Request-Id finds it in the server's log.",
	},
	InvalidState:     {status: http.StatusConflict, title: "Not possible in this state"},
	LockTimeout:      {status: http.StatusServiceUnavailable, title: "Waited too long for others"},
	MalformedRequest: {status: http.StatusBadRequest, title: "Malformed request"},
	MethodNotAllowed: {status: http.StatusMethodNotAllowed, title: "Method not allowed"},
	NotAcceptable:    {status: http.StatusNotAcceptable, title: "Not acceptable"},
	NotFound: {
		status: http.StatusNotFound, title: "Not found",
		detail: "There is nothing here, or nothing that this key may see.",
	},
	OutcomeUnknown:         {status: http.StatusServiceUnavailable, title: "Outcome unknown"},
	OutsideBookingWindow:   {status: http.StatusUnprocessableEntity, title: "Outside the booking window"},
	OutsideOpeningHours:    {status: http.StatusUnprocessableEntity, title: "Outside opening hours"},
	Overloaded:             {status: http.StatusServiceUnavailable, title: "Overloaded"},
	Overpayment:            {status: http.StatusUnprocessableEntity, title: "More than is due", final: true},
	PaymentAccountNotReady: {status: http.StatusConflict, title: "Payment account not ready"},
	PaymentDeclined:        {status: http.StatusPaymentRequired, title: "Payment declined", final: true},
	PaymentInProgress:      {status: http.StatusConflict, title: "Payment in progress"},
	PaymentsNotConfigured: {
		status: http.StatusServiceUnavailable, title: "Payments not configured",
		detail: "This server has no payment provider for this payment. Nothing was sent and nothing was written.",
	},
	PriceChanged:         {status: http.StatusConflict, title: "Price changed"},
	ProviderUnavailable:  {status: http.StatusServiceUnavailable, title: "Payment provider unavailable"},
	RateLimited:          {status: http.StatusTooManyRequests, title: "Too many requests"},
	RefundExceedsPayment: {status: http.StatusUnprocessableEntity, title: "More than was paid", final: true},
	RequestInProgress:    {status: http.StatusConflict, title: "Request in progress"},
	RequestTimeout:       {status: http.StatusRequestTimeout, title: "Request timeout"},
	ShuttingDown:         {status: http.StatusServiceUnavailable, title: "Shutting down"},
	SlotUnavailable:      {status: http.StatusConflict, title: "Slot unavailable"},
	TenantMoved:          {status: http.StatusServiceUnavailable, title: "Tenant has moved"},
	TenantMoving:         {status: http.StatusServiceUnavailable, title: "Tenant is moving"},
	TooManyDates:         {status: http.StatusUnprocessableEntity, title: "Too many dates"},
	TenantSuspended:      {status: http.StatusForbidden, title: "Tenant suspended"},
	Unauthenticated:      {status: http.StatusUnauthorized, title: "Unauthenticated"},
	UnsupportedMediaType: {status: http.StatusUnsupportedMediaType, title: "Unsupported media type"},
	ValidationFailed:     {status: http.StatusUnprocessableEntity, title: "Validation failed"},
	VersionConflict:      {status: http.StatusConflict, title: "Version conflict"},
	VersionMismatch:      {status: http.StatusPreconditionFailed, title: "Version mismatch"},
}

// Final reports whether err is a refusal of money: its response is stored under the request's idempotency key, and a
// new attempt needs a new key. Any other refusal wrote nothing, isn't stored, and leaves the key free. docs/errors.md
// tells it of each code; a test compares the two.
func Final(err error) bool { return err != nil && meanings[CodeOf(err)].final }

// Codes returns all codes, in alphabetical order.
func Codes() []Code { return slices.Sorted(maps.Keys(meanings)) }

// CodesOf returns the codes of an HTTP status, in alphabetical order.
func CodesOf(status int) []Code {
	return slices.DeleteFunc(Codes(), func(c Code) bool { return meanings[c].status != status })
}
