package lockview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
func (l LockBody) Label() string {
	if len(l.Names) == 0 {
		return l.key().String()
	}
	texts := make([]string, len(l.Names))
	for i, n := range l.Names {
		texts[i] = n.Name
	}
	return strings.Join(texts, " or ")
}

// ID returns the bigint that was locked; for two integers, what they would be as one.
func (l LockBody) ID() int64 { return l.key().ID() }

func (l LockBody) key() Key { return Key{ClassID: l.ClassID, ObjectID: l.ObjectID, SubID: l.SubID} }

// otherLock names a lock that isn't advisory.
func otherLock(o otherWait) string {
	of := ""
	if o.Relation != "" {
		of = " of " + o.Relation
	}
	switch o.LockType {
	case "relation":
		return "table " + o.Relation
	case "transactionid", "tuple":
		return "a row" + of
	case "virtualxid":
		return "transactions that began before"
	}
	return o.LockType + of
}

// unknownLock is what a session waits for that nobody waited for a moment ago.
const unknownLock = "a row or table"

// arrange makes a view of what PostgreSQL told and of the names of keys.
func arrange(t lockTable, names map[int64][]NameBody) LocksBody {
	v := LocksBody{At: t.now.UTC(), Blockers: []BlockerBody{}, Locks: []LockBody{}, Longest: []LinkBody{}}
	sessions := make(map[int]lockSession, len(t.sessions))
	waits := make(map[int]wait)
	for _, s := range t.sessions {
		sessions[int(s.Pid)] = s
		if len(s.BlockedBy) > 0 {
			waits[int(s.Pid)] = wait{other: unknownLock, since: t.now, blockedBy: integers(s.BlockedBy)}
		}
	}
	for _, o := range t.others {
		w := wait{other: otherLock(o), since: t.now, blockedBy: integers(sessions[int(o.Pid)].BlockedBy)}
		if o.WaitingSince != nil {
			w.since = *o.WaitingSince
		}
		waits[int(o.Pid)] = w
	}
	for _, r := range t.requests {
		if r.Granted {
			continue
		}
		w := wait{lock: keyOf(r), since: t.now, blockedBy: integers(sessions[int(r.Pid)].BlockedBy)}
		if r.WaitingSince != nil { // which is empty for a moment when a wait begins
			w.since = *r.WaitingSince
		}
		waits[int(r.Pid)] = w
	}
	waiting := func(pid int) time.Duration { return max(t.now.Sub(waits[pid].since), 0) }

	indexes := make(map[Key]int)
	for _, r := range t.requests {
		key, pid := keyOf(r), int(r.Pid)
		index, known := indexes[key]
		if !known {
			index = len(v.Locks)
			indexes[key] = index
			v.Locks = append(v.Locks, lockOf(key, names))
		}
		l, session := &v.Locks[index], sessionOf(pid, sessions[pid])
		if r.Granted {
			l.Holders = append(l.Holders, HolderBody{
				LockSessionBody: session, Shared: r.Shared, AtMostMS: heldAtMost(t.now, sessions[pid], l.Names),
			})
			continue
		}
		l.Waiters = append(l.Waiters, WaiterBody{
			LockSessionBody: session, Shared: r.Shared, WaitingMS: waiting(pid).Milliseconds(),
			BlockedBy: waits[pid].blockedBy, Chain: chain(pid, waits, sessions),
		})
	}
	for _, l := range v.Locks {
		slices.SortFunc(l.Holders, func(a, b HolderBody) int { return cmp.Compare(a.PID, b.PID) })
		slices.SortFunc(l.Waiters, func(a, b WaiterBody) int {
			return cmp.Or(cmp.Compare(waiting(b.PID), waiting(a.PID)), cmp.Compare(a.PID, b.PID))
		})
	}
	longest := func(l LockBody) time.Duration {
		if len(l.Waiters) == 0 {
			return -1
		}
		return waiting(l.Waiters[0].PID)
	}
	slices.SortFunc(v.Locks, func(a, b LockBody) int {
		return cmp.Or(cmp.Compare(longest(b), longest(a)), cmp.Compare(a.SubID, b.SubID), cmp.Compare(a.ID(), b.ID()))
	})
	label := func(pid int) string {
		if w := waits[pid]; w.other != "" {
			return w.other
		}
		return lockOf(waits[pid].lock, names).Label()
	}
	pids := slices.SortedFunc(maps.Keys(waits), func(a, b int) int {
		return cmp.Or(waits[a].since.Compare(waits[b].since), cmp.Compare(a, b))
	})
	if len(pids) > 0 {
		for _, pid := range chain(pids[0], waits, sessions) {
			link := LinkBody{LockSessionBody: sessionOf(pid, sessions[pid])}
			if _, ok := waits[pid]; ok {
				link.WaitsFor, link.WaitingMS = label(pid), waiting(pid).Milliseconds()
			}
			v.Longest = append(v.Longest, link)
		}
	}
	v.Waiting = len(waits)
	v.Blockers = blockersOf(t.now, pids, waits, sessions, label)
	return v
}

