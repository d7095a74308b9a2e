package event

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// deliveriesBundle leases the deliveries of made-up endpoints.
type deliveriesBundle struct {
	*deliveryLeaser
	now time.Time
	due map[EndpointKey][]time.Time
	run []LeasedEvent
}

func setupDeliveries(concurrency, perEndpoint int) *deliveriesBundle {
	return &deliveriesBundle{
		deliveryLeaser: newDeliveryLeaser(Kind{Name: KindWebhookDelivery, Concurrency: concurrency,
			PerEndpoint: perEndpoint}.withDefaults()),
		now: testtime.At(0, 12, 0, time.UTC), due: make(map[EndpointKey][]time.Time),
	}
}

func endpointKey(n byte) EndpointKey {
	return EndpointKey{Tenant: uuid.UUID{1}, Endpoint: uuid.UUID{n}}
}

// plan makes n deliveries to an endpoint due.
func (b *deliveriesBundle) plan(key EndpointKey, n int) {
	for range n {
		b.due[key] = append(b.due[key], b.now)
	}
}

// leaseOnce leases as the database does, and returns how many it took of each endpoint.
func (b *deliveriesBundle) leaseOnce() map[EndpointKey]int {
	asked := b.query(b.now)
	permits := make(map[EndpointKey]int)
	since := make(map[EndpointKey]time.Time)
	if asked.Deliveries.Everywhere {
		for key := range b.due {
			permits[key], since[key] = asked.Deliveries.PerEndpoint, asked.Since
		}
	}
	for _, k := range asked.Deliveries.Known {
		permits[k.EndpointKey], since[k.EndpointKey] = k.Permits, k.Since
	}
	var got Leased
	took := make(map[EndpointKey]int)
	for key, n := range permits {
		var left []time.Time
		for _, due := range b.due[key] {
			if took[key] < n && len(got.Events) < asked.Limit && !due.Before(since[key]) {
				got.Events = append(got.Events,
					LeasedEvent{TenantID: key.Tenant, SubjectID: key.Endpoint, Kind: KindWebhookDelivery, DueAt: due})
				took[key]++
				continue
			}
			left = append(left, due)
		}
		b.due[key] = left
	}
	b.leased(got)
	b.run = append(b.run, got.Events...)
	return took
}

// endAll ends the attempts that run.
func (b *deliveriesBundle) endAll(took time.Duration, result Result) {
	for _, c := range b.run {
		b.ended(attempt{leased: c, event: eventOf(c), took: took, result: result})
	}
	b.run = nil
}

// endOf ends n attempts of an endpoint that run.
func (b *deliveriesBundle) endOf(key EndpointKey, n int) {
	var left []LeasedEvent
	for _, c := range b.run {
		if n > 0 && c.SubjectID == key.Endpoint {
			n--
			b.ended(attempt{leased: c, event: eventOf(c), took: time.Millisecond, result: Done()})
			continue
		}
		left = append(left, c)
	}
	b.run = left
}

func TestDeliveryLeaser_FastEndpoint_GetsMorePermitsAndASlowOneFewer(t *testing.T) {
	t.Parallel()
	b, key := setupDeliveries(512, 100), endpointKey(1)
	b.plan(key, 2000)
	var permits []int
	for range 6 {
		b.markDue()
		permits = append(permits, b.leaseOnce()[key])
		b.endAll(100*time.Millisecond, Done())
	}
	require.Equal(t, []int{8, 16, 32, 64, 100, 100}, permits)
	permits = nil
	for range 3 {
		b.markDue()
		permits = append(permits, b.leaseOnce()[key])
		b.endAll(10*time.Second, Done())
	}
	require.Equal(t, []int{100, 8, 8}, permits)
}

func TestDeliveryLeaser_AttemptsWithoutAnAnswer_GiveNoPermits(t *testing.T) {
	t.Parallel()
	for _, result := range []Result{RetryUncounted(time.Time{}), CancelBecause("x")} {
		b, key := setupDeliveries(512, 100), endpointKey(1)
		b.plan(key, 100)
		for range 3 {
			b.markDue()
			require.Equal(t, 8, b.leaseOnce()[key])
			b.endAll(time.Millisecond, result)
		}
	}
}

