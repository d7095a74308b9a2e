package schema

import (
	"encoding/json"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
)

// bodyType is a type of bodies, or of patches of them.
type bodyType struct {
	of    reflect.Type
	patch bool
}

// bodySchema is the schema of a type of bodies, with the registry of what it refers to. Nothing is added to it once it
// is made.
type bodySchema struct {
	registry huma.Registry
	schema   *huma.Schema
}

// bodySchemas are those that CheckBody has needed, by their bodyType.
var bodySchemas sync.Map

// CheckBody checks a JSON document as the API checks the body of a request: the body of a POST or PUT that shows t, or
// of a PATCH of it. Handlers beside the API use it, because use cases rely on what schemas refuse. Errors:
// problem.MalformedRequest, problem.ValidationFailed.
func CheckBody(t reflect.Type, patch bool, document []byte) error {
	OverrideHuma()
	if err := edge.CheckJSON(document); err != nil {
		return err
	}
	s := schemaOf(bodyType{t, patch})
	if err := checkValues(s.registry, s.schema, document); err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		return problem.Wrap(err, problem.MalformedRequest, "The document is not JSON.")
	}
	var found huma.ValidateResult
	huma.Validate(s.registry, s.schema, huma.NewPathBuffer([]byte("body"), len("body")), huma.ModeWriteToServer, value,
		&found)
	if len(found.Errors) > 0 {
		return invalid(found.Errors)
	}
	if err := Unmarshal(document, reflect.New(t).Interface()); err != nil {
		return invalid([]error{&huma.ErrorDetail{Location: "body", Message: err.Error()}})
	}
	return nil
}

func schemaOf(b bodyType) bodySchema {
	if known, ok := bodySchemas.Load(b); ok {
		return known.(bodySchema)
	}
	made := bodySchema{registry: NewRegistry()}
	if made.schema = made.registry.Schema(b.of, false, ""); b.patch {
		made.schema = patchOf(made.registry, made.schema)
	}
	kept, _ := bodySchemas.LoadOrStore(b, made)
	return kept.(bodySchema)
}
