// Package bounds checks values by the tags of their fields. The API's description is made of the same tags, so a bound
// stands once, and a use case that checks it holds it against every caller.
//
//	bounds.go  Check
package bounds
