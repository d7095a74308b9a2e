// Package holdfast is a client of the Holdfast booking API. api.gen.go has the types and a method of Client for each operation, made from
// docs/openapi.json. The rest is written by hand: requests that are repeated, pages, events and webhooks.
//
//	client.go    a client of a server
//	retry.go     what is sent again, and when
//	errors.go    refusals and failures
//	pages.go     lists and the feed of events
//	events.go    events and their data
//	webhooks.go  deliveries that are verified
package holdfast

//go:generate go tool -modfile=../../tools/oapi-codegen/go.mod oapi-codegen -config oapi-codegen.yaml ../../docs/openapi.json
