package booking

import (
	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/customer"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// Resources names the resources that a booking must have. At most one of the two is given.
type Resources struct {
	ResourceID  *uuid.UUID  `json:"resource_id,omitempty" format:"uuid" doc:"A resource that the booking must have. Without it and resource_ids, a new booking gets one that fits, by choose of the service's needs and otherwise the first of the list, and one that moves keeps its own, unless the service doesn't list it."`
	ResourceIDs []uuid.UUID `json:"resource_ids,omitempty" minItems:"1" maxItems:"100" nullable:"false" uniqueItems:"true" format:"uuid" doc:"Several resources that the booking must have, of a service with several needs. Several of one need are joined. A need of which none is named gets one by its choose. Either this or resource_id."`
}

// check returns problem.ValidationFailed for both.
func (r Resources) check() error {
	if r.ResourceID != nil && r.ResourceIDs != nil {
		return problem.Invalid("resource_ids", "excluded", "Leave out resource_id or resource_ids.")
	}
	return nil
}

// named returns the resources that are named.
func (r Resources) named() []uuid.UUID {
	if r.ResourceID != nil {
		return []uuid.UUID{*r.ResourceID}
	}
	return r.ResourceIDs
}

// checkParty returns problem.ValidationFailed for a party that is given as a size and by unit types.
func checkParty(hasSize bool, units map[string]int) error {
	if hasSize && units != nil {
		return problem.Invalid("party_size", "excluded", "Leave out party_size or party.")
	}
	return nil
}

// CreateRequest asks for a booking, or a hold.
type CreateRequest struct {
	// ID is the client's choice; nil makes one.
	ID *uuid.UUID `json:"id,omitempty" format:"uuid" example:"0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a11" doc:"The booking's id, if you choose it: a UUID that nothing of yours has. A second use, by whatever request, gets 409 already_exists."`
	Details
	ServiceID uuid.UUID `json:"service_id" format:"uuid" example:"0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a10"`
	Resources
	timetable.When
	// PartySize is 1 if it is zero.
	PartySize int            `json:"party_size,omitempty" minimum:"1" maximum:"1000" doc:"Units that the booking takes; 1 if absent. Of a service with unit types give party instead."`
	Party     map[string]int `json:"party,omitempty" doc:"Of a service with unit types: how many come of each, by its key. party_size becomes the sum of those that count."`
	// Customer, CustomerID and UpdateCustomer are those of a CustomerChoice. Only a hold may leave out both customers.
	Customer       *customer.Customer `json:"customer,omitempty" doc:"Either this or customer_id; a hold may leave out both. The booking keeps it as it is given. It fills in what isn't known of the customer with this email."`
	CustomerID     *uuid.UUID         `json:"customer_id,omitempty" format:"uuid" doc:"Either this or customer."`
	UpdateCustomer bool               `json:"update_customer,omitempty" doc:"true: what customer gives also replaces what is known of the customer. It needs the scope that PATCH /v1/customers/{id} needs."`
	// HoldMinutes makes a hold that expires by itself; nil confirms at once.
	HoldMinutes *int `json:"hold_minutes,omitempty" minimum:"1" maximum:"10080" doc:"Makes a hold that expires by itself; without it the booking is confirmed at once."`
	// ByVisitor says that a visitor of the tenant's website makes the booking. Limited says that the tenant's limits
	// for visitors count.
	ByVisitor bool `json:"-"`
	Limited   bool `json:"-"`
	// ConfirmOnDeposit has the payment of the deposit confirm the hold, whatever the service says.
	ConfirmOnDeposit bool `json:"-"`
}

// HoldRequest is what a visitor says of a hold. What is the tenant's own, such as references, metadata and the id of a
// customer, isn't here.
type HoldRequest struct {
	ServiceID uuid.UUID `json:"service_id" format:"uuid" example:"0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a10"`
	Resources
	timetable.When
	PartySize   int                   `json:"party_size,omitempty" minimum:"1" maximum:"1000" doc:"Units that the booking takes; 1 if absent. Of a service with unit types give party instead."`
	Party       map[string]int        `json:"party,omitempty" doc:"Of a service with unit types: how many come of each, by its key."`
	Customer    *customer.VisitorBody `json:"customer,omitempty" doc:"Who books. It may be given when the hold is confirmed; a service whose holds are confirmed by their deposit needs it before."`
	HoldMinutes *int                  `json:"hold_minutes,omitempty" minimum:"1" maximum:"60" example:"15" doc:"How long the hold lasts; 15 if absent."`
}

// visitorHoldMinutes is how long a visitor's hold lasts that doesn't say: enough to give name and card.
const visitorHoldMinutes = 15

// Create returns the hold that a visitor asks for. limited says that the tenant's limits for visitors count. Errors:
// problem.ValidationFailed for a hold that lasts too long for a visitor's.
func (r HoldRequest) Create(limited bool) (CreateRequest, error) {
	minutes := r.HoldMinutes
	if minutes == nil {
		minutes = new(visitorHoldMinutes)
	}
	return CreateRequest{
		ServiceID:   r.ServiceID,
		Resources:   r.Resources,
		When:        r.When,
		PartySize:   r.PartySize,
		Party:       r.Party,
		Customer:    r.Customer.Customer(),
		HoldMinutes: minutes,
		ByVisitor:   true,
		Limited:     limited,
	}, bounds.Check("", r)
}

// ConfirmHoldRequest is what a visitor says when a hold is confirmed.
type ConfirmHoldRequest struct {
	AtPrice
	Customer *customer.VisitorBody `json:"customer,omitempty" doc:"Required for a hold that was made without one."`
}

// Amend returns what changes of the hold.
func (r ConfirmHoldRequest) Amend() AmendRequest {
	return AmendRequest{
		AtPrice:        r.AtPrice,
		CustomerChoice: CustomerChoice{Customer: r.Customer.Customer(), ByVisitor: true},
		DepositFirst:   true,
	}
}

// QuoteRequest says what is priced: a new booking, or a move of the one that it names.
type QuoteRequest struct {
	BookingID *uuid.UUID `json:"booking_id,omitempty" format:"uuid" doc:"The booking that would move. It needs the scope read too. Without it a new booking is priced."`
	ServiceID *uuid.UUID `json:"service_id,omitempty" format:"uuid" doc:"Required of a new booking. Of a move: another service."`
	Resources
	AnyResource bool `json:"any_resource,omitempty" doc:"Of a move: true: it gets one of the service's resources, chosen as for a new booking. Leave out resource_id and resource_ids then."`
	timetable.When
	PartySize   *int           `json:"party_size,omitempty" minimum:"1" maximum:"1000" doc:"Of a service with unit types give party instead. Absent, it is 1, or that of the booking that moves."`
	Party       map[string]int `json:"party,omitempty" doc:"How many come of each unit type, by its key."`
	HoldMinutes *int           `json:"hold_minutes,omitempty" minimum:"1" maximum:"10080" doc:"Of a new booking: it would be a hold."`
	Price       PriceRule      `json:"price,omitempty" doc:"Of a move: keep, as without it: price, items, deposit and cancellation policy stay. quote: the service's rules make them anew."`
}

// Create returns the new booking that is priced. Errors: problem.ValidationFailed.
func (r QuoteRequest) Create() (CreateRequest, error) {
	switch {
	case r.ServiceID == nil:
		return CreateRequest{}, problem.Invalid("service_id", "required",
			"Say what is priced: give service_id, or booking_id of a booking that moves.")
	case r.AnyResource:
		return CreateRequest{}, onlyOfAMove("any_resource")
	case r.Price != "":
		return CreateRequest{}, onlyOfAMove("price")
	}
	size := 0
	if r.PartySize != nil {
		size = *r.PartySize
	}
	return CreateRequest{
		ServiceID:   *r.ServiceID,
		Resources:   r.Resources,
		When:        r.When,
		PartySize:   size,
		Party:       r.Party,
		HoldMinutes: r.HoldMinutes,
	}, nil
}

func onlyOfAMove(field string) error {
	return problem.Invalid(field, "excluded", "It is for a booking that moves: give booking_id, or leave it out.")
}

// Move returns the move that is priced. Errors: problem.ValidationFailed.
func (r QuoteRequest) Move() (Move, error) {
	if r.HoldMinutes != nil {
		return Move{}, problem.Invalid("hold_minutes", "excluded", "A booking that moves keeps its hold: leave it out.")
	}
	return Move{
		When:        r.When,
		ServiceID:   r.ServiceID,
		Resources:   r.Resources,
		AnyResource: r.AnyResource,
		PartySize:   r.PartySize,
		Party:       r.Party,
		Price:       r.Price,
	}, nil
}

// ConfirmRequest says what changes of a hold that is confirmed, and whether it is confirmed also after its expiry.
type ConfirmRequest struct {
	AmendRequest
	IfStillFree bool `json:"if_still_free,omitempty" doc:"true: a hold that has expired is confirmed as well, if its time is still free."`
}

// Amend returns what changes of the hold.
func (r ConfirmRequest) Amend() AmendRequest {
	r.AmendRequest.IfStillFree = r.IfStillFree
	return r.withoutEmptyMove()
}

// UpdateRequest says what changes of a booking, and whether a hold is confirmed.
type UpdateRequest struct {
	AmendRequest
	Status *Status `json:"status,omitempty" enum:"confirmed" doc:"Confirms a hold."`
}

// Amend returns what changes of the booking.
func (r UpdateRequest) Amend() AmendRequest {
	r.Confirm = r.Status != nil
	return r.withoutEmptyMove()
}

// ExtendRequest has a hold last longer.
type ExtendRequest struct {
	HoldMinutes int `json:"hold_minutes" minimum:"1" maximum:"10080" example:"15" doc:"How long the hold lasts from now."`
}

// PriceRule says what becomes of the price of a booking that moves.
type PriceRule string

// The rules. The zero value keeps the price too.
const (
	PriceKept   PriceRule = "keep"
	PriceQuoted PriceRule = "quote"
)

// Values returns every rule there is.
func (PriceRule) Values() []string { return []string{string(PriceKept), string(PriceQuoted)} }
