package schema

import (
	"maps"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/mergepatch"
)

// MergePatch begins the description of a PATCH request.
const MergePatch = "A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, " +
	"and objects are merged. "

// Patch is the body of a PATCH request: a JSON Merge Patch of a T.
type Patch[T any] struct{ mergepatch.Patch[T] }

// Schema returns the schema of T's object with nothing required. What T doesn't require can be removed by null, and
// objects are patches too.
func (Patch[T]) Schema(r huma.Registry) *huma.Schema {
	return patchOf(r, r.Schema(reflect.TypeFor[T](), false, ""))
}

func patchOf(r huma.Registry, s *huma.Schema) *huma.Schema {
	patch := *s
	patch.Required, patch.Properties = nil, make(map[string]*huma.Schema, len(s.Properties))
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		if property.Ref != "" {
			property = r.SchemaFromRef(property.Ref)
		}
		copied := *property
		if property.Type == huma.TypeObject && len(property.Properties) > 0 {
			copied = *patchOf(r, property)
		}
		if !slices.Contains(s.Required, name) {
			copied.Nullable = true
		}
		copied.PrecomputeMessages()
		patch.Properties[name] = &copied
	}
	patch.PrecomputeMessages()
	return &patch
}