func TestDeliveryLeaser_EndpointHasNoFreePlaces_OthersAreClaimedAndItsBacklogFollows(t *testing.T) {
	t.Parallel()
	b, slow, other := setupDeliveries(512, 100), endpointKey(1), endpointKey(2)
	b.plan(slow, 50)
	b.markDue()
	require.Equal(t, 8, b.leaseOnce()[slow])
	require.False(t, b.ready(), "all that can begin has begun")

	b.plan(other, 3)
	b.markDue()
	require.Equal(t, map[EndpointKey]int{other: 3}, b.leaseOnce())
	require.False(t, b.ready())

	b.endOf(slow, 1)
	require.False(t, b.ready(), "fewer than a quarter of its permits are free")
	b.endOf(slow, 3)
	require.True(t, b.ready(), "without a notification or a poll")
	require.Equal(t, 8, b.leaseOnce()[slow], "twelve permits less four that are in use")
}

func TestDeliveryLeaser_AllPlacesAreTaken_WhatIsLeftIsClaimedLater(t *testing.T) {
	t.Parallel()
	b := setupDeliveries(20, 10)
	for n := range byte(10) {
		b.plan(endpointKey(n+1), 5)
	}
	b.markDue()
	for total := 0; total < 50; {
		require.True(t, b.ready(), "%d were claimed", total)
		for _, n := range b.leaseOnce() {
			total += n
		}
		b.endAll(time.Millisecond, Done())
		b.now = b.now.Add(time.Second)
	}
}

func TestDeliveryLeaser_LaterClaims_BeginWhereEarlierOnesEnded(t *testing.T) {
	t.Parallel()
	b, slow, fast := setupDeliveries(512, 100), endpointKey(1), endpointKey(2)
	began := b.now
	b.plan(slow, 50)
	b.markDue()
	require.Equal(t, 8, b.leaseOnce()[slow])
	for range 3 { // the backlog of the one doesn't hold up the other
		b.now = b.now.Add(time.Second)
		b.plan(fast, 2)
		b.markDue()
		require.Equal(t, 2, b.leaseOnce()[fast])
	}
	b.markDue()
	asked := b.query(b.now)
	require.Equal(t, b.now.Add(-sinceMargin), asked.Since)
	for _, k := range asked.Deliveries.Known {
		if k.EndpointKey == slow {
			require.Equal(t, began.Add(-sinceMargin), k.Since, "it has a backlog from then on")
		}
	}
	b.leased(Leased{})

	b.followed(Follower{TenantID: fast.Tenant, SubjectID: fast.Endpoint, DueAt: began})
	require.True(t, b.ready(), "a delivery waited for one that has ended")
	asked = b.query(b.now)
	require.Equal(t, []KnownEndpoint{{EndpointKey: fast, Permits: 8 - 6, Since: began.Add(-sinceMargin)}},
		asked.Deliveries.Known)
	b.leased(Leased{})

	b.now = b.now.Add(lookBackEvery)
	b.markDue()
	asked = b.query(b.now)
	require.Zero(t, asked.Since)
	for _, k := range asked.Deliveries.Known {
		require.Zero(t, k.Since)
	}
}

func TestDeliveryLeaser_SearchTakesSeveralClaims_GoesOnAfterTheLastEndpoint(t *testing.T) {
	t.Parallel()
	b, first := setupDeliveries(512, 100), endpointKey(1)
	b.markDue()
	asked := b.query(b.now)
	require.Zero(t, asked.Deliveries.After)
	b.leased(Leased{LastEndpoint: first,
		Events: []LeasedEvent{{TenantID: first.Tenant, SubjectID: first.Endpoint, DueAt: b.now}}})
	require.True(t, b.ready())
	asked = b.query(b.now.Add(time.Second))
	require.Equal(t, first, asked.Deliveries.After)
	require.Zero(t, asked.Since, "the search began with the oldest deliveries")
	b.leased(Leased{})
	require.False(t, b.ready())
	b.markDue()
	asked = b.query(b.now.Add(2 * time.Second))
	require.Zero(t, asked.Deliveries.After)
	require.Equal(t, b.now.Add(-sinceMargin), asked.Since)
}

func TestDeliveryLeaser_EndpointWithoutDeliveriesForAMinute_IsForgotten(t *testing.T) {
	t.Parallel()
	b, key := setupDeliveries(512, 100), endpointKey(1)
	b.plan(key, 1)
	b.markDue()
	b.leaseOnce()
	b.endAll(time.Millisecond, Done())
	require.Len(t, b.endpoints, 1)
	b.endpoints[key].ended = b.now
	for range 3 {
		b.now = b.now.Add(lookBackEvery)
		b.markDue()
		b.leaseOnce()
	}
	require.Empty(t, b.endpoints)
}

func eventOf(c LeasedEvent) Event {
	return Event{TenantID: c.TenantID, Kind: c.Kind, Subject: Subject{ID: c.SubjectID}}
}
