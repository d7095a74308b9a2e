package check_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"holdfast/tools/torture/check"
	"holdfast/tools/torture/history"
)

// stay records where a booking is.
func (w *fixture) stay(b *check.Booking) {
	w.Stays = append(w.Stays, check.Stay{
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
		Transaction:   w.transaction,
	})
}

// mismatch reports whether If-Match names another version than the booking's.
func (w *fixture) mismatch(b *check.Booking) bool {
	return w.ifMatch != "" && w.ifMatch != fmt.Sprintf("%q", fmt.Sprint(w.view(b)["version"]))
}

// matching does something with If-Match.
func (w *fixture) matching(version int64, do func() *history.Operation) *history.Operation {
	w.ifMatch = fmt.Sprintf("%q", strconv.FormatInt(version, 10))
	defer func() { w.ifMatch = "" }()
	return do()
}

// freeUnits are free units of a resource for a party, with other numbers whenever another booking begins or ends; nil
// if there are too few. Those of one booking count as free.
func (w *fixture) freeUnits(aside, resource string, from, until time.Time, party int) (all []check.UnitsTaken) {
	_, ends := w.taken(aside, resource, from, until)
	ends = append(ends, until)
	slices.SortFunc(ends, time.Time.Compare)
	for _, end := range ends {
		if !end.After(from) || end.After(until) {
			continue
		}
		taken, _ := w.taken(aside, resource, from, end)
		var units []int
		for u := 1; u <= w.capacity(resource) && len(units) < party; u++ {
			if !taken[u] {
				units = append(units, u)
			}
		}
		if len(units) < party {
			return nil
		}
		all = append(all, check.UnitsTaken{From: from, Until: end, Units: units})
		from = end
	}
	return all
}

// free is how many units of a resource are free at each moment of a time.
func (w *fixture) free(resource string, from, until time.Time) (n int) {
	for n < w.capacity(resource) && w.freeUnits("", resource, from, until, n+1) != nil {
		n++
	}
	return n
}

// open is why a booking can't be changed, empty if it can.
func (w *fixture) open(b *check.Booking) string {
	switch s := w.status(b); {
	case s == "expired":
		return "hold_expired"
	case s != "held" && s != "confirmed":
		return "invalid_state"
	}
	return ""
}

// update writes a booking's change with its event.
func (w *fixture) update(b *check.Booking, eventType string) (int, string, any) {
	b.Version, b.UpdatedAt = b.Version+1, w.now()
	w.addBookingEvent(eventType, b)
	return http.StatusOK, "", w.view(b)
}

// moveBody is the body of a request for a move.
func (w *fixture) moveBody(want wanted) map[string]any {
	body := map[string]any{"service_id": want.service, "party_size": want.party, "price": "keep", "any_resource": true}
	if want.price > 0 {
		body["price"] = "quote"
	}
	if w.serviceOf(want).Kind == "date" {
		body["date"] = want.date
	} else {
		body["starts_at"] = want.startsAt
	}
	return body
}

func (w *fixture) serviceOf(want wanted) *check.Service {
	return &w.Services[slices.IndexFunc(w.Services, func(s check.Service) bool { return s.ID == want.service })]
}

// place gives a booking another service, time and party, unless these are its own. code says why it can't have them,
// empty if it can.
func (w *fixture) place(b *check.Booking, want wanted) (moved bool, code string) {
	s := w.serviceOf(want)
	from, until := w.span(*s, want)
	if b.Service == s.ID && b.StartsAt.Equal(from) && b.PartySize == want.party {
		return false, ""
	}
	for _, resource := range s.Resources {
		units := w.freeUnits(b.ID, resource, from, until, want.party)
		if units == nil {
			continue
		}
		b.Service, b.Resource, b.Date, b.Units, b.PartySize = s.ID, resource, from.Format(time.DateOnly), units,
			want.party
		b.StartsAt, b.BusyFrom, b.BusyUntil = from, from, until
		if want.price > 0 {
			b.Price, s.Price = want.price, want.price
		}
		return true, ""
	}
	return false, "slot_unavailable"
}

