package web

import (
	"encoding/json"
	"reflect"
)

// Document is a JSON object that a form is read into.
type Document = map[string]any

// CheckBody checks a JSON document as the API checks the body of a request that shows a type, or of a patch of it.
type CheckBody func(shown reflect.Type, patch bool, document []byte) error

// ReadBody returns a T that a document shows, after the checks that the API makes of the body of a request. Errors:
// problem.MalformedRequest, problem.ValidationFailed.
func ReadBody[T any](check CheckBody, d Document) (read T, err error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return read, err
	}
	if err := check(reflect.TypeFor[T](), false, raw); err != nil {
		return read, err
	}
	err = json.Unmarshal(raw, &read)
	return read, err
}
