package store

import (
	"holdfast/internal/db"
	"holdfast/internal/problem"
)

// What the failures of writing a booking mean. The next run finds an id or a reference in use, makes another code, and finds the customer
// that another booking made.
var (
	timeTaken = db.Failure{State: db.ExclusionViolation, Means: func(cause error) error {
		return problem.Wrap(cause, problem.SlotUnavailable, "The time is taken.")
	}}
	nameTaken = db.Failure{State: db.UniqueViolation, Again: true, Means: nameInUse}
	otherCame = db.Failure{State: db.ForeignKeyViolation, Again: true}
	erased    = db.Failure{State: db.DivisionByZero, Again: true}
)

func nameInUse(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "The id or the reference was taken at the same time.")
}

// noResource: a closure's, a block's or a service's resource doesn't exist.
var noResource = db.Failure{State: db.ForeignKeyViolation, Means: missing}

// missing is what a foreign key means that a request's id violates.
func missing(error) error { return problem.Missing() }
