package db

import "holdfast/internal/db/internal/core"

// Failure says what an SQLSTATE of a statement means.
type Failure = core.Failure

// SQLSTATEs by which statements say what stands in the way. Source: PostgreSQL manual, Appendix A.
const (
	DivisionByZero      = core.DivisionByZero
	NotNullViolation    = core.NotNullViolation
	ForeignKeyViolation = core.ForeignKeyViolation
	UniqueViolation     = core.UniqueViolation
	CheckViolation      = core.CheckViolation
	ExclusionViolation  = core.ExclusionViolation
)

// Again are failures after which the transaction runs again: another one came first, in a way that the next run will
// see.
func Again(states ...string) []Failure { return core.Again(states...) }
