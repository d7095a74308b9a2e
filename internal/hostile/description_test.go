package hostile_test

import (
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// description is the API as its OpenAPI document and docs/errors.md tell it. It is read once and can be used by
// several goroutines.
type description struct {
	operations []operation
	schemas    object
	codes      map[string]int // the status of each error code
}

// operation is one of the document's operations.
type operation struct {
	id, method, path string
	parameters       []parameter
	body             any // its schema, nil without one
	responses        map[string]bodies
}

// bodies has the schema of each media type of a response, nil for what isn't JSON.
type bodies map[string]*jsonschema.Schema

// response is a response as the document has it, or the place where it stands.
type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Schema struct {
			Ref string `json:"$ref"`
		}
	}
}

func (r response) bodies(t require.TestingT, schemas *jsonschema.Compiler) bodies {
	b := make(bodies)
	for media, content := range r.Content {
		b[media] = nil
		if strings.HasSuffix(media, "json") {
			schema, err := schemas.Compile(documentName + content.Schema.Ref)
			require.NoError(t, err)
			b[media] = schema
		}
	}
	return b
}

// takesKey reports whether the operation's requests have an Idempotency-Key, so that repeating one gets the stored
// answer.
func (o operation) takesKey() bool {
	return slices.ContainsFunc(o.parameters, func(p parameter) bool { return p.name == "Idempotency-Key" })
}

// parameter is a query parameter or a header.
type parameter struct {
	name, in string
	required bool
	schema   object
}

// documentName is the document's name among the schemas.
const documentName = "openapi.json"

var codeRow = regexp.MustCompile("(?m)^\\| (\\d{3}) \\| `([a-z_]+)` \\|")

// readDescription asks a server for its description.
func readDescription(t require.TestingT, address string) *description {
	l := &line{address: address}
	defer l.close()
	text := l.send(t, request{method: http.MethodGet, target: "/openapi.json"}).body
	schemas := schemasOf(t, text)
	d := &description{codes: make(map[string]int)}
	errors, err := os.ReadFile(filepath.Join("..", "..", "docs", "errors.md"))
	require.NoError(t, err)
	for _, row := range codeRow.FindAllStringSubmatch(string(errors), -1) {
		d.codes[row[2]], err = strconv.Atoi(row[1])
		require.NoError(t, err)
	}
	require.Greater(t, len(d.codes), 20)

	var plain struct {
		Components struct {
			Schemas, Parameters object
			Responses           map[string]response
		}
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(text), &plain))
	d.schemas = plain.Components.Schemas
	for _, template := range slices.Sorted(maps.Keys(plain.Paths)) {
		methods := plain.Paths[template]
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			op := operation{method: strings.ToUpper(method), path: template, responses: make(map[string]bodies)}
			op.read(t, methods[method], plain.Components.Parameters, plain.Components.Responses, schemas)
			d.operations = append(d.operations, op)
		}
	}
	require.Greater(t, len(d.operations), 20)
	return d
}

// schemasOf returns a compiler of the schemas in the document, which must be a valid one.
func schemasOf(t require.TestingT, document string) *jsonschema.Compiler {
	schemas := jsonschema.NewCompiler()
	schemas.AssertFormat()
	for name, text := range map[string]string{"3.1": datamodel.OpenAPI31SchemaData, documentName: document} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		require.NoError(t, schemas.AddResource(name, value))
	}
	standard, err := schemas.Compile("3.1")
	require.NoError(t, err)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	require.NoError(t, err)
	require.NoError(t, standard.Validate(value))
	return schemas
}

// read takes the rest of an operation from its JSON.
func (o *operation) read(t require.TestingT, text []byte, shared object, responses map[string]response,
	schemas *jsonschema.Compiler,
) {
	var described struct {
		OperationID string
		Parameters  []object
		RequestBody *struct {
			Content map[string]struct{ Schema any }
		}
		Responses map[string]response
	}
	require.NoError(t, json.Unmarshal(text, &described))
	o.id = described.OperationID
	for status, r := range described.Responses {
		if r.Ref != "" {
			r = responses[path.Base(r.Ref)]
		}
		o.responses[status] = r.bodies(t, schemas)
	}
	if described.RequestBody != nil {
		o.body = described.RequestBody.Content["application/json"].Schema
	}
	for _, p := range described.Parameters {
		if ref, ok := p["$ref"].(string); ok {
			p = shared[path.Base(ref)].(object)
		}
		if p["in"] == "path" {
			continue
		}
		schema, _ := p["schema"].(object)
		o.parameters = append(o.parameters,
			parameter{p["name"].(string), p["in"].(string), p["required"] == true, schema})
	}
}

// requireDescribed requires that the document lists the answer's status for the operation, with this media type and a
// body of this form, and the headers that every answer of its kind has.
func (d *description) requireDescribed(t require.TestingT, o operation, r request, a answer) {
	bodies, listed := o.responses[strconv.Itoa(a.status)]
	if !listed { // it may be one of those that any request may get
		bodies, listed = o.responses[strconv.Itoa(a.status/100)+"XX"]
	}
	require.True(t, listed, "the document lists no %d for %s: %s", a.status, o.id, a.body)
	if r.method != http.MethodHead && len(bodies) > 0 {
		media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
		require.NoError(t, err, "%s: %d %s", o.id, a.status, a.body)
		schema, listed := bodies[media]
		require.True(t, listed, "the document lists no %s for %s: %d %s", media, o.id, a.status, a.body)
		if schema != nil && media != "application/x-ndjson" {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(a.body))
			require.NoError(t, err, "%s: %d %s", o.id, a.status, a.body)
			require.NoError(t, schema.Validate(value), "%s: %d %s", o.id, a.status, a.body)
		}
	}
	if version, ok := a.object["version"].(float64); ok && a.status < 300 {
		require.Equal(t, strconv.Quote(strconv.FormatInt(int64(version), 10)), a.header.Get("ETag"),
			"what carries a version has a tag")
	}
	switch a.status {
	case http.StatusCreated:
		if o.id == "transfer" { // it shows both wallets
			require.Contains(t, r.body, a.object["from"].(map[string]any)["id"])
			break
		}
		if o.id == "create-payment-account" { // a tenant has one, and the id is the provider's
			require.NotEmpty(t, a.text("account_id"))
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
	if code == "malformed_request" &&
		(a.status == http.StatusExpectationFailed || a.status == http.StatusRequestHeaderFieldsTooLarge) {
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
