package event

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/testtime"
)

func leasedOf(ids ...uuid.UUID) (leases []LeasedEvent) {
	for _, id := range ids {
		leases = append(leases, LeasedEvent{EventID: id, Lease: new(uuid.New()), Version: 2})
	}
	return leases
}

// someMoment is any time: what is tested reads no clock.
var someMoment = time.Date(2027, 7, 1, 8, 0, 0, 0, time.UTC)

func TestHeldEvents_AreDueOnceTheirLeaseIsAThirdOver_AndUntilTheirTimeIsOver(t *testing.T) {
	t.Parallel()
	const age, longest = time.Second, 10 * time.Second
	h, now := newHeldEvents(), someMoment
	older, newer := uuid.New(), uuid.New()
	h.add(leasedOf(older), now, longest)
	h.add(leasedOf(newer), now.Add(age/2), longest)
	due := func(at time.Time) (ids []uuid.UUID) {
		for _, e := range h.due(at, age) {
			ids = append(ids, e.EventID)
		}
		return ids
	}
	require.Empty(t, due(now.Add(age-1)), "most attempts have ended by then")
	require.Equal(t, []uuid.UUID{older}, due(now.Add(age)))
	require.Equal(t, []uuid.UUID{older}, due(now.Add(age)), "it wasn't renewed")
	h.renewed(h.due(now.Add(age), age), now.Add(age))
	require.Empty(t, due(now.Add(age)))
	require.ElementsMatch(t, []uuid.UUID{older, newer}, due(now.Add(2*age)))
	require.Equal(t, []uuid.UUID{newer}, due(now.Add(longest)), "the time of the older one is over")
	require.Empty(t, due(now.Add(longest+age/2)))
	require.False(t, h.any())
}

func TestHeldEvents_ResultIsRecorded_OnlyItsClaimIsForgotten(t *testing.T) {
	t.Parallel()
	h, now := newHeldEvents(), someMoment
	leases := leasedOf(uuid.New())
	again := leases[0]
	again.Version++ // this worker lost the event and leased it again
	h.add(leases, now, time.Minute)
	h.add([]LeasedEvent{again}, now, time.Minute)
	h.remove(leases...)
	due := h.due(now.Add(time.Second), time.Second)
	require.Len(t, due, 1)
	require.Equal(t, again.Version, due[0].Version)
	h.renewed([]HeldEvent{{EventID: leases[0].EventID, Version: leases[0].Version}}, now)
	h.remove(again)
	require.False(t, h.any(), "what was renewed after its result was recorded isn't held again")
}

func TestContact_IsLost_AfterAFailureOrATimeWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	const poll, lease = time.Second, 3 * time.Second
	now := someMoment
	for name, c := range map[string]struct {
		after func(c *contact)
		lost  bool
	}{
		"nothing was asked":      {func(*contact) {}, false},
		"answers":                {func(c *contact) { c.made(now.Add(-lease)); c.made(now) }, false},
		"no answer for a while":  {func(c *contact) { c.made(now.Add(-lease - 1)) }, true},
		"an answer after that":   {func(c *contact) { c.made(now.Add(-lease - 1)); c.made(now) }, true},
		"a failure":              {func(c *contact) { c.made(now); c.failed() }, true},
		"an answer after it":     {func(c *contact) { c.failed(); c.made(now) }, true},
		"others had their time":  {func(c *contact) { c.failed(); c.made(now); c.regained(now) }, false},
		"lost once more":         {func(c *contact) { c.failed(); c.regained(now); c.failed() }, true},
		"regained some time ago": {func(c *contact) { c.failed(); c.regained(now.Add(-lease - 1)) }, true},
	} {
		contact := newContact(poll, lease)
		c.after(contact)
		require.Equal(t, c.lost, contact.wasLost(now), name)
	}
}

func TestRescue_DatabaseWasAway_LeavesOthersTheTimeOfALeaseToRenewTheirs(t *testing.T) {
	t.Parallel()
	const kind = "test.kind"
	url := dbtest.Database(t)
	s, sql := dbtest.Open(t, db.Config{URL: url}), dbtest.SQL(t, url)
	_, err := sql.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, lease, leased_until, data, created_at, updated_at)
		VALUES ($1, $2, $3, 'test', $4, '', 'processing', now(), 'UTC', 1, 2, $5, now(), '{}', now(), now())`,
		uuid.New(), uuid.New(), kind, uuid.New(), uuid.New())
	require.NoError(t, err)
	rescued := func(lease, timeout time.Duration, lose func(*contact)) (n int) {
		ctx, stop := context.WithTimeout(t.Context(), timeout)
		defer stop()
		w := NewWorker(s, Config{lease: lease, Observers: []Observer{func(notice Notice) {
			if notice.What == NoticeRescued {
				n++
			}
		}}}, Kind{Name: kind})
		lose(w.contact)
		_, err := w.rescue(ctx)
		require.Equal(t, n == 0, err != nil, "%v", err)
		return n
	}
	lost := func(c *contact) { c.failed() }
	require.Zero(t, rescued(time.Hour, 200*time.Millisecond, lost))
	require.Equal(t, 1, rescued(time.Millisecond, time.Minute, lost), "after that time, their leases have ended")

	_, err = sql.Exec(t.Context(),
		"UPDATE scheduled_events SET status = 'processing', lease = $1, leased_until = now()", uuid.New())
	require.NoError(t, err)
	require.Equal(t, 1, rescued(time.Hour, time.Minute, func(c *contact) { c.made(testtime.Now()) }),
		"contact was never lost")
}
