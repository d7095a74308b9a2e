package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/tools/torture/history"
)

// Stay is where a booking was from one change to the next, and until when a hold lasted, as the database saw it.
// Transaction is the one that wrote it, as in Change. Price is minor units of the booking's currency.
type Stay struct {
	Tenant, Booking, Service, Resource, Date string
	StartsAt, BusyFrom, BusyUntil            time.Time
	HoldExpiresAt                            *time.Time
	PartySize                                int
	// Units are the claims of Resource, or of its session, in the order of their time.
	Units              []UnitsTaken
	Price, Transaction int64
	// At is when the stay was recorded.
	At time.Time
}

// UnitsTaken are the numbers of the units that a claim takes, in order, and when.
type UnitsTaken struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
	Units []int     `json:"units"`
}

// unitsTaken is UnitsTaken as JSON, of a claim c.
const unitsTaken = `jsonb_build_object('from', c.busy_from, 'until', c.busy_until, 'units', (
	SELECT jsonb_agg(u ORDER BY u) FROM unnest(c.units) AS r, generate_series(lower(r), upper(r) - 1) AS u))`

// recordedStays is how the database notes each stay of a booking, as it is when a transaction commits: where its claims
// of its first resource are, and what the booking says.
const recordedStays = `
	CREATE TABLE torture.stays (number bigint GENERATED ALWAYS AS IDENTITY, tenant_id uuid, booking_id uuid, service_id uuid,
		resource_id uuid,
		date date, starts_at timestamptz, busy_from timestamptz, busy_until timestamptz, hold_expires_at timestamptz, party_size int,
		units int4multirange[], units_from timestamptz[], units_until timestamptz[], price bigint, transaction_id xid8,
		at timestamptz DEFAULT clock_timestamp());
	CREATE INDEX ON torture.stays (tenant_id, booking_id, number);
	CREATE FUNCTION torture.note_stay() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
	DECLARE
		booking uuid := coalesce(to_jsonb(NEW) ->> 'owner_id', to_jsonb(NEW) ->> 'booking_id')::uuid;
		last torture.stays;
	BEGIN
		SELECT s.* INTO last FROM torture.stays s
		WHERE s.tenant_id = NEW.tenant_id AND s.booking_id = booking ORDER BY s.number DESC LIMIT 1;
		INSERT INTO torture.stays (tenant_id, booking_id, service_id, resource_id, date, starts_at, busy_from, busy_until, hold_expires_at,
			party_size, units, units_from, units_until, price, transaction_id)
		SELECT b.tenant_id, b.booking_id, b.service_id, c.resource, b.date, b.starts_at, c.busy_from, c.busy_until, b.hold_expires_at,
			b.party_size, c.units, c.units_from, c.units_until, b.price, pg_current_xact_id()
		FROM public.bookings b
		JOIN LATERAL (
			SELECT CASE WHEN f.session_id IS NULL THEN f.resource_id ELSE b.resource_id END AS resource, o.*
			FROM public.claims f, LATERAL (
				SELECT min(c.busy_from) AS busy_from, max(c.busy_until) AS busy_until, array_agg(c.units ORDER BY c.busy_from) AS units,
					array_agg(c.busy_from ORDER BY c.busy_from) AS units_from, array_agg(c.busy_until ORDER BY c.busy_from) AS units_until
				FROM public.claims c
				WHERE c.tenant_id = f.tenant_id AND c.owner_id = f.owner_id AND c.resource_id = f.resource_id
			) AS o
			WHERE f.tenant_id = b.tenant_id AND f.owner_id = b.booking_id AND f.number = 1
		) AS c ON true
		WHERE b.tenant_id = NEW.tenant_id AND b.booking_id = booking
			AND (b.service_id, c.resource, b.date, b.starts_at, c.busy_from, c.busy_until, b.hold_expires_at, b.party_size, c.units,
				c.units_from, c.units_until, b.price)
			IS DISTINCT FROM (last.service_id, last.resource_id, last.date, last.starts_at, last.busy_from, last.busy_until,
				last.hold_expires_at, last.party_size, last.units, last.units_from, last.units_until, last.price);
		RETURN NULL;
	END $$;
	CREATE CONSTRAINT TRIGGER torture_booking AFTER INSERT OR UPDATE ON bookings DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION torture.note_stay();
	CREATE CONSTRAINT TRIGGER torture_claim AFTER INSERT OR UPDATE ON claims DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION torture.note_stay();`

func (s *State) readStays(ctx context.Context, tx pgx.Tx) (err error) {
	s.Stays, err = collect[Stay](ctx, tx, `
		SELECT tenant_id::text AS tenant, booking_id::text AS booking, service_id::text AS service, resource_id::text AS resource,
			date::text AS date, starts_at, busy_from, busy_until, hold_expires_at, party_size,
			(SELECT jsonb_agg(`+unitsTaken+` ORDER BY c.busy_from)
				FROM unnest(units, units_from, units_until) AS c (units, busy_from, busy_until)) AS units, price,
			transaction_id::text::bigint AS transaction, at
		FROM torture.stays ORDER BY number`)
	for i := range s.Stays {
		s.Stays[i].Transaction %= epoch
	}
	return err
}

