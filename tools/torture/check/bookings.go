package check

import (
	"slices"
	"time"
)

// bookings checks that each booking was asked for once, is what was asked for, and was changed by requests only.
func (c *checker) bookings() {
	changes := map[string]int64{}
	for _, e := range c.end.Changes {
		if e.Type == "payment.declined" || e.Type == refundStartedEvent || e.Type == overpaidEvent {
			changes[e.Subject]++
		}
	}
	// What the latest request for a stay was answered is what is there.
	latest := map[string]*request{}
	for _, r := range c.requests {
		if r.happened() && (r.changes() || r.changesStay() && !c.unchanged[r]) {
			changes[r.body.ID]++
		}
		if before := latest[r.body.ID]; r.happened() && r.changesStay() &&
			(before == nil || before.body.Version < r.body.Version) {
			latest[r.body.ID] = r
		}
		if !r.happened() || !r.is("create") {
			continue
		}
		if b := c.booking[r.body.ID]; b == nil || b.Tenant != r.tenant {
			c.violate(RuleLost, r.ids(), "the key %q shows the booking %s, which isn't there", r.key, r.body.ID)
		}
	}
	for i := range c.end.Bookings {
		b := &c.end.Bookings[i]
		r := c.creators[b.ID]
		if r == nil {
			c.violate(RuleUnasked, nil, "the booking %s is there, and no stored answer shows it", b.ID)
			continue
		}
		if moved := latest[b.ID]; moved != nil {
			r = moved
		}
		if b.Service != r.body.ServiceID ||
			!slices.Equal(append([]string{b.Resource}, b.Others...), r.body.resources()) ||
			b.Date != r.body.Date ||
			!b.StartsAt.Equal(r.body.StartsAt) ||
			b.PartySize != r.body.PartySize || b.Price != r.body.Price ||
			!sameTime(b.HoldExpiresAt, r.body.HoldExpiresAt) {
			c.violate(RuleLost, r.ids(), "the booking %s isn't as it was answered: %+v", b.ID, *b)
		}
		want := 1 + changes[b.ID]
		if b.Status == "expired" {
			want++
			if b.HoldExpiresAt == nil || b.UpdatedAt.Before(*b.HoldExpiresAt) {
				c.violate(RuleLost, r.ids(), "the booking %s was marked expired at %s, before its time: %+v", b.ID,
					b.UpdatedAt, *b)
			}
		}
		if b.Version != want {
			c.violate(RuleUnasked, r.ids(), "the booking %s is %s at version %d, and its requests make it version %d",
				b.ID, b.Status,
				b.Version, want)
		}
	}
}

// overlaps reports units that are sold twice.
func (c *checker) overlaps() {
	for _, pair := range c.end.Overlaps {
		var ids []int64
		for _, id := range pair {
			if r := c.creators[id]; r != nil {
				ids = append(ids, r.ids()...)
			}
		}
		c.violate(RuleOverlap, ids, "%s and %s have a unit in common at one time", c.owner(pair[0]), c.owner(pair[1]))
	}
}

// owner names the owner of a claim.
func (c *checker) owner(id string) string {
	switch {
	case c.booking[id] != nil:
		return "the booking " + id
	case id[14] == '8': // the version of the UUID
		return "the session " + id
	}
	return "the block " + id
}

func sameTime(a, b *time.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}
