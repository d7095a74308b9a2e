package httpapi_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// operation is one of the API's operations as its OpenAPI document describes it.
type operation struct {
	id, method, path string
	parameters       []string // in the path
	query            []field
	headers          []string
	hasBody          bool
	bodyRequired     bool
	body             []field
	statuses         []int
	pattern          *regexp.Regexp // of its paths
}

// field is a value of a request, as the document describes it. The path's parts are names, and 0 for the elements of a
// list.
type field struct {
	path     []any
	schema   object
	required bool
}

var pathParameter = regexp.MustCompile(`\\?\{[a-z_]+\\?\}`)

// answers reports whether a request is one of the operation's.
func (o operation) answers(method, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return o.method == method && o.pattern.MatchString(path)
}

// describedOperations are those of the first server that was asked: all servers of a process describe the same ones,
// and the document is long.
var describedOperations struct {
	sync.Mutex
	list []operation
}

// operations returns the operations in the order of ids. The caller must not change them.
func (s *apiServer) operations(t testingT) []operation {
	t.Helper()
	describedOperations.Lock()
	defer describedOperations.Unlock()
	if describedOperations.list == nil {
		describedOperations.list = s.readOperations(t)
	}
	return describedOperations.list
}

// generalStatuses are those that the document describes once for all operations.
var generalStatuses = map[string][]int{"4XX": {400, 401, 403, 408, 413, 415, 417, 429, 431}, "5XX": {500, 503}}

// readOperations reads the OpenAPI document.
func (s *apiServer) readOperations(t testingT) []operation {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []object
			RequestBody *struct {
				Required bool
				Content  map[string]struct{ Schema object }
			}
			Responses map[string]object
		}
		Components struct{ Parameters, Schemas object }
	}
	s.admin().get(t, "/openapi.json").read(t, &document)
	var list []operation
	for path, methods := range document.Paths {
		for method, o := range methods {
			op := operation{id: o.OperationID, method: strings.ToUpper(method), path: path}
			if o.RequestBody != nil {
				op.hasBody, op.bodyRequired = true, o.RequestBody.Required
				op.body = fieldsOf(document.Components.Schemas, o.RequestBody.Content["application/json"].Schema)
			}
			op.pattern = regexp.MustCompile("^" + pathParameter.ReplaceAllString(regexp.QuoteMeta(path), "[^/]+") + "$")
			for _, p := range o.Parameters {
				p = referred(document.Components.Parameters, p)
				name := p["name"].(string)
				switch p["in"] {
				case "path":
					op.parameters = append(op.parameters, name)
				case "query":
					op.query = append(op.query, field{[]any{name}, p["schema"].(object), p["required"] == true})
				case "header":
					op.headers = append(op.headers, name)
				}
			}
			for status := range o.Responses {
				if general, ok := generalStatuses[status]; ok {
					op.statuses = append(op.statuses, general...)
					continue
				}
				code, err := strconv.Atoi(status)
				require.NoError(t, err)
				op.statuses = append(op.statuses, code)
			}
			list = append(list, op)
		}
	}
	slices.SortFunc(list, func(a, b operation) int { return strings.Compare(a.id, b.id) })
	require.Greater(t, len(list), 20)
	return list
}

// referred returns what an object of the document refers to, or itself.
func referred(components, o object) object {
	if ref, ok := o["$ref"].(string); ok {
		return referred(components, components[ref[strings.LastIndexByte(ref, '/')+1:]].(object))
	}
	return o
}

// fieldsOf lists the fields of a schema, and of what is in them, those of a list once.
func fieldsOf(schemas, schema object, prefix ...any) []field {
	schema = referred(schemas, schema)
	var list []field
	add := func(key any, schema any, required bool) {
		path, inner := append(slices.Clone(prefix), key), referred(schemas, schema.(object))
		list = append(append(list, field{path, inner, required}), fieldsOf(schemas, inner, path...)...)
	}
	properties, _ := schema["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		add(name, properties[name], slices.Contains(listOf(schema["required"]), any(name)))
	}
	if items, ok := schema["items"]; ok {
		add(0, items, false)
	}
	return list
}

// refusal is a request that must be refused and change nothing.
type refusal struct {
	name         string
	method, path string
	body         any
	headers      []string
	status       int
	code         problem.Code
	// field and reason, where set, are what the problem's errors must hold.
	field, reason string
}

// requireRefused sends each request and requires its answer, that the API's description knows such an answer, and
// that the tables are as they were after all of them. To find the one that wrote something, run them one by one.
func requireRefused(t *testing.T, c client, refusals []refusal) {
	t.Helper()
	before, operations := c.tables(t), c.operations(t)
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			d := requireProblem(t, c.send(t, r.method, r.path, r.body, r.headers...), r.status, r.code)
			for _, op := range operations {
				if op.answers(r.method, r.path) {
					require.Contains(t, op.statuses, r.status, "not in the description of %s", op.id)
				}
			}
			if r.field != "" {
				require.Equal(t, r.reason, d.field(r.field), "%s in %+v", r.field, d.Errors)
			}
		})
	}
	require.Equal(t, before, c.tables(t), "a refusal wrote something")
}
