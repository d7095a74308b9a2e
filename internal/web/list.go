package web

import (
	"net/url"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/web/refused"
)

// ParseID returns the id that a text is. Errors: problem.NotFound for another text.
func ParseID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || id.String() != text {
		return uuid.Nil, problem.Missing()
	}
	return id, nil
}

// idParams are the parameters of paths that are ids.
var idParams = []string{"id", "into", "key", "payment", "to", "user"}

// readIDs reads the ids of the path. Errors: problem.NotFound.
func (v *Visit) readIDs() (err error) {
	v.ids = make(map[string]uuid.UUID)
	for _, p := range v.C.Params {
		if !slices.Contains(idParams, p.Key) {
			continue
		}
		if v.ids[p.Key], err = ParseID(p.Value); err != nil {
			return err
		}
	}
	return nil
}

// ID returns an id of the path: see idParams.
func (v *Visit) ID(name string) uuid.UUID {
	id, ok := v.ids[name]
	if !ok {
		panic("no id of the path: " + name)
	}
	return id
}

// After returns the id after which a page of a list begins, the nil one for the first page. Errors: problem.NotFound.
func (v *Visit) After() (uuid.UUID, error) {
	if text := v.Query.Get(FieldAfter); text != "" {
		return ParseID(text)
	}
	return uuid.Nil, nil
}

// Page returns the rows of a page of a list, of which one row more than size was read, and the path of the page that
// follows; empty on the last one. key returns what says where the page after a row begins.
func Page[T any](visit Visitor, list []T, size int, key func(T) string) (rows []T, next string) {
	if len(list) <= size {
		return list, ""
	}
	at := visit.Core().C.Request.URL
	query := WithoutDone(at.Query())
	query.Set(FieldAfter, key(list[size-1]))
	return list[:size], at.Path + "?" + query.Encode()
}

// WithoutDone returns a query without what has just happened or was refused.
func WithoutDone(query url.Values) url.Values {
	for _, name := range []string{FieldDone, FieldUndo, refused.Query} {
		query.Del(name)
	}
	return query
}
