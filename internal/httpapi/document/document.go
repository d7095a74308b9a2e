package document

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
)

// Extras are parts of the document that follow from no route.
type Extras struct {
	// Headers are headers that all operations with a security scheme take, by the scheme's name.
	Headers map[string][]Header
	// EventTypes are the types of the events that are delivered to webhook endpoints, and Events those of each kind of
	// subject.
	EventTypes []string
	Events     []Events
}

// Events are the events of one kind of subject.
type Events struct {
	// Name is the name of their schema, Schema that of their data, and About says what the data are.
	Name, Schema, About string
	Types               []string
}

func enum(texts []string) []any {
	list := make([]any, len(texts))
	for i, t := range texts {
		list[i] = t
	}
	return list
}

// Header is an optional header of requests.
type Header struct {
	Name, Description, Example string
	MaxLength                  int
}

// object is a JSON object of the document.
type object = map[string]any

// Render returns the document of an API. It doesn't change api.
func Render(api *huma.OpenAPI, extras Extras) (*Document, error) {
	text, err := json.Marshal(api)
	if err != nil {
		return nil, fmt.Errorf("encode huma's description: %w", err)
	}
	root, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("decode huma's description: %w", err)
	}
	d := &Document{root: root, components: child(root, "components"), extras: extras}
	d.root["servers"] = []any{object{"url": "/", "description": "The server that this document comes from."}}
	d.root["tags"] = listOfTags()
	if err := d.completeOperations(); err != nil {
		return nil, err
	}
	d.addProblems()
	d.addEvents()
	d.share()
	return d, nil
}

// Document is an OpenAPI document.
type Document struct {
	root, components object
	extras           Extras
}

func listOfTags() []any {
	list := make([]any, len(tags))
	for i, t := range tags {
		list[i] = object{"name": t.name, "description": t.description}
	}
	return list
}

// operation is an operation with its place.
type operation struct {
	path, method string
	o            object
}

// operations returns the operations, by their path and method.
func (d *Document) operations() (list []operation) {
	paths := child(d.root, "paths")
	for _, path := range sortedKeys(paths) {
		methods, _ := paths[path].(object)
		for _, method := range sortedKeys(methods) {
			if o, ok := methods[method].(object); ok {
				list = append(list, operation{path, method, o})
			}
		}
	}
	return list
}

// component makes a component of some kind, such as schemas, and returns a reference to it.
func (d *Document) component(kind, name string, value object) object {
	child(d.components, kind)[name] = value
	return reference(kind, name)
}

func reference(kind, name string) object { return object{"$ref": "#/components/" + kind + "/" + name} }

// child returns the object that stands under a key, and makes it if there is none.
func child(parent object, key string) object {
	if c, ok := parent[key].(object); ok {
		return c
	}
	c := object{}
	parent[key] = c
	return c
}

// decode reads JSON and keeps its numbers as they are written.
func decode(text []byte) (value object, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&value)
	return value, err
}
