package booking_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
)

// expiry handles hold expiries as another server process would.
type expiry struct {
	store *db.DB
	kind  event.Kind
}

func (b *testBundle) expiry(t testing.TB, lockTimeout time.Duration) expiry {
	t.Helper()
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 4, LockTimeout: lockTimeout})
	return expiry{s, booking.NewService(s).HoldExpiry()}
}

// run handles the expiries that are due. It returns how many holds it marked as expired, and the errors of failed
// attempts.
func (e expiry) run(ctx context.Context) (marked int, failed []error) {
	var mu sync.Mutex
	event.NewWorker(e.store, event.Config{Observers: []event.Observer{func(n event.Notice) {
		mu.Lock()
		defer mu.Unlock()
		switch n.What {
		case event.NoticeCompleted:
			marked++
		case event.NoticeFailed, event.NoticeDead:
			failed = append(failed, n.Err)
		}
	}}}, e.kind).RunUntilIdle(ctx)
	return marked, failed
}

func TestHoldExpiry_LapsedHoldsOfAllTenants_AreMarkedAndLiveOnesLeft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	live := b.hold(t, service, onDate(future(0)))
	lapsed := b.hold(t, service, onDate(future(1)))
	b.expireIn(t, lapsed.ID, 0)
	first := b.tenant
	b.tenant = b.newTenant(t, "Pacific/Auckland")
	other := b.hold(t, b.newSlotService(t, 1, 60), at(future(2).String()+"T10:00:00+12:00"))
	b.expireIn(t, other.ID, 0)

	expiry := b.expiry(t, 0)
	n, failed := expiry.run(t.Context())
	require.Empty(t, failed)
	require.Equal(t, 2, n)
	got, err := b.service.Get(t.Context(), b.tenant, other.ID)
	require.NoError(t, err)
	require.Equal(t, booking.Expired, got.Status)
	b.tenant = first
	expired := booking.Expired
	list, err := b.service.List(t.Context(), b.tenant, booking.Filter{Status: &expired, Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, lapsed.ID, list[0].ID)
	require.EqualValues(t, 2, list[0].Version)
	require.Equal(t, 1, b.count(t,
		"SELECT count(*) FROM changes WHERE type = 'booking.expired' AND subject_id = $1 AND version = 2",
		lapsed.ID))
	_, err = change(t, b.service, b.tenant, live.ID, booking.Confirm)
	require.NoError(t, err)
	n, failed = expiry.run(t.Context())
	require.Empty(t, failed)
	require.Zero(t, n, "nothing is left to expire")
}

func TestHoldExpiry_DateThatIsLocked_IsTriedAgainAndDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	held := b.hold(t, service, onDate(future(0)))
	other := b.hold(t, service, onDate(future(1)))
	b.expireIn(t, held.ID, 0)
	b.expireIn(t, other.ID, 0)
	release := b.blockDate(t, lock.Date(future(0)))
	n, failed := b.expiry(t, 300*time.Millisecond).run(t.Context())
	require.NotEmpty(t, failed)
	for _, err := range failed {
		require.True(t, problem.Is(err, problem.LockTimeout), "%v", err)
	}
	require.Equal(t, 1, n)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'held'"),
		"nothing is marked without its date's lock")
	release()
	_, err := b.sql.Exec(t.Context(), "UPDATE scheduled_events SET due_at = now() WHERE status = 'failed'")
	require.NoError(t, err)
	n, failed = b.expiry(t, 0).run(t.Context())
	require.Empty(t, failed)
	require.Equal(t, 1, n)
}

func TestHoldExpiry_OnSeveralInstances_MarksEachHoldOnce(t *testing.T) {
	t.Parallel()
	const holds, instances = 60, 4
	b := setup(t)
	service := b.newDateService(t, 2)
	var all []uuid.UUID
	for i := range holds {
		all = append(all, b.hold(t, service, onDate(future(i/2))).ID)
	}
	for _, id := range all {
		b.expireIn(t, id, 0)
	}
	var marked [instances]int
	var wg sync.WaitGroup
	for i := range instances {
		expiry := b.expiry(t, 0)
		wg.Go(func() {
			n, failed := expiry.run(t.Context())
			for _, err := range failed {
				t.Errorf("expire a hold: %v", err)
			}
			marked[i] = n
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range marked {
		sum += n
	}
	require.Equal(t, holds, sum)
	require.Equal(t, holds, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'expired' AND version = 2"))
	require.Equal(t, holds, b.count(t, "SELECT count(DISTINCT subject_id) FROM changes WHERE type = 'booking.expired'"))
	require.Equal(t, holds, b.count(t, "SELECT count(*) FROM changes WHERE type = 'booking.expired'"))
}

func TestBook_LapsedHoldInTheWay_ItsHistoryDoesNotNameWhoBooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	n, minutes := newBooking(service, onDate(future(0))), 5
	n.HoldMinutes = &minutes
	hold, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = now() - interval '1 second'")
	require.NoError(t, err)
	b.syncClaims(t)
	ctx := db.WithActor(t.Context(), db.Actor{APIKeyID: uuid.New(), RequestID: "of-another-client"})
	_, err = b.service.Create(ctx, b.tenant, request(t, newKey()), newBooking(service, onDate(future(0))))
	require.NoError(t, err)
	require.Equal(t, 1, b.count(t,
		`SELECT count(*) FROM changes
			WHERE subject_id = $1 AND type = 'booking.expired' AND api_key_id IS NULL AND request_id IS NULL`, hold.ID))
}
