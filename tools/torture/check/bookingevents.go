package check

import (
	"bytes"
	"encoding/json"
	"slices"
)

// bookingEvent is what is read of an event that shows a booking.
type bookingEvent struct {
	answer

	Paid     int64 `json:"paid"`
	Refunded int64 `json:"refunded"`
	Due      int64 `json:"due"`
	Overpaid int64 `json:"overpaid"`
	Payment  struct {
		answer

		LowersOwed int64 `json:"lowers_owed"`
	} `json:"payment"`
}

// overpaidEvent follows the event of a move to a lower price, in the same commit.
const overpaidEvent = "booking.overpaid"

// refundStartedEvent tells that a refund began which hasn't an outcome yet.
const refundStartedEvent = "payment.refund_started"

// transitions are the statuses before and after an event, by its type. Before the first event the status is empty. What
// has no status after it leaves the status as it is, and so does the outcome of a payment.
var transitions = map[string]struct {
	from []string
	to   string
}{
	"booking.created":     {[]string{""}, "confirmed"},
	"booking.held":        {[]string{""}, "held"},
	"booking.confirmed":   {[]string{"held"}, "confirmed"},
	"booking.cancelled":   {[]string{"held", "confirmed"}, "cancelled"},
	"booking.expired":     {[]string{"held"}, "expired"},
	"booking.rescheduled": {[]string{"held", "confirmed"}, ""},
	overpaidEvent:         {[]string{"held", "confirmed"}, ""},
	"booking.updated":     {[]string{"held", "confirmed", "cancelled", "expired", "completed", "no_show"}, ""},
	"booking.completed":   {[]string{"confirmed"}, "completed"},
	"booking.no_show":     {[]string{"confirmed"}, "no_show"},
}

// fold is what a booking's events show so far.
type fold struct {
	status         string
	paid, refunded int64
	lowered        int64 // by refunds
	price          int64
	// refunds are all refunds of the booking, told those whose outcome the events have told.
	refunds  []*Payment
	told     map[string]bool
	customer string // the id, empty for none
	// first is the first event's data without what changes, stay what moves change, and hold and metadata what updates
	// change.
	first, stay, hold, metadata []byte
	times                       map[string]string // the fields of statusTimes, as they are in the data before
}

// bookingEvents checks that each booking's events lead to what is stored of it, and that each has a request, a payment
// or the end of a hold behind it.
func (c *checker) bookingEvents() {
	moved := map[string]int64{}        // by booking: each movement of money raises the version
	refunds := map[string][]*Payment{} // by booking
	for _, p := range c.payment {
		if p.Status == succeeded {
			moved[p.Booking]++
		}
		if p.RefundOf != "" {
			refunds[p.Booking] = append(refunds[p.Booking], p)
		}
	}
	requests := c.requestsByVersion()
	for i := range c.end.Bookings {
		b := &c.end.Bookings[i]
		s := subject{"booking", b.Tenant, b.ID}
		if !c.inOrder(s, b.Version+moved[b.ID]) {
			continue
		}
		f := fold{refunds: refunds[b.ID], told: map[string]bool{}}
		for _, e := range c.feed[s] {
			former := f.price
			why := f.add(e, c.amendmentOf(e) != nil)
			if why == "" {
				why = c.priceMismatch(e, former)
			}
			if why != "" {
				c.violate(RuleChange, nil, "the event %s (%s, %d) of the booking %s: %s: %s", e.ID, e.Type, e.Sequence,
					b.ID, why, e.Data)
				break
			}
			if why := c.unexplained(e, requests); why != "" {
				c.violate(RuleChange, nil, "the event %s (%s, %d) of the booking %s: %s", e.ID, e.Type, e.Sequence,
					b.ID, why)
			}
		}
		if b.Metadata != nil && !bytes.Equal(canonical(b.Metadata), f.metadata) {
			c.violate(RuleChange, nil, "the metadata of the booking %s are %s, and its events say %s", b.ID, b.Metadata,
				f.metadata)
		}
		if f.customer != b.Customer {
			c.violate(RuleChange, nil, "the customer of the booking %s is %q, and its events say %q", b.ID, b.Customer,
				f.customer)
		}
		if f.status != b.Status {
			c.violate(RuleChange, nil, "the booking %s is %s, and its events say %q", b.ID, b.Status, f.status)
		}
	}
	for s := range c.feed {
		if b := c.booking[s.id]; s.kind == "booking" && (b == nil || b.Tenant != s.tenant) {
			c.violate(RuleChange, nil, "there are events of the booking %s, which isn't there", s.id)
		}
	}
}

