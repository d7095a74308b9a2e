package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/lock"
)

// tenantGroupWait bounds what sharing a transaction with other dates may cost a request: how long it waits in the process for
// its turn, and the transaction in PostgreSQL for rows.
const tenantGroupWait = 100 * time.Millisecond

// dateGroupID names the group of those who wait for the same locks. It tells these apart by the tenant as well: keys are
// hashes, and those of two tenants may be the same.
func dateGroupID(keys lock.CalendarKeys) string {
	tenant := keys.Tenant()
	id := tenant[:]
	for _, k := range keys.Keys() {
		id = binary.BigEndian.AppendUint64(id, uint64(k.ID()))
	}
	return string(id)
}

// tenantGroupID names the group of a tenant's requests for dates that nobody else of this process is at.
func tenantGroupID(keys lock.CalendarKeys) string {
	tenant := keys.Tenant()
	return string(tenant[:])
}

// errApart tells a request that the transaction that it was to share isn't the one for it: the lock of its date is held,
// or the transaction failed, perhaps for another's reason.
var errApart = errors.New("store: to be run apart")

// bookTogether runs a request in a transaction that it may share: with the tenant's other dates, if nobody is known to be
// at its own; else, or if that wasn't for it, with those who want the same dates; and in one of its own if that fails.
func (s *Store) bookTogether(ctx context.Context, keys lock.CalendarKeys, read BookRead, decide func(*BookTx, BookState) error) error {
	asked := time.Now()
	request := func() *member { return newMember(ctx, keys, read, decide, asked) }
	if s.queue.idle(ids(keys.Keys())) {
		if err := s.bookIn(tenantGroupID(keys), request(), s.bookTenantGroup); !errors.Is(err, errApart) {
			return err
		}
	}
	if err := s.bookIn(dateGroupID(keys), request(), s.bookDateGroup); !errors.Is(err, errApart) {
		return err
	}
	alone := request()
	if err := s.bookDateGroup(alone, func() []*member { return []*member{alone} }); err != nil {
		return err
	}
	return alone.result()
}

// bookIn runs a request with the group of that id, whose transaction book runs for the one that leads it. It returns
// errApart when nothing was decided about it.
func (s *Store) bookIn(id string, m *member, book func(leader *member, depart func() []*member) error) error {
	g, leads := s.groups.join(id, m)
	if !leads {
		select {
		case <-m.lead:
			leads = true
		case <-m.done:
		case <-m.ctx.Done():
			if s.groups.leave(g, m) {
				return fmt.Errorf("wait for the %s lock: %w", kindCalendar, m.ctx.Err())
			}
		}
	}
	if leads {
		if err := book(m, func() []*member { return s.groups.depart(g) }); s.groups.leave(g, m) {
			return err // nobody was booked; the next one leads
		}
	}
	<-m.done
	return m.result()
}

// result is how a request ended.
func (m *member) result() error {
	if m.panicked != nil {
		panic(m.panicked)
	}
	return m.err
}

// bookDateGroup runs the transaction of members that want the same dates, and waits for their locks.
func (s *Store) bookDateGroup(leader *member, depart func() []*member) error {
	var shared *sharedBooking
	return s.bookShared(leader, &shared, transaction{
		keys: leader.keys.Keys(),
		depart: func() (d departure, err error) {
			shared = newSharedBooking(leader.ctx, depart())
			d.keys = leader.keys.Keys()
			for _, m := range shared.members {
				if own := s.patience(m.ctx, m.asked); own.After(d.until) {
					d.until = own
				}
			}
			return d, nil
		},
	})
}

// bookTenantGroup runs the transaction of members that want different dates of a tenant. None of them waits for another's
// date: whose lock is held goes apart, and waits for it there.
func (s *Store) bookTenantGroup(leader *member, depart func() []*member) error {
	var shared *sharedBooking
	var claimed []int64
	return s.bookShared(leader, &shared, transaction{
		turn: func(ctx context.Context) (func(), error) {
			limited, cancel := context.WithDeadline(ctx, leader.asked.Add(tenantGroupWait))
			defer cancel()
			leave, err := s.tenants.enter(limited, leader.keys.Tenant())
			switch {
			case err == nil:
				return func() { s.queue.leave(claimed); leave() }, nil
			case ctx.Err() != nil:
				return nil, fmt.Errorf("wait for a turn: %w", ctx.Err())
			}
			return nil, errApart
		},
		depart: func() (d departure, err error) {
			var going []*member
			for _, m := range depart() {
				if s.claim(m, &claimed) {
					going = append(going, m)
					continue
				}
				m.err = errApart
				close(m.done)
			}
			if len(going) == 0 {
				return d, errApart
			}
			shared = newSharedBooking(leader.ctx, going)
			err = shared.try()
			return departure{keys: shared.keys, until: time.Now().Add(tenantGroupWait), granted: shared.granted}, err
		},
	})
}

// claim takes a place in the lines of a member's dates, unless others are in them or there are too many locks already.
func (s *Store) claim(m *member, claimed *[]int64) bool {
	more := slices.DeleteFunc(ids(m.keys.Keys()), func(id int64) bool { return slices.Contains(*claimed, id) })
	if len(*claimed)+len(more) > lock.MaxKeys || !s.queue.claim(more) {
		return false
	}
	*claimed = append(*claimed, more...)
	return true
}

// bookShared runs the transaction of the members that depart, who are told how it ended for each. It returns what
// ended the transaction, whether or not anybody had departed by then.
func (s *Store) bookShared(leader *member, departed **sharedBooking, t transaction) (err error) {
	err = errApart // if this panics
	defer func() {
		if shared := *departed; shared != nil {
			shared.settle(err)
		}
	}()
	t.tenant, t.kind, t.asked = uuid.UUID(leader.keys.Tenant()), kindCalendar, leader.asked
	t.read = func(f *flight) {
		s.metrics.groupSize.Observe(float64(len((*departed).members)))
		(*departed).read(f)
	}
	t.now = func() time.Time { return (*departed).clock.Now }
	t.write = func(f *flight) error {
		shared := *departed
		if !shared.clockFound {
			return fmt.Errorf("store: book: there is no tenant %s", shared.tenant)
		}
		shared.decide(f, func(v any) {
			s.log.Error("panic in a transaction that books", "panic", v, "stack", string(debug.Stack()))
		})
		return nil
	}
	err = s.run(leader.ctx, t)
	return err
}

// settle tells each member how the transaction ended for it.
func (b *sharedBooking) settle(err error) {
	var lost *lostError
	// Those who tried the locks have not waited as long as they are ready to.
	waited := b.keys == nil || sqlState(err) != sqlLockNotAvailable
	own := len(b.members) == 1 || sqlState(err) == sqlDeadlockDetected || failedAt(err, "lock "+kindCalendar, sqlLockNotAvailable)
	for _, m := range b.members {
		switch {
		case err == nil:
		case errors.As(err, &lost):
			// Whoever was refused was so because of what others wrote, and has written nothing itself.
			m.err = &lostError{err: lost.err, committing: lost.committing && m.wrote}
		case own && waited:
			m.err = err
		default:
			m.err = errApart
		}
		close(m.done)
	}
}
