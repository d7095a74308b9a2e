package document

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2/yaml"
)

// order is the order of the document's own members.
var order = []string{"openapi", "info", "servers", "tags", "paths", "webhooks", "components"}

// JSON returns the document without blanks.
func (d *Document) JSON() []byte {
	var b bytes.Buffer
	d.write(&b, 0)
	return b.Bytes()
}

// YAML returns the document as YAML.
func (d *Document) YAML() ([]byte, error) {
	var b bytes.Buffer
	err := yaml.Convert(&b, bytes.NewReader(d.JSON()))
	return b.Bytes(), err
}

// Text returns the document for people and diffs, in which each part of an operation and each property of a schema has
// a line of its own. There is no indentation, which would make a tenth of it.
func (d *Document) Text() []byte {
	var b bytes.Buffer
	d.write(&b, linesTo)
	b.WriteByte('\n')
	return b.Bytes()
}

// linesTo is how deep lines are broken: at components, schemas, a schema, its properties.
const linesTo = 5

func (d *Document) write(b *bytes.Buffer, breaks int) {
	w := writer{b: b, breaks: breaks}
	w.members(d.root, order, 0, func(key string, value any) {
		if paths, ok := value.(object); ok && key == "paths" {
			w.members(paths, d.pathOrder(paths), 1, func(_ string, item any) { w.value(item, 2) })
			return
		}
		w.value(value, 1)
	})
}

// pathOrder sorts paths by the tag of their operations, in the order of the tags.
func (d *Document) pathOrder(paths object) []string {
	position := make(map[string]int, len(tags))
	for i, t := range tags {
		position[t.name] = i
	}
	at := make(map[string]int, len(paths))
	for _, op := range d.operations() {
		if tags, _ := op.o["tags"].([]any); len(tags) > 0 {
			at[op.path] = position[tags[0].(string)]
		}
	}
	return slices.SortedStableFunc(slices.Values(sortedKeys(paths)), func(a, b string) int { return at[a] - at[b] })
}

// writer writes JSON, with a line for each member of what is less deep than breaks.
type writer struct {
	b      *bytes.Buffer
	breaks int
}

func (w writer) value(value any, depth int) {
	if o, ok := value.(object); ok && depth < w.breaks {
		w.members(o, nil, depth, func(_ string, value any) { w.value(value, depth+1) })
		return
	}
	w.b.WriteString(compact(value))
}

// members writes an object. Names in first come first, the others in alphabetical order.
func (w writer) members(o object, first []string, _ int, write func(key string, value any)) {
	keys := slices.DeleteFunc(slices.Clone(first), func(key string) bool { return o[key] == nil })
	for _, key := range sortedKeys(o) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	w.b.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			w.b.WriteByte(',')
		}
		w.line()
		w.b.WriteString(compact(key) + ":")
		if w.breaks > 0 {
			w.b.WriteByte(' ')
		}
		write(key, o[key])
	}
	w.line()
	w.b.WriteByte('}')
}

// line begins a line of a text that has several.
func (w writer) line() {
	if w.breaks > 0 {
		w.b.WriteByte('\n')
	}
}

// compact returns a value as JSON without blanks.
func compact(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // values of JSON always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func sortedKeys(o object) []string { return slices.Sorted(maps.Keys(o)) }
