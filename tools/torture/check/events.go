package check

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"holdfast/internal/timezone"
	"holdfast/tools/torture/history"
)

// creation is the making of a booking.
func (c *checker) creation(st *stay) *event {
	b := st.of
	e := &event{what: fmt.Sprintf("the making of the booking %s (units %v of %s)", b.ID, st.Units, st.Resource),
		date:  st.Date,
		until: forever, turn: 2}
	if r := c.creators[b.ID]; r != nil {
		e.ids, e.from, e.until = r.ids(), r.invoked, r.returned
	}
	c.write(e, b.CreatedAt, false)
	e.step = func(cal *calendar, s statuses) (statuses, bool) {
		i := cal.number[st]
		if s[i] != absent || !st.fitsIn(c, cal, s) {
			return s, false
		}
		if st.HoldExpiresAt != nil {
			return s.set(i, held), true
		}
		return s.set(i, confirmed), true
	}
	return e
}

func shareUnits(a, b *stay) bool {
	return slices.ContainsFunc(a.Units, func(t UnitsTaken) bool {
		return slices.ContainsFunc(b.Units, func(other UnitsTaken) bool {
			return t.From.Before(other.Until) && other.From.Before(t.Until) &&
				slices.ContainsFunc(t.Units, func(u int) bool { return slices.Contains(other.Units, u) })
		})
	})
}

// expiry is the end of a hold by itself.
func (c *checker) expiry(st *stay) *event {
	e := &event{what: "the expiry of the booking " + st.of.ID, date: st.Date, until: forever}
	c.write(e, *st.HoldExpiresAt, true)
	if st.HoldExpiresAt.After(c.end.Now) && e.until == forever {
		e.until = atTheEnd + 1 // it may be after all that there is
	}
	e.step = func(cal *calendar, s statuses) (statuses, bool) {
		if i := cal.number[st]; s[i] == held {
			return s.set(i, expired), true
		}
		return s, true
	}
	return e
}

// write makes an event a change at the database's time at, and narrows when it was by what is known of that clock. A
// hold's end is seen at that time. What a transaction changes is seen once it has committed, for which it can take long
// after it has read the clock.
func (c *checker) write(e *event, at time.Time, expiry bool) {
	e.write, e.rank = true, rank(at, expiry)
	from, until := c.clock.window(at)
	if !expiry {
		until = forever
	}
	// A clock that contradicts the clients is a violation by itself.
	if from, until := max(e.from, from), min(e.until, until); from <= until {
		e.from, e.until = from, until
	}
}

// ending compares a calendar with what is stored at the end.
func ending() *event {
	return &event{
		what: "what is stored at the end", from: atTheEnd, until: atTheEnd,
		step: func(cal *calendar, s statuses) (statuses, bool) {
			for i, st := range cal.stays {
				if st.next != nil && s[i] != gone || st.next == nil && !shows(st.of.Status, s[i]) {
					return s, false
				}
			}
			return s, true
		},
	}
}

// shows reports whether a stored status is right for a booking. A hold whose time is over stays stored as one until
// somebody marks it.
func shows(stored string, status byte) bool {
	return letters[stored] == status || stored == "held" && status == expired
}

// ofRequest makes the events of a request: its change if it happened, and its refusals. moving makes that of a move.
func (c *checker) ofRequest(r *request, groups map[string]string) (list []placed) {
	if r.is("create") {
		for _, op := range r.tries {
			if op.Status == http.StatusConflict && op.Code == "slot_unavailable" {
				list = append(list, c.slotUnavailable(op, groups)...)
			}
		}
		return list
	}
	if !r.changes() && !r.changesStay() {
		return nil
	}
	b := c.booking[r.subject]
	if b == nil || b.Tenant != r.tenant {
		return nil
	}
	switch {
	case !r.happened():
	case r.changes():
		list = append(list, c.statusChange(r, b, groups))
	case c.unchanged[r]:
		for _, op := range r.tries {
			if op.Status/100 == 2 && !op.Replayed {
				list = append(list, c.sees(op, r.body, groups)...)
			}
		}
	}
	for _, op := range r.tries {
		list = append(list, c.refused(r, op, b, groups)...)
	}
	return list
}

