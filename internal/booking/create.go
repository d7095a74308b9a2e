package booking

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/db"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// MaxHoldMinutes bounds how long a hold may last.
const MaxHoldMinutes = 7 * datetime.MinutesPerDay

// check returns problem.ValidationFailed, and otherwise brings the customer into the form that is stored. now may be
// this server's clock: it is used only to refuse birthdays in the future.
func (n *CreateRequest) check(t tenant.Tenant, now time.Time) error {
	customer := n.customer()
	if n.HoldMinutes == nil && !customer.given() {
		return customerRequired()
	}
	if err := n.checkBounds(); err != nil {
		return err
	}
	if n.ID != nil {
		if err := checkID(*n.ID); err != nil {
			return err
		}
	}
	if err := n.Details.check(); err != nil {
		return err
	}
	err := customer.check(t, now)
	n.Customer = customer.Customer
	return err
}

// checkBounds returns problem.ValidationFailed for what no booking can have, whoever its customer is.
func (n *CreateRequest) checkBounds() error {
	return cmp.Or(bounds.Check("", *n), checkParty(n.PartySize != 0, n.Party), n.Resources.check())
}

// party returns who comes.
func (n *CreateRequest) party() timetable.Party {
	return timetable.Party{Size: max(n.PartySize, 1), Units: n.Party}
}

func (n *CreateRequest) customer() CustomerChoice {
	return CustomerChoice{
		Customer: n.Customer, CustomerID: n.CustomerID, UpdateCustomer: n.UpdateCustomer, ByVisitor: n.ByVisitor,
		Limited: n.Limited,
	}
}

// UnitNights returns what the booking takes of what is sold: its units times its nights or days, one for what takes
// less than a day. Of a request that will be refused it may be wrong.
func (n *CreateRequest) UnitNights() int {
	units, nights := max(n.PartySize, 1), 1
	if n.Party != nil {
		units = 0
		for _, count := range n.Party {
			units += count
		}
	}
	switch w := n.When; {
	case w.CheckIn != nil && w.CheckOut != nil:
		nights = w.CheckOut.DaysSince(*w.CheckIn)
	case w.DurationDays != nil:
		nights = *w.DurationDays
	case w.DurationMinutes != nil:
		nights = *w.DurationMinutes / datetime.MinutesPerDay
	}
	return max(units, 1) * max(nights, 1)
}

// Create makes a booking, confirmed or held, under the date locks of every date that it touches, buffers included. The
// response commits with it.
//
// Errors: problem.ValidationFailed, also for more than the limits for visitors allow; problem.NotFound (service,
// resource, customer), problem.InvalidState (archived), problem.OutsideOpeningHours, problem.OutsideBookingWindow,
// problem.SlotUnavailable, problem.TooManyDates, problem.AlreadyExists for an id that is in use, and for a reference if
// the tenant's are unique; those of db.Request.Outcome and of Service.book. No refusal writes anything.
func (s *Service) Create(ctx context.Context, t tenant.Tenant, r idempotency.Request, n CreateRequest,
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	if err := n.check(t, time.Now()); err != nil {
		return idempotency.Outcome{}, err
	}
	for range maxStale {
		rs, err := s.rulesOf(ctx, t, n.ServiceID)
		if err != nil {
			return idempotency.Outcome{}, err
		}
		if again, err := s.prepareRetry(ctx, t, rs, s.tryCreate(ctx, request, t, n, rs)); !again {
			return request.Outcome(err)
		}
	}
	return idempotency.Outcome{}, rulesKeepChanging()
}

