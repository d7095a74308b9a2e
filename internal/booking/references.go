package booking

import (
	"crypto/rand"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// checkFree returns problem.AlreadyExists, with the field, for names of a booking that are in use.
func checkFree(taken bookingNames) error {
	switch {
	case taken.ID != nil:
		return alreadyExists("id",
			"The id is in use. If it is that of a booking, read it: an earlier request may have made it.")
	case taken.Reference != nil:
		return alreadyExists("reference", "Another booking has this reference.")
	case taken.ExternalReference != nil:
		return alreadyExists("external_reference", "Another booking has this external_reference.")
	}
	return nil
}

func alreadyExists(field, detail string) error {
	err := problem.New(problem.AlreadyExists, detail)
	err.Fields = []problem.Field{{Name: field, Code: "taken", Detail: detail}}
	return err
}

// checkID returns problem.ValidationFailed for an id that is no UUID of RFC 9562 with a version, and for one that a
// session could have.
func checkID(id uuid.UUID) error {
	if id.Variant() != uuid.RFC4122 || id.Version() < 1 || id.Version() >= timetable.SessionVersion {
		return problem.Invalid("id", "invalid_format", "Expected a UUID of a version from 1 to 7.")
	}
	return nil
}

// A code is a short name of a booking to be read over the phone. Its characters are told apart in each hand: there is
// no 0, O, 1, I or L. Without vowels they make no words.
const (
	codeAlphabet = "23456789BCDFGHJKMNPQRSTVWXZ"
	codeChars    = 8
)

// newCode returns a random code, one of 282 billion. A tenant's codes are unique: another one is made for one that is
// in use.
func newCode() string {
	const evenly = 256 / len(codeAlphabet) * len(codeAlphabet) // bytes from there on would favour the first characters
	code := make([]byte, 0, codeChars)
	for {
		var random [2 * codeChars]byte
		_, _ = rand.Read(random[:]) // never fails
		for _, b := range random {
			if int(b) < evenly {
				code = append(code, codeAlphabet[int(b)%len(codeAlphabet)])
			}
			if len(code) == codeChars {
				return string(code)
			}
		}
	}
}

// parseCode reads a code as people write it: in small letters, with spaces, with hyphens. No booking has a code that
// can't be read.
func parseCode(text string) (code string, ok bool) {
	code = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, text)
	return code, len(code) == codeChars && strings.Trim(code, codeAlphabet) == ""
}

// bookingNames are what a booking is found by, besides its code. What is nil isn't asked for.
type bookingNames struct {
	ID                           *uuid.UUID
	Reference, ExternalReference *string
}

// takenNames are the names of bookings that are in use, of those that the requests of a transaction ask for, and those
// that the requests gave to bookings meanwhile.
type takenNames struct {
	ids                            []uuid.UUID
	references, externalReferences []string
}

// queue queues the reading of which names are in use. Most requests ask for none, and cost no statement.
func (n *takenNames) queue(tx db.Transaction, requests []groupRequest) {
	var asked takenNames
	for _, r := range requests {
		asked.add(r.reads.NamesInUse)
	}
	if len(asked.ids) > 0 {
		queueIDsTaken(tx, asked.ids, &n.ids)
	}
	if len(asked.references) > 0 {
		queueReferencesTaken(tx, asked.references, &n.references)
	}
	if len(asked.externalReferences) > 0 {
		queueExternalReferencesTaken(tx, asked.externalReferences, &n.externalReferences)
	}
}

// add adds the names that aren't nil.
func (n *takenNames) add(names bookingNames) {
	if names.ID != nil {
		n.ids = append(n.ids, *names.ID)
	}
	if names.Reference != nil {
		n.references = append(n.references, *names.Reference)
	}
	if names.ExternalReference != nil {
		n.externalReferences = append(n.externalReferences, *names.ExternalReference)
	}
}

// intersect returns the names that are in use.
func (n *takenNames) intersect(asked bookingNames) (taken bookingNames) {
	if asked.ID != nil && slices.Contains(n.ids, *asked.ID) {
		taken.ID = asked.ID
	}
	if asked.Reference != nil && slices.Contains(n.references, *asked.Reference) {
		taken.Reference = asked.Reference
	}
	if asked.ExternalReference != nil && slices.Contains(n.externalReferences, *asked.ExternalReference) {
		taken.ExternalReference = asked.ExternalReference
	}
	return taken
}
