package settings

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/email"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// What customers may change of their bookings by themselves.
const (
	CustomersChangeAll    = "all"
	CustomersCancelOnly   = "cancel"
	CustomersChangeNobody = "none"
)

// Bounds and defaults of a booking page.
const (
	DefaultPageHoldMinutes = 15
	DefaultPageColour      = "#0b5cad"
)

// BookingPage says whether a tenant has a page on which people book, and how it looks. The zero value is a tenant
// without one. The struct is what the API shows and what is stored.
type BookingPage struct {
	Enabled         bool             `json:"enabled" required:"false" doc:"true: people book at /book/{slug}, and the links in emails lead them to their bookings."`
	Languages       []email.Language `json:"languages,omitempty" maxItems:"3" nullable:"false" doc:"What the page is offered in; the first is for people who want another one. All, with English first, if absent."`
	Colour          string           `json:"colour,omitempty" pattern:"^#[0-9a-f]{6}$" example:"#0b5cad" doc:"Of buttons and of what is chosen. Text on it is black or white, whichever is easier to read."`
	Introduction    string           `json:"introduction,omitempty" maxLength:"2000" example:"Tours of the harbour since 1987." doc:"Stands above the services."`
	Contact         string           `json:"contact,omitempty" maxLength:"500" example:"Pier 7, +49 40 1234" doc:"How people reach you; at the end of each page."`
	Address         string           `json:"address,omitempty" maxLength:"500" example:"Pier 7, 20457 Hamburg" doc:"Where people come: at the end of each page and email, and the place of calendar entries."`
	Terms           string           `json:"terms,omitempty" maxLength:"20000" example:"We sail in any weather but storm." doc:"Your terms, as text. Whoever books has to accept them. Without them nobody is asked."`
	ServiceIDs      []uuid.UUID      `json:"service_ids,omitempty" maxItems:"100" nullable:"false" format:"uuid" doc:"The services that the page sells, in this order; all that aren't archived if absent."`
	HoldMinutes     int              `json:"hold_minutes,omitempty" minimum:"0" maximum:"60" example:"15" doc:"For how long a time is held while its customer fills in the form; 15 if absent."`
	CustomerChanges string           `json:"customer_changes,omitempty" enum:"all,cancel,none" doc:"What customers may do with their bookings by themselves: move and cancel them (all, as if absent), cancel them, or nothing."`
	EmbedOrigins    []tenant.Origin  `json:"embed_origins,omitempty" maxItems:"20" nullable:"false" example:"https://www.harbour.example" doc:"Sites that may show the page in a frame: scheme, host and port. No other one can."`
}

// HoldFor returns for how many minutes a time is held.
func (p BookingPage) HoldFor() int {
	if p.HoldMinutes == 0 {
		return DefaultPageHoldMinutes
	}
	return p.HoldMinutes
}

// Offered returns the languages of the page, with the default first.
func (p BookingPage) Offered() []email.Language {
	if len(p.Languages) == 0 {
		return email.Languages
	}
	return p.Languages
}

// MayCancel and MayMove report what customers may do with their bookings by themselves.
func (p BookingPage) MayCancel() bool { return p.CustomerChanges != CustomersChangeNobody }

// MayMove is described with MayCancel.
func (p BookingPage) MayMove() bool { return p.MayCancel() && p.CustomerChanges != CustomersCancelOnly }

// check returns problem.ValidationFailed for the first field that can't be.
func (p BookingPage) check() error {
	if err := cmp.Or(problem.CheckLines("booking_page.introduction", p.Introduction),
		problem.CheckLines("booking_page.contact", p.Contact), problem.CheckLines("booking_page.address", p.Address),
		problem.CheckLines("booking_page.terms", p.Terms)); err != nil {
		return err
	}
	for i, language := range p.Languages {
		if slices.Contains(p.Languages[:i], language) {
			return problem.Invalid(fmt.Sprintf("booking_page.languages[%d]", i), "duplicate",
				"The language is listed already.")
		}
	}
	for i, id := range p.ServiceIDs {
		if slices.Contains(p.ServiceIDs[:i], id) {
			return problem.Invalid(fmt.Sprintf("booking_page.service_ids[%d]", i), "duplicate",
				"The service is listed already.")
		}
	}
	return tenant.CheckOrigins("booking_page.embed_origins", p.EmbedOrigins)
}
