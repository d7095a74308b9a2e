// Package document makes the OpenAPI document that readers and generators of clients get out of what huma knows of the
// routes. It works on the document's JSON, so huma's own description, by which requests are validated, stays as it is.
//
//	document.go    Render, and the document's values
//	operations.go  operations, their parameters and what they have in common
//	problems.go    the responses that are problem documents
//	share.go       what stands in several places moves to components
//	events.go      webhooks and the schemas of events
//	text.go        the document as text
//	introduction.go, tags.go, examples.go  what the document says besides: how it begins, groups, and examples
package document
