package lockview

import (
	"cmp"
	"slices"
	"time"
)

// wait is what a process waits for since a time: an advisory lock, or, with a zero lock, another one.
type wait struct {
	lock      Key
	other     string // names a lock that isn't advisory
	since     time.Time
	blockedBy []int // who holds it or stands ahead in the queue
}

// chain returns the processes from a waiter to the one that must finish before anybody in between moves. A deadlock
// ends where it would begin again; PostgreSQL breaks it within deadlock_timeout.
func chain(pid int, waits map[int]wait, sessions map[int]lockSession) []int {
	path := []int{pid}
	for {
		w := waits[pid]
		if len(w.blockedBy) == 0 {
			return path
		}
		pid = ahead(w, waits, sessions)
		if slices.Contains(path, pid) {
			return path
		}
		path = append(path, pid)
	}
}

// ahead returns whom a wait is for: the process directly ahead in the lock's queue or, at the head of it, the holder.
// Of several holders it is one that itself waits, and else the one whose transaction is the oldest.
func ahead(w wait, waits map[int]wait, sessions map[int]lockSession) int {
	var last *wait
	var next int
	for _, pid := range w.blockedBy {
		other, waiting := waits[pid]
		if waiting && other.lock == w.lock && (last == nil || other.since.After(last.since)) {
			last, next = &other, pid
		}
	}
	if last != nil && w.lock != (Key{}) {
		return next
	}
	began := func(pid int) time.Time {
		s := sessions[pid]
		return *cmp.Or(s.TransactionBegan, s.ConnectedAt, &time.Time{})
	}
	return slices.MinFunc(w.blockedBy, func(a, b int) int {
		_, aWaits := waits[a]
		_, bWaits := waits[b]
		switch {
		case aWaits && !bWaits:
			return -1
		case bWaits && !aWaits:
			return 1
		}
		return cmp.Or(began(a).Compare(began(b)), cmp.Compare(a, b))
	})
}
