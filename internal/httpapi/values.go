package httpapi

import (
	"encoding/base64"
	"reflect"
	"strings"

	"cloud.google.com/go/civil"
	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
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

// aliasEnum has a registry describe an enumeration by its values.
func aliasEnum[E interface {
	~string
	bounds.Enum
}](registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[E](), reflect.TypeFor[enumSchema[E]]())
}

// valueOf returns the body of a request that may have none: the zero value for none.
func valueOf[B any](body *B) (b B) {
	if body != nil {
		b = *body
	}
	return b
}

// parseOptionalDate is datetime.ParseDate for a field that may be absent.
func parseOptionalDate(field, text string) (*civil.Date, error) {
	if text == "" {
		return nil, nil
	}
	d, err := datetime.ParseDate(field, text)
	return &d, err
}

// parseID reads an id as ids are written here.
func parseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == uuidLength
}

// parseOptionalID reads an id that may be absent.
func parseOptionalID(field, text string) (*uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	id, ok := parseID(text)
	if !ok {
		return nil, problem.Invalid(field, "invalid_format", expectedUUID)
	}
	return &id, nil
}

// IDInput is the id in a path. It is exported because huma sees embedded structs only if they are.
type IDInput struct {
	ID uuid.UUID `path:"id" format:"uuid"`
}

func (in IDInput) pathID() uuid.UUID { return in.ID }

// PageInput bounds a list. It is exported because huma sees embedded structs only if they are.
type PageInput struct {
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most. A page of large rows has fewer."`
	CursorInput
}

// CursorInput says where a page of a list begins. It is exported because huma sees embedded structs only if they are.
type CursorInput struct {
	Cursor string `query:"cursor" maxLength:"200" doc:"next_cursor of the page before."`
}

// page is one page of a list.
type page[T any] struct {
	Data       []T     `json:"data" nullable:"false"`
	NextCursor *string `json:"next_cursor,omitempty" doc:"Give it as cursor to get the next page; absent on the last one."`
}

// pageOf makes a page of up to limit of the rows; one row more says that there is another page.
func pageOf[Row, T any](rows []Row, limit int, convert func(Row) T, cursor func(Row) string) page[T] {
	p := page[T]{Data: make([]T, 0, min(len(rows), limit))}
	for i, r := range rows {
		if i == limit {
			p.NextCursor = nextCursor(cursor(rows[limit-1]))
			break
		}
		p.Data = append(p.Data, convert(r))
	}
	return p
}

// nextCursor returns the cursor whose parts, with | in between, are text.
func nextCursor(text string) *string {
	cursor := base64.RawURLEncoding.EncodeToString([]byte(text))
	return &cursor
}

// parts returns the parts of a cursor: none without one, n otherwise.
func (p CursorInput) parts(n int) ([]string, error) {
	if p.Cursor == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	parts := strings.Split(string(text), "|")
	if err != nil || len(parts) != n {
		return nil, badCursor()
	}
	return parts, nil
}

// afterID returns the id that a cursor of one id stands for, nil uuid without one.
func (p CursorInput) afterID() (uuid.UUID, error) {
	parts, err := p.parts(1)
	if err != nil || parts == nil {
		return uuid.Nil, err
	}
	id, ok := parseID(parts[0])
	if !ok {
		return uuid.Nil, badCursor()
	}
	return id, nil
}

func badCursor() error {
	return problem.Invalid("cursor", "invalid_format", "Expected the next_cursor of another page.")
}
