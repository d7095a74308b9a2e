package check

import (
	"bytes"
	"encoding/json"
	"strings"

	"holdfast/tools/torture/history"
)

// visitorPath begins the paths of visitors' requests, and websiteKeys the stored keys of these.
const (
	visitorPath = "/v1/holds"
	websiteKeys = "website\t"
)

// asTenant returns an operation of a visitor of a website as one of its tenant that does the same: visitors' keys are
// stored behind their namespace, and visitors see a part of what is stored. So all rules hold for what visitors do as
// well.
func (c *checker) asTenant(op history.Operation) history.Operation {
	rest, visitor := strings.CutPrefix(op.Path, visitorPath)
	if !visitor {
		return op
	}
	op.Path, op.Key = "/v1/bookings"+rest, websiteKeys+op.Key
	if op.Status/100 != 2 {
		return op
	}
	k := c.stored[scopedKey{op.Tenant, op.Key}]
	switch {
	case final(op) && k != nil && k.Status != nil && *k.Status == op.Status:
		if !isPartOf(op.Response, k.Body) {
			c.violate(RuleAnswer, []int64{op.ID}, "the visitor's key %q was answered %s, and %s is stored", op.Key,
				op.Response, k.Body)
		}
		op.Response = k.Body
	case strings.HasSuffix(rest, "/payments"): // what is stored of it has no end yet
		paid := read[map[string]any](op.Response)
		paid["booking_id"] = strings.Split(rest, "/")[1]
		op.Response, _ = json.Marshal(paid) //nolint:errchkjson // it was JSON
	}
	return op
}

// isPartOf reports whether each field of an answer is that of what is stored.
func isPartOf(answer, stored []byte) bool {
	all := read[map[string]json.RawMessage](stored)
	for name, value := range read[map[string]json.RawMessage](answer) {
		if !bytes.Equal(canonical(value), canonical(all[name])) {
			return false
		}
	}
	return true
}
