package change

import (
	"slices"
	"strings"

	"holdfast/internal/problem"
)

// TypeFilter lets events of some types pass; the zero value lets all pass.
type TypeFilter struct {
	patterns []string // of LIKE
}

// FilterTypes returns the filter of some patterns, which are known to be right. A pattern is a type, such as
// payment.succeeded, the beginning of types, such as booking.*, or * for all. The relay matches types to the same
// patterns in SQL.
func FilterTypes(patterns ...string) TypeFilter {
	var f TypeFilter
	for _, p := range patterns {
		p = strings.ReplaceAll(p, "_", `\_`) // of what LIKE gives a meaning, types have only this
		if prefix, all := strings.CutSuffix(p, "*"); all {
			p = prefix + "%"
		}
		f.patterns = append(f.patterns, p)
	}
	return f
}

// Patterns returns the filter as patterns of LIKE; an event passes if one of them matches its type, or if there is
// none.
func (f TypeFilter) Patterns() []string { return f.patterns }

// ParseTypes returns the filter of some patterns. A pattern is a type, such as payment.succeeded, or the beginning of
// types, such as booking.*. Errors: problem.ValidationFailed for the field if a pattern is anything else.
func (s *Service) ParseTypes(field string, patterns ...string) (TypeFilter, error) {
	for _, p := range patterns {
		prefix, all := strings.CutSuffix(p, "*")
		known := slices.ContainsFunc(s.types, func(t string) bool {
			return !all && t == p || all && strings.HasSuffix(prefix, ".") && strings.HasPrefix(t, prefix)
		})
		if !known {
			return TypeFilter{}, problem.Invalid(field, "not_one_of",
				"Expected types of events, such as payment.succeeded, or their beginning, such as booking.*.")
		}
	}
	return FilterTypes(patterns...), nil
}