// statusChange is the change of a booking's status by a request.
func (c *checker) statusChange(r *request, b *Booking, groups map[string]string) placed {
	st := c.stayAt(b.ID, r.body.Version)
	e := &event{what: fmt.Sprintf("the %s of the booking %s", r.kind, b.ID), date: st.Date, ids: r.ids(),
		from:  r.invoked,
		until: r.returned}
	if r.is("cancel") {
		e.turn = 1
	}
	c.write(e, r.stored.CreatedAt, false)
	e.step = func(cal *calendar, s statuses) (statuses, bool) {
		i := cal.number[st]
		next, refusal := change(r.kind, s[i], !r.stored.CreatedAt.Before(st.StartsAt))
		return s.set(i, next), refusal == ""
	}
	return placed{st.span(groups), e, nil}
}

// refused is a refusal of a change. Where a booking was when a change was refused isn't known if it moves: a hold that
// is over, and a booking to which nothing can be done any more, are where they ended.
func (c *checker) refused(r *request, op history.Operation, b *Booking, groups map[string]string) []placed {
	st := c.lastStay(b.ID)
	switch op.Code {
	case "slot_unavailable":
		return c.moveRefused(op, b, groups)
	case "validation_failed":
		if !r.is("confirm") || r.amendment != nil {
			return nil
		}
		if named := c.creators[b.ID]; read[requestBody](op.Request).Customer.Email != "" || named != nil &&
			named.body.Customer.ID != "" {
			c.violate(RuleAnswer, []int64{op.ID},
				"%s %s was answered %s, although the hold had a customer, or got one: %s", op.Method,
				op.Path, op.Code, op.Response)
		}
		return nil
	case "hold_expired":
	case "invalid_state":
		if len(c.stays[b.ID]) > 1 && !r.is("cancel", "reschedule", "amend") {
			return nil
		}
	case "not_found":
		if r.is("reschedule") || r.amendment != nil { // perhaps the service doesn't have the resource
			return nil
		}
		st = c.stays[b.ID][0]
	default:
		return nil
	}
	// Whether a booking that begins during the run had begun isn't known of a refusal.
	begun := []bool{!st.StartsAt.After(c.end.Now)}
	if begun[0] {
		begun = append(begun, false)
	}
	return []placed{{st.span(groups), &event{
		what: fmt.Sprintf("the answer %s to %s %s", op.Code, op.Method, op.Path), ids: []int64{op.ID}, from: op.Invoked,
		until: op.Returned,
		step: func(cal *calendar, s statuses) (statuses, bool) {
			return s, slices.ContainsFunc(begun, func(begun bool) bool {
				_, refusal := change(r.kind, s[cal.number[st]], begun)
				return refusal == op.Code
			})
		},
	}, nil}}
}

// change returns the status after a change of a booking, or the code with which it must be refused. begun says that the
// booking's time has begun.
func change(kind string, status byte, begun bool) (next byte, refusal string) {
	switch {
	case status == absent:
		return status, "not_found"
	case kind == "amend": // of the metadata alone
		return status, ""
	case status == expired:
		return status, "hold_expired"
	case kind == "confirm" && status == held:
		return confirmed, ""
	case kind == "reschedule" && (status == held || status == confirmed), kind == "extend" && status == held:
		return status, ""
	case kind == "cancel" && (status == held || status == confirmed):
		return cancelled, ""
	case kind == "complete" && status == confirmed && begun:
		return completed, ""
	case kind == "no-show" && status == confirmed && begun:
		return noShow, ""
	}
	return status, "invalid_state"
}

