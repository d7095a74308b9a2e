// Package lockview shows the advisory locks of a database to its operator: under their names, with who holds them, who
// waits, and who keeps whom waiting. What is shown is put together by plain functions; Service reads it.
package lockview

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// View is the advisory locks of one database at a moment.
type View struct {
	// At is the database's time. UTC.
	At time.Time
	// Locks are those that somebody holds or awaits: first the ones that are awaited, longest wait first.
	Locks []Lock
	// Longest is the chain that keeps the longest waiter waiting: that waiter first, at the end who must finish before
	// anybody moves. It is empty when nobody waits.
	Longest []Link
}

// Lock is one lock with its sessions.
type Lock struct {
	Key
	// Names are the names that the key stands for: none if it isn't known, several if they collide.
	Names   []Name
	Holders []Holder
	// Waiters stand in the order in which they began to wait.
	Waiters []Waiter
}

// Key is a lock's key as pg_locks shows it.
type Key struct {
	// ClassID and ObjectID are the high and the low half of a bigint key, or the two integers.
	ClassID, ObjectID uint32
	// SubID is 1 for a bigint key, which all of Holdfast's are, and 2 for two integers.
	SubID int
}

// KeyOf returns the key of a bigint.
func KeyOf(id int64) Key {
	return Key{ClassID: uint32(uint64(id) >> 32), ObjectID: uint32(uint64(id)), SubID: 1}
}

// ID returns the bigint that was locked; for two integers, what they would be as one.
func (k Key) ID() int64 { return int64(uint64(k.ClassID)<<32 | uint64(k.ObjectID)) }

func (k Key) hashed() bool { return k.SubID == 1 }

// String returns the key as the lock functions take it.
func (k Key) String() string {
	if k.hashed() {
		return strconv.FormatInt(k.ID(), 10)
	}
	return fmt.Sprintf("(%d, %d)", int32(k.ClassID), int32(k.ObjectID))
}

// Label names the lock for people: all its names, or the raw key.
func (l Lock) Label() string {
	if len(l.Names) == 0 {
		return l.String()
	}
	texts := make([]string, len(l.Names))
	for i, n := range l.Names {
		texts[i] = n.Text
	}
	return strings.Join(texts, " or ")
}

// Name is a lock's name.
type Name struct {
	Text string
	// Pattern is the name's row in docs/locks-registry.md.
	Pattern string
	// TenantID and TenantSlug are zero for a lock of the whole database.
	TenantID   uuid.UUID
	TenantSlug string
	session    bool
}

// Session is a connection to the database. PID is 0 for a prepared transaction, which has none.
type Session struct {
	PID int
	// User, Application and Client are the login, the application_name and the address, empty over a Unix socket.
	User, Application, Client string
	// State is pg_stat_activity's, such as "active" or "idle in transaction".
	State string
	// Query is the statement that runs, or ran last, up to 1000 characters.
	Query string
}

// Holder is a session that holds a lock.
type Holder struct {
	Session
	Shared bool
	// AtMost bounds for how long: PostgreSQL doesn't keep when a lock was granted. It is the age of the holder's
	// transaction, and for a session lock that of its connection; 0 if PostgreSQL tells neither, as of other logins.
	AtMost time.Duration
}

// Waiter is a session that awaits a lock.
type Waiter struct {
	Session
	Shared  bool
	Waiting time.Duration
	// BlockedBy are the processes that hold the lock or stand ahead in the queue.
	BlockedBy []int
	// Chain leads from the waiter to the process that must finish before anybody in between moves.
	Chain []int
}

// Link is one session of a chain.
type Link struct {
	Session
	// WaitsFor labels the lock that it awaits; empty for the last one, which doesn't wait.
	WaitsFor string
	Waiting  time.Duration
}

// otherLock is what a session waits for if not for an advisory lock.
const otherLock = "a row or table"

