package document

import (
	"fmt"
	"strings"
)

// headers describes the response headers that operations have in common.
var headers = map[string]string{
	"Content-Disposition": "The name of the file.",
	"ETag":                "The version of what is shown, to be sent as If-Match or If-None-Match.",
	"Idempotent-Replayed": "true when this is the stored answer of an earlier request with the same key.",
	"Link":                "The next page, as next_cursor names it.",
	"Location":            "Where the new thing is.",
	"Request-Id":          "Finds the request in the server's log. It is the request's own Request-Id, if that had one.",
	"WWW-Authenticate":    "How to authenticate.",
}

// ofEachResponse are headers that stand at the responses 4XX and 5XX, and in the introduction, in place of each
// response.
var ofEachResponse = []string{"Preference-Applied", "RateLimit", "RateLimit-Policy"}

// completeOperations gives each operation its examples and scope, and takes from it what tells readers nothing.
func (d *Document) completeOperations() error {
	text := object{"type": "string"}
	for name, description := range headers {
		d.component("headers", name, object{"description": description, "schema": text})
	}
	for _, op := range d.operations() {
		d.describeScope(op.o)
		d.addHeaders(op.o)
		d.tidyParameters(op.o)
		d.tidyHeaders(op.o)
		if err := d.completeBody(op.o); err != nil {
			return err
		}
	}
	return nil
}

// describeScope says in words which scope an operation needs, and for programs as x-scope: scopes in security are for
// OAuth alone.
func (d *Document) describeScope(o object) {
	security, _ := o["security"].([]any)
	if len(security) == 0 {
		o["security"] = []any{} // none is needed
		return
	}
	needs := "Needs the server's admin key."
	for _, alternative := range security {
		alternative := alternative.(object)
		for scheme, scopes := range alternative {
			if scopes := scopes.([]any); len(scopes) > 0 {
				needs = fmt.Sprintf("Needs the scope `%s`.", scopes[0])
				o["x-scope"] = scopes[0]
				alternative[scheme] = []any{}
			}
		}
	}
	description, _ := o["description"].(string)
	o["description"] = strings.TrimSpace(description + "\n\n" + needs)
}

// addHeaders gives an operation the headers that its security scheme takes.
func (d *Document) addHeaders(o object) {
	security, _ := o["security"].([]any)
	for _, alternative := range security {
		for _, scheme := range sortedKeys(alternative.(object)) {
			for _, h := range d.extras.Headers[scheme] {
				parameters, _ := o["parameters"].([]any)
				o["parameters"] = append(parameters, d.component("parameters", h.Name, object{
					"name": h.Name, "in": "header", "description": h.Description, "example": h.Example,
					"schema": object{"type": "string", "minLength": 1, "maxLength": h.MaxLength},
				}))
			}
		}
	}
}

// tidyParameters removes what is said twice, and what says nothing.
func (d *Document) tidyParameters(o object) {
	parameters, _ := o["parameters"].([]any)
	for _, p := range parameters {
		p := p.(object)
		schema, ok := p["schema"].(object)
		if !ok {
			continue
		}
		if schema["description"] == p["description"] {
			delete(schema, "description")
		}
		if schema["type"] != "array" {
			delete(p, "explode")
		}
		if examples, ok := schema["examples"].([]any); ok && len(examples) == 1 {
			p["example"] = examples[0]
			delete(schema, "examples")
		}
	}
}

// tidyHeaders replaces headers by those that operations have in common.
func (d *Document) tidyHeaders(o object) {
	for _, r := range child(o, "responses") {
		headers := child(r.(object), "headers")
		delete(headers, "Content-Type") // it is the key of content
		for _, name := range ofEachResponse {
			delete(headers, name)
		}
		for name, header := range headers {
			_, known := child(d.components, "headers")[name]
			if _, described := header.(object)["description"]; known && (name != "ETag" || !described) {
				headers[name] = reference("headers", name)
			}
		}
		if len(headers) == 0 {
			delete(r.(object), "headers")
		}
	}
}

// completeBody names the schema of a body that stands in the operation itself, and adds the examples.
func (d *Document) completeBody(o object) error {
	body, ok := o["requestBody"].(object)
	if !ok {
		return nil
	}
	id, _ := o["operationId"].(string)
	for _, media := range child(body, "content") {
		media := media.(object)
		if schema := child(media, "schema"); schema["$ref"] == nil {
			d.describePatch(schema)
			media["schema"] = d.component("schemas", typeName(id), schema)
		}
		for _, e := range examplesOf(id) {
			value, err := decode([]byte(exampleIDs.Replace(e.Body)))
			if err != nil {
				return fmt.Errorf("the example %s of %s: %w", e.Name, id, err)
			}
			child(media, "examples")[e.Name] = object{"summary": e.Summary, "value": value}
		}
	}
	return nil
}

// describePatch replaces the descriptions of a merge patch's fields by the name of the schema that describes the same
// fields.
func (d *Document) describePatch(patch object) {
	schemas, fields := child(d.components, "schemas"), child(patch, "properties")
	described := func(schema object, field string) bool {
		other, _ := child(schema, "properties")[field].(object)
		return other != nil && other["description"] == fields[field].(object)["description"]
	}
	base, most := "", 0
	for _, name := range sortedKeys(schemas) {
		schema := schemas[name].(object)
		if schema["properties"] == nil {
			continue
		}
		same := 0
		for field := range fields {
			if described(schema, field) {
				same++
			}
		}
		if same > most {
			base, most = name, same
		}
	}
	if base == "" {
		return
	}
	for field := range fields {
		if described(schemas[base].(object), field) {
			delete(fields[field].(object), "description")
		}
	}
	patch["description"] = "A JSON Merge Patch: what is absent stays, null removes. Fields without a description are those of " + base + "."
}

// typeName returns the name of a type for an operation's id: ChangeService for change-service.
func typeName(id string) string {
	var name strings.Builder
	for word := range strings.SplitSeq(id, "-") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}
