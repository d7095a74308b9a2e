package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/pb33f/libopenapi/renderer"
	"github.com/stretchr/testify/require"
)

// description is the OpenAPI document as a program that knows nothing else of the API reads it: it makes requests, and
// says whether answers are as described.
type description struct {
	operations []described
	validator  validator.Validator
}

// described is an operation of the document.
type described struct {
	method, path string
	item         *v3.PathItem
	operation    *v3.Operation
}

// parameter is a parameter of an operation.
type parameter struct {
	name     string
	required bool
	schema   *base.Schema
}

func newDescription(t testingT, s *apiServer) *description {
	t.Helper()
	document, err := libopenapi.NewDocument([]byte(s.admin().get(t, "/openapi.json", "Authorization", "").body))
	require.NoError(t, err)
	model, err := document.BuildV3Model()
	require.NoError(t, err)
	check, errs := validator.NewValidator(document, config.WithFormatAssertions())
	require.Empty(t, errs)
	valid, wrong := check.ValidateDocument()
	require.True(t, valid, wrong)
	d := &description{validator: check}
	for path, item := range model.Model.Paths.PathItems.FromOldest() {
		for method, operation := range item.GetOperations().FromOldest() {
			d.operations = append(d.operations, described{strings.ToUpper(method), path, item, operation})
		}
	}
	require.Greater(t, len(d.operations), 20)
	slices.Reverse(d.operations) // rapid draws the first ones more often, and those of administrators are no use to others
	return d
}

// pathOf returns the operation's path with ids in it. Their kind is the word in front of each.
func (o described) pathOf(id func(kind string) string) string {
	words := strings.Split(o.path, "/")
	for i, word := range words {
		if strings.HasPrefix(word, "{") {
			words[i] = id(words[i-1])
		}
	}
	return strings.Join(words, "/")
}

// parameters lists the operation's parameters in the path, the query or the header.
func (o described) parameters(in string) []parameter {
	var list []parameter
	for _, p := range o.operation.Parameters {
		if p.In == in {
			list = append(list, parameter{p.Name, p.Required != nil && *p.Required, p.Schema.Schema()})
		}
	}
	return list
}

// example makes a value for the parameter. The same seed makes the same value.
func (p parameter) example(seed int64) any { return made(p.schema, seed, false) }

// example makes a body for the operation, with all of its fields or those that are required; nil if it has none.
func (o described) example(seed int64, all bool) object {
	if o.operation.RequestBody == nil {
		return nil
	}
	media, _ := o.operation.RequestBody.Content.Get("application/json")
	body, _ := made(media.Schema.Schema(), seed, all).(object)
	return body
}

func made(schema *base.Schema, seed int64, all bool) any {
	g := renderer.NewMockGenerator(renderer.JSON)
	g.SetSeed(seed)
	if all {
		g.DisableRequiredCheck()
	}
	var value any
	if raw, err := g.GenerateMock(schema, ""); err != nil || json.Unmarshal(raw, &value) != nil {
		return nil
	}
	return value
}

// requireDescribed requires that the document lists the answer's status for the operation, with this media type, a body
// of this form, and that its tag is its version.
func (d *description) requireDescribed(t testingT, o described, a answer) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), o.method, "http://127.0.0.1"+o.path, http.NoBody)
	require.NoError(t, err)
	response := &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(strings.NewReader(a.body))}
	valid, wrong := d.validator.GetResponseBodyValidator().ValidateResponseBodyWithPathItem(request, response, o.item, o.path)
	require.True(t, valid, "%s %s: %d %s: %v", o.method, o.path, a.status, a.body, wrong)
	var body struct{ Version *int64 }
	if a.status < http.StatusMultipleChoices && json.Unmarshal([]byte(a.body), &body) == nil && body.Version != nil {
		require.Equal(t, strconv.Quote(strconv.FormatInt(*body.Version, 10)), a.header.Get("ETag"), "what carries a version has a tag")
	}
}
