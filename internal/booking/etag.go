package booking

import (
	"holdfast/internal/etag"
	"holdfast/internal/problem"
)

// ETag returns the strong entity tag of the booking's version.
func (b Booking) ETag() string { return etag.Of(b.Version) }

// Precondition is the value of If-Match: the versions of a booking, resource, service or closure that a change may be made to, as etag.Match reads it.
type Precondition string

// check returns problem.VersionMismatch if the booking's version is not matched.
func (p Precondition) check(version int64) error { return p.checkOf("booking", version) }

// Check returns problem.VersionMismatch if the version of a thing is not matched.
func (p Precondition) Check(thing string, version int64) error { return p.checkOf(thing, version) }

// checkOf is check for a thing of another kind.
func (p Precondition) checkOf(thing string, version int64) error {
	if etag.Match(string(p), version) {
		return nil
	}
	return problem.New(problem.VersionMismatch, "The "+thing+" has changed since the version that If-Match names.")
}
