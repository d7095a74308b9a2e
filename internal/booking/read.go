package booking

import (
	"context"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/customer"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Get returns a booking. Errors, as of all reads here: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Booking, error) {
	return s.byID(ctx, t.ID, id)
}

// byID reads a booking as it is now, without a lock. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) byID(ctx context.Context, tenant, id uuid.UUID) (Booking, error) {
	row, err := readRow(ctx, s.db, tenant, id)
	if err != nil {
		return Booking{}, err
	}
	return FromRow(&row)
}

// Filter bounds a list of bookings to those that are on at any time from From to To. Both are civil dates in the
// tenant's time zone, both included; nil matches all.
type Filter struct {
	From, To                          *civil.Date
	Status                            *Status
	ServiceID, ResourceID, CustomerID *uuid.UUID
	// Email is that of the customer, whatever its case. Code is read as people write it.
	Email, Reference, ExternalReference, Code *string
	// PaymentState and Overpaid, which nil or empty match all, are for ListPaid; List doesn't look at them.
	PaymentState PaymentState
	Overpaid     *bool
	// After is the last booking of the page before.
	AfterDate civil.Date
	AfterID   uuid.UUID
	Limit     int
}

// List returns bookings by date and id, at most the filter's limit. Errors: problem.ValidationFailed.
func (s *Service) List(ctx context.Context, t tenant.Tenant, f Filter) ([]Booking, error) {
	for field, text := range map[string]*string{"email": f.Email, "reference": f.Reference,
		"external_reference": f.ExternalReference,
		"code":               f.Code} {
		if text == nil {
			continue
		}
		if err := problem.CheckText(field,
			*text); err != nil { // the database takes no NUL, and nothing has a control character
			return nil, err
		}
	}
	q := RowFilter{
		Reference:         f.Reference,
		ExternalReference: f.ExternalReference,
		From:              civil.Date{Year: datetime.MinYear, Month: 1, Day: 1},
		To:                civil.Date{Year: datetime.MaxYear, Month: 12, Day: 31},
		Status:            (*string)(f.Status),
		ServiceID:         f.ServiceID,
		ResourceID:        f.ResourceID,
		CustomerID:        f.CustomerID,
		AfterDate:         civil.Date{Year: datetime.MinYear - 1, Month: 1, Day: 1},
		AfterID:           f.AfterID,
		Limit:             f.Limit,
	}
	if f.AfterID != uuid.Nil {
		q.AfterDate = f.AfterDate
	}
	if f.Email != nil {
		email := customer.NormalEmail(*f.Email)
		q.Email = &email
	}
	if f.Code != nil {
		code, ok := parseCode(*f.Code)
		if !ok {
			return nil, nil
		}
		q.Code = &code
	}
	for field, d := range map[string]*civil.Date{"from": f.From, "to": f.To} {
		if d != nil && datetime.CheckDate(field, *d) != nil {
			return nil, datetime.CheckDate(field, *d)
		}
	}
	if f.From != nil {
		q.From, q.StillOn = *f.From, true
	}
	if f.To != nil {
		q.To = *f.To
	}
	rows, err := ListRows(ctx, s.db, t.ID, q)
	return fromRows(rows, err)
}

// Bounds of a page of ListPaid: how many bookings are read first and at most at once, and how often. No index has the
// state, so a page looks at so many bookings at most.
const (
	firstPaidStep, maxPaidStep = 50, 200
	maxPaidSteps               = 6
)

// matchesMoney reports whether a booking's money is as the filter asks for.
func (f Filter) matchesMoney(b Booking) bool {
	return (f.PaymentState == "" || f.PaymentState == b.PaymentState()) &&
		(f.Overpaid == nil || *f.Overpaid == (b.Overpaid > 0))
}

// ListPaid is List for the bookings whose payment state, and what they are overpaid by, is as the filter asks for. It
// looks at a bounded number of bookings, so a page can be short, or empty, although more follows: last is then the
// booking that was looked at last, and nil on the last page.
func (s *Service) ListPaid(ctx context.Context, t tenant.Tenant, f Filter) (list []Booking, last *Booking, err error) {
	limit := f.Limit
	f.Limit = firstPaidStep
	for range maxPaidSteps {
		seen, err := s.List(ctx, t, f)
		if err != nil {
			return nil, nil, err
		}
		for i := range seen {
			if last = &seen[i]; f.matchesMoney(*last) {
				list = append(list, *last)
			}
			if len(list) == limit {
				return list, last, nil
			}
		}
		if len(seen) < f.Limit {
			return list, nil, nil
		}
		f.AfterDate, f.AfterID, f.Limit = last.Date, last.ID, min(2*f.Limit, maxPaidStep)
	}
	return list, last, nil
}
