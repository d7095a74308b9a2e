package schema

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/bounds"
	"holdfast/internal/timetable"
	"holdfast/internal/webhook"
)

// metadataSchema describes catalog.Metadata as any object.
type metadataSchema struct{}

// Schema returns the schema.
func (metadataSchema) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
		Description: "Anything of your own, up to 16 KiB."}
	s.PrecomputeMessages()
	return s
}

// originSchema describes tenant.Origin.
type originSchema struct{}

// Schema returns the schema.
func (originSchema) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Examples: []any{"https://www.harbour.example"}}
	s.PrecomputeMessages()
	return s
}

// enumSchema describes an enumeration, whose values its type lists.
type enumSchema[E interface {
	~string
	bounds.Enum
}] struct{}

// Schema returns the schema.
func (enumSchema[E]) Schema(huma.Registry) *huma.Schema {
	var e E
	s := &huma.Schema{Type: huma.TypeString}
	for _, value := range e.Values() {
		s.Enum = append(s.Enum, value)
	}
	s.PrecomputeMessages()
	return s
}

// clockSchema describes timetable.Clock.
type clockSchema struct{}

// Schema returns the schema.
func (clockSchema) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Pattern: timetable.ClockPattern}
	s.PrecomputeMessages()
	return s
}

// aliasEnum has a registry describe an enumeration by its values.
func aliasEnum[E interface {
	~string
	bounds.Enum
}](registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[E](), reflect.TypeFor[enumSchema[E]]())
}

// eventTypeSchema describes webhook.EventType.
type eventTypeSchema struct{}

// Schema returns the schema.
func (eventTypeSchema) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Pattern: webhook.TypePattern, Examples: []any{"booking.*"}}
	s.PrecomputeMessages()
	return s
}