// blockersOf lists the sessions that wait for nobody and that others wait for. pids are those that wait, longest wait
// first.
func blockersOf(now time.Time, pids []int, waits map[int]wait, sessions map[int]lockSession,
	label func(pid int) string,
) []BlockerBody {
	found := []BlockerBody{}
	for _, pid := range pids {
		way := chain(pid, waits, sessions)
		last := way[len(way)-1]
		if _, waits := waits[last]; waits {
			continue // a deadlock, or nobody is known to be ahead
		}
		i := slices.IndexFunc(found, func(b BlockerBody) bool { return b.PID == last })
		if i < 0 {
			i = len(found)
			b := BlockerBody{
				LockSessionBody: sessionOf(last, sessions[last]),
				LongestMS:       max(now.Sub(waits[pid].since), 0).Milliseconds(), Locks: []string{},
			}
			if began := sessions[last].TransactionBegan; began != nil {
				ms := max(now.Sub(*began), 0).Milliseconds()
				b.TransactionMS = &ms
			}
			found = append(found, b)
		}
		found[i].Waiting++
		// The lock that this session holds is the one that the last waiter in the chain awaits.
		if held := label(way[len(way)-2]); !slices.Contains(found[i].Locks, held) {
			found[i].Locks = append(found[i].Locks, held)
		}
	}
	slices.SortStableFunc(found, func(a, b BlockerBody) int { return cmp.Compare(b.Waiting, a.Waiting) })
	return found
}

// lockOf returns a lock without sessions.
func lockOf(k Key, names map[int64][]NameBody) LockBody {
	l := LockBody{
		Key:      strconv.FormatInt(k.ID(), 10),
		ClassID:  k.ClassID,
		ObjectID: k.ObjectID,
		SubID:    k.SubID,
		Names:    []NameBody{},
		Holders:  []HolderBody{},
		Waiters:  []WaiterBody{},
	}
	if k.hashed() {
		l.Names = append(l.Names, names[k.ID()]...)
	}
	return l
}

// heldAtMost returns the milliseconds for which a session has held a lock at most, nil if that isn't known.
func heldAtMost(now time.Time, s lockSession, names []NameBody) *int64 {
	since := s.ConnectedAt
	if s.TransactionBegan != nil && (len(names) == 0 || !names[0].session) {
		since = s.TransactionBegan
	}
	if since == nil {
		return nil
	}
	ms := max(now.Sub(*since), 0).Milliseconds()
	return &ms
}

func keyOf(r lockRequest) Key {
	return Key{ClassID: uint32(r.ClassID), ObjectID: uint32(r.ObjectID), SubID: int(r.SubID)}
}

func sessionOf(pid int, s lockSession) LockSessionBody {
	return LockSessionBody{
		PID: pid, User: s.UserName, ApplicationName: s.ApplicationName, ClientAddress: s.ClientAddress, State: s.State,
		Query: s.Query,
	}
}

func integers(values []int32) []int {
	list := make([]int, len(values))
	for i, v := range values {
		list[i] = int(v)
	}
	return list
}