type bookingVersion struct {
	tenant, id string
	version    int64
}

// requestsByVersion are the types of the events of the requests that were carried out, by the version that they made.
func (c *checker) requestsByVersion() map[bookingVersion]string {
	made := map[bookingVersion]string{}
	for _, r := range c.requests {
		if r.happened() && (r.is("create") || r.changes() || r.changesStay() && !c.unchanged[r]) {
			made[bookingVersion{r.tenant, r.body.ID, c.changeVersion(r)}] = eventType(r.kind, r.body)
		}
	}
	return made
}

// changeVersion returns the version that a request gave its booking. Its answer shows the next one if the change made
// the booking overpaid.
func (c *checker) changeVersion(r *request) int64 {
	if e := c.eventOf(r.tenant, r.body); e != nil && e.Type == overpaidEvent {
		return r.body.Version - 1
	}
	return r.body.Version
}

// unexplained says why an event has no change behind it, and is empty if it has one. The end of a hold needs no
// request.
func (c *checker) unexplained(e *Change, requests map[bookingVersion]string) string {
	switch e.Type {
	case "payment.succeeded", "payment.refunded", "payment.declined":
		p := c.payment[read[bookingEvent](e.Data).Payment.ID]
		if p == nil || p.Tenant != e.Tenant || p.Booking != e.Subject {
			return "there is no such payment of the booking"
		}
		// A payment that was declined may have succeeded after all; the events show both.
		if p.event() != e.Type && (e.Type != "payment.declined" || p.Status != succeeded) {
			return "the payment is " + p.Status
		}
	case refundStartedEvent:
		if p := c.payment[read[bookingEvent](e.Data).Payment.ID]; p == nil || p.Tenant != e.Tenant ||
			p.Booking != e.Subject ||
			p.RefundOf == "" {
			return "there is no such refund of the booking"
		}
	case "booking.expired":
	case overpaidEvent:
		if requests[bookingVersion{e.Tenant, e.Subject, e.Sequence - 1}] != "booking.rescheduled" {
			return "no move came before it"
		}
	default:
		if requests[bookingVersion{e.Tenant, e.Subject, e.Sequence}] != e.Type {
			return "no request made this change"
		}
	}
	return ""
}

// add adds the next event, and says what is wrong with it. amended says that it tells of an amendment.
func (f *fold) add(e *Change, amended bool) string {
	now := read[bookingEvent](e.Data)
	if now.ID != e.Subject || now.Version != e.Sequence {
		return "its data show another version"
	}
	switch change, ok := transitions[e.Type]; {
	case ok && !slices.Contains(change.from, f.status):
		return "it can't follow on " + f.status
	case ok && change.to != "":
		f.status = change.to
	case ok:
	case f.status == "":
		return "the booking's first event must show that it was made"
	case e.Type == "payment.succeeded":
		f.paid += now.Payment.Amount
	case e.Type == "payment.refunded":
		f.refunded += now.Payment.Amount
		f.lowered += now.Payment.LowersOwed
		f.told[now.Payment.ID] = true
	case e.Type == "payment.declined":
		f.told[now.Payment.ID] = true
	case e.Type == refundStartedEvent:
	default:
		return "its type isn't known"
	}
	if why := f.compare(e, amended); why != "" {
		return why
	}
	if now.Customer.ID != f.customer && e.Sequence > 1 && e.Type != "booking.confirmed" {
		return "it shows another customer"
	}
	f.price, f.customer = now.Price, now.Customer.ID
	owed := max(f.price-f.lowered, 0)
	least, most := max(owed-f.paid+f.refunded, 0), max(owed-f.paid+f.refunded+f.onItsWay(e), 0)
	over := f.status == "cancelled" || f.status == "expired"
	switch {
	case now.status() != f.status:
		return "its data show another status"
	case now.Paid != f.paid:
		return "what was paid isn't the sum of the events"
	case now.Refunded != f.refunded:
		return "what was refunded isn't the sum of the events"
	case e.Type == overpaidEvent && now.Overpaid <= 0:
		return "the booking isn't overpaid"
	case !over && now.Due > 0 && now.Overpaid > 0:
		return "the booking owes something and is overpaid"
	case over && now.Due != 0, !over && (now.Due < least || now.Due > most) && (f.status != "held" || now.Due != 0):
		// a hold past its expiry takes no money
		return "what is due isn't what the events leave to pay"
	}
	return ""
}

