package check

import (
	"slices"
	"sort"
	"time"
)

// clock shows when, on the history's clock, the database's clock can have shown a time. It knows this from the changes:
// each carries a database's time that was read between its invocation and its answer. Nothing is assumed about how fast
// either runs.
type clock struct {
	marks []mark // by time
	// begun is the latest invocation up to each mark, ended the earliest answer from each on.
	begun, ended []mark
}

type mark struct {
	at                time.Time
	invoked, returned time.Duration
	request           *request
}

func newClock(requests []*request) clock {
	var c clock
	for _, r := range requests {
		if r.happened() && (r.changes() || r.changesStay() || r.is("create")) {
			c.marks = append(c.marks,
				mark{at: r.stored.CreatedAt, invoked: r.invoked, returned: r.returned, request: r})
		}
	}
	slices.SortStableFunc(c.marks, func(a, b mark) int { return a.at.Compare(b.at) })
	c.begun, c.ended = slices.Clone(c.marks), slices.Clone(c.marks)
	for i := 1; i < len(c.marks); i++ {
		if c.begun[i-1].invoked > c.begun[i].invoked {
			c.begun[i] = c.begun[i-1]
		}
		if j := len(c.marks) - 1 - i; c.ended[j+1].returned < c.ended[j].returned {
			c.ended[j] = c.ended[j+1]
		}
	}
	return c
}

// window returns from when until when the history's clock can have been when the database's was at. Several changes can
// carry one time, read once for all of them, so that only earlier and later ones bound it.
func (c clock) window(at time.Time) (from, until time.Duration) {
	from, until = 0, forever
	if i := sort.Search(len(c.marks), func(i int) bool { return !c.marks[i].at.Before(at) }); i > 0 {
		from = c.begun[i-1].invoked
	}
	if i := sort.Search(len(c.marks), func(i int) bool { return c.marks[i].at.After(at) }); i < len(c.marks) {
		until = c.ended[i].returned
	}
	return from, until
}

// last is the latest time of a change, zero without one. It is after the time at the end when changes go by another
// clock, such as one that a test has run fast.
func (c clock) last() time.Time {
	if len(c.marks) == 0 {
		return time.Time{}
	}
	return c.marks[len(c.marks)-1].at
}

// contradictions returns pairs of requests of which the first was answered before the second was sent, although the
// database's time of the first is later.
func (c clock) contradictions() (pairs [][2]*request) {
	for i := range c.marks {
		if e := c.ended[i]; e.returned < c.marks[i].invoked && e.at.After(c.marks[i].at) {
			pairs = append(pairs, [2]*request{e.request, c.marks[i].request})
		}
	}
	return pairs
}

// rank orders changes by the database's time. A hold that ends at a time is over for a change at that time.
func rank(at time.Time, expiry bool) int64 {
	r := at.UnixNano() * 2
	if expiry {
		r--
	}
	return r
}
