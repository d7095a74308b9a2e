package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"time"
)

// budget bounds how many choices the search for moments tries.
const budget = 2000

// orders bounds how many orders are tried of changes that were made together.
const orders = 100

// order finds the moments at which a calendar's changes were made, so that every answer is right at some time of its
// own, and fixes them: porcupine then has nothing to search. An answer changes nothing, so that the moments of the
// changes, taken in the order of their times, decide which answers are right. It finds most violations at once, and can
// name them.
//
// In which order one transaction made its changes isn't known: some are tried. What order can't decide it leaves to
// porcupine.
func (cal *calendar) order() (ids []int64, why string) {
	random := rand.New(rand.NewPCG(0, 0)) //nolint:gosec // the same each time, on purpose
	for range orders {
		ids, why, sure := cal.inOrder(random)
		if sure {
			return ids, why
		}
	}
	return nil, ""
}

// inOrder is order with one order of the changes that one transaction made, by chance. It is sure if it
// has found the moments, or if there are none whatever that order was.
func (cal *calendar) inOrder(random *rand.Rand) (ids []int64, why string, sure bool) {
	alone := len(cal.groups) == len(cal.writes)
	states := [][]statuses{{cal.empty()}} // by place
	m := moments{}
	for _, group := range cal.groups {
		next := states[len(states)-1][0]
		within, stuck := cal.together(next, group, random)
		if stuck != nil {
			return stuck.ids, fmt.Sprintf("%s can't have happened when there were %s", stuck.what, cal.describe(next)),
				len(group) == 1
		}
		states = append(states, within[:len(within)-1], within[len(within)-1:])
		from, until := group[0].from, group[0].until
		for _, e := range group {
			from, until = max(from, e.from), min(until, e.until)
		}
		m.from, m.until = append(m.from, from), append(m.until, until)
	}
	if _, wrong := m.spread(); wrong >= 0 {
		e := cal.groups[wrong][0]
		return e.ids, fmt.Sprintf("%s can't have been after what the database's clock has before it", e.what), alone
	}
	for _, e := range cal.events {
		if e.write {
			continue
		}
		v, first, last := cal.view(e, m, states)
		if len(v.right) == 0 {
			return e.ids, fmt.Sprintf("%s can't be right at any time from when there were %s until there were %s",
				e.what,
				cal.describe(states[2*min(first, last)][0]), cal.describe(states[2*max(first, last)][0])), alone
		}
		m.views = append(m.views, v)
	}
	left := budget
	found, wrong := m.search(&left)
	if found == nil {
		if wrong == nil {
			return nil, "", alone // no other order is to be had
		}
		return wrong.ids, fmt.Sprintf("no order of its %d events explains %s with the answers around it",
			len(cal.events),
			wrong.what), alone
	}
	for g, group := range cal.groups {
		for _, e := range group {
			e.from, e.until, e.fixed = found[g], found[g], true
		}
	}
	return nil, "", true
}

// together makes changes of one rank, which one transaction made, in an order in which all can be made; often those
// that take units go last. It returns the statuses after each. stuck is one that can't be made, if there is no such
// order.
func (cal *calendar) together(s statuses, group []*event, random *rand.Rand) (after []statuses, stuck *event) {
	left := slices.Clone(group)
	random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	if random.IntN(2) == 0 {
		slices.SortStableFunc(left, func(a, b *event) int { return a.turn - b.turn })
	}
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(e *event) bool { _, ok := e.step(cal, s); return ok })
		if i < 0 {
			return after, left[0]
		}
		s, _ = left[i].step(cal, s)
		after = append(after, s)
		left = slices.Delete(left, i, i+1)
	}
	return after, nil
}

// view is an answer with the places at which it is right. Place 2n is when n groups of changes have been; place 2n+1 is
// in the middle of the changes that group n makes together.
type view struct {
	*event
	right []int
}

// done is how many groups have begun at a place, ahead which is the first that isn't over.
func done(place int) int  { return (place + 1) / 2 }
func ahead(place int) int { return place / 2 }

