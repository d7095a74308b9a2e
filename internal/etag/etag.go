// Package etag makes entity tags of versions, and compares versions with If-Match.
package etag

import (
	"strconv"
	"strings"
)

// Of returns the strong entity tag of a version.
func Of(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// Match reports whether the value of If-Match permits a change at a version. Empty and * match any version, a list matches the versions
// in it. Weak tags never match (RFC 9110, section 13.1.1).
func Match(ifMatch string, version int64) bool {
	if ifMatch == "" || strings.TrimSpace(ifMatch) == "*" {
		return true
	}
	for tag := range strings.SplitSeq(ifMatch, ",") {
		if strings.TrimSpace(tag) == Of(version) {
			return true
		}
	}
	return false
}
