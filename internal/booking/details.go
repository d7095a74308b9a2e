package booking

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"holdfast/internal/bounds"
	"holdfast/internal/catalog"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// Details are what a booking only carries: nothing but a filter of a list asks for them. They are stored as one JSON
// object with these names, and are part of the request that makes a booking. When the customer is erased, so are all of
// them.
//
// A new text has a field here and in the two views below, and a line in check. The three structs convert into each
// other, so the compiler finds a field that one of them lacks.
type Details struct {
	Reference         *string          `json:"reference,omitempty" minLength:"1" maxLength:"100" example:"Wedding Miller" doc:"Your own name of it."`
	ExternalReference *string          `json:"external_reference,omitempty" minLength:"1" maxLength:"100" example:"shop-4711" doc:"What another system calls it."`
	Metadata          catalog.Metadata `json:"metadata,omitempty,omitzero"`
}

// DetailsPatch describes a change of Details: a JSON Merge Patch, of which a struct can't tell null from what is
// absent.
type DetailsPatch struct {
	Reference         *string          `json:"reference,omitempty" nullable:"true" minLength:"1" maxLength:"100" example:"Wedding Miller"`
	ExternalReference *string          `json:"external_reference,omitempty" nullable:"true" minLength:"1" maxLength:"100" example:"shop-4711"`
	Metadata          catalog.Metadata `json:"metadata,omitempty" nullable:"true" doc:"Merged with the object, whatever the booking's status."`
}

var _ = DetailsPatch(Details{})

// DetailsBody are Details in the API's answers.
type DetailsBody struct {
	Reference         *string          `json:"reference" example:"Wedding Miller" doc:"The tenant's own name of it; null without one."`
	ExternalReference *string          `json:"external_reference" example:"shop-4711" doc:"What another system calls it; null without one."`
	Metadata          catalog.Metadata `json:"metadata"`
}

// detailsOf reads stored details.
func detailsOf(stored json.RawMessage) (d Details, err error) {
	if err := json.Unmarshal(stored, &d); err != nil {
		return d, fmt.Errorf("read a booking's details: %w", err)
	}
	return d, nil
}

// stored returns the details as they are stored.
func (d Details) stored() (json.RawMessage, error) {
	encoded, err := idempotency.Encode(d)
	return bytes.TrimSpace(encoded), err
}

// check returns problem.ValidationFailed for a text that is too long or can't be read, and for too much metadata.
func (d Details) check() error {
	if err := bounds.Check("", d); err != nil {
		return err
	}
	for _, given := range []struct {
		field string
		text  *string
	}{{"reference", d.Reference}, {"external_reference", d.ExternalReference}} {
		if given.text == nil {
			continue
		}
		if err := problem.CheckText(given.field, *given.text); err != nil {
			return err
		}
	}
	return d.Metadata.Check()
}

// names returns what has to be read before checkChange. unique says that the tenant's references are unique.
func (d Details) names(unique bool) (names bookingNames) {
	if unique {
		names.Reference, names.ExternalReference = d.Reference, d.ExternalReference
	}
	return names
}

// checkChange returns problem.AlreadyExists for a reference that another booking has. taken is what was read of the
// names that a change asked for: it may be the booking itself that has them.
func (d Details) checkChange(to Details, taken bookingNames) error {
	if sameText(d.Reference, to.Reference) {
		taken.Reference = nil
	}
	if sameText(d.ExternalReference, to.ExternalReference) {
		taken.ExternalReference = nil
	}
	return checkFree(taken)
}

func sameText(a, b *string) bool { return reflect.DeepEqual(a, b) }

// NamesOfDetails returns the names that details have in JSON. An erasure of a customer takes them out of what was
// recorded of bookings.
func NamesOfDetails() []string { return namesIn(reflect.TypeFor[Details]()) }

// namesIn returns the names that a struct's fields have in JSON.
func namesIn(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}
