package paging

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/schema"
	"holdfast/internal/problem"
)

// Input bounds a list. It is exported because huma sees embedded structs only if they are.
type Input struct {
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most. A page of large rows has fewer."`
	CursorInput
}

// CursorInput says where a page of a list begins. It is exported because huma sees embedded structs only if they are.
type CursorInput struct {
	Cursor string `query:"cursor" maxLength:"200" doc:"next_cursor of the page before."`
}

// Page is one page of a list.
type Page[T any] struct {
	Data       []T     `json:"data" nullable:"false"`
	NextCursor *string `json:"next_cursor,omitempty" doc:"Give it as cursor to get the next page; absent on the last one."`
}

// Of makes a page of up to limit of the rows; one row more says that there is another page.
func Of[Row, T any](rows []Row, limit int, convert func(Row) T, cursor func(Row) string) Page[T] {
	p := Page[T]{Data: make([]T, 0, min(len(rows), limit))}
	for i, r := range rows {
		if i == limit {
			p.NextCursor = NextCursor(cursor(rows[limit-1]))
			break
		}
		p.Data = append(p.Data, convert(r))
	}
	return p
}

// NextCursor returns the cursor whose parts, with | in between, are text.
func NextCursor(text string) *string {
	cursor := base64.RawURLEncoding.EncodeToString([]byte(text))
	return &cursor
}

// Parts returns the parts of a cursor: none without one, n otherwise.
func (p CursorInput) Parts(n int) ([]string, error) {
	if p.Cursor == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	parts := strings.Split(string(text), "|")
	if err != nil || len(parts) != n {
		return nil, BadCursor()
	}
	return parts, nil
}

// AfterID returns the id that a cursor of one id stands for, nil uuid without one.
func (p CursorInput) AfterID() (uuid.UUID, error) {
	parts, err := p.Parts(1)
	if err != nil || parts == nil {
		return uuid.Nil, err
	}
	id, ok := schema.ParseID(parts[0])
	if !ok {
		return uuid.Nil, BadCursor()
	}
	return id, nil
}

// BadCursor returns the refusal of a cursor that no page gave: problem.ValidationFailed.
func BadCursor() error {
	return problem.Invalid("cursor", "invalid_format", "Expected the next_cursor of another page.")
}

// AfterVersion returns the version that a cursor stands for, 0 without one.
func (p CursorInput) AfterVersion() (int64, error) {
	parts, err := p.Parts(1)
	if err != nil || parts == nil {
		return 0, err
	}
	version, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || version < 1 {
		return 0, BadCursor()
	}
	return version, nil
}
