package registry

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// token is a piece of a pattern: literal text, or a part.
type token struct {
	literal string
	part    *Part
}

var partName = regexp.MustCompile(`\{[^{}]*\}`)

// tokens splits a pattern into literals and parts; unknown lists the parts that are in no table.
func (r *Registry) tokens(pattern string) (tokens []token, unknown []string) {
	end := 0
	for _, at := range partName.FindAllStringIndex(pattern, -1) {
		if at[0] > end {
			tokens = append(tokens, token{literal: pattern[end:at[0]]})
		}
		end = at[1]
		name := pattern[at[0]+1 : at[1]-1]
		if p := r.part(name); p != nil {
			tokens = append(tokens, token{part: p})
		} else {
			unknown = append(unknown, name)
		}
	}
	if end < len(pattern) {
		tokens = append(tokens, token{literal: pattern[end:]})
	}
	return tokens, unknown
}

func (r *Registry) part(name string) *Part {
	for i := range r.Parts {
		if r.Parts[i].Name == name {
			return &r.Parts[i]
		}
	}
	return nil
}

// Names returns the regular expression of the names that a lock's pattern makes.
func (r *Registry) Names(l *Lock) string {
	tokens, _ := r.tokens(l.Name)
	var re strings.Builder
	for _, t := range tokens {
		if t.part != nil {
			re.WriteString("(?:" + t.part.Shape + ")")
		} else {
			re.WriteString(regexp.QuoteMeta(t.literal))
		}
	}
	return re.String()
}

// ambiguity says why two different lists of parts can make the same name, and returns "" if they can't. A part must
// end where the reader sees that it ends: it has a fixed length, or what follows can't be in it.
func ambiguity(tokens []token) string {
	for i, t := range tokens {
		if t.part == nil || i == len(tokens)-1 || fixedLength(t.part.Shape) {
			continue
		}
		next := tokens[i+1]
		if next.part != nil {
			return fmt.Sprintf("nothing separates {%s} from {%s}, and {%s} has no fixed length: put a separator between them",
				t.part.Name, next.part.Name, t.part.Name)
		}
		separator, _ := utf8.DecodeRuneInString(next.literal)
		if canHold(t.part.Shape, separator) {
			return fmt.Sprintf("{%s} may contain the separator %q that follows it, so different things can have one name: "+
				"narrow its shape, or put it last", t.part.Name, separator)
		}
	}
	return ""
}
