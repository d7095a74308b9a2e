// Package mergepatch changes things by JSON Merge Patch (RFC 7396): what is absent stays, null removes, and objects are
// merged. It merges by itself because what a tenant keeps as JSON must come back byte for byte, in its order: libraries
// escape "<", and add names at random.
package mergepatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"holdfast/internal/problem"
)

// Patch is a change of a T, which JSON can represent. The zero value changes nothing. It has been checked against the
// schema of its request.
type Patch[T any] struct{ document json.RawMessage }

// Of returns the patch that a JSON object is.
func Of[T any](document string) Patch[T] { return Patch[T]{json.RawMessage(document)} }

// UnmarshalJSON keeps the document.
func (p *Patch[T]) UnmarshalJSON(document []byte) error {
	p.document = slices.Clone(document)
	return nil
}

// Apply returns what a thing is after the change. What null removes has its zero value. Errors:
// problem.ValidationFailed for a value that passed the schema and doesn't fit.
func (p Patch[T]) Apply(to T) (changed T, err error) {
	if len(p.document) == 0 {
		return to, nil
	}
	var before bytes.Buffer
	enc := json.NewEncoder(&before)
	enc.SetEscapeHTML(false) // it would change what the thing has of JSON that is kept as it is
	if err := enc.Encode(to); err != nil {
		return to, fmt.Errorf("encode what is to be changed: %w", err)
	}
	after, err := merge(before.Bytes(), jsontext.Value(p.document))
	if err != nil {
		return to, fmt.Errorf("merge a change: %w", err)
	}
	err = json.Unmarshal(after, &changed)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // such as 1.0: a schema takes it for an integer
		return to, problem.Invalid(FieldOf(wrong), "wrong_type", "The value doesn't fit the field's type.")
	}
	if err != nil {
		return to, fmt.Errorf("read what was changed: %w", err)
	}
	return changed, nil
}

// FieldOf returns the path of the field that a JSON value doesn't fit, such as cancellation_policy.steps.percent.
// encoding/json's path has the names of embedded structs too, which begin with a capital.
func FieldOf(wrong *json.UnmarshalTypeError) string {
	names := strings.Split(wrong.Field, ".")
	names = slices.DeleteFunc(names, func(name string) bool { return name != "" && 'A' <= name[0] && name[0] <= 'Z' })
	return strings.Join(names, ".")
}

// IsNull reports whether a document has null for a field.
func IsNull(document []byte, field string) bool {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(document, &fields)
	return err == nil && string(fields[field]) == "null"
}
