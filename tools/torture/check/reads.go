package check

import (
	"fmt"
	"time"

	"holdfast/tools/torture/history"
)

// ofRead makes the events of an answer that shows bookings or of what is free.
func (c *checker) ofRead(op history.Operation, groups map[string]string) []placed {
	switch kind, subject := route(op.Method, op.Path); {
	case kind == "get" && op.Status == 200:
		return c.sees(op, read[answer](op.Response), groups)
	case kind == "get" && op.Code == "not_found":
		return c.sees(op, answer{ID: subject}, groups)
	case kind == "list" && op.Status == 200:
		var list []placed
		for _, a := range read[struct{ Data []answer }](op.Response).Data {
			list = append(list, c.sees(op, a, groups)...)
		}
		return list
	case kind == "availability" && op.Status == 200:
		return c.seesFree(op, subject, groups)
	}
	return nil
}

// sees is an answer that shows one booking's status, or, without one, that there is no such booking.
func (c *checker) sees(op history.Operation, a answer, groups map[string]string) []placed {
	b := c.booking[a.ID]
	if b == nil || b.Tenant != op.Tenant {
		if a.status() != "" {
			c.violate(RuleLost, []int64{op.ID}, "%s %s showed the booking %s, which isn't there", op.Method, op.Path,
				a.ID)
		}
		return nil
	}
	st := c.stays[b.ID][0]
	if a.status() != "" {
		st = c.stayAt(b.ID, a.Version)
		if !st.shows(a) {
			c.violate(RuleAnswer, []int64{op.ID}, "%s %s showed version %d of the booking %s elsewhere than at %+v: %s",
				op.Method, op.Path,
				a.Version, b.ID,
				st.Stay, op.Response)
		}
	}
	return []placed{{st.span(groups), &event{
		what: fmt.Sprintf("the answer %q for the booking %s", a.status(), b.ID), ids: []int64{op.ID}, from: op.Invoked,
		until: op.Returned,
		step: func(cal *calendar, s statuses) (statuses, bool) {
			status := s[cal.number[st]]
			if a.status() == "" {
				return s, status == absent
			}
			return s, shows(a.status(), status)
		},
	}, nil}}
}

// free is what an answer says of a date or a slot.
type free struct {
	StartsAt  string `json:"starts_at"`
	Remaining int    `json:"remaining"`
}

// seesFree is an answer that shows how many units are free on dates or in slots.
func (c *checker) seesFree(op history.Operation, service string, groups map[string]string) (list []placed) {
	s := c.services[service]
	if s == nil || s.Tenant != op.Tenant || s.MaxPerDay != nil || !c.alwaysOpen(s) {
		return nil
	}
	days := read[struct {
		Data []struct {
			free
			Date  string `json:"date"`
			Slots []free `json:"slots"`
		} `json:"data"`
	}](op.Response).Data
	for _, d := range days {
		if s.Kind == "date" {
			list = append(list, c.seesRemaining(op, s, requestBody{Date: &d.Date}, d.Remaining, groups)...)
			continue
		}
		for _, slot := range d.Slots {
			list = append(list, c.seesRemaining(op, s, requestBody{StartsAt: &slot.StartsAt}, slot.Remaining,
				groups)...)
		}
	}
	return list
}

func (c *checker) seesRemaining(op history.Operation, s *Service, w requestBody, remaining int,
	groups map[string]string,
) []placed {
	from, until, ok := c.window(s, w)
	if !ok || remaining == 0 && !c.inWindow(s, from) {
		return nil
	}
	// Clock and bookings are read one after the other: a hold that ends in between may count either way.
	doubtful := func(b *stay) bool {
		if b.HoldExpiresAt == nil {
			return false
		}
		begin, end := c.clock.window(*b.HoldExpiresAt)
		return begin <= op.Returned && op.Invoked <= end
	}
	return []placed{{span{groups[s.Resources[0]], from, until}, &event{
		what: fmt.Sprintf("the answer that %d are free at %s of service %s", remaining, from.UTC().Format(time.RFC3339),
			s.ID),
		ids: []int64{op.ID}, from: op.Invoked, until: op.Returned,
		step: func(cal *calendar, st statuses) (statuses, bool) {
			least, most := 0, 0
			for _, id := range s.Resources {
				least += cal.free(c.resource[id], from, until, func(i int) bool {
					return occupies(st[i]) || st[i] == expired && doubtful(cal.stays[i])
				})
				most += cal.free(c.resource[id], from, until, func(i int) bool {
					return occupies(st[i]) && !(st[i] == held && doubtful(cal.stays[i]))
				})
			}
			return st, least <= remaining && remaining <= most
		},
	}, nil}}
}

// inWindow reports whether a time can be booked during all of the run.
func (c *checker) inWindow(s *Service, from time.Time) bool {
	return from.After(c.end.Now.Add(s.Lead+24*time.Hour)) && from.Before(c.end.Now.AddDate(0, 0, s.WindowDays-2))
}
