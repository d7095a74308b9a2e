package mergepatch

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// merge returns a JSON value after a patch (RFC 7396, section 2). What the patch doesn't name keeps its place and its
// bytes; what is new comes last, in the patch's order.
func merge(target, patch jsontext.Value) (jsontext.Value, error) {
	if patch.Kind() != '{' {
		return patch, nil
	}
	var merged []member
	var err error
	if target.Kind() == '{' {
		if merged, err = membersOf(target); err != nil {
			return nil, err
		}
	}
	places := map[string]int{}
	for i, m := range merged {
		places[m.name] = i
	}
	changes, err := membersOf(patch)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		i, found := places[c.name]
		switch {
		case c.value.Kind() == 'n':
			if found {
				merged[i].value = nil
			}
		case found:
			merged[i].value, err = merge(merged[i].value, c.value)
		default:
			c.value, err = merge(nil, c.value)
			merged = append(merged, c)
		}
		if err != nil {
			return nil, err
		}
	}
	return objectOf(merged), nil
}

// member is a name of an object, as it is written and as it is meant, with its value.
type member struct {
	written jsontext.Value
	name    string
	value   jsontext.Value
}

// membersOf returns the members of an object.
func membersOf(object jsontext.Value) (list []member, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("read an object: %w", err)
	}
	for dec.PeekKind() != '}' {
		var m member
		if m.written, err = read(dec); err != nil {
			return nil, err
		}
		name, err := jsontext.AppendUnquote(nil, m.written)
		if err != nil {
			return nil, fmt.Errorf("read a name: %w", err)
		}
		m.name = string(name)
		if m.value, err = read(dec); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// read returns the decoder's next value.
func read(dec *jsontext.Decoder) (jsontext.Value, error) {
	v, err := dec.ReadValue()
	if err != nil {
		return nil, fmt.Errorf("read a value: %w", err)
	}
	return v.Clone(), nil
}

// objectOf returns the object with the members that have a value.
func objectOf(list []member) jsontext.Value {
	object := jsontext.Value("{")
	for _, m := range list {
		if m.value == nil {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(append(append(object, m.written...), ':'), m.value...)
	}
	return append(object, '}')
}
