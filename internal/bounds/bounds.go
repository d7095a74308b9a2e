package bounds

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"holdfast/internal/problem"
)

// Enum is a type of texts that lists its values.
type Enum interface{ Values() []string }

// Check returns problem.ValidationFailed with each field of v, a struct, whose value breaks a bound of its tag. In the
// request the fields begin with prefix.
//
// Of texts it reads minLength and maxLength, in characters, pattern, which expected says in words, and enum; an Enum
// has one of its values. Of integers it reads minimum and maximum, of lists minItems, maxItems and enum, of maps
// maxProperties. It checks the elements of lists, and structs, too. A field that is nil, or that is zero and
// has omitempty or omitzero, is absent and breaks no bound. Check reads no other tags, and looks at no other types.
func Check(prefix string, v any) error {
	var found []problem.Field
	checkStruct(prefix, reflect.ValueOf(v), &found)
	if len(found) == 0 {
		return nil
	}
	err := problem.Invalid("", "", "")
	err.Fields = found
	return err
}

func checkStruct(prefix string, v reflect.Value, found *[]problem.Field) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			if embedded := reflect.Indirect(v.Field(i)); embedded.Kind() == reflect.Struct {
				checkStruct(prefix, embedded, found)
			}
		case name == "" || name == "-" || isOptional(options) && v.Field(i).IsZero():
		default:
			checkValue(prefix+name, f.Tag, v.Field(i), found)
		}
	}
}

// isOptional reports whether the options of a field's JSON tag let a document leave the field out.
func isOptional(options string) bool { return strings.HasPrefix(options, "omit") }

func checkValue(name string, tag reflect.StructTag, v reflect.Value, found *[]problem.Field) {
	refuse := func(is bool, code, detail string) {
		if is {
			*found = append(*found, problem.Field{Name: name, Code: code, Detail: detail})
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			checkValue(name, tag, v.Elem(), found)
		}
	case reflect.String:
		n := int64(utf8.RuneCountInString(v.String()))
		low, high, enum := bound(tag, "minLength"), bound(tag, "maxLength"), values(tag, v)
		if low != nil && *low == 1 {
			refuse(n == 0, "too_short", "Fill it in.")
		} else {
			refuse(low != nil && n < *low, "too_short", fmt.Sprintf("Expected at least %d characters.", orZero(low)))
		}
		refuse(high != nil && n > *high, "too_long", fmt.Sprintf("Expected at most %d characters.", orZero(high)))
		refuse(enum != nil && !slices.Contains(enum, v.String()), "not_one_of",
			"Expected one of "+strings.Join(enum, ", ")+".")
		pattern := tag.Get("pattern")
		refuse(pattern != "" && !compiled(pattern).MatchString(v.String()), "pattern",
			"Expected "+cmp.Or(tag.Get("expected"), "text that matches "+pattern)+".")
	case reflect.Int, reflect.Int32, reflect.Int64:
		low, high := bound(tag, "minimum"), bound(tag, "maximum")
		refuse(low != nil && v.Int() < *low, "too_small", fmt.Sprintf("Expected at least %d.", orZero(low)))
		refuse(high != nil && v.Int() > *high, "too_large", fmt.Sprintf("Expected at most %d.", orZero(high)))
	case reflect.Slice:
		n, low, high := int64(v.Len()), bound(tag, "minItems"), bound(tag, "maxItems")
		refuse(low != nil && n < *low, "too_short", fmt.Sprintf("Expected at least %d.", orZero(low)))
		refuse(high != nil && n > *high, "too_long", fmt.Sprintf("Expected at most %d.", orZero(high)))
		for i := range v.Len() {
			checkValue(fmt.Sprintf("%s[%d]", name, i), ofElements(tag), v.Index(i), found)
		}
	case reflect.Map:
		high := bound(tag, "maxProperties")
		refuse(high != nil && int64(v.Len()) > *high, "too_long", fmt.Sprintf("Expected at most %d.", orZero(high)))
	case reflect.Struct:
		checkStruct(name+".", v, found)
	default:
	}
}

// ofElements returns what a list's tag says of its elements.
func ofElements(tag reflect.StructTag) reflect.StructTag {
	if list, ok := tag.Lookup("enum"); ok {
		return reflect.StructTag(`enum:"` + list + `"`)
	}
	return ""
}

// values returns what a text may be, nil for anything.
func values(tag reflect.StructTag, v reflect.Value) []string {
	if list, ok := tag.Lookup("enum"); ok {
		return strings.Split(list, ",")
	}
	if enum, ok := v.Interface().(Enum); ok {
		return enum.Values()
	}
	return nil
}

// patterns are the compiled patterns of tags, by their text.
var patterns sync.Map

func compiled(pattern string) *regexp.Regexp {
	known, ok := patterns.Load(pattern)
	if !ok {
		known, _ = patterns.LoadOrStore(pattern, regexp.MustCompile(pattern))
	}
	return known.(*regexp.Regexp)
}

// bound returns the number of a tag, nil for none. A tag that is no number is a defect.
func bound(tag reflect.StructTag, key string) *int64 {
	text, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("bounds: the tag %s is %q", key, text))
	}
	return &n
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
