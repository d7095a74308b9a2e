package check

import (
	"bytes"
	"encoding/json"
)

// Delivery is a webhook that a receiver got. Signed says that its signature was right, Accepted that the receiver
// answered 2xx.
type Delivery struct {
	Tenant, ID       string
	Body             []byte
	Signed, Accepted bool
}

// deliveries checks that each change was delivered and accepted at least once, and that nothing else was. Services and
// resources were made before their tenant had an endpoint.
func (c *checker) deliveries() {
	if c.end.Deliveries == nil {
		return
	}
	events := map[scopedKey]*Change{}
	for i := range c.end.Changes {
		e := &c.end.Changes[i]
		events[scopedKey{e.Tenant, e.ID}] = e
	}
	accepted := map[scopedKey]bool{}
	for _, d := range c.end.Deliveries {
		id := scopedKey{d.Tenant, d.ID}
		accepted[id] = accepted[id] || d.Accepted
		e := events[id]
		switch {
		case !d.Signed:
			c.violate(RuleDelivery, nil, "the delivery of the event %s isn't signed with its endpoint's secret", d.ID)
		case e == nil:
			c.violate(RuleDelivery, nil, "the event %s was delivered, and there is no change of that id: %s", d.ID,
				d.Body)
		case !e.is(d.Body):
			c.violate(RuleDelivery, nil, "the event %s (%s, %d) of %s was delivered as %s", e.ID, e.Type, e.Sequence,
				e.Subject, d.Body)
		}
	}
	for id, e := range events {
		if !accepted[id] && e.SubjectType != "service" && e.SubjectType != "resource" {
			c.violate(RuleDelivery, nil, "the event %s (%s, %d) of %s wasn't delivered", e.ID, e.Type, e.Sequence,
				e.Subject)
		}
	}
}

// is reports whether a webhook shows the event.
func (e *Change) is(body []byte) bool {
	got := read[struct {
		ID, Type string
		Subject  struct{ Type, ID string }
		Sequence int64
		Data     json.RawMessage
	}](body)
	return got.ID == e.ID && got.Type == e.Type && got.Subject.Type == e.SubjectType && got.Subject.ID == e.Subject &&
		got.Sequence == e.Sequence && bytes.Equal(canonical(got.Data), canonical(e.Data))
}
