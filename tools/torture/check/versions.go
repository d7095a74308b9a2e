package check

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"holdfast/tools/torture/history"
)

// shown is a version of a booking that an answer showed.
type shown struct {
	at      time.Duration // when the answer was there
	version int64
}

// versions checks that no answer shows an older version of a booking than an answer before it, and that If-Match let
// those changes through, and only those, whose booking had the version that they named.
func (c *checker) versions() {
	seen := c.shownVersions()
	for _, op := range c.reads {
		kind, _ := route(op.Method, op.Path)
		if kind != "get" && kind != "list" || op.Status != http.StatusOK {
			continue
		}
		list := []answer{read[answer](op.Response)}
		if kind == "list" {
			list = read[struct{ Data []answer }](op.Response).Data
		}
		for _, a := range list {
			if known := before(seen[scopedKey{op.Tenant, a.ID}], op.Invoked); a.Version < known {
				c.violate(RuleCalendar, []int64{op.ID},
					"%s %s showed version %d of the booking %s, and an answer before showed version %d",
					op.Method, op.Path,
					a.Version, a.ID, known)
			}
		}
	}
	for _, op := range c.bookingChanges() {
		_, subject := route(op.Method, op.Path)
		named, err := strconv.ParseInt(strings.Trim(op.IfMatch, `"`), 10, 64)
		switch {
		case op.Code == "version_mismatch" && err != nil:
			c.violate(RuleAnswer, []int64{op.ID}, "%s %s was answered %s, and named no version", op.Method, op.Path,
				op.Code)
		case op.Code == "version_mismatch":
			known := before(seen[scopedKey{op.Tenant, subject}], op.Invoked)
			if known == named && op.Returned < c.earliest(op.Tenant, subject, named+1) {
				c.violate(RuleCalendar, []int64{op.ID},
					"%s %s with If-Match %s was answered %s, although the booking had this version",
					op.Method, op.Path,
					op.IfMatch, op.Code)
			}
		case err == nil && op.Status/100 == 2:
			got := read[answer](op.Response).Version
			if e := c.eventOf(op.Tenant, read[answer](op.Response)); e != nil && e.Type == overpaidEvent {
				got--
			}
			if a := c.amendments[read[requestBody](op.Request).Metadata.Note]; a != nil && len(a.events) > 0 {
				got = a.events[0].Sequence
			}
			if got != named+1 && (got != named || !c.unchanged[c.byKey[scopedKey{op.Tenant, op.Key}]]) {
				c.violate(RuleAnswer, []int64{op.ID}, "%s %s with If-Match %s made version %d", op.Method, op.Path,
					op.IfMatch, got)
			}
		}
	}
}

// bookingChanges are the attempts to change bookings that are there.
func (c *checker) bookingChanges() (list []history.Operation) {
	for _, a := range c.amendments {
		list = append(list, a.Operation)
	}
	for _, r := range c.requests {
		if r.amendment == nil && (r.changes() || r.changesStay()) {
			list = append(list, r.tries...)
		}
	}
	return list
}

// shownVersions are the versions that answers showed of each booking, by the time of the answers, each the highest so
// far.
func (c *checker) shownVersions() map[scopedKey][]shown {
	seen := map[scopedKey][]shown{}
	add := func(op history.Operation, a answer) {
		id := scopedKey{op.Tenant, a.ID}
		seen[id] = append(seen[id], shown{op.Returned, a.Version})
	}
	made := c.bookingChanges()
	for _, r := range c.requests {
		if r.is("create") {
			made = append(made, r.tries...)
		}
	}
	for _, op := range slices.Concat(made, c.reads) {
		if op.Status/100 != 2 {
			continue
		}
		switch kind, _ := route(op.Method, op.Path); {
		case kind == "list":
			for _, a := range read[struct{ Data []answer }](op.Response).Data {
				add(op, a)
			}
		case kind == "get" || op.Method != http.MethodGet:
			add(op, read[answer](op.Response))
		}
	}
	for _, list := range seen {
		slices.SortFunc(list, func(a, b shown) int { return int(a.at - b.at) })
		for i := 1; i < len(list); i++ {
			list[i].version = max(list[i].version, list[i-1].version)
		}
	}
	return seen
}

