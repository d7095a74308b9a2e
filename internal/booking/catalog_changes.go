package booking

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// CreateResource makes a resource. Errors, as of all changes here: problem.ValidationFailed; those of
// idempotency.Guard.Begin and of store.Store.Write.
func (s *Service) CreateResource(ctx context.Context, t tenant.Tenant, r idempotency.Request, res Resource) (idempotency.Response, error) {
	return s.insert(ctx, t, r, res.Check, func(tx *store.WriteTx, st store.WriteState, id uuid.UUID) (idempotency.Response, error) {
		hours, err := json.Marshal(res.Hours)
		if err != nil {
			return idempotency.Response{}, fmt.Errorf("encode a resource's hours: %w", err)
		}
		res.ID, res.CreatedAt, res.UpdatedAt = id, st.Now, st.Now
		tx.InsertResource(store.Resource{ResourceID: id, Name: res.Name, Capacity: int32(res.Capacity), Hours: hours})
		return idempotency.NewResponse(http.StatusCreated, resourcesPath+res.ID.String(), "", res.Body())
	})
}

// CreateService makes a service. Errors: also problem.NotFound for a resource that doesn't exist.
func (s *Service) CreateService(ctx context.Context, t tenant.Tenant, r idempotency.Request, o BookableService) (idempotency.Response, error) {
	o = o.withDefaults()
	return s.insert(ctx, t, r, o.Check, func(tx *store.WriteTx, st store.WriteState, id uuid.UUID) (idempotency.Response, error) {
		o.ID, o.CreatedAt, o.UpdatedAt, o.Currency = id, st.Now, st.Now, t.Currency
		row := store.Service{
			ServiceID: id, Name: o.Name, Kind: string(o.Kind), ResourceIds: o.ResourceIDs,
			DurationMinutes: int32(o.DurationMinutes), SlotIntervalMinutes: int32(o.SlotIntervalMinutes),
			BufferBeforeMinutes: int32(o.BufferBeforeMinutes), BufferAfterMinutes: int32(o.BufferAfterMinutes),
			MinLeadMinutes: int32(o.MinLeadMinutes), BookingWindowDays: int32(o.BookingWindowDays),
			Price: o.Price, Deposit: o.Deposit, Metadata: o.Metadata,
		}
		if o.MaxPerDay != nil {
			n := int32(*o.MaxPerDay)
			row.MaxPerDay = &n
		}
		tx.InsertService(row)
		return idempotency.NewResponse(http.StatusCreated, servicesPath+o.ID.String(), "", o.Body())
	})
}

// insert runs one of the two above: check, then queue in a transaction that stores the response.
func (s *Service) insert(ctx context.Context, t tenant.Tenant, r idempotency.Request, check func() error,
	queue func(*store.WriteTx, store.WriteState, uuid.UUID) (idempotency.Response, error),
) (idempotency.Response, error) {
	turn, resp, err := s.guard.Begin(ctx, t.ID, r)
	if turn == nil {
		return resp, err
	}
	defer turn.End()
	if err := check(); err != nil {
		return turn.Refuse(ctx, err)
	}
	id, read := uuid.Must(uuid.NewV7()), store.WriteRead{Key: r.Key(), Scope: t.ID}
	err = s.store.Write(ctx, t.ID, read, func(tx *store.WriteTx, st store.WriteState) error {
		if st.StoredResponse != nil {
			resp, err = r.Replay(st.StoredResponse)
			return err
		}
		if resp, err = queue(tx, st, id); err != nil {
			return err
		}
		tx.StoreResponse(r.Record(resp, st.Now))
		return nil
	})
	return resp, err
}

// SetHours replaces a resource's hours. Bookings that were made by the old ones stay. Errors:
// problem.ValidationFailed, problem.NotFound; those of store.Store.Write.
func (s *Service) SetHours(ctx context.Context, t tenant.Tenant, id uuid.UUID, h Hours) (Resource, error) {
	if err := h.Check(); err != nil {
		return Resource{}, err
	}
	hours, err := json.Marshal(h)
	if err != nil {
		return Resource{}, fmt.Errorf("encode a resource's hours: %w", err)
	}
	var res Resource
	err = s.store.Write(ctx, t.ID, store.WriteRead{Scope: t.ID, Resource: &id}, func(tx *store.WriteTx, st store.WriteState) error {
		if st.Resource == nil {
			return problem.Missing()
		}
		if res, err = resourceFromRow(*st.Resource); err != nil {
			return err
		}
		res.Hours, res.UpdatedAt = h, st.Now
		tx.SetHours(id, hours)
		return nil
	})
	return res, err
}

// CreateClosure closes dates for a resource or for all of the tenant's, under the calendar locks of those
// dates. Bookings that were made before stay. Errors: problem.ValidationFailed, problem.NotFound for the
// resource; problem.TooManyDates for more dates than a transaction may lock; those of idempotency.Guard.Begin and
// of store.Store.Calendar.
func (s *Service) CreateClosure(ctx context.Context, t tenant.Tenant, r idempotency.Request, c Closure) (idempotency.Response, error) {
	turn, resp, err := s.guard.Begin(ctx, t.ID, r)
	if turn == nil {
		return resp, err
	}
	defer turn.End()
	if err := c.Check(); err != nil {
		return turn.Refuse(ctx, err)
	}
	keys, err := closureKeys(t, c)
	if err != nil {
		return turn.Refuse(ctx, err)
	}
	c.ID = uuid.Must(uuid.NewV7())
	read := store.CalendarRead{BookRead: store.BookRead{Key: r.Key()}}
	err = s.store.Calendar(ctx, keys, read, func(tx *store.CalendarTx, st store.CalendarState) error {
		if st.StoredResponse != nil {
			resp, err = r.Replay(st.StoredResponse)
			return err
		}
		c.CreatedAt = st.Now
		tx.InsertClosure(store.Closure{
			ClosureID: c.ID, ResourceID: c.ResourceID, FromDate: c.From, ToDate: c.To, Reason: c.Reason,
		})
		if resp, err = idempotency.NewResponse(http.StatusCreated, closuresPath+c.ID.String(), "", c.Body()); err != nil {
			return err
		}
		tx.StoreResponse(r.Record(resp, st.Now))
		return nil
	})
	return resp, err
}

// DeleteClosure opens a closure's dates again, under their calendar locks. Errors: problem.NotFound; those of
// store.Store.Calendar.
func (s *Service) DeleteClosure(ctx context.Context, t tenant.Tenant, id uuid.UUID) error {
	c, err := s.Closure(ctx, t, id)
	if err != nil {
		return err
	}
	keys, err := closureKeys(t, c)
	if err != nil {
		return err
	}
	return s.store.Calendar(ctx, keys, store.CalendarRead{Closure: &id}, func(tx *store.CalendarTx, st store.CalendarState) error {
		if st.Closure == nil {
			return problem.Missing()
		}
		tx.DeleteClosure(id)
		return nil
	})
}

func closureKeys(t tenant.Tenant, c Closure) (lock.CalendarKeys, error) {
	if c.To.DaysSince(c.From) >= lock.MaxKeys {
		return lock.CalendarKeys{}, problem.New(problem.TooManyDates, fmt.Sprintf("A closure covers at most %d dates; make several.", lock.MaxKeys))
	}
	return calendarKeys(t.ID, datesBetween(c.From, c.To))
}
