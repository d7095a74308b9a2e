package check

import (
	"bytes"
	"net/http"
	"slices"

	"holdfast/tools/torture/history"
)

// subject is what a change is about.
type subject struct{ kind, tenant, id string }

// changes checks that each change has one record, which was written by the change's transaction, and that each record
// has one change. Changes of the catalog aren't checked.
func (c *checker) changes() {
	ids := map[scopedKey]bool{}
	for i := range c.end.Changes {
		e := &c.end.Changes[i]
		if id := (scopedKey{e.Tenant, e.ID}); ids[id] {
			c.violate(RuleChange, nil, "two events have the id %s", e.ID)
		} else {
			ids[id] = true
		}
		c.writtenBy(e, e.WrittenBy, "its own row", nil)
		if !slices.Contains([]string{"booking", "customer", "wallet", "service", "resource", "closure", "block"},
			e.SubjectType) {
			c.violate(RuleChange, nil, "no change is known of which the event %s of type %s shows", e.ID, e.Type)
		}
	}
	c.customers()
	c.bookingEvents()
	c.walletEvents()
	c.amended()
	c.acknowledged()
	c.outcomes()
}

// writtenBy checks that an event was written by the transaction that wrote a row.
func (c *checker) writtenBy(e *Change, transaction int64, row string, ops []int64) {
	if transaction != arrivedWith && e.Transaction != transaction {
		c.violate(RuleChange, ops,
			"the event %s (%s, %d) of %s wasn't written in the commit of its change: it was written by the transaction %d, and %s by %d",
			e.ID, e.Type, e.Sequence, e.Subject, e.Transaction, row, transaction)
	}
}

// inOrder checks that a subject's events are numbered 1, 2, 3 and so on in the order in which readers see them.
func (c *checker) inOrder(s subject, version int64) bool {
	events := c.feed[s]
	for i, e := range events {
		if e.Sequence != int64(i+1) {
			c.violate(RuleChange, nil,
				"event number %d of the %s %s, in the order in which readers see them, is %s with the sequence %d",
				i+1,
				s.kind, s.id, e.Type, e.Sequence)
			return false
		}
	}
	if int64(len(events)) != version {
		c.violate(RuleChange, nil, "the %s %s is at version %d and has %d events", s.kind, s.id, version, len(events))
		return false
	}
	return true
}

// customers checks the events of customers.
func (c *checker) customers() {
	known := map[subject]bool{}
	for i := range c.end.Customers {
		k := &c.end.Customers[i]
		s := subject{"customer", k.Tenant, k.ID}
		known[s] = true
		if !c.inOrder(s, k.Version) {
			continue
		}
		for i, e := range c.feed[s] {
			if created := e.Type == "customer.created"; created != (i == 0) || !created &&
				e.Type != "customer.updated" {
				c.violate(RuleChange, nil, "event number %d of the customer %s is %s", i+1, k.ID, e.Type)
			}
		}
		last := c.feed[s][len(c.feed[s])-1]
		c.writtenBy(last, k.WrittenBy, "the customer", nil)
		data := read[struct{ ID, Email, Name, Phone string }](last.Data)
		if data.ID != k.ID || data.Email != k.Email || data.Name != k.Name || data.Phone != k.Phone {
			c.violate(RuleChange, nil, "the last event of the customer %s shows %s, and it is %+v", k.ID, last.Data, *k)
		}
	}
	for s := range c.feed {
		if s.kind == "customer" && !known[s] {
			c.violate(RuleChange, nil, "there are events of the customer %s, who isn't there", s.id)
		}
	}
}

// acknowledged checks that each change that was acknowledged or stored has an event with the version and the booking of
// the answer.
func (c *checker) acknowledged() {
	for _, r := range c.requests {
		if !r.is("create") && !r.changes() && !r.changesStay() || c.unchanged[r] || r.amendment != nil {
			continue
		}
		var answers [][]byte
		if r.happened() {
			answers = append(answers, r.stored.Body)
		}
		for _, op := range r.tries {
			if op.Status/100 == 2 {
				answers = append(answers, op.Response)
				break
			}
		}
		for i, body := range answers {
			if i > 0 && bytes.Equal(canonical(body), canonical(answers[0])) {
				continue
			}
			e := c.eventOf(r.tenant, read[answer](body))
			switch {
			case e == nil:
				c.violate(RuleChange, r.ids(), "no event shows the %s with the key %q, which was answered %s", r.kind,
					r.key, body)
			case e.Type != eventType(r.kind, read[answer](body)) && !(e.Type == overpaidEvent && r.is("reschedule")):
				c.violate(RuleChange, r.ids(), "the event of the %s with the key %q is %s", r.kind, r.key, e.Type)
			case !bytes.Equal(canonical(e.Data), canonical(body)):
				c.violate(RuleChange, r.ids(), "the %s with the key %q was answered %s, and its event shows %s", r.kind,
					r.key, body,
					e.Data)
			case r.stored != nil:
				c.writtenBy(e, r.stored.WrittenBy, "the key", r.ids())
			}
		}
	}
}

