package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"holdfast/internal/datetime"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
)

// CheckRequest makes the checks that huma doesn't make: a query parameter stands once, an id is 36 characters long, a
// time is of RFC 3339, and null stands only where the schema permits it. Errors: problem.MalformedRequest,
// problem.ValidationFailed.
func CheckRequest(schemas huma.Registry, op *huma.Operation, c *gin.Context) error {
	invalidateMalformedIDs(c, op.Parameters)
	if err := checkQuery(c.Request.URL, op.Parameters); err != nil || op.RequestBody == nil {
		return err
	}
	return checkValues(schemas, op.RequestBody.Content["application/json"].Schema, edge.RawBody(c.Request.Context()))
}

// invalidateMalformedIDs replaces an id of another form in a path by "-", so that huma finds it invalid and the answer
// is 404.
func invalidateMalformedIDs(c *gin.Context, parameters []*huma.Param) {
	for _, p := range parameters {
		for i := range c.Params {
			if id := &c.Params[i]; p.In == "path" && p.Name == id.Key && isID(p) && len(id.Value) != uuidLength {
				id.Value = "-"
			}
		}
	}
}

func isID(p *huma.Param) bool { return p.Schema != nil && p.Schema.Format == "uuid" }

// checkQuery returns problem.MalformedRequest for a parameter that stands twice, and problem.ValidationFailed for an id
// or a time that isn't written as they are.
func checkQuery(u *url.URL, parameters []*huma.Param) error {
	query := u.Query()
	for _, p := range parameters {
		switch given := query[p.Name]; {
		case p.In != "query" || len(given) == 0:
		case len(given) > 1:
			return problem.New(problem.MalformedRequest,
				fmt.Sprintf("The query has the parameter %s more than once.", p.Name))
		case p.Schema != nil && given[0] != "":
			if err := checkFormat(p.Name, p.Schema.Format, given[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFormat returns problem.ValidationFailed for a text that huma takes for an id or a time although it isn't written
// as they are.
func checkFormat(name, format, text string) error {
	switch format {
	case "uuid":
		if len(text) != uuidLength {
			return problem.Invalid(name, "invalid_format", expectedUUID)
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, text); err == nil { // as huma does
			_, err = datetime.ParseTime(name, text)
			return err
		}
	}
	return nil
}

// checkValues returns problem.ValidationFailed for nulls, ids and times that a body's schema has no place for, and for
// objects and lists in a list of different texts. What else is wrong with the body is huma's to find.
func checkValues(registry huma.Registry, schema *huma.Schema, raw []byte) error {
	var body any
	_ = json.Unmarshal(raw, &body) // edge.ReadRequest has refused invalid JSON; an empty body is huma's to refuse
	if body == nil {
		return nil
	}
	found := problem.New(problem.ValidationFailed, notValid)
	var check func(path string, s *huma.Schema, value any)
	check = func(path string, s *huma.Schema, value any) {
		for s.Ref != "" {
			s = registry.SchemaFromRef(s.Ref)
		}
		switch value := value.(type) {
		case nil:
			if !s.Nullable {
				found.Fields = append(found.Fields,
					problem.Field{Name: path, Code: "wrong_type", Detail: "Expected a value and not null."})
			}
		case string:
			if refused, ok := errors.AsType[*problem.Error](checkFormat(path, s.Format, value)); ok {
				found.Fields = append(found.Fields, refused.Fields...)
			}
		case map[string]any:
			for name, property := range s.Properties {
				if field, ok := value[name]; ok {
					check(joinPath(path, name), property, field)
				}
			}
		case []any:
			for i, item := range value {
				if s.Items == nil {
					continue
				}
				at := fmt.Sprintf("%s[%d]", path, i)
				check(at, s.Items, item)
				if s.UniqueItems && !isScalar(item) { // huma panics when it compares it
					found.Fields = append(found.Fields,
						problem.Field{Name: at, Code: "wrong_type", Detail: "Expected string."})
				}
			}
		}
	}
	check("", schema, body)
	if len(found.Fields) == 0 {
		return nil
	}
	return bounded(found)
}

// isScalar reports whether a JSON value is neither an object nor a list.
func isScalar(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
