package booking_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/etag"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// goingTo is an amendment with every part: what is wanted of a hold that moves to a date.
func goingTo(d civil.Date) booking.AmendRequest {
	m := to(onDate(d))
	return booking.AmendRequest{
		Move: &m, Details: details(`{"metadata": {"table": 7}, "reference": "Wedding"}`),
		CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: "Grace", Email: "grace@example.com"}},
		HoldMinutes:    new(60), Confirm: true,
	}
}

var goneTo = []string{"booking.held", "booking.rescheduled", "booking.updated", "booking.confirmed"}

// TestAmend_ARivalBooksTheNewTime_FollowsTheOrder has a rival book the date that a hold goes to, in a commit with all
// that an amendment can change. If the rival is first, the hold is as it was.
func TestAmend_ARivalBooksTheNewTime_FollowsTheOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	for i, rivalFirst := range []bool{true, false} {
		from, next := future(2*i), future(2*i+1)
		made := b.hold(t, service, onDate(from))
		before, err := b.service.Get(t.Context(), b.tenant, made.ID)
		require.NoError(t, err)
		requests := []func() error{
			func() error {
				_, err := b.service.Amend(t.Context(), b.tenant, made.ID, goingTo(next), `"1"`)
				return err
			},
			func() error {
				_, _, err := create(t, other, b.tenant, newKey(), newBooking(service, onDate(next)))
				return err
			},
		}
		if rivalFirst {
			requests[0], requests[1] = requests[1], requests[0]
		}
		errs := b.inOrder(t, next, func() {}, requests...)
		require.NoError(t, errs[0])
		require.True(t, problem.Is(errs[1], problem.SlotUnavailable), "%v", errs[1])
		got, err := b.service.Get(t.Context(), b.tenant, made.ID)
		require.NoError(t, err)
		if rivalFirst {
			require.Equal(t, before.Body(), got.Body())
			b.requireStory(t, made.ID, "booking.held")
			require.Zero(t, b.count(t, "SELECT count(*) FROM customers WHERE email = 'grace@example.com'"))
			continue
		}
		require.Equal(t, booking.Confirmed, got.Status)
		require.Equal(t, next, got.Date)
		require.Equal(t, "grace@example.com", got.Customer.Email)
		b.requireStory(t, made.ID, goneTo...)
	}
	b.requireNoOverlap(t)
	b.requireNoDeadlock(t)
}

// TestAmend_HoldExpiresWhileItWaits_ChangesNothing has the hold end after the request came and before it has the locks.
func TestAmend_HoldExpiresWhileItWaits_ChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.hold(t, b.newDateService(t, 1), onDate(future(0)))
	errs := b.inOrder(t, future(0), func() { b.expireIn(t, made.ID, 0) }, func() error {
		_, err := b.service.Amend(t.Context(), b.tenant, made.ID, goingTo(future(1)), "")
		return err
	})
	require.True(t, problem.Is(errs[0], problem.HoldExpired), "%v", errs[0])
	b.requireStory(t, made.ID, "booking.held")
	require.Zero(t, b.count(t, "SELECT count(*) FROM bookings WHERE date = $1", future(1).String()))
}

// TestAmend_TwoAtOnce_ApplyInSomeOrder has two requests change one booking: in either order each sees what the other
// one did. With If-Match the second one is refused.
func TestAmend_TwoAtOnce_ApplyInSomeOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	for i, ifMatch := range []etag.Precondition{"", "", `"1"`, `"1"`} {
		from, next := future(2*i), future(2*i+1)
		made := b.booked(t, service, onDate(from))
		m := to(onDate(next))
		moves := func() error {
			_, err := b.service.Amend(t.Context(), b.tenant, made.ID,
				booking.AmendRequest{Move: &m, Details: details(`{"metadata": {"a": 1}}`)}, ifMatch)
			return err
		}
		names := func() error {
			change := details(`{"metadata": {"b": 2}, "reference": "Wedding"}`)
			_, err := other.Amend(t.Context(), b.tenant, made.ID, booking.AmendRequest{Details: change}, ifMatch)
			return err
		}
		requests, movesFirst := []func() error{names, moves}, i%2 == 0
		if movesFirst {
			requests = []func() error{moves, names}
		}
		errs := b.inOrder(t, from, func() {}, requests...)
		require.NoError(t, errs[0])
		got, err := b.service.Get(t.Context(), b.tenant, made.ID)
		require.NoError(t, err)
		switch {
		case ifMatch == "":
			require.NoError(t, errs[1])
			require.JSONEq(t, `{"a": 1, "b": 2}`, string(got.Metadata))
			require.Equal(t, next, got.Date)
			require.Equal(t, "Wedding", *got.Reference)
			require.EqualValues(t, 4, got.Version)
		case movesFirst:
			require.True(t, problem.Is(errs[1], problem.VersionMismatch), "%v", errs[1])
			require.JSONEq(t, `{"a": 1}`, string(got.Metadata))
			b.requireStory(t, made.ID, "booking.created", "booking.rescheduled", "booking.updated")
		default:
			require.True(t, problem.Is(errs[1], problem.VersionMismatch), "%v", errs[1])
			require.Equal(t, from, got.Date)
			b.requireStory(t, made.ID, "booking.created", "booking.updated")
		}
	}
	b.requireOneStory(t)
	b.requireNoOverlap(t)
}

