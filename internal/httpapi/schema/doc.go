// Package schema has the schemas of the API's types, and the checks of requests against them: what huma checks, in
// Holdfast's words, and what it doesn't check.
//
//	registry.go  the registry of schemas, and what describes a type otherwise than its fields do
//	names.go     the names of types in the document
//	types.go     the schemas of single values and of enumerations
//	patch.go     the body of a PATCH: a JSON Merge Patch of a type
//	strict.go    checks that huma doesn't make
//	findings.go  huma's settings, and what it finds as problems
//	body.go      the check of a document that no request brought
//	id.go        ids as they are written here
package schema
