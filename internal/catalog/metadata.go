package catalog

import (
	"encoding/json"
	"fmt"

	"holdfast/internal/problem"
)

// Metadata is a JSON object of the tenant's own, kept as it was sent.
type Metadata json.RawMessage

// maxMetadata bounds metadata in bytes of JSON.
const maxMetadata = 16 << 10

// Check returns problem.ValidationFailed if there is too much.
func (m Metadata) Check() error {
	if len(m) > maxMetadata {
		return problem.Invalid("metadata", "too_long", fmt.Sprintf("Expected at most %d bytes.", maxMetadata))
	}
	return nil
}

// IsZero reports whether there is none.
func (m Metadata) IsZero() bool { return len(m) == 0 || string(m) == "{}" }

// MarshalJSON returns the object as it was sent, and an empty one if none was.
func (m Metadata) MarshalJSON() ([]byte, error) {
	if len(m) == 0 {
		return []byte("{}"), nil
	}
	return m, nil
}

// UnmarshalJSON keeps the object as it is. Null means empty.
func (m *Metadata) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		raw = nil
	}
	*m = append((*m)[:0], raw...)
	return nil
}
