package tenant

import (
	"slices"
	"strings"

	"holdfast/internal/operation"
	"holdfast/internal/problem"
)

// Scopes are scopes in the order of AllScopes, each once.
type Scopes []operation.Scope

// AllScopes returns every scope there is.
func AllScopes() Scopes { return operation.Scopes() }

// Has reports whether the scope is among s.
func (s Scopes) Has(scope operation.Scope) bool { return slices.Contains(s, scope) }

// Publishable reports whether a key with these scopes may stand in a web page, where anyone reads it: it has no scope
// but catalog and hold. Limits hold for each visitor who uses it, and browsers may use it on the tenant's origins only.
func (s Scopes) Publishable() bool {
	return len(s) > 0 && !slices.ContainsFunc(s, func(scope operation.Scope) bool {
		return scope != operation.ScopeCatalog && scope != operation.ScopeHold
	})
}

// Require returns nil if the scope is among s, and otherwise problem.Forbidden with a detail that names it.
func (s Scopes) Require(scope operation.Scope) error {
	if s.Has(scope) {
		return nil
	}
	return problem.New(problem.Forbidden, "This API key lacks the scope "+string(scope)+".")
}

// RequireFor is Require for a field of a request that needs a scope besides that of the route. Its detail names the
// field too.
func (s Scopes) RequireFor(field string, scope operation.Scope) error {
	if s.Has(scope) {
		return nil
	}
	return problem.New(problem.Forbidden, "This API key lacks the scope "+string(scope)+", which "+field+" needs.")
}

// RequireToGrant returns nil if all of the granted scopes are among s, and otherwise problem.Forbidden with a detail
// that names the others. Whoever could grant more than it has could give itself everything.
func (s Scopes) RequireToGrant(granted Scopes) error {
	var lacking []string
	for _, scope := range granted {
		if !s.Has(scope) {
			lacking = append(lacking, string(scope))
		}
	}
	if lacking == nil {
		return nil
	}
	return problem.New(problem.Forbidden,
		"An API key grants only scopes that it has itself. This one lacks "+strings.Join(lacking, ", ")+
			".")
}

// without returns the scopes of s that aren't among others.
func (s Scopes) without(others Scopes) Scopes { return slices.DeleteFunc(slices.Clone(s), others.Has) }

// newScopes returns the scopes that a request names, in any order. Errors: problem.ValidationFailed for none, and for
// one that doesn't exist or stands twice.
func newScopes(names []operation.Scope) (Scopes, error) {
	if len(names) == 0 {
		return nil, problem.Invalid("scopes", "too_short", "Expected at least one scope.")
	}
	var scopes Scopes
	for _, scope := range AllScopes() {
		if slices.Contains(names, scope) {
			scopes = append(scopes, scope)
		}
	}
	for i, scope := range names {
		switch {
		case !scopes.Has(scope):
			return nil, problem.Invalid("scopes", "not_one_of",
				"Expected catalog, hold, read, book, customers, money or admin.")
		case slices.Contains(names[:i], scope):
			return nil, problem.Invalid("scopes", "duplicate", "A scope is given twice.")
		}
	}
	return scopes, nil
}

func scopesOf(stored []string) Scopes {
	scopes := make(Scopes, len(stored))
	for i, s := range stored {
		scopes[i] = operation.Scope(s)
	}
	return scopes
}

func (s Scopes) texts() []string {
	list := make([]string, len(s))
	for i, scope := range s {
		list[i] = string(scope)
	}
	return list
}
