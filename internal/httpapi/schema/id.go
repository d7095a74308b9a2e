package schema

import (
	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// uuidLength is the length of a UUID as it is written here. huma and uuid.Parse also take {…}, urn:uuid:… and 32
// digits, so that one id would have several names.
const uuidLength = 36

const expectedUUID = "Expected a UUID of 36 characters."

// ParseID reads an id as ids are written here. It returns false for another text.
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == uuidLength
}

// ParseRequiredID reads the id in a field. Error: problem.ValidationFailed.
func ParseRequiredID(field, text string) (uuid.UUID, error) {
	id, ok := ParseID(text)
	if !ok {
		return uuid.Nil, problem.Invalid(field, "invalid_format", expectedUUID)
	}
	return id, nil
}

// ParseOptionalID is ParseRequiredID for a field that may be empty: nil then.
func ParseOptionalID(field, text string) (*uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	id, err := ParseRequiredID(field, text)
	if err != nil {
		return nil, err
	}
	return &id, nil
}
