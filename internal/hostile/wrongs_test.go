package hostile_test

import (
	"slices"
	"strings"
)

// wrongs change a request in one place so that it has to be refused, and say why.
var wrongs = []func(*sequence, *drawn){
	func(_ *sequence, r *drawn) {
		r.add("Authorization", r.header("Authorization"))
		r.wrong = "two Authorization headers"
	},
	func(_ *sequence, r *drawn) {
		if _, query, asked := strings.Cut(r.target, "?"); asked {
			first, _, _ := strings.Cut(query, "&")
			r.target += "&" + first
			r.wrong = "a query parameter twice"
		}
	},
	func(s *sequence, r *drawn) {
		words := strings.Split(r.op.path, "/")
		i := slices.Index(words, "{id}")
		if i < 0 {
			return
		}
		path, query, asked := strings.Cut(r.target, "?")
		words = strings.Split(path, "/")
		words[i] = pick(s.draw,
			[]string{"{" + words[i] + "}", "urn:uuid:" + words[i], strings.ReplaceAll(words[i], "-", "")})
		if r.target = strings.Join(words, "/"); asked {
			r.target += "?" + query
		}
		r.wrong = "an id in another spelling"
	},
	func(_ *sequence, r *drawn) {
		if strings.Contains(r.target, "?") {
			r.target += "&x=1"
		} else {
			r.target += "?x=1"
		}
		r.wrong = "an unknown query parameter"
	},
}

// null puts null where a body has a number or a name, or blanks where it has a name.
func (s *sequence) null(r *drawn, body object) {
	for _, p := range s.places(body) {
		switch p.in[p.name].(type) {
		case int, int64:
			properties, _ := s.resolved(r.op.body)["properties"].(object)
			property, known := properties[p.name].(object)
			types, _ := property["type"].([]any)
			if !known || slices.Contains(types, any("null")) {
				continue // of metadata, or null removes it
			}
			p.in[p.name] = nil
			r.wrong = "null for the number " + p.name
			return
		}
	}
	if _, named := body["name"].(string); named {
		body["name"] = pick(s.draw, []any{" ", "\t", "\u00a0", "a\u0000b", "a\u0001b", "a\nb", nil, ""})
		r.wrong = "a name of blanks or with control characters"
	}
}