// slotUnavailable is the answer that what was asked for is taken: no resource that may serve it has the units.
func (c *checker) slotUnavailable(op history.Operation, groups map[string]string) []placed {
	w := read[requestBody](op.Request)
	s := c.services[w.ServiceID]
	if s == nil {
		return nil
	}
	return c.taken(op, s, w, nil, groups)
}

// taken is the answer that what was asked for of a service is taken, apart from what the booking that is to be moved
// takes itself, if there is one.
func (c *checker) taken(op history.Operation, s *Service, w requestBody, itself *Booking, groups map[string]string,
) []placed {
	if s.Tenant != op.Tenant || s.MaxPerDay != nil || !c.alwaysOpen(s) {
		return nil
	}
	from, until, ok := c.window(s, w)
	if !ok {
		return nil
	}
	resources, party := s.Resources, 1
	if w.ResourceID != nil {
		resources = []string{*w.ResourceID}
	}
	if w.PartySize != nil {
		party = *w.PartySize
	}
	return []placed{{span{groups[resources[0]], from, until}, &event{
		what: fmt.Sprintf("the answer slot_unavailable to a party of %d for %s of service %s", party,
			from.UTC().Format(time.RFC3339),
			s.ID),
		ids: []int64{op.ID}, from: op.Invoked, until: op.Returned,
		step: func(cal *calendar, st statuses) (statuses, bool) {
			return st, !slices.ContainsFunc(resources, func(id string) bool {
				return cal.free(c.resource[id], from, until,
					func(i int) bool { return occupies(st[i]) && cal.stays[i].of != itself }) >= party
			})
		},
	}, nil}}
}

// alwaysOpen reports whether only bookings can keep a service from being booked.
func (c *checker) alwaysOpen(s *Service) bool {
	return !s.Closed && !slices.ContainsFunc(s.Resources,
		func(id string) bool { return c.resource[id] == nil || c.resource[id].Hours })
}

// window returns the time that a booking would take, buffers included.
func (c *checker) window(s *Service, w requestBody) (from, until time.Time, ok bool) {
	switch {
	case s.Kind == "date" && w.Date != nil:
		var end time.Time
		if from, end, ok = c.day(s.Tenant, *w.Date); !ok {
			return from, until, false
		}
		until = end
	case s.Kind == "slot" && w.StartsAt != nil:
		var err error
		if from, err = time.Parse(time.RFC3339, *w.StartsAt); err != nil {
			return from, until, false
		}
		until = from.Add(s.Duration)
	default:
		return from, until, false
	}
	return from.Add(-s.BufferBefore), until.Add(s.BufferAfter), true
}

// day returns when a civil date of a tenant begins and ends.
func (c *checker) day(tenant, date string) (from, until time.Time, ok bool) {
	loc, err := timezone.Load(c.end.TimeZones[tenant])
	if err != nil {
		return from, until, false
	}
	if from, err = time.ParseInLocation(time.DateOnly, date, loc); err != nil {
		return from, until, false
	}
	return from, time.Date(from.Year(), from.Month(), from.Day()+1, 0, 0, 0, 0, loc), true
}

// free returns how many units of a resource none of the stays that taken reports takes, at the moment at which they are
// the fewest.
func (cal *calendar) free(r *Resource, from, until time.Time, taken func(i int) bool) int {
	var meanwhile []*stay
	for i, b := range cal.stays {
		if b.Resource == r.ID && taken(i) && b.during(from, until) {
			meanwhile = append(meanwhile, b)
		}
	}
	free := r.Capacity
	for _, b := range meanwhile { // most units are taken when a stay begins, or at the beginning
		at, units := b.BusyFrom, 0
		if at.Before(from) {
			at = from
		}
		for _, other := range meanwhile {
			if !other.BusyFrom.After(at) && at.Before(other.BusyUntil) {
				units += other.PartySize
			}
		}
		free = min(free, r.Capacity-units)
	}
	return max(free, 0)
}
