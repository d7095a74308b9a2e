// Package holdfast is a client of the Holdfast booking API. api_gen.go has the types and a method of Client for each operation, made from
// docs/openapi.json. The rest is written by hand: requests that are repeated, pages, events and webhooks.
//
//	api_gen.go   types and operations, generated
//	client.go    a client of a server
//	retry.go     what is sent again, and when
//	errors.go    refusals and failures
//	pages.go     lists and the feed of events
//	events.go    events and their data
//	webhooks.go  deliveries that are verified
package holdfast