// arrange makes a view of what PostgreSQL told and of the names of keys.
func arrange(t store.LockTable, names map[int64][]Name) View {
	v := View{At: t.Now.UTC()}
	sessions := make(map[int]store.LockSession, len(t.Sessions))
	waits := make(map[int]wait)
	for _, s := range t.Sessions {
		sessions[int(s.Pid)] = s
		if len(s.BlockedBy) > 0 {
			waits[int(s.Pid)] = wait{blockedBy: integers(s.BlockedBy)}
		}
	}
	for _, r := range t.Requests {
		if r.Granted {
			continue
		}
		w := wait{lock: keyOf(r), since: t.Now, blockedBy: integers(sessions[int(r.Pid)].BlockedBy)}
		if r.WaitingSince != nil { // which is empty for a moment when a wait begins
			w.since = *r.WaitingSince
		}
		waits[int(r.Pid)] = w
	}

	places := make(map[Key]int)
	for _, r := range t.Requests {
		key := keyOf(r)
		place, known := places[key]
		if !known {
			place = len(v.Locks)
			places[key] = place
			v.Locks = append(v.Locks, Lock{Key: key, Names: namesOf(key, names)})
		}
		l, row := &v.Locks[place], sessions[int(r.Pid)]
		s := sessionOf(int(r.Pid), row)
		if r.Granted {
			l.Holders = append(l.Holders, Holder{Session: s, Shared: r.Shared, AtMost: heldAtMost(t.Now, row, l.Names)})
			continue
		}
		w := waits[s.PID]
		l.Waiters = append(l.Waiters, Waiter{
			Session: s, Shared: r.Shared, Waiting: max(t.Now.Sub(w.since), 0), BlockedBy: w.blockedBy, Chain: chain(s.PID, waits, sessions),
		})
	}
	for _, l := range v.Locks {
		slices.SortFunc(l.Holders, func(a, b Holder) int { return cmp.Compare(a.PID, b.PID) })
		slices.SortFunc(l.Waiters, func(a, b Waiter) int {
			return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(a.PID, b.PID))
		})
	}
	slices.SortFunc(v.Locks, func(a, b Lock) int {
		return cmp.Or(cmp.Compare(b.longest(), a.longest()), cmp.Compare(a.SubID, b.SubID), cmp.Compare(a.ID(), b.ID()))
	})
	if len(v.Locks) > 0 && len(v.Locks[0].Waiters) > 0 {
		for _, pid := range v.Locks[0].Waiters[0].Chain {
			link := Link{Session: sessionOf(pid, sessions[pid])}
			switch w, waiting := waits[pid]; {
			case waiting && w.lock == (Key{}):
				link.WaitsFor = otherLock
			case waiting:
				l := Lock{Key: w.lock, Names: namesOf(w.lock, names)}
				link.WaitsFor, link.Waiting = l.Label(), max(t.Now.Sub(w.since), 0)
			}
			v.Longest = append(v.Longest, link)
		}
	}
	return v
}

func namesOf(k Key, names map[int64][]Name) []Name {
	if !k.hashed() {
		return nil
	}
	return names[k.ID()]
}

// longest returns the longest wait for the lock, negative if nobody waits.
func (l Lock) longest() time.Duration {
	if len(l.Waiters) == 0 {
		return -1
	}
	return l.Waiters[0].Waiting
}

func heldAtMost(now time.Time, s store.LockSession, names []Name) time.Duration {
	since := s.ConnectedAt
	if s.TransactionBegan != nil && (len(names) == 0 || !names[0].session) {
		since = s.TransactionBegan
	}
	if since == nil {
		return 0
	}
	return max(now.Sub(*since), time.Microsecond)
}

func keyOf(r store.LockRequest) Key {
	return Key{ClassID: uint32(r.ClassID), ObjectID: uint32(r.ObjectID), SubID: int(r.SubID)}
}

func sessionOf(pid int, s store.LockSession) Session {
	return Session{PID: pid, User: s.UserName, Application: s.ApplicationName, Client: s.ClientAddress, State: s.State, Query: s.Query}
}

func integers(values []int32) []int {
	list := make([]int, len(values))
	for i, v := range values {
		list[i] = int(v)
	}
	return list
}
