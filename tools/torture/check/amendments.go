package check

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"holdfast/tools/torture/history"
)

// amendment is a request that changes several things of a booking in one commit. It has no key: the note in it tells
// what became of it.
type amendment struct {
	history.Operation

	want requestBody
	// events are those of its parts, in order; none if it didn't happen.
	events []*Change
}

// parts are the kinds of the requests that change alone what a part of an amendment changes, by the type of its event.
var parts = map[string]string{"booking.rescheduled": "reschedule", "booking.updated": "amend",
	"booking.confirmed": "confirm"}

// strictest returns the kind of the part that the fewest statuses of a booking allow: a refusal is right if it is right
// for this part.
func (w requestBody) strictest() string {
	switch {
	case w.Status != "":
		return "confirm"
	case w.HoldMinutes != nil:
		return "extend"
	case w.ServiceID != "", w.ResourceID != nil, w.ResourceIDs != nil, w.AnyResource, w.PartySize != nil, w.hasTime(),
		w.Price == "quote":
		return "reschedule"
	}
	return "amend"
}

func (w requestBody) hasTime() bool {
	return w.Date != nil || w.StartsAt != nil || w.CheckIn != nil || w.CheckOut != nil
}

// findAmendments finds the events of each amendment, and makes a request of each of its parts, which is judged like one
// that was sent alone. An amendment that didn't happen is one request.
func (c *checker) findAmendments() {
	for i := range c.end.Changes {
		e := &c.end.Changes[i]
		a := c.amendmentOf(e)
		if a == nil {
			continue
		}
		if a.events != nil {
			c.violate(RuleChange, nil, "the events %s and %s show the note %s", a.events[0].ID, e.ID,
				a.want.Metadata.Note)
		}
		for _, part := range c.feed[subject{"booking", e.Tenant, e.Subject}] {
			if part.Transaction == e.Transaction {
				a.events = append(a.events, part)
			}
		}
	}
	for _, note := range slices.Sorted(maps.Keys(c.amendments)) {
		a := c.amendments[note]
		_, subject := route(a.Method, a.Path)
		r := request{
			tenant:    a.Tenant,
			key:       note,
			tries:     []history.Operation{a.Operation},
			kind:      a.want.strictest(),
			subject:   subject,
			amendment: a,
			invoked:   a.Invoked,
			returned:  forever,
		}
		if a.Status/100 == 2 {
			r.returned = a.Returned
		}
		if len(a.events) == 0 {
			c.requests = append(c.requests, &r)
		}
		for _, e := range a.events {
			if parts[e.Type] == "" {
				continue
			}
			part, status := r, http.StatusOK
			part.kind, part.body = parts[e.Type], read[answer](e.Data)
			part.stored = &Key{
				Tenant: a.Tenant, Key: note, Status: &status, Body: e.Data, CreatedAt: part.body.UpdatedAt,
				WrittenBy: e.Transaction,
			}
			c.requests = append(c.requests, &part)
		}
	}
}

// amendmentOf returns the amendment of which an event tells that the metadata changed, nil for any other event. The
// event before it shows another note.
func (c *checker) amendmentOf(e *Change) *amendment {
	if e.Type != "booking.updated" {
		return nil
	}
	note := read[answer](e.Data).Metadata.Note
	a := c.amendments[note]
	if a == nil || a.Tenant != e.Tenant {
		return nil
	}
	former := c.eventOf(e.Tenant, answer{ID: e.Subject, Version: e.Sequence - 1})
	if _, subject := route(a.Method, a.Path); subject != e.Subject || former != nil &&
		read[answer](former.Data).Metadata.Note == note {
		return nil
	}
	return a
}

// amended checks that each amendment that was acknowledged happened, that none that was refused did, and that the
// booking was then what all of its parts asked for.
func (c *checker) amended() {
	for note, a := range c.amendments {
		ids := []int64{a.ID}
		switch {
		case len(a.events) == 0 && a.Status/100 == 2:
			c.violate(RuleLost, ids, "no event shows the note %s, which was answered: %s", note, a.Response)
		case len(a.events) == 0:
			continue
		case nothing(a.Operation):
			c.violate(RuleRefusal, ids, "%s %s was answered %d %s, and its event is %s", a.Method, a.Path, a.Status,
				a.Code, a.events[0].ID)
		}
		if len(a.events) == 0 {
			continue
		}
		last := a.events[len(a.events)-1]
		if a.Status/100 == 2 && (!tagged(a.Operation) || !bytes.Equal(canonical(last.Data), canonical(a.Response))) {
			c.violate(RuleAnswer, ids, "%s %s %s was answered with %s, and its last event shows %s", a.Method, a.Path,
				a.Request,
				a.Response, last.Data)
		}
		former := c.eventOf(a.Tenant, answer{ID: last.Subject, Version: a.events[0].Sequence - 1})
		if former == nil {
			continue // bookingEvents says so
		}
		if wrong := a.mismatch(read[answer](former.Data), read[answer](last.Data)); wrong != "" {
			c.violate(RuleAnswer, ids, "%s %s %s made %s of %s: %s", a.Method, a.Path, a.Request, wrong, former.Data,
				last.Data)
		}
	}
}

// mismatch says how a booking differs from what an amendment makes of it, and is empty if it doesn't. What isn't asked
// for stays.
func (a *amendment) mismatch(former, got answer) string {
	want, status := a.want, former.status()
	if want.Status != "" {
		status = want.Status
	}
	if want.ServiceID == "" {
		want.ServiceID = former.ServiceID
	}
	if want.PartySize == nil {
		want.PartySize = &former.PartySize
	}
	switch {
	case got.status() != status:
		return "another status"
	case want.Customer.Email != "" && !strings.EqualFold(want.Customer.Email, got.Customer.Email):
		return "another customer"
	case want.HoldMinutes == nil && !sameTime(got.HoldExpiresAt, former.HoldExpiresAt),
		want.HoldMinutes != nil && (got.HoldExpiresAt == nil ||
			got.HoldExpiresAt.Before(got.UpdatedAt.Add(time.Duration(*want.HoldMinutes)*time.Minute))):
		return "another hold"
	case !want.hasTime() && !got.StartsAt.Equal(former.StartsAt):
		return "another time"
	}
	return want.placeMismatch(got)
}
