package pages_test

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// wanderers is how many visitors wander at once, and steps how many pages each of them opens.
const (
	wanderers = 4
	steps     = 60
)

// TestWander_VisitorsWhoDoAnything_MeetNoFailureAndNothingIsSoldTwice has visitors follow any link, send any form, go
// back, leave in the middle, and change what they send. What they draw is the same in each run; how their requests meet
// is not.
func TestWander_VisitorsWhoDoAnything_MeetNoFailureAndNothingIsSoldTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"terms": "Be kind."})
	policy := object{"steps": []object{{"from_minutes": 2880, "percent": 50}}}
	s.tour(t, 3, object{"deposit": 1000, "cancellation_policy": policy})
	s.tour(t, 2, object{"name": "Free tour", "price": 0, "slot_interval_minutes": 30})
	s.service(t, object{
		"name": "Hall", "kind": "date", "resource_ids": []string{s.resource(t, "Hall", 1)}, "price": 250000,
		"booking_window_days": 365,
	})
	s.service(t, object{
		"name": "Cabin", "kind": "stay", "resource_ids": []string{s.resource(t, "Cabin", 2)}, "price": 9000,
		"check_in":  "15:00",
		"check_out": "10:00", "max_nights": 3, "booking_window_days": 365,
		"unit_types": []object{{"key": "adult", "name": "Adult", "price": 2500, "counts": true}},
	})
	seed := testtime.Seed(t)
	var all sync.WaitGroup
	for i := range wanderers {
		w := &wanderer{v: s.visitor(t), draw: rand.New(rand.NewPCG(seed, uint64(i)))}
		all.Go(func() { w.wander(t, testtime.Rounds(steps)) })
	}
	all.Wait()
	require.NotEmpty(t, s.booked(t))
	s.requireSound(t)
}

// requireSound requires that the tables hold nothing that is sold twice.
func (s *site) requireSound(t testing.TB) {
	t.Helper()
	for what, query := range map[string]string{"overlaps": dbtest.Overlaps, "wrong claims": dbtest.WrongClaims} {
		var n int
		require.NoError(t, s.sql.QueryRow(t.Context(), query).Scan(&n))
		require.Zero(t, n, what)
	}
}

// wanderer is a visitor who does anything.
type wanderer struct {
	v    *visitor
	draw *rand.Rand
	seen []*pagetest.Page
}

func (w *wanderer) wander(t *testing.T, steps int) {
	t.Helper()
	at := w.v.book(t, "")
	for range steps {
		next := w.next(t, at)
		if next == nil {
			next = w.v.book(t, "")
		}
		require.Less(t, next.Status, http.StatusInternalServerError, "%s: %s", next.URL, next.Text())
		w.seen = append(w.seen, next)
		at = next
	}
}

// next goes from one page to another one. It returns nil from a page that leads nowhere.
func (w *wanderer) next(t *testing.T, at *pagetest.Page) *pagetest.Page {
	t.Helper()
	switch w.draw.IntN(10) {
	case 0: // an earlier page, which stands in another tab
		if len(w.seen) > 0 {
			at = w.seen[w.draw.IntN(len(w.seen))]
		}
	case 1:
		return w.v.Open(t, w.changed(at.URL.String()))
	case 2: // the visitor has left
		return nil
	}
	forms, links := at.All(atom.Form), at.All(atom.A)
	if len(forms) > 0 && w.draw.IntN(3) > 0 {
		f := at.FormOf(t, forms[w.draw.IntN(len(forms))])
		for name, value := range map[string]string{"name": "Ada", "email": "ada@example.com", "terms": "yes"} {
			if _, asked := f.Values[name]; asked || name == "terms" {
				f.With(name, value)
			}
		}
		if len(f.Buttons) > 0 {
			f.Button = f.Buttons[w.draw.IntN(len(f.Buttons))]
		}
		if w.draw.IntN(5) == 0 {
			w.damage(f)
		}
		return f.Submit(t)
	}
	links = slices.DeleteFunc(links,
		func(a *html.Node) bool { return strings.HasPrefix(pagetest.Attribute(a, "href"), "#") })
	if len(links) == 0 {
		return nil
	}
	return w.v.Open(t, at.Resolve(t, pagetest.Attribute(links[w.draw.IntN(len(links))], "href")))
}

// odd are values that no field expects.
var odd = []string{
	"", "-1", "0", "99999999999999999999", "\u202e", "'; DROP TABLE bookings", hostile, "2027-02-30", "\xff",
	strings.Repeat("x", 5000),
}

// damage changes a field of a form, or leaves it out.
func (w *wanderer) damage(f *pagetest.Form) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range f.Values {
			if !yield(name) {
				return
			}
		}
	})
	if len(names) == 0 {
		return
	}
	name := names[w.draw.IntN(len(names))]
	if w.draw.IntN(4) == 0 {
		f.Values.Del(name)
		return
	}
	f.With(name, odd[w.draw.IntN(len(odd))])
}

// changed returns an address with a character of its path left out, or with a query that nobody asked for.
func (w *wanderer) changed(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" {
		return address
	}
	if w.draw.IntN(2) == 0 {
		i := w.draw.IntN(len(u.Path))
		u.Path = "/" + strings.TrimPrefix(u.Path[:i]+u.Path[i+1:], "/")
	} else {
		query := u.Query()
		for _, name := range []string{"month", "date", "party", "nights", "length", "starts_at", "lang", "done",
			"payment_id"} {
			query.Set(name, odd[w.draw.IntN(len(odd))])
		}
		u.RawQuery = query.Encode()
	}
	return u.String()
}
