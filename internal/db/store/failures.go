package store

import (
	"holdfast/internal/db/internal/core"
	"holdfast/internal/problem"
)

// What the failures of writing a booking mean. The next run finds an id or a reference in use, makes another code, and finds the customer
// that another booking made.
var (
	timeTaken = core.Failure{State: core.ExclusionViolation, Means: func(cause error) error {
		return problem.Wrap(cause, problem.SlotUnavailable, "The time is taken.")
	}}
	nameTaken = core.Failure{State: core.UniqueViolation, Again: true, Means: nameInUse}
	otherCame = core.Failure{State: core.ForeignKeyViolation, Again: true}
	erased    = core.Failure{State: core.DivisionByZero, Again: true}
)

func nameInUse(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "The id or the reference was taken at the same time.")
}

// noResource: a closure's, a block's or a service's resource doesn't exist.
var noResource = core.Failure{State: core.ForeignKeyViolation, Means: missing}

// missing is what a foreign key means that a request's id violates.
func missing(error) error { return problem.Missing() }
