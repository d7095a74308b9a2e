package booking

import (
	"strconv"
	"strings"

	"holdfast/internal/problem"
)

// ETag returns the strong entity tag of the booking's version.
func (b Booking) ETag() string { return etag(b.Version) }

func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// Precondition is the value of If-Match: the versions of a booking that a change may be made to. Empty and * match any version,
// a list matches the versions in it. Weak tags never match (RFC 9110, section 13.1.1).
type Precondition string

// check returns problem.VersionMismatch if the version is not matched.
func (p Precondition) check(version int64) error {
	if p == "" || strings.TrimSpace(string(p)) == "*" {
		return nil
	}
	for tag := range strings.SplitSeq(string(p), ",") {
		if strings.TrimSpace(tag) == etag(version) {
			return nil
		}
	}
	return problem.New(problem.VersionMismatch, "The booking has changed since the version that If-Match names.")
}
