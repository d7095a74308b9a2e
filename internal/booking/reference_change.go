package booking

import "holdfast/internal/store"

// ReferenceChange is what a request changes of a booking's references: nil keeps one, an empty text removes it.
type ReferenceChange References

// check returns problem.ValidationFailed for a reference that is too long or can't be read.
func (c ReferenceChange) check() error {
	return References{Reference: unlessEmpty(c.Reference), ExternalReference: unlessEmpty(c.ExternalReference)}.check()
}

// names returns what has to be read before setReferences. unique says that the tenant's references are unique.
func (c ReferenceChange) names(unique bool) (names store.BookingNames) {
	if unique {
		names.Reference, names.ExternalReference = unlessEmpty(c.Reference), unlessEmpty(c.ExternalReference)
	}
	return names
}

// setReferences changes the references of b. taken is what was read of names. Errors: problem.AlreadyExists.
func (c ReferenceChange) setReferences(b *Booking, taken store.BookingNames) error {
	if c.Reference != nil && sameText(c.Reference, b.Reference) {
		c.Reference, taken.Reference = nil, nil // the booking itself has it
	}
	if c.ExternalReference != nil && sameText(c.ExternalReference, b.ExternalReference) {
		c.ExternalReference, taken.ExternalReference = nil, nil
	}
	if err := checkFree(taken); err != nil {
		return err
	}
	if c.Reference != nil {
		b.Reference = unlessEmpty(c.Reference)
	}
	if c.ExternalReference != nil {
		b.ExternalReference = unlessEmpty(c.ExternalReference)
	}
	return nil
}

// unlessEmpty returns nil for an empty text.
func unlessEmpty(text *string) *string {
	if text == nil || *text == "" {
		return nil
	}
	return text
}

// sameText reports whether two texts are the same. An empty one is the same as none.
func sameText(a, b *string) bool {
	a, b = unlessEmpty(a), unlessEmpty(b)
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}