// tryCreate makes the booking if rs are still the service's rules, and returns errStaleRules if not. It returns
// holdsInTheWay if holds have to be marked as expired first.
func (s *Service) tryCreate(ctx context.Context, request *db.Request, t tenant.Tenant, n CreateRequest,
	rs *rules,
) error {
	at, err := rs.BookingTimeOf(n.When)
	if err != nil {
		return err
	}
	keys, err := catalog.DateKeys(t.ID, datetime.DatesIn(at.BusyFrom, at.BusyUntil, rs.Loc))
	if err != nil {
		return err
	}
	asked := rs.readFor(at, n.named())
	choice := n.customer()
	choice.addReads(&asked)
	choice.readHolds(&asked, rs)
	asked.NamesInUse = n.names(rs.uniqueReferences)
	asked.NamesInUse.ID = n.ID
	return s.book(ctx, request, keys, asked, func(tx *datesTx, st state) error {
		if st.CatalogVersion != rs.Version {
			return errStaleRules
		}
		customer, err := choice.queue(tx, st)
		if err != nil {
			return err
		}
		if err := checkFree(st.NamesInUse); err != nil {
			return err
		}
		q, err := rs.Quote(at, n.party())
		if err != nil {
			return err
		}
		if err := rs.CheckParty(q.PartySize); err != nil {
			return err
		}
		if n.Limited {
			if err := cmp.Or(rs.CheckLimits(at, q.PartySize), choice.checkHolds(st, rs)); err != nil {
				return err
			}
		}
		p, err := rs.Allocate(at, n.named(), q.PartySize, st.Occupied, st.Count, st.Now)
		if err != nil {
			return err
		}
		if len(p.Expire) > 0 {
			return holdsInTheWay(p.Expire)
		}
		b := newBooking(st, n, customer, rs, p, q)
		code := s.newCode() // each run has another one: the code of the run before may be in use
		b.Code = code
		resp, err := b.made()
		if err != nil {
			return err
		}
		eventType := CreatedEvent
		if b.Status == Held {
			eventType = HeldEvent
			tx.PlanEvents(planHoldExpiry(b))
		}
		tx.AddChange(b.Record(eventType, resp.Body))
		items, terms, err := b.storedPrice()
		if err != nil {
			return err
		}
		details, err := b.Details.stored()
		if err != nil {
			return err
		}
		contact, err := b.storedContact()
		if err != nil {
			return err
		}
		err = tx.insert(newRow{
			BookingID:         b.ID,
			ServiceID:         b.ServiceID,
			ResourceID:        b.ResourceID,
			CustomerID:        b.customerID(),
			Contact:           contact,
			Status:            string(b.Status),
			Date:              b.Date,
			StartsAt:          b.StartsAt,
			EndsAt:            b.EndsAt,
			BusyFrom:          p.Time.BusyFrom,
			BusyUntil:         p.Time.BusyUntil,
			Location:          rs.Loc,
			PartySize:         int32(b.PartySize),
			Nights:            int32(b.Nights),
			Claims:            p.Claims,
			Session:           p.Session,
			FurtherIDs:        p.FurtherIDs,
			HoldExpiresAt:     b.HoldExpiresAt,
			Price:             b.Price,
			Deposit:           b.Deposit,
			Currency:          b.Currency,
			Items:             items,
			Terms:             terms,
			Code:              b.Code,
			Details:           details,
			Reference:         b.Reference,
			ExternalReference: b.ExternalReference,
			UniqueReferences:  rs.uniqueReferences,
			ByVisitor:         n.ByVisitor,
		})
		return tx.Respond(resp, err)
	})
}

// newBooking returns the booking that is to be written.
func newBooking(st state, n CreateRequest, c chosenCustomer, rs *rules, p timetable.Allocation,
	q timetable.Quote,
) Booking {
	b := Booking{
		ID:         uuid.Must(uuid.NewV7()),
		Details:    n.Details,
		ServiceID:  n.ServiceID,
		ResourceID: p.Resource.ID,
		Customer:   c.shown,
		Known:      c.known,
		Status:     Confirmed,
		furtherIDs: p.FurtherIDs,
		Date:       p.Time.Date,
		StartsAt:   p.Time.Start.In(rs.Loc),
		EndsAt:     p.Time.End.In(rs.Loc),
		Location:   rs.Loc,
		PartySize:  q.PartySize,
		Nights:     p.Time.Nights,
		Price:      q.Price,
		Deposit:    q.Deposit,
		Currency:   rs.Service.Currency,
		Version:    1,
		Items:      q.Items,
		Terms:      rs.terms,
		CreatedAt:  st.Now,
		UpdatedAt:  st.Now,
	}
	if n.ID != nil {
		b.ID = *n.ID
	}
	b.ConfirmOnDeposit = b.ConfirmOnDeposit || n.ConfirmOnDeposit
	if n.HoldMinutes != nil {
		expires := st.Now.Add(time.Duration(*n.HoldMinutes) * time.Minute)
		b.Status, b.HoldExpiresAt = Held, &expires
	}
	b.updateDue(st.Now)
	return b
}