// stay is a stay of a booking in the model of its calendar. A booking that moves has several, of which it is in one at
// a time.
type stay struct {
	Stay
	of *Booking
	// version is the booking's when the stay began, by is the request that began it; nil for the first one.
	version int64
	by      *request
	// next is nil for the last one.
	next *stay
}

func (s *stay) during(from, until time.Time) bool {
	return s.BusyFrom.Before(until) && from.Before(s.BusyUntil)
}

func (s *stay) span(groups map[string]string) span {
	return span{groups[s.Resource], s.BusyFrom, s.BusyUntil}
}

// shows reports whether an answer shows a booking where it stays.
func (s *stay) shows(a answer) bool {
	return a.ServiceID == s.Service && a.ResourceID == s.Resource && a.Date == s.Date && a.StartsAt.Equal(s.StartsAt) &&
		a.PartySize == s.PartySize && a.Price == s.Price && sameTime(a.HoldExpiresAt, s.HoldExpiresAt)
}

// follow finds the stays of each booking, and checks that each was written with one event, is at the time of its start,
// and that the last one is the booking's row. A booking of which none is recorded has that of its row.
func (c *checker) follow() {
	recorded := map[scopedKey][]Stay{}
	for _, s := range c.end.Stays {
		id := scopedKey{s.Tenant, s.Booking}
		recorded[id] = append(recorded[id], s)
	}
	begun := map[bookingVersion]*request{}
	for _, r := range c.requests {
		if r.changesStay() && r.happened() && !c.unchanged[r] {
			begun[bookingVersion{r.tenant, r.body.ID, c.changeVersion(r)}] = r
		}
	}
	for i := range c.end.Bookings {
		b := &c.end.Bookings[i]
		row := Stay{
			Tenant:        b.Tenant,
			Booking:       b.ID,
			Service:       b.Service,
			Resource:      b.Resource,
			Date:          b.Date,
			StartsAt:      b.StartsAt,
			BusyFrom:      b.BusyFrom,
			BusyUntil:     b.BusyUntil,
			HoldExpiresAt: b.HoldExpiresAt,
			PartySize:     b.PartySize,
			Units:         b.Units,
			Price:         b.Price,
		}
		list := recorded[scopedKey{b.Tenant, b.ID}]
		if len(list) == 0 {
			c.stays[b.ID] = []*stay{{Stay: row, of: b}}
			continue
		}
		for i, s := range list {
			if service := c.services[s.Service]; service != nil && !s.fits(service) {
				c.violate(RuleCalendar, nil, "the booking %s, which begins at %s, took its units from %s to %s", b.ID,
					s.StartsAt,
					s.BusyFrom, s.BusyUntil)
			}
			st := &stay{Stay: s, of: b}
			feed := c.feed[subject{"booking", b.Tenant, b.ID}]
			if i == 0 && len(feed) > 0 && feed[0].Transaction != s.Transaction {
				c.violate(RuleCalendar, nil,
					"the booking %s took its units in another commit than that of its first event", b.ID)
			}
			if i > 0 {
				e := c.stayEvent(s)
				if e == nil {
					c.violate(RuleChange, nil,
						"the booking %s moved to %s of the resource %s in a commit without an event", b.ID,
						s.StartsAt, s.Resource)
					continue
				}
				if st.version, st.by = e.Sequence, begun[bookingVersion{b.Tenant, b.ID, e.Sequence}]; st.by == nil {
					continue // no request made this change: bookingEvents says so
				}
				c.stays[b.ID][len(c.stays[b.ID])-1].next = st
			}
			c.stays[b.ID] = append(c.stays[b.ID], st)
		}
		last := c.stays[b.ID][len(c.stays[b.ID])-1]
		row.Transaction = last.Transaction
		if b.Status == "cancelled" || b.Status == "expired" { // it has no claim any more
			row.Units = last.Units
		}
		if !last.equal(row) {
			c.violate(RuleLost, nil, "the booking %s came to %+v, and is %+v", b.ID, last.Stay, row)
		}
		last.Stay = row
	}
}

func (s Stay) equal(other Stay) bool {
	return s.Service == other.Service && s.Resource == other.Resource && s.Date == other.Date &&
		s.StartsAt.Equal(other.StartsAt) &&
		s.BusyFrom.Equal(other.BusyFrom) && s.BusyUntil.Equal(other.BusyUntil) &&
		sameTime(s.HoldExpiresAt, other.HoldExpiresAt) &&
		s.PartySize == other.PartySize && slices.EqualFunc(s.Units, other.Units, UnitsTaken.equal) &&
		s.Price == other.Price
}

func (t UnitsTaken) equal(other UnitsTaken) bool {
	return t.From.Equal(other.From) && t.Until.Equal(other.Until) && slices.Equal(t.Units, other.Units)
}

