package timetable

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/claim"
	"holdfast/internal/problem"
)

// countedCalendar is a calendar that was counted already. All its resources can be shared.
type countedCalendar [][]resourceState

func (c countedCalendar) count(need, i int, state *resourceState) { *state = c[need][i] }

func (countedCalendar) isShared(int) bool { return true }

// judged returns what a party can have of candidates in some states.
func judged(r *Rules, groups []candidates, counted countedCalendar, party int) (j judgement) {
	for n := range groups {
		groups[n].states = append([]resourceState(nil), counted[n]...)
	}
	j.judge(r, groups, counted, party, false, false)
	return j
}

func TestJudge_AllOfANeedAreAskedFor_ABookingMustStartAtTheFirst(t *testing.T) {
	t.Parallel()
	can, cannot := resourceState{open: true, starts: true, capacity: 2, free: 2},
		resourceState{open: true, capacity: 2, free: 2}
	for _, test := range []struct {
		states []resourceState
		serve  int
	}{
		{[]resourceState{can, cannot}, 2}, {[]resourceState{cannot, can}, 0},
		{[]resourceState{can, {open: true, starts: true, capacity: 2}}, 0},
	} {
		groups := []candidates{{
			need: &need{Need: Need{Units: 1, Join: true}}, resources: make([]Resource, 2), asked: true,
		}}
		j := judged(&Rules{}, groups, countedCalendar{test.states}, 3)
		require.Len(t, groups[0].serving, test.serve)
		require.Equal(t, test.serve > 0, j.reason == "")
	}
}

func TestJudge_OnlySeatsAreFree_AFurtherNeedIsNoReason(t *testing.T) {
	t.Parallel()
	groups := []candidates{
		{need: &need{}, resources: make([]Resource, 1)},
		{need: &need{Need: Need{Units: 1}}, resources: make([]Resource, 1)},
	}
	r := &Rules{Service: Service{Spec: Spec{Occupies: OccupiesSession}}}
	counted := countedCalendar{{{open: true, starts: true, joins: true, capacity: 4, seats: 2}}, {{}}}
	require.Equal(t, InTheWay, judged(r, groups, counted, 3).reason, "too few seats")
	j := judged(r, groups, counted, 2)
	require.Equal(t, vacancy{capacity: 4, free: 2, largest: 2}, j.vacancy)
}

// tours are the rules of tours of an hour, each on one of some boats and with one of some skippers, and the moment at
// which one is booked. All are open from 8 to the hour that until says.
func tours(t *testing.T, edit func(*Spec), boats, skippers []int, until ...int) (*Rules, BookingTime) {
	t.Helper()
	r := &Rules{Loc: time.UTC, Service: Service{ID: uuid.New(), Spec: Spec{
		Kind: KindSlot, DurationMinutes: 60, SlotIntervalMinutes: 60, BookingWindowDays: new(3650),
	}}}
	var all []Resource
	for _, capacities := range [][]int{boats, skippers} {
		n := Need{Units: 1}
		for _, capacity := range capacities {
			h := Hours{}
			for day := time.Sunday; day <= time.Saturday; day++ {
				h.Weekly = append(h.Weekly, WeeklyHours{Weekday: day, Opens: 8 * 60, Closes: until[len(all)] * 60})
			}
			all = append(all, Resource{ID: uuid.New(), Capacity: capacity, Times: h.Times()})
			n.ResourceIDs = append(n.ResourceIDs, all[len(all)-1].ID)
		}
		if len(capacities) > 0 {
			r.Service.Needs = append(r.Service.Needs, n)
		}
	}
	edit(&r.Service.Spec)
	r.SetResources(all)
	at, err := r.BookingTimeOf(When{StartsAt: new("2027-07-01T10:00:00Z")})
	require.NoError(t, err)
	return r, at
}

// sessionOn returns the claims of a session at a time on a resource, in which one booking has a seat.
func sessionOn(r *Rules, at BookingTime, resource uuid.UUID, further ...uuid.UUID) (id uuid.UUID, all []claim.Claim) {
	id = r.sessionID(resource, at.Start.Unix())
	for _, of := range append([]uuid.UUID{resource}, further...) {
		all = append(all, claim.Claim{
			OwnerID: id, ResourceID: of, Units: claim.AllUnits(), BusyFrom: at.BusyFrom, BusyUntil: at.BusyUntil,
		})
	}
	return id, append(all, claim.Claim{
		OwnerID: uuid.New(), ResourceID: id, Units: []claim.UnitRange{{From: 1, Until: 2}},
		BusyFrom: at.BusyFrom, BusyUntil: at.BusyUntil,
	})
}

var juneFirst = time.Date(2027, time.June, 1, 0, 0, 0, 0, time.UTC)