// eventOf finds the event of a booking at the version that an answer shows, nil if there is none.
func (c *checker) eventOf(tenant string, a answer) *Change {
	for _, e := range c.feed[subject{"booking", tenant, a.ID}] {
		if e.Sequence == a.Version {
			return e
		}
	}
	return nil
}

// eventType is the type of the event of a request that was carried out.
func eventType(kind string, a answer) string {
	switch kind {
	case "create":
	case "reschedule":
		return "booking.rescheduled"
	case "extend", "amend":
		return "booking.updated"
	default:
		return "booking." + after[kind]
	}
	if a.status() == "held" {
		return "booking.held"
	}
	return "booking.created"
}

// outcomes checks that the outcome of each payment and refund has one event, also those that were answered.
func (c *checker) outcomes() {
	outcomes := map[scopedKey][]*Change{} // by tenant and payment
	for i := range c.end.Changes {
		e := &c.end.Changes[i]
		if p := read[bookingEvent](e.Data).Payment; p.ID != "" && e.Type != refundStartedEvent {
			outcomes[scopedKey{e.Tenant, p.ID}] = append(outcomes[scopedKey{e.Tenant, p.ID}], e)
		}
	}
	types := func(tenant, id string) (list []string) {
		for _, e := range outcomes[scopedKey{tenant, id}] {
			list = append(list, e.Type)
		}
		return list
	}
	for _, p := range c.payment {
		if p.Status != succeeded && p.Status != declined {
			continue
		}
		events := outcomes[scopedKey{p.Tenant, p.ID}]
		if len(events) == 0 {
			c.violate(RuleChange, c.payers(p), "no event shows that the payment %s of the booking %s is %s", p.ID,
				p.Booking, p.Status)
			continue
		}
		last := events[len(events)-1]
		if last.Type != p.event() || last.Subject != p.Booking {
			c.violate(RuleChange, c.payers(p),
				"the payment %s of the booking %s is %s, and its events are %v, the last one of the booking %s",
				p.ID, p.Booking, p.Status, types(p.Tenant, p.ID), last.Subject)
		}
		if !p.PayerChanged {
			c.writtenBy(last, p.WrittenBy, "the payment", c.payers(p))
		}
	}
	for _, r := range c.requests {
		for _, op := range r.tries {
			id, outcome := r.outcome(op)
			p := c.payment[id]
			if outcome == "" || p == nil {
				continue
			}
			want := Payment{Status: outcome, RefundOf: p.RefundOf}.event()
			n := 0
			for _, e := range outcomes[scopedKey{r.tenant, id}] {
				if e.Type == want {
					n++
				}
			}
			if n != 1 {
				c.violate(RuleChange, []int64{op.ID}, "%d events %s show the payment %s, whose outcome was answered %d",
					n, want, id,
					op.Status)
			}
		}
	}
}

// outcome returns the payment whose outcome an answer shows, and the outcome, which is empty if it shows none.
func (r *request) outcome(op history.Operation) (id, outcome string) {
	a := read[answer](op.Response)
	switch {
	case r.moves() && op.Status == http.StatusCreated:
		return a.ID, a.status()
	case r.moves() && op.Status == http.StatusPaymentRequired:
		return a.PaymentID, declined
	case r.is("cancel-payment") && op.Status == http.StatusOK:
		return a.ID, a.status()
	}
	return "", ""
}

// event is the type of the event of a payment's outcome.
func (p Payment) event() string {
	switch {
	case p.Status == declined:
		return "payment.declined"
	case p.RefundOf != "":
		return "payment.refunded"
	}
	return "payment.succeeded"
}