// fits reports whether the units are taken from the start on, buffer included. Only a slot's end is known.
func (s Stay) fits(service *Service) bool {
	if !s.BusyFrom.Add(service.BufferBefore).Equal(s.StartsAt) {
		return false
	}
	return service.Kind != "slot" || s.StartsAt.Add(service.Duration+service.BufferAfter).Equal(s.BusyUntil)
}

// stayEvent finds the event of a change of a stay, which was written in the same commit; nil if there is none.
func (c *checker) stayEvent(s Stay) *Change {
	for _, e := range c.feed[subject{"booking", s.Tenant, s.Booking}] {
		if (e.Type == "booking.rescheduled" || e.Type == "booking.updated") && e.Transaction == s.Transaction {
			return e
		}
	}
	return nil
}

// stayAt returns the stay of a booking at a version.
func (c *checker) stayAt(id string, version int64) *stay {
	list := c.stays[id]
	at := list[0]
	for _, s := range list[1:] {
		if s.version <= version {
			at = s
		}
	}
	return at
}

// lastStay returns the last stay of a booking.
func (c *checker) lastStay(id string) *stay { return c.stays[id][len(c.stays[id])-1] }

// fitsIn reports whether a stay has as many units as it needs all the time, and none is taken.
func (s *stay) fitsIn(c *checker, cal *calendar, now statuses) bool {
	capacity := 0
	if r := c.resource[s.Resource]; r != nil {
		capacity = r.Capacity
	}
	at := s.BusyFrom
	for _, t := range s.Units {
		if !t.From.Equal(at) || len(t.Units) != s.PartySize || s.PartySize < 1 || t.Units[0] < 1 ||
			t.Units[len(t.Units)-1] > capacity {
			return false
		}
		at = t.Until
	}
	if !at.Equal(s.BusyUntil) {
		return false
	}
	for i, other := range cal.stays {
		if occupies(now[i]) && other.Resource == s.Resource && other.during(s.BusyFrom, s.BusyUntil) &&
			shareUnits(other, s) {
			return false
		}
	}
	return true
}

// moving is the change from one stay to the next one. In two calendars it is two events, of which each has its
// calendar's part: whatever explains both of them explains each. In one calendar it is one event.
func (c *checker) moving(from *stay, groups map[string]string) []placed {
	to, r := from.next, from.next.by
	status := letters[r.body.status()]
	step := func(cal *calendar, s statuses) (statuses, bool) {
		if i, ok := cal.number[from]; ok {
			if s[i] != status {
				return s, false
			}
			s = s.set(i, gone)
		}
		if i, ok := cal.number[to]; ok {
			if s[i] != absent || status != held && status != confirmed || !to.fitsIn(c, cal, s) {
				return s, false
			}
			s = s.set(i, status)
		}
		return s, true
	}
	event := func(date string, turn int) *event {
		e := &event{
			what: fmt.Sprintf("the %s of the booking %s to %s of %s (units %v)", r.kind, from.of.ID,
				to.StartsAt.UTC().Format(time.RFC3339), to.Resource, to.Units),
			ids:    r.ids(),
			from:   r.invoked,
			until:  r.returned,
			date:   date,
			turn:   turn,
			begins: to,
			step:   step,
		}
		c.write(e, r.stored.CreatedAt, false)
		return e
	}
	return []placed{{from.span(groups), event(from.Date, 1), nil}, {to.span(groups), event(to.Date, 2), to}}
}

// moveRefused is the answer that what a move asked for is taken. It isn't judged where another move could have changed
// what was asked for.
func (c *checker) moveRefused(op history.Operation, b *Booking, groups map[string]string) []placed {
	w, stays := read[requestBody](op.Request), c.stays[b.ID]
	alike := func(same func(s *stay) bool) bool {
		return !slices.ContainsFunc(stays, func(s *stay) bool { return !same(s) })
	}
	first := stays[0]
	if w.ServiceID == "" {
		if !alike(func(s *stay) bool { return s.Service == first.Service }) {
			return nil
		}
		w.ServiceID = first.Service
	}
	if w.PartySize == nil {
		if !alike(func(s *stay) bool { return s.PartySize == first.PartySize }) {
			return nil
		}
		w.PartySize = &first.PartySize
	}
	service := c.services[w.ServiceID]
	if service == nil || w.ResourceIDs != nil || w.Date == nil && w.StartsAt == nil {
		return nil
	}
	if w.ResourceID == nil && !w.AnyResource && slices.Contains(service.Resources, first.Resource) {
		if !alike(func(s *stay) bool { return s.Resource == first.Resource }) {
			return nil
		}
		w.ResourceID = &first.Resource
	}
	if w.ResourceID == nil && !w.AnyResource && !alike(func(s *stay) bool {
		return !slices.Contains(service.Resources,
			s.Resource)
	}) {
		return nil
	}
	return c.taken(op, service, w, b, groups)
}
