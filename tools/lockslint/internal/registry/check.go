package registry

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Check returns what is wrong with the registry by itself, without looking at any code: rows that can't be read,
// two rows that can make the same name or have the same number, names that are ambiguous, scopes that don't say
// what the name says.
func (r *Registry) Check() []Finding {
	found := slices.Clone(r.unread)
	say := func(line int, rule, format string, args ...any) {
		found = append(found, Finding{Line: line, Rule: rule, Message: fmt.Sprintf(format, args...)})
	}
	used := map[string]bool{}
	for i := range r.Locks {
		l := &r.Locks[i]
		r.checkLock(l, used, say)
		for j := range i {
			r.checkPair(&r.Locks[j], l, say)
		}
	}
	for _, p := range r.Parts {
		if !used[p.Name] {
			say(p.Line, "stale", "no name has the part {%s}: take the row out, or correct its name", p.Name)
		}
	}
	for i, s := range r.Statements {
		for _, o := range r.Statements[:i] {
			if o.Ref.Same(s.Ref) && o.Function == s.Function {
				say(s.Line, "registry", "the statement %s is listed twice, also on line %d: take one out", s.Ref, o.Line)
			}
		}
	}
	for _, t := range r.ThirdParties {
		if t.Lock != "" && !slices.ContainsFunc(r.Locks, func(l Lock) bool { return l.Name == t.Lock }) {
			say(t.Line, "stale", "there is no lock named %q: add its row to the table of locks", t.Lock)
		}
	}
	return found
}

var keyShape = regexp.MustCompile(`^(random|-?[0-9]+|[a-z0-9_]+\(name\))$`)

func (r *Registry) checkLock(l *Lock, used map[string]bool, say func(int, string, string, ...any)) {
	if !keyShape.MatchString(l.Key) {
		say(l.Line, "pattern", "%q is no key: write a number, a hash such as fnv1a64(name), or random", l.Key)
	}
	_, hashed := l.Hash()
	if !hashed {
		if _, numbered := l.Number(); numbered && l.Constructor == nil {
			say(l.Line, "reference", "the number %s has no constant: declare one and name it as the constructor", l.Key)
		}
		if l.Scope != allOfIt {
			say(l.Line, "scope", "a key without parts is one lock for %s: say so as its scope", allOfIt)
		}
		return
	}
	if l.Constructor == nil {
		say(l.Line, "reference", "a hashed name needs a constructor: write one and name it")
	}
	tokens, unknown := r.tokens(l.Name)
	for _, name := range unknown {
		say(l.Line, "pattern", "{%s} is not in the table of parts: add its row there with its shape", name)
	}
	var last *Part
	for _, t := range tokens {
		if t.part != nil {
			used[t.part.Name] = true
			last = t.part
		}
	}
	if why := ambiguity(tokens); why != "" {
		say(l.Line, "ambiguous", "%s", why)
	}
	switch {
	case last == nil && len(unknown) == 0 && l.Scope != allOfIt:
		say(l.Line, "scope", "a name without parts is one lock for %s: say so as its scope", allOfIt)
	case last != nil && !strings.Contains(strings.ToLower(l.Scope), last.Name):
		say(l.Line, "scope", "the name locks one {%s}, and the scope %q doesn't say so: name it", last.Name, l.Scope)
	}
}

func (r *Registry) checkPair(first, second *Lock, say func(int, string, string, ...any)) {
	a, numberedA := first.Number()
	b, numberedB := second.Number()
	if numberedA && numberedB && a == b {
		say(second.Line, "same id", "the number %d is also that of line %d: give each lock its own", a, first.Line)
	}
	if first.Name == second.Name {
		say(second.Line, "same name", "the name %q is also that of line %d: give each lock its own", second.Name, first.Line)
		return
	}
	_, hashedA := first.Hash()
	_, hashedB := second.Hash()
	if !hashedA || !hashedB {
		return
	}
	if name, same := Common(r.Names(first), r.Names(second)); same {
		say(second.Line, "same name", "%q is a name of this row and of line %d: add a word that only this row has, or narrow a part's shape",
			name, first.Line)
	}
}
