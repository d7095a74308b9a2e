// Package etag makes entity tags of versions, and compares versions with If-Match.
package etag

import (
	"strconv"
	"strings"
)

// Of returns the strong entity tag of a version.
func Of(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// Match reports whether the value of If-Match permits a change at a version; see MatchTag.
func Match(ifMatch string, version int64) bool { return MatchTag(ifMatch, Of(version)) }

// MatchTag reports whether the value of If-Match permits a change of what has a strong entity tag. Empty and * match
// any, a list matches the tags in it. Weak tags never match (RFC 9110, section 13.1.1).
func MatchTag(ifMatch, current string) bool {
	if ifMatch == "" || strings.TrimSpace(ifMatch) == "*" {
		return true
	}
	for tag := range strings.SplitSeq(ifMatch, ",") {
		if strings.TrimSpace(tag) == current {
			return true
		}
	}
	return false
}