// view finds where an answer can have been and is right.
func (cal *calendar) view(e *event, m moments, states [][]statuses) (v view, first, last int) {
	first = sort.Search(len(cal.groups), func(g int) bool { return m.until[g] >= e.from })
	last = sort.Search(len(cal.groups), func(g int) bool { return m.from[g] > e.until })
	v = view{event: e}
	for place := max(2*first-1, 0); place <= min(2*last+1, 2*len(cal.groups)); place++ {
		if m.reaches(v, place) && slices.ContainsFunc(states[place], func(s statuses) bool {
			_,
				ok := e.step(cal, s)
			return ok
		}) {
			v.right = append(v.right, place)
		}
	}
	return v, first, last
}

// moments are when each group of changes can have been, and the answers that have to be explained.
type moments struct {
	from, until []time.Duration
	views       []view
}

// reaches reports whether an answer can have been given at a place.
func (m *moments) reaches(v view, place int) bool {
	d, a := done(place), ahead(place)
	return (d == 0 || m.from[d-1] <= v.until) && (a == len(m.until) || m.until[a] >= v.from)
}

// spread has each group know the times of those before and after it. It reports whether it learnt anything, and a group
// for which no time is left, or -1.
func (m *moments) spread() (learnt bool, wrong int) {
	for g := 1; g < len(m.from); g++ {
		if m.from[g-1] > m.from[g] {
			m.from[g], learnt = m.from[g-1], true
		}
		if h := len(m.from) - 1 - g; m.until[h+1] < m.until[h] {
			m.until[h], learnt = m.until[h+1], true
		}
	}
	for g := range m.from {
		if m.from[g] > m.until[g] {
			return learnt, g
		}
	}
	return learnt, -1
}

// narrow learns from the answers until there is nothing more to learn. It returns an answer that can't be explained, if
// there is one.
func (m *moments) narrow() *event {
	for again := true; again; {
		again = false
		for i := range m.views {
			v := &m.views[i]
			v.right = slices.DeleteFunc(slices.Clone(v.right), func(place int) bool { return !m.reaches(*v, place) })
			if len(v.right) == 0 {
				return v.event
			}
			if d := done(v.right[0]); d > 0 && m.until[d-1] > v.until {
				m.until[d-1], again = v.until, true
			}
			if a := ahead(v.right[len(v.right)-1]); a < len(m.from) && m.from[a] < v.from {
				m.from[a], again = v.from, true
			}
		}
		learnt, wrong := m.spread()
		if wrong >= 0 {
			return m.near(wrong)
		}
		again = again || learnt
	}
	return nil
}

// near is an answer that bounds a group.
func (m *moments) near(group int) *event {
	for _, v := range m.views {
		if done(v.right[0]) > group || ahead(v.right[len(v.right)-1]) <= group {
			return v.event
		}
	}
	return m.views[0].event
}

// search returns a moment for each group at which all answers are right, nil and an answer that stands against it if
// there is none or the budget is used up. It tries the earliest moments, and where an answer is not right with them,
// each time at which it could be.
func (m *moments) search(left *int) (found []time.Duration, wrong *event) {
	if *left--; *left <= 0 {
		return nil, nil
	}
	if wrong := m.narrow(); wrong != nil {
		return nil, wrong
	}
	earliest := moments{from: m.from, until: m.from}
	i := slices.IndexFunc(m.views, func(v view) bool {
		return !slices.ContainsFunc(v.right, func(place int) bool { return earliest.reaches(v, place) })
	})
	if i < 0 {
		return append([]time.Duration{}, m.from...), nil
	}
	for _, run := range runs(m.views[i].right) {
		choice := moments{from: slices.Clone(m.from), until: slices.Clone(m.until), views: slices.Clone(m.views)}
		choice.views[i].right = run
		if found, _ := choice.search(left); found != nil {
			return found, nil
		}
	}
	return nil, m.views[i].event
}

// runs cuts places where some are missing between them.
func runs(places []int) (list [][]int) {
	for i, place := range places {
		if i == 0 || place-places[i-1] > 2 {
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], place)
	}
	return list
}