// before returns the highest version that answers showed before a time, zero without one.
func before(list []shown, at time.Duration) int64 {
	if i := sort.Search(len(list), func(i int) bool { return list[i].at >= at }); i > 0 {
		return list[i-1].version
	}
	return 0
}

// earliest returns a time before which a booking can't have had a version: forever if it never had. Of what no request
// made, such as the outcome of a payment, nothing is known.
func (c *checker) earliest(tenant, id string, version int64) time.Duration {
	e := c.eventOf(tenant, answer{ID: id, Version: version})
	if e == nil {
		return forever
	}
	for _, r := range c.requests {
		if r.happened() && r.tenant == tenant && r.body.ID == id && c.changeVersion(r) == version &&
			(r.changes() || r.changesStay() && !c.unchanged[r]) {
			return r.invoked
		}
	}
	return 0
}

// findUnchanged finds the requests for what was already so. Their answer shows a booking that was updated before. Of
// several requests with one version in their answers, which one transaction could carry out together, one made it. The
// parts of amendments made theirs.
func (c *checker) findUnchanged() {
	made := map[bookingVersion]bool{}
	for _, r := range c.requests {
		if r.happened() && (r.changes() || r.amendment != nil) {
			made[bookingVersion{r.tenant, r.body.ID, r.body.Version}] = true
		}
	}
	for _, r := range c.requests {
		if !r.happened() || !r.changesStay() || r.amendment != nil {
			continue
		}
		version := bookingVersion{r.tenant, r.body.ID, r.body.Version}
		c.unchanged[r] = made[version] || !r.body.UpdatedAt.Equal(r.stored.CreatedAt)
		made[version] = made[version] || !c.unchanged[r]
	}
}

// stayMismatch says how the answer to a request that changes a stay differs from it, and is empty if it doesn't.
func (r *request) stayMismatch(want requestBody, got answer) string {
	if r.is("extend") {
		switch {
		case got.status() != "held" || got.HoldExpiresAt == nil || want.HoldMinutes == nil:
			return "another status"
		case r.stored != nil &&
			got.HoldExpiresAt.Before(r.stored.CreatedAt.Add(time.Duration(*want.HoldMinutes)*time.Minute)):
			return "another hold"
		}
		return ""
	}
	if got.status() != "held" && got.status() != "confirmed" {
		return "another status"
	}
	return want.placeMismatch(got)
}

// placeMismatch says how the place of a booking differs from what a move asked for, and is empty if it doesn't.
func (w requestBody) placeMismatch(got answer) string {
	switch {
	case w.ServiceID != "" && w.ServiceID != got.ServiceID:
		return "another service"
	case w.ResourceID != nil && *w.ResourceID != got.ResourceID,
		slices.ContainsFunc(w.ResourceIDs, func(id string) bool { return !slices.Contains(got.resources(), id) }):
		return "another resource"
	case w.Date != nil && *w.Date != got.Date, w.CheckIn != nil && *w.CheckIn != got.Date, w.CheckOut != nil &&
		*w.CheckOut != got.CheckOut:
		return "another date"
	case w.PartySize != nil && *w.PartySize != got.PartySize:
		return "another party"
	case !w.beginsAt(got.StartsAt):
		return "another time"
	}
	return ""
}

// beginsAt reports whether a booking begins when it was asked for.
func (w requestBody) beginsAt(start time.Time) bool {
	if w.StartsAt == nil {
		return true
	}
	at, err := time.Parse(time.RFC3339, *w.StartsAt)
	return err == nil && at.Equal(start)
}

// priceMismatch says what is wrong with the price of a booking that was moved, and is empty if nothing is. former is
// the price before.
func (c *checker) priceMismatch(e *Change, former int64) string {
	for _, st := range c.stays[e.Subject] {
		if st.version != e.Sequence || st.by == nil || !st.by.is("reschedule") {
			continue
		}
		s, quoted := c.services[st.Service], read[requestBody](st.by.tries[0].Request).Price == "quote"
		moved := read[answer](e.Data)
		switch price := moved.Price; {
		case !quoted && price != former:
			return fmt.Sprintf("the price was to be kept, and %d became %d", former, price)
		case quoted && s != nil && price != s.Price*int64(max(moved.Nights, 1)) && price != s.Price*int64(st.PartySize):
			return fmt.Sprintf("the price %d isn't that of the service %s", price, s.ID)
		}
	}
	return ""
}
