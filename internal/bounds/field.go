package bounds

import (
	"reflect"
	"strings"
)

// Field is what a struct says of one of its fields: the same tags that Check reads.
type Field struct {
	// Type is that of the value, also where the field is a pointer to it.
	Type reflect.Type
	// Required says that a document must have the field, and each struct on the way to it.
	Required bool
	// Max is how many characters a text has, or elements a list, at most; 0 for any number.
	Max int
	// Values are those that a text, or an element of a list, may be; nil for anything.
	Values []string
	// Format is how a text is written, such as date.
	Format string
}

// FieldOf returns the field of a struct at a path of names as JSON has them, such as email.from.name. A list on the way
// stands for its elements. It reports false if there is none.
func FieldOf(t reflect.Type, path string) (Field, bool) {
	found := Field{Type: t, Required: true}
	for name := range strings.SplitSeq(path, ".") {
		f, ok := named(elementOf(found.Type), name)
		if !ok {
			return Field{}, false
		}
		_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		optional := isOptional(options) || f.Tag.Get("required") == "false"
		found = Field{Type: f.Type, Required: found.Required && !optional, Format: f.Tag.Get("format")}
		if found.Type.Kind() == reflect.Pointer {
			found.Type = found.Type.Elem()
		}
		key := "maxLength"
		if found.Type.Kind() == reflect.Slice {
			key = "maxItems"
		}
		found.Max = int(orZero(bound(f.Tag, key)))
		found.Values = values(f.Tag, reflect.Zero(elementOf(found.Type)))
	}
	return found, true
}

// elementOf returns the type of the elements of a list, and t for another type.
func elementOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		return t.Elem()
	}
	return t
}

// named returns the field of a struct, or of one that it embeds, with a name of JSON.
func named(t reflect.Type, name string) (reflect.StructField, bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		switch own, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case f.Anonymous && own == "":
			if below, ok := named(f.Type, name); ok {
				return below, true
			}
		case own == name && own != "-":
			return f, true
		}
	}
	return reflect.StructField{}, false
}
