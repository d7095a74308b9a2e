package claim

import (
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
)

// Query asks for what occupies some resources during [From, Until). Longest is the longest time that one booking can
// occupy any of them.
type Query struct {
	Resources   []uuid.UUID
	From, Until time.Time
	Longest     time.Duration
}

// Equal reports whether two queries ask for the same.
func (q Query) Equal(o Query) bool {
	return q.Longest == o.Longest && q.From.Equal(o.From) && q.Until.Equal(o.Until) &&
		slices.Equal(q.Resources, o.Resources)
}

// Include widens the time of the query, so that it has [from, until).
func (q *Query) Include(from, until time.Time) {
	if from.Before(q.From) {
		q.From = from
	}
	if until.After(q.Until) {
		q.Until = until
	}
}

// View is what is taken as of Now, for availability; Counts are read a moment later.
type View struct {
	Now            time.Time
	CatalogVersion int64
	// Busy is what occupies each of the query's resources, in the order of From. It may have what is outside of the
	// query's time.
	Busy   [][]Busy
	Counts []DateCount
	// Sessions are those that have seats taken, in the order of their ids. It may have sessions of other queries.
	Sessions []SessionSeats
}

// DateCount is how many bookings of a service count against the maximum of a civil date in the tenant's time zone.
// Those of one session count as one.
type DateCount struct {
	Date     civil.Date
	Bookings int32
}

// ViewQuery says what a View is about: what occupies Resources during [From, Until); and how many bookings CountService
// has on each civil date FirstDate to LastDate, both included. A nil CountService counts nothing.
type ViewQuery struct {
	Resources           []uuid.UUID
	Longest             time.Duration // that one booking can occupy any of the resources
	From, Until         time.Time
	CountService        *uuid.UUID
	SessionsOf          []uuid.UUID // asks for the sessions of these resources
	FirstDate, LastDate civil.Date
}
