package httpapi_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
)

// with returns a copy of an object with one value changed, and what is missing on the way to it. The path's parts are
// names and indexes.
func with(o object, path []any, value any) object {
	return changed(o, path, func(parent any, last any) any {
		switch p := parent.(type) {
		case object:
			p[last.(string)] = value
		case []any:
			p[last.(int)] = value
		}
		return parent
	}).(object)
}

// without returns a copy of an object without one value.
func without(o object, path []any) object {
	return changed(o, path, func(parent any, last any) any {
		switch p := parent.(type) {
		case object:
			delete(p, last.(string))
			return p
		case []any:
			i := last.(int)
			return append(p[:i:i], p[i+1:]...)
		}
		return parent
	}).(object)
}

func changed(v any, path []any, change func(parent, last any) any) any {
	v = shallow(v)
	if _, isIndex := path[0].(int); isIndex && len(listOf(v)) == 0 {
		v = []any{nil}
	} else if v == nil {
		v = object{}
	}
	if len(path) == 1 {
		return change(v, path[0])
	}
	switch p := v.(type) {
	case object:
		name := path[0].(string)
		p[name] = changed(p[name], path[1:], change)
	case []any:
		i := path[0].(int)
		p[i] = changed(p[i], path[1:], change)
	}
	return v
}

func shallow(v any) any {
	switch p := v.(type) {
	case object:
		copied := make(object, len(p))
		for name, value := range p {
			copied[name] = value
		}
		return copied
	case []any:
		return slices.Clone(p)
	}
	return v
}

// paths lists every value in an object but those inside metadata, which are nobody's business.
func paths(v any, prefix ...any) [][]any {
	var list [][]any
	add := func(key, value any) {
		path := append(slices.Clone(prefix), key)
		list = append(list, path)
		if key != "metadata" {
			list = append(list, paths(value, path...)...)
		}
	}
	switch p := v.(type) {
	case object:
		names := make([]string, 0, len(p))
		for name := range p {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			add(name, p[name])
		}
	case []any:
		for i, value := range p {
			add(i, value)
		}
	}
	return list
}

// valueAt returns the value at a path, nil if there is none.
func valueAt(v any, path []any) any {
	for _, part := range path {
		switch p := v.(type) {
		case object:
			v = p[part.(string)]
		case []any:
			if len(p) <= part.(int) {
				return nil
			}
			v = p[part.(int)]
		default:
			return nil
		}
	}
	return v
}

// fieldName writes a path as the problem documents do: customer.email, weekly[0].opens.
func fieldName(path []any) string {
	var b strings.Builder
	for _, part := range path {
		switch p := part.(type) {
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(p)
		case int:
			b.WriteString("[" + strconv.Itoa(p) + "]")
		}
	}
	return b.String()
}

func availabilityPath(service uuid.UUID, from, to civil.Date) string {
	query := url.Values{"from": {from.String()}, "to": {to.String()}}
	return "/v1/services/" + service.String() + "/availability?" + query.Encode()
}

// rfc3339 is a time as a client writes it.
func rfc3339(at time.Time) string { return at.Format(time.RFC3339) }
