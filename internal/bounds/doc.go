// Package bounds checks values of requests by the tags of their fields. The API's description is made of the same tags,
// so a bound stands once: a use case that checks it holds it against every caller, and a form has it too.
//
//	bounds.go  Check
//	field.go   FieldOf: what the tags say of one field
package bounds