// onItsWay returns what refunds that had begun by an event, and of whose outcome no event has told, return beyond what
// they lower what is owed by.
func (f *fold) onItsWay(e *Change) (sum int64) {
	for _, p := range f.refunds {
		if !f.told[p.ID] && !p.CreatedAt.After(e.OccurredAt) {
			sum += p.Amount - p.LowersOwed
		}
	}
	return sum
}

// movedFields are the fields of a booking that a move changes, and no other event.
var movedFields = []string{
	"service_id", "resource_id", "resource_ids", "date", "starts_at", "ends_at", "time_zone", "party_size", "price",
	"deposit", "items",
	"cancellation_policy", "nights", "check_out",
}

// statusTimes are the fields of a booking that the event of a status sets, by its type, and no other event changes.
var statusTimes = map[string]string{
	"booking.confirmed": "confirmed_at", "booking.cancelled": "cancelled_at", "booking.completed": "completed_at",
	"booking.no_show": "no_show_at", "booking.expired": "expired_at",
}

// compare says what differs from the events before that an event of its type doesn't change, and is empty if nothing
// does. An amendment may change the metadata and the hold.
func (f *fold) compare(e *Change, amended bool) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(e.Data, &fields); err != nil {
		return err.Error()
	}
	for _, name := range []string{"status", "version", "paid", "refunded", "due", "overpaid", "updated_at", "payment",
		"customer"} {
		delete(fields, name)
	}
	hold, metadata := canonical(fields["hold_expires_at"]), canonical(fields["metadata"])
	delete(fields, "hold_expires_at")
	delete(fields, "metadata")
	moved := map[string]json.RawMessage{}
	for _, name := range movedFields {
		moved[name] = fields[name]
		delete(fields, name)
	}
	times, sameTimes := map[string]string{}, true
	for set, name := range statusTimes {
		times[name] = string(fields[name])
		sameTimes = sameTimes && (e.Type == set || times[name] == f.times[name])
		delete(fields, name)
	}
	stay, err := json.Marshal(moved)
	if err != nil {
		return err.Error()
	}
	constant, err := json.Marshal(fields)
	if err != nil {
		return err.Error()
	}
	former := *f
	f.first, f.stay, f.hold, f.metadata, f.times = constant, stay, hold, metadata, times
	sameStay, sameHold, sameMetadata := bytes.Equal(stay, former.stay), bytes.Equal(hold, former.hold),
		bytes.Equal(metadata,
			former.metadata)
	switch {
	case former.first == nil:
		return ""
	case !bytes.Equal(constant, former.first):
		return "something differs that doesn't change"
	case !sameTimes, e.Type != "booking.rescheduled" && !sameStay, e.Type != "booking.updated" &&
		(!sameHold || !sameMetadata):
		return "something differs that this event doesn't change"
	case e.Type == "booking.rescheduled" && sameStay, e.Type == "booking.updated" && sameHold == sameMetadata &&
		(sameHold || !amended):
		return "it changes nothing, or more than one thing"
	}
	return ""
}
