// Package httpapi is Holdfast's HTTP edge: routes, request and response types, and the one table that turns
// error codes into statuses. It decides nothing about bookings; it reads requests strictly, calls the rooms
// that do, and answers.
//
// A request passes, in this order: wire.go (what net/http would answer itself), middleware.go (request id,
// log, metrics, panics, draining), admission.go (rates, a place in the queue and one at work), authentication,
// body.go (strict URL and JSON), huma's validation, a route. Every refusal on the way, from whichever of them, is
// a problem document (problems.go).
package httpapi
