package etag

import "holdfast/internal/problem"

// Precondition is the value of If-Match: the versions of a thing that a change may be made to, as Match reads it.
type Precondition string

// Check returns problem.VersionMismatch if the version of a thing, such as a "booking", is not matched.
func (p Precondition) Check(thing string, version int64) error {
	if Match(string(p), version) {
		return nil
	}
	return problem.New(problem.VersionMismatch, "The "+thing+" has changed since the version that If-Match names.")
}