// reschedule moves a booking to another service, time and party.
func (w *fixture) reschedule(key, id string, want wanted) *history.Operation {
	return w.request(http.MethodPost, "/v1/bookings/"+id+"/reschedule", key, w.moveBody(want), func() (int, string,
		any) {
		b := w.booking(id)
		if w.mismatch(b) {
			return refuse(http.StatusPreconditionFailed, "version_mismatch")
		}
		if code := w.open(b); code != "" {
			return refuse(http.StatusConflict, code)
		}
		before := w.view(b)["overpaid"].(int64)
		switch moved, code := w.place(b, want); {
		case code != "":
			return refuse(http.StatusConflict, code)
		case !moved:
			return http.StatusOK, "", w.view(b)
		}
		w.stay(b)
		status, code, answer := w.update(b, "booking.rescheduled")
		if w.view(b)["overpaid"].(int64) > before {
			return w.update(b, "booking.overpaid")
		}
		return status, code, answer
	})
}

// extend has a hold last for some minutes from now.
func (w *fixture) extend(key, id string, minutes int) *history.Operation {
	return w.request(http.MethodPost, "/v1/bookings/"+id+"/extend", key, map[string]any{"hold_minutes": minutes},
		func() (int, string, any) {
			b := w.booking(id)
			if w.mismatch(b) {
				return refuse(http.StatusPreconditionFailed, "version_mismatch")
			}
			if code := w.open(b); code != "" {
				return refuse(http.StatusConflict, code)
			}
			if w.status(b) != "held" {
				return refuse(http.StatusConflict, "invalid_state")
			}
			if until := w.now().Add(time.Duration(minutes) * time.Minute); until.After(*b.HoldExpiresAt) {
				b.HoldExpiresAt = &until
				w.stay(b)
				return w.update(b, "booking.updated")
			}
			return http.StatusOK, "", w.view(b)
		})
}

// amend gives a booking a note.
func (w *fixture) amend(note, id string) *history.Operation {
	metadata := map[string]any{"note": note}
	return w.request(http.MethodPatch, "/v1/bookings/"+id, "", map[string]any{"metadata": metadata}, func() (int,
		string, any) {
		b := w.booking(id)
		if w.mismatch(b) {
			return refuse(http.StatusPreconditionFailed, "version_mismatch")
		}
		b.Metadata = encode(metadata)
		return w.update(b, "booking.updated")
	})
}

// amendAll moves a hold, extends it if that is wanted, gives it a note and confirms it, all in one commit.
func (w *fixture) amendAll(note, id string, want wanted) *history.Operation {
	body, metadata := w.moveBody(want), map[string]any{"note": note}
	body["status"], body["metadata"] = "confirmed", metadata
	if want.hold > 0 {
		body["hold_minutes"] = want.hold
	}
	return w.request(http.MethodPatch, "/v1/bookings/"+id, "", body, func() (int, string, any) {
		b := w.booking(id)
		if w.mismatch(b) {
			return refuse(http.StatusPreconditionFailed, "version_mismatch")
		}
		if code := w.open(b); code != "" {
			return refuse(http.StatusConflict, code)
		}
		if w.status(b) != "held" {
			return refuse(http.StatusConflict, "invalid_state")
		}
		moved, code := w.place(b, want)
		if code != "" {
			return refuse(http.StatusConflict, code)
		}
		if moved {
			w.update(b, "booking.rescheduled")
		}
		if until := w.now().Add(time.Duration(want.hold) * time.Minute); until.After(*b.HoldExpiresAt) {
			b.HoldExpiresAt, moved = &until, true
		}
		if moved {
			w.stay(b)
		}
		b.Metadata = encode(metadata)
		w.update(b, "booking.updated")
		b.Status, w.wasConfirmed[id] = "confirmed", true
		return w.update(b, "booking.confirmed")
	})
}