// TestAmend_ManyBookingsOverFewDates_NothingIsSoldTwice has clients of two processes amend bookings with drawn parts.
func TestAmend_ManyBookingsOverFewDates_NothingIsSoldTwice(t *testing.T) {
	t.Parallel()
	const clients, dates = 8, 6
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 2)
	var ids []uuid.UUID
	for i := range dates {
		ids = append(ids, b.booked(t, service, onDate(future(i))).ID, b.hold(t, service, onDate(future(i))).ID)
	}
	ids = ids[:3] // the others are in the way, and stay
	seed := testtime.Seed(t)
	codes := race(clients, func(i int) error {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		for round := range testtime.Rounds(20) {
			id, a := ids[r.IntN(len(ids))], goingTo(future(r.IntN(dates)))
			a.Details = details(fmt.Sprintf(`{"metadata": {"%d": %d}}`, i, round))
			if r.IntN(3) == 0 {
				a.Move = nil
			}
			if a.Confirm = r.IntN(4) == 0; r.IntN(3) > 0 {
				a.HoldMinutes = nil
			}
			_, err := []*booking.Service{b.service, other}[i%2].Amend(t.Context(), b.tenant, id, a, "")
			if err != nil && !problem.Is(err, problem.SlotUnavailable) && !problem.Is(err, problem.InvalidState) {
				return err
			}
		}
		return nil
	})
	require.Equal(t, map[problem.Code]int{"": clients}, codes)
	b.requireOneStory(t)
	b.requireNoOverlap(t)
	b.requireNoDeadlock(t)
	require.Zero(t, b.count(t,
		`SELECT count(*) FROM (SELECT date FROM bookings GROUP BY date HAVING count(*) > 2) AS sold_twice`))
}

func TestAmend_HoldThatIsOver_IsConfirmedWhereItIsAndNotMoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.hold(t, b.newDateService(t, 1), onDate(future(0)))
	b.expireIn(t, made.ID, 0)
	for name, a := range map[string]booking.AmendRequest{
		"moved":    {Move: &booking.Move{When: onDate(future(1))}, Confirm: true, IfStillFree: true},
		"extended": {HoldMinutes: new(60), Confirm: true, IfStillFree: true},
		"in time":  {Details: details(`{"metadata": {"a": 1}}`), Confirm: true},
	} {
		_, err := b.service.Amend(t.Context(), b.tenant, made.ID, a, "")
		require.True(t, problem.Is(err, problem.HoldExpired), "%s: %v", name, err)
		b.requireStory(t, made.ID, "booking.held")
	}
	confirmed, err := b.confirm(t, made.ID, booking.AmendRequest{Details: details(`{"metadata": {"a": 1}}`),
		IfStillFree: true,
		CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: "Grace",
			Email: "grace@example.com"}}})
	require.NoError(t, err)
	require.Equal(t, "grace@example.com", confirmed.Customer.Email)
	b.requireStory(t, made.ID, "booking.held", "booking.updated", "booking.confirmed")
	b.requireNoOverlap(t)
}

// details is a change of a booking's details.
func details(patch string) mergepatch.Patch[booking.Details] {
	return mergepatch.Of[booking.Details](patch)
}
