package core

import (
	"errors"
	"math"
	"sort"
	"sync"
	"time"

	"holdfast/internal/db/internal/dbsqlc"
)

// longestLag is how long positions of the primary are remembered. A standby that is further behind isn't used, whatever
// a request allows.
const longestLag = 5 * time.Minute

// Why a standby isn't used.
var (
	errNotInRecovery = errors.New("it isn't a standby: it was promoted, or never was one")
	errOtherHistory  = errors.New("it is of another cluster, database, schema or timeline than the primary; after a failover it is used " +
		"once its control file has the new timeline")
	errTooFarBehind = errors.New("it is too far behind the primary")
)

// history says of which log a position is: positions of different histories can't be compared.
type history struct {
	system   int64 // the cluster's system identifier
	timeline int32
	place    string // database and schema
}

// sample is a position that the end of the primary's log had reached or passed at a time: what was committed before the
// time lies before it.
type sample struct {
	at       time.Time
	position int64
}

// lag bounds how stale a standby is. Samples of the end of the primary's log say when it was at which position, so the
// position up to which a standby has replayed the log says from when its data are. Times are of this process alone: no
// two clocks are compared. It is safe for concurrent use.
type lag struct {
	now func() time.Time

	mu      sync.Mutex
	of      history
	samples []sample // the oldest is first, and no position is below the one before
	// polled is when the standby was asked last, replayed is from when its data were then; replayed is zero if it can't
	// be used.
	polled, replayed time.Time
}

// note adds a sample. at is before the primary was asked. All earlier samples are dropped if they are of another
// history, or the log went back, as after a promotion that lost its end.
func (l *lag) note(at time.Time, p dbsqlc.StandbyPrimaryRow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := history{p.System, p.Timeline, p.Place}
	if n := len(l.samples); of != l.of || n > 0 && p.Position < l.samples[n-1].position {
		l.of, l.samples, l.replayed = of, nil, time.Time{}
	}
	first := sort.Search(len(l.samples), func(i int) bool { return at.Sub(l.samples[i].at) <= longestLag })
	l.samples = append(l.samples[first:], sample{at, p.Position})
}

// observe keeps what a poll of the standby found, for expect and seconds. It returns why the standby can't be used.
func (l *lag) observe(p dbsqlc.StandbyPositionRow) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	l.polled = l.now()
	l.replayed, err = l.dataOf(p)
	return err
}

// forget says that the standby can't be used until it is polled again.
func (l *lag) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replayed = time.Time{}
}

// expect returns errTooFarBehind if the last poll says that it is of no use to ask the standby. It decides nothing:
// require does.
func (l *lag) expect(within time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.replayed.IsZero() || l.polled.Sub(l.replayed) > within {
		return errTooFarBehind
	}
	return nil
}

// require returns nil if a standby has all that was committed on the primary until within ago.
func (l *lag) require(p dbsqlc.StandbyPositionRow, within time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	from, err := l.dataOf(p)
	if err == nil && l.now().Sub(from) > within {
		err = errTooFarBehind
	}
	return err
}

// seconds returns how stale the standby is at most, in seconds: it grows until the next poll. It is infinite if the
// standby can't be used.
func (l *lag) seconds() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.replayed.IsZero() {
		return math.Inf(1)
	}
	return l.now().Sub(l.replayed).Seconds()
}

// dataOf returns from when the data of a standby are: the time of the last sample that it has replayed. The caller
// holds the mutex.
func (l *lag) dataOf(p dbsqlc.StandbyPositionRow) (time.Time, error) {
	if !p.InRecovery {
		return time.Time{}, errNotInRecovery
	}
	if l.of != (history{p.System, p.Timeline, p.Place}) {
		return time.Time{}, errOtherHistory
	}
	behind := sort.Search(len(l.samples), func(i int) bool { return l.samples[i].position > p.Position })
	if behind == 0 {
		return time.Time{}, errTooFarBehind
	}
	return l.samples[behind-1].at, nil
}
