package hostile_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/stretchr/testify/require"
)

// description is the API as its OpenAPI document and docs/errors.md tell it. It is read once and can be used by
// several goroutines.
type description struct {
	operations []operation
	schemas    object
	validator  validator.Validator
	codes      map[string]int // the status of each error code
}

// operation is one of the document's operations.
type operation struct {
	id, method, path string
	parameters       []parameter
	body             any // its schema, nil without one
	responses        map[string]bool
	item             *v3.PathItem
}

// takesKey reports whether the operation's requests have an Idempotency-Key, so that repeating one gets the stored answer.
func (o operation) takesKey() bool {
	return slices.ContainsFunc(o.parameters, func(p parameter) bool { return p.name == "Idempotency-Key" })
}

// parameter is a query parameter or a header.
type parameter struct {
	name, in string
	required bool
	schema   object
}

var codeRow = regexp.MustCompile("(?m)^\\| (\\d{3}) \\| `([a-z_]+)` \\|")

// readDescription asks a server for its description.
func readDescription(t require.TestingT, address string) *description {
	l := &line{address: address}
	defer l.close()
	text := l.send(t, request{method: http.MethodGet, target: "/openapi.json"}).body
	document, err := libopenapi.NewDocument([]byte(text))
	require.NoError(t, err)
	model, err := document.BuildV3Model()
	require.NoError(t, err)
	check, errs := validator.NewValidator(document, config.WithFormatAssertions())
	require.Empty(t, errs)
	valid, wrong := check.ValidateDocument()
	require.True(t, valid, wrong)
	d := &description{validator: check, codes: make(map[string]int)}
	errors, err := os.ReadFile(filepath.Join("..", "..", "docs", "errors.md"))
	require.NoError(t, err)
	for _, row := range codeRow.FindAllStringSubmatch(string(errors), -1) {
		d.codes[row[2]], err = strconv.Atoi(row[1])
		require.NoError(t, err)
	}
	require.Greater(t, len(d.codes), 20)

	var plain struct {
		Components struct{ Schemas, Parameters object }
		Paths      map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(text), &plain))
	d.schemas = plain.Components.Schemas
	for path, item := range model.Model.Paths.PathItems.FromOldest() {
		for method := range item.GetOperations().FromOldest() {
			op := operation{method: strings.ToUpper(method), path: path, item: item, responses: make(map[string]bool)}
			op.read(t, plain.Paths[path][method], plain.Components.Parameters)
			d.operations = append(d.operations, op)
		}
	}
	require.Greater(t, len(d.operations), 20)
	return d
}

// read takes the rest of an operation from its JSON.
func (o *operation) read(t require.TestingT, text []byte, shared object) {
	var described struct {
		OperationID string
		Parameters  []object
		RequestBody *struct {
			Content map[string]struct{ Schema any }
		}
		Responses object
	}
	require.NoError(t, json.Unmarshal(text, &described))
	o.id = described.OperationID
	for status := range described.Responses {
		o.responses[status] = true
	}
	if described.RequestBody != nil {
		o.body = described.RequestBody.Content["application/json"].Schema
	}
	for _, p := range described.Parameters {
		if ref, ok := p["$ref"].(string); ok {
			p = shared[ref[strings.LastIndex(ref, "/")+1:]].(object)
		}
		if p["in"] == "path" {
			continue
		}
		schema, _ := p["schema"].(object)
		o.parameters = append(o.parameters, parameter{p["name"].(string), p["in"].(string), p["required"] == true, schema})
	}
}

// requireDescribed requires that the document lists the answer's status for the operation, with this media type and a body
// of this form, and the headers that every answer of its kind has.
func (d *description) requireDescribed(t require.TestingT, o operation, r request, a answer) {
	require.True(t, o.responses[strconv.Itoa(a.status)], "the document lists no %d for %s: %s", a.status, o.id, a.body)
	if r.method != http.MethodHead {
		asked, err := http.NewRequest(o.method, "http://holdfast"+o.path, http.NoBody)
		require.NoError(t, err)
		response := &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(strings.NewReader(a.body))}
		valid, wrong := d.validator.GetResponseBodyValidator().ValidateResponseBodyWithPathItem(asked, response, o.item, o.path)
		require.True(t, valid, "%s: %d %s: %v", o.id, a.status, a.body, wrong)
	}
	if version, ok := a.object["version"].(float64); ok && a.status < 300 {
		require.Equal(t, strconv.Quote(strconv.FormatInt(int64(version), 10)), a.header.Get("ETag"), "what carries a version has a tag")
	}
	switch a.status {
	case http.StatusCreated:
		if o.id == "transfer" { // it shows both wallets
			require.Contains(t, r.body, a.object["from"].(map[string]any)["id"])
			break
		}
		if id := a.text("id"); !strings.Contains(r.target, id) { // else it is the wallet that was changed
			require.Contains(t, a.header.Get("Location"), id, "what was made is somewhere")
		}
		require.NotEmpty(t, a.text("id"))
	case http.StatusNoContent:
		require.Empty(t, a.body)
	}
	if strings.HasSuffix(o.path, ".pdf") && a.status == http.StatusOK && r.method != http.MethodHead {
		require.True(t, strings.HasPrefix(a.body, "%PDF-"))
	}
}

// requireProblem requires a problem document whose code is listed with the answer's status.
func (d *description) requireProblem(t require.TestingT, r request, a answer) {
	if r.method == http.MethodHead {
		require.Empty(t, a.body)
		return
	}
	body := a.object
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"), a.body)
	code, _ := body["code"].(string)
	status, listed := d.codes[code]
	require.True(t, listed, "the code isn't listed: %s", a.body)
	if code == "malformed_request" && (a.status == http.StatusExpectationFailed || a.status == http.StatusRequestHeaderFieldsTooLarge) {
		status = a.status
	}
	require.Equal(t, status, a.status, a.body)
	require.EqualValues(t, a.status, body["status"])
	for _, name := range []string{"type", "title", "detail"} {
		require.NotEmpty(t, body[name], name)
	}
	switch a.status {
	case http.StatusUnauthorized:
		require.Equal(t, "Bearer", a.header.Get("Www-Authenticate"))
	case http.StatusMethodNotAllowed:
		require.NotEmpty(t, a.header.Get("Allow"))
	case http.StatusTooManyRequests:
		require.NotEmpty(t, a.header.Get("Retry-After"))
	}
	if code == "request_in_progress" {
		require.NotEmpty(t, a.header.Get("Retry-After"))
	}
}

// pathOf returns the operation's path with one id in it.
func (o operation) pathOf(id string) string {
	from, to := strings.IndexByte(o.path, '{'), strings.IndexByte(o.path, '}')
	return o.path[:from] + id + o.path[to+1:]
}
