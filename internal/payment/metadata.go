package payment

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"holdfast/internal/problem"
)

// The bounds of a payment's metadata. The provider's are wider, and leave room for our own names.
const (
	MaxMetadata      = 20
	maxMetadataValue = 500
)

// ReservedMetadata are the names under which adapters keep what finds a charge again. No request may use them, nor
// names that begin with reservedPrefix.
var ReservedMetadata = []string{"tenant_id", "payment_id", "refund_id", "checkout"}

const reservedPrefix = "holdfast_"

var metadataName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,40}$`)

// checkMetadata returns problem.ValidationFailed for metadata that a payment can't have.
func checkMetadata(metadata map[string]string) error {
	refuse := func(code, detail string) error { return problem.Invalid("metadata", code, detail) }
	if len(metadata) > MaxMetadata {
		return refuse("too_long", fmt.Sprintf("Expected at most %d entries.", MaxMetadata))
	}
	for name, value := range metadata {
		switch {
		case !metadataName.MatchString(name):
			return refuse("invalid_format",
				"Expected names of 1 to 40 letters, digits, points, hyphens and underscores.")
		case slices.Contains(ReservedMetadata, name), strings.HasPrefix(name, reservedPrefix):
			return refuse("reserved", "Expected no name that begins with "+reservedPrefix+", and none of these: "+
				strings.Join(ReservedMetadata, ", ")+".")
		case utf8.RuneCountInString(value) > maxMetadataValue:
			return refuse("too_long", fmt.Sprintf("Expected texts of at most %d characters.", maxMetadataValue))
		}
		if err := problem.CheckText("metadata", value); err != nil {
			return err
		}
	}
	return nil
}

func encodeMetadata(metadata map[string]string) (json.RawMessage, error) {
	if len(metadata) == 0 {
		return nil, nil
	}
	return json.Marshal(metadata)
}

// metadataOf returns the metadata of a payment, nil without any.
func metadataOf(row paymentRow) (metadata map[string]string) {
	_ = json.Unmarshal(row.Metadata, &metadata) // encodeMetadata wrote it; there may be none
	return metadata
}
