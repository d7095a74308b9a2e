// Package httpapi is Holdfast's HTTP API: its resources, a file each. It decides nothing about bookings or money; it reads
// requests strictly, calls use cases and sends what they return. What every request passes is in edge, which requests are worked
// on is decided in admission. What a route needs stands where it is registered, in a route value.
//
//	api.go             the API, made of use cases
//	bookings.go, payments.go, receipts.go, events.go, services.go, availability.go, resources.go, closures.go, tenants.go, locks.go
//	                   the routes of each resource, with their requests
//	receipt_pdf.go     a receipt as a PDF
//	event_stream.go    the events as a stream
//	costs.go           what requests cost at admission
//	read.go            routes that show one thing, or a list of things
//	huma.go            huma's settings
//	register.go        registers a route with huma
//	serve.go           the API type, and what a request passes before its handler: admission, authentication, checks
//	workers.go         the goroutines that work on requests
//	route.go           the route type: what a route is and needs
//	idempotent.go      idempotency keys and stored responses
//	pages.go, values.go  pages, cursors, dates and ids
//	strict.go          checks of values that huma doesn't make
//	validation.go      huma's findings as problems
//	description.go, docs.go, docs_errors.go  the OpenAPI document, its pages, and the page of error codes
//
// A file uses those below it in this list.
package httpapi