func TestAllocate_UntilClosing_JoinsASessionBeforeItOpensOne(t *testing.T) {
	t.Parallel()
	r, at := tours(t, func(s *Spec) {
		s.DurationMinutes, s.UntilClosing, s.Occupies = 0, true, OccupiesSession
	}, []int{4, 4}, nil, 18, 17)
	second := &r.Resources[1]
	id, occupied := sessionOn(r, r.timeOn(second, at), second.ID)
	a, err := r.Allocate(at, nil, 2, occupied, 0, juneFirst)
	require.NoError(t, err)
	require.Equal(t, second.ID, a.Resource.ID)
	require.Equal(t, &claim.Session{ID: id}, a.Session)
	require.Equal(t, 17, a.Time.End.Hour())
}

func TestAllocate_UntilClosing_FurtherNeedClosesBefore_IsOutsideOpeningHours(t *testing.T) {
	t.Parallel()
	r, at := tours(t, func(s *Spec) { s.DurationMinutes, s.UntilClosing = 0, true }, []int{1, 1}, []int{1}, 18, 17, 16)
	_, err := r.Allocate(at, nil, 1, nil, 0, juneFirst)
	require.True(t, problem.Is(err, problem.OutsideOpeningHours), "%v", err)
}

func TestAllocate_SeveralAreAskedForAndFewerAreEnough_TakesOneUnitOfEachOther(t *testing.T) {
	t.Parallel()
	r, at := tours(t, func(s *Spec) { s.Needs[0].Join = true }, []int{4, 4, 4}, nil, 18, 18, 18)
	asked := []uuid.UUID{r.Resources[0].ID, r.Resources[2].ID}
	a, err := r.Allocate(at, asked, 2, nil, 0, juneFirst)
	require.NoError(t, err)
	require.Equal(t, asked[1:], a.FurtherIDs)
	require.Len(t, a.Claims, 2)
	require.Equal(t, []claim.UnitRange{{From: 1, Until: 3}}, a.Claims[0].Units)
	require.Equal(t, []claim.UnitRange{{From: 1, Until: 2}}, a.Claims[1].Units)
}

func TestAllocate_LapsedHoldHasAFurtherResource_IsToExpire(t *testing.T) {
	t.Parallel()
	r, at := tours(t, func(*Spec) {}, []int{1}, []int{1}, 18, 18)
	hold := claim.Claim{
		OwnerID: uuid.New(), ResourceID: r.Resources[1].ID, Units: []claim.UnitRange{{From: 1, Until: 2}},
		BusyFrom: at.BusyFrom, BusyUntil: at.BusyUntil, ExpiresAt: &juneFirst,
	}
	a, err := r.Allocate(at, nil, 1, []claim.Claim{hold}, 0, juneFirst)
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{hold.OwnerID}, a.Expire)
}

func TestAllocate_SessionLacksAResourceThatWasAskedFor_IsNotJoined(t *testing.T) {
	t.Parallel()
	r, at := tours(t, func(s *Spec) { s.Occupies = OccupiesSession }, []int{4}, []int{1, 1}, 18, 18, 18)
	boat, skippers := r.Resources[0].ID, r.Resources[1:]
	id, occupied := sessionOn(r, at, boat, skippers[0].ID)
	a, err := r.Allocate(at, []uuid.UUID{skippers[0].ID}, 1, occupied, 0, juneFirst)
	require.NoError(t, err)
	require.Equal(t, &claim.Session{ID: id}, a.Session)
	_, err = r.Allocate(at, []uuid.UUID{skippers[1].ID}, 1, occupied, 0, juneFirst)
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
}

// A session keeps the buffers that it was opened with. After a change of these it takes no more bookings.
func TestAvailability_SessionWithOtherBuffers_IsNotJoined(t *testing.T) {
	t.Parallel()
	r, at := tours(t, func(s *Spec) { s.Occupies = OccupiesSession }, []int{4}, nil, 18)
	id, from, until := r.sessionID(r.Resources[0].ID, at.Start.Unix()), at.BusyFrom.Unix(), at.BusyUntil.Unix()
	for _, buffer := range []int64{0, 900} {
		view := claim.View{
			Now:      juneFirst,
			Busy:     [][]claim.Busy{{{From: from, Until: until + buffer, Units: claim.AllUnits()[0]}}},
			Sessions: []claim.SessionSeats{{ID: id, From: from, Until: until + buffer, SeatsInUse: 1}},
		}
		day, _ := newAvailability(r, 1, at.Date, view).day(at.Date, &listing{budget: 1000})
		for _, slot := range day.Slots {
			if slot.StartsAt.Equal(at.Start) {
				require.Equal(t, buffer == 0, slot.Reason == "", "buffer of %d s", buffer)
			}
		}
		require.NotEmpty(t, day.Slots)
	}
}
