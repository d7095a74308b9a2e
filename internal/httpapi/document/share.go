package document

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// share moves parameters and responses that stand in several operations to components.
func (d *Document) share() {
	d.prune()
	d.shareProperties()
	parameters, responses := map[string]int{}, map[string]int{}
	d.visit(func(_ any, _ string, value object) any {
		parameters[compact(value)]++
		return value
	}, func(_ any, _ string, value object) any {
		responses[compact(value)]++
		return value
	})
	names := make(map[string]string) // of the values that have one
	d.visit(func(_ any, _ string, p object) any {
		if parameters[compact(p)] < 2 {
			return p
		}
		name, _ := p["name"].(string)
		return d.shareAs("parameters", name, p, names)
	}, func(_ any, status string, r object) any {
		if responses[compact(r)] < 2 {
			return r
		}
		return d.shareAs("responses", responseName(status, r), r, names)
	})
}

// A property of several schemas is a schema of its own if it has so many bytes, and if so many are saved.
const (
	sharedFrom = 120
	savedFrom  = 300
)

// shareProperties gives properties that several schemas have a schema of their own, under their name. Where properties
// of one name differ, the longest does.
func (d *Document) shareProperties() {
	schemas := child(d.components, "schemas")
	counts := make(map[string]map[string]int) // by name and value
	d.eachProperty(schemas, func(_ object, name, text string) {
		if counts[name] == nil {
			counts[name] = make(map[string]int)
		}
		counts[name][text]++
	})
	chosen := make(map[string]string)
	for name, values := range counts {
		for _, text := range slices.Sorted(maps.Keys(values)) {
			if saved := (values[text] - 1) * len(text); saved >= savedFrom &&
				saved > (counts[name][chosen[name]]-1)*len(chosen[name]) {
				chosen[name] = text
			}
		}
	}
	made := make(object)
	d.eachProperty(schemas, func(properties object, name, text string) {
		component := typeName(strings.ReplaceAll(name, "_", "-")) + "Field"
		if text != chosen[name] || schemas[component] != nil {
			return
		}
		made[component] = properties[name]
		properties[name] = reference("schemas", component)
	})
	maps.Copy(schemas, made)
}

// eachProperty calls visit for the properties of schemas that are long enough to share and no object of their own.
func (d *Document) eachProperty(schemas object, visit func(properties object, name, text string)) {
	for _, schema := range sortedKeys(schemas) {
		properties, _ := schemas[schema].(object)["properties"].(object)
		for _, name := range sortedKeys(properties) {
			property := properties[name].(object)
			if text := compact(property); len(text) >= sharedFrom && property["properties"] == nil &&
				property["$ref"] == nil {
				visit(properties, name, text)
			}
		}
	}
}

// prune removes the schemas that nothing refers to.
func (d *Document) prune() {
	schemas := child(d.components, "schemas")
	for {
		text, before := compact(d.root), len(schemas)
		maps.DeleteFunc(schemas, func(name string, _ any) bool {
			return !strings.Contains(text, compact("#/components/schemas/"+name))
		})
		if len(schemas) == before {
			return
		}
	}
}

// visit replaces each parameter and each response of the operations, unless it is a reference already.
func (d *Document) visit(parameter, response func(holder any, key string, value object) any) {
	for _, op := range d.operations() {
		list, _ := op.o["parameters"].([]any)
		for i := range list {
			if p := list[i].(object); p["$ref"] == nil {
				list[i] = parameter(list, "", p)
			}
		}
		responses := child(op.o, "responses")
		for _, status := range sortedKeys(responses) {
			if r := responses[status].(object); r["$ref"] == nil {
				responses[status] = response(responses, status, r)
			}
		}
	}
}

// shareAs returns a reference to a component that has the value. Where another value has the name, the component gets a
// number.
func (d *Document) shareAs(kind, name string, value object, names map[string]string) object {
	text := kind + compact(value)
	known, ok := names[text]
	if !ok {
		known = name
		for n := 2; child(d.components, kind)[known] != nil; n++ {
			known = name + strconv.Itoa(n)
		}
		names[text] = known
		d.component(kind, known, value)
	}
	return reference(kind, known)
}

// responseName returns the name of a response: that of what it shows, and for 201 and 202 what happened.
func responseName(status string, r object) string {
	number, _ := strconv.Atoi(status)
	name := ""
	if media, ok := child(r, "content")["application/json"].(object); ok {
		ref, _ := child(media, "schema")["$ref"].(string)
		name = ref[strings.LastIndexByte(ref, '/')+1:]
	}
	if name == "" {
		delete(r, "content")
		return strings.ReplaceAll(http.StatusText(number), " ", "")
	}
	if number == http.StatusOK {
		return name
	}
	return name + http.StatusText(number)
}
