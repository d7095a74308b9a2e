package booking_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

var never = timetable.Hours{Weekly: []timetable.WeeklyHours{}}

// TestTenantHours_AndABookingAtOnce_TheBookingIsJudgedByThoseOfItsLock forces each order of a change of hours and a
// booking, in a process each, for the tenant's hours as for a resource's. Both must come out alike, and a planted
// defect must be found.
func TestTenantHours_AndABookingAtOnce_TheBookingIsJudgedByThoseOfItsLock(t *testing.T) {
	t.Parallel()
	noVersion := func(sql string) string {
		if strings.Contains(sql, "-- name: TenantHoursSet ") {
			return strings.Replace(sql, ", catalog_version = catalog_version + 1", "", 1)
		}
		return sql
	}
	for _, v := range []struct {
		name     string
		resource bool // the hours of the resource are changed
		rewrite  func(sql string) string
		sound    bool
	}{
		{"the tenant's", false, nil, true},
		{"a resource's", true, nil, true},
		{"the tenant's without a new version of the catalog", false, noVersion, false},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			resource := b.newResource(t, 1, timetable.Hours{})
			service := b.newService(t, catalog.ServiceSpec{
				Name: "Tour", Spec: timetable.Spec{
					Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{resource}, DurationMinutes: 60,
					SlotIntervalMinutes: 60,
				}})
			var commits [2]*dbtest.CommitGate
			var stores [2]*db.DB
			for i := range stores {
				commits[i] = dbtest.NewCommitGate(t)
				proxy := dbtest.NewProxy(t, b.url,
					func(p *dbtest.Proxy) { p.Rewrite, p.BeforeCommit = v.rewrite, commits[i].Wait })
				stores[i] = dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 4, LockTimeout: longestWait})
			}
			bookings, changes := booking.NewService(stores[0]), catalog.NewService(stores[1])
			set := func(h timetable.Hours) <-chan error {
				done := make(chan error, 1)
				go func() {
					var err error
					if v.resource {
						_, err = changes.SetHours(t.Context(), b.tenant, resource, h, "")
					} else {
						_, err = changes.SetTenantHours(t.Context(), b.tenant, h, "")
					}
					done <- err
				}()
				return done
			}
			book := func(days int) <-chan error {
				done := make(chan error, 1)
				go func() {
					_, _, err := create(t, bookings, b.tenant, newKey(),
						newBooking(service, slotOn(future(days), 10, 0)))
					done <- err
				}()
				return done
			}
			conflicts := func() int {
				found, next, err := b.service.Conflicts(t.Context(), b.tenant, booking.ConflictQuery{Limit: 10})
				require.NoError(t, err)
				require.Nil(t, next)
				return len(found)
			}
			require.NoError(t, <-book(0), "the process that books has the rules in memory")

			// The booking has the lock and has read the version: it comes first, and is listed.
			commits[0].Close()
			booked := book(1)
			require.Eventually(t, commits[0].Reached, longestWait, time.Millisecond)
			require.NoError(t, <-set(never), "a change of hours waits for no booking")
			commits[0].Open()
			require.NoError(t, <-booked)
			require.Equal(t, 2, conflicts())
			require.NoError(t, <-set(timetable.Hours{AlwaysOpen: true}))
			require.NoError(t, <-book(2))

			// The change hasn't committed: the booking comes first.
			commits[1].Close()
			changed := set(never)
			require.Eventually(t, commits[1].Reached, longestWait, time.Millisecond)
			require.NoError(t, <-book(3))
			commits[1].Open()
			require.NoError(t, <-changed)
			require.Equal(t, 4, conflicts())
			require.NoError(t, <-set(timetable.Hours{AlwaysOpen: true}))
			require.NoError(t, <-book(4))

			// The booking waits for its lock, with the rules of before, and the change commits: the booking is judged
			// by it.
			late := b.inOrder(t, future(5), func() { require.NoError(t, <-set(never)) },
				func() error { return <-book(5) })[0]
			if !v.sound {
				require.NoError(t, late, "the check didn't find the defect")
				return
			}
			require.True(t, problem.Is(late, problem.OutsideOpeningHours), "%v", late)
			require.True(t, problem.Is(<-book(6), problem.OutsideOpeningHours))
			require.Equal(t, 5, conflicts())
		})
	}
}

// TestTenantHours_AroundAClockChange_AvailabilityAgreesWithBooking tries each half hour of the dates around the next
// changes of the clock: by instants, so that a time that is shown twice is tried twice. A resource that says the same
// for itself has the same slots.
func TestTenantHours_AroundAClockChange_AvailabilityAgreesWithBooking(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.tenant = b.newTenant(t, zone)
			loc := b.tenant.Location
			var changes []civil.Date
			for at := testtime.Now().AddDate(0, 0, 10); len(changes) < 2; at = at.AddDate(0, 0, 1) {
				_, before := at.In(loc).Zone()
				if _, after := at.AddDate(0, 0, 1).In(loc).Zone(); after != before {
					changes = append(changes, datetime.DateOf(at.AddDate(0, 0, 1), loc))
				}
			}
			every := func(opens, closes int) (list []timetable.WeeklyHours) {
				for day := time.Sunday; day <= time.Saturday; day++ {
					list = append(list, timetable.WeeklyHours{Weekday: day, Opens: opens, Closes: closes})
				}
				return list
			}
			// A season begins on the date of the first change, in the night in which clocks change; the other one ends
			// on the second one's.
			hours := timetable.Hours{Weekly: every(22*60, 4*60), Seasons: []timetable.Season{
				{From: changes[0], To: changes[0], Weekly: every(30, 5*60)},
				{From: changes[1].AddDays(-1), To: changes[1], Weekly: every(23*60, 3*60+30)},
			}, Overrides: []timetable.DateHours{{Date: changes[0].AddDays(1), Closed: true},
				{Date: changes[1], Opens: 60, Closes: 4 * 60}}}
			mine := []timetable.DateHours{{Date: changes[1].AddDays(-2), Opens: 0, Closes: 2 * 60}}
			_, err := b.catalog.SetTenantHours(t.Context(), b.tenant, hours, "")
			require.NoError(t, err)
			merged := hours
			merged.Overrides = slices.Concat(mine, hours.Overrides)
			serviceOf := func(h timetable.Hours) uuid.UUID {
				return b.newService(t, catalog.ServiceSpec{Name: "Tour", Spec: timetable.Spec{
					Kind: timetable.KindSlot, DurationMinutes: 60,
					SlotIntervalMinutes: 30, ResourceIDs: []uuid.UUID{b.newResource(t, 1000, h)},
				}})
			}
			inherits, says := serviceOf(timetable.Hours{Overrides: mine}), serviceOf(merged)
			startsOf := func(service uuid.UUID, from, to civil.Date) map[int64]bool {
				page, err := b.service.Availability(t.Context(), b.tenant, service,
					timetable.AvailabilityQuery{From: from, To: to, PartySize: 1})
				require.NoError(t, err)
				starts := make(map[int64]bool)
				for _, d := range daysOf(page) {
					for _, s := range d.Slots {
						starts[s.StartsAt.Unix()] = true
					}
				}
				return starts
			}
			for _, change := range changes {
				from, to := change.AddDays(-2), change.AddDays(2)
				listed := startsOf(inherits, from, to)
				require.Equal(t, startsOf(says, from, to), listed)
				require.NotEmpty(t, listed)
				booked := 0
				first := time.Date(from.Year, from.Month, from.Day, 0, 0, 0, 0, loc)
				for at := first; datetime.DateOf(at, loc).Before(to.AddDays(1)); at = at.Add(30 * time.Minute) {
					_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(inherits, atTime(at)))
					require.Equal(t, listed[at.Unix()], err == nil, "%s: %v", at.In(loc), err)
					if err == nil {
						booked++
					}
				}
				require.Equal(t, len(listed), booked)
			}
		})
	}
}

func TestTenantHours_TheLargestThereAre_CostABookingNoMoreRoundTrips(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resources := b.newResources(t, 3, 1)
	service := b.newService(t,
		catalog.ServiceSpec{Name: "Tour", Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: resources}})
	proxy := dbtest.NewProxy(t, b.url)
	bookings := booking.NewService(dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 1}))
	trips := func(days int) int {
		before := proxy.Trips()
		_, _, err := create(t, bookings, b.tenant, newKey(), newBooking(service, onDate(future(days))))
		require.NoError(t, err)
		return proxy.Trips() - before
	}
	trips(0)
	trips(1)
	warm := trips(2)
	require.Equal(t, 2, warm)
	hours := timetable.Hours{Weekly: []timetable.WeeklyHours{}}
	for i := range 1000 {
		hours.Overrides = append(hours.Overrides, timetable.DateHours{Date: future(i), Opens: 9 * 60, Closes: 17 * 60})
	}
	_, err := b.catalog.SetTenantHours(t.Context(), b.tenant, hours, "")
	require.NoError(t, err)
	changed := trips(3)
	b.newService(t,
		catalog.ServiceSpec{Name: "Other", Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: resources}})
	require.Equal(t, trips(4), changed, "as after any other change of the catalog")
	require.Equal(t, warm, trips(5))
}

// TestTenantHours_TwoChangesAtOnce_TheSecondSeesTheFirst keeps the COMMIT of a change back until another one, of the
// same version, waits.
func TestTenantHours_TwoChangesAtOnce_TheSecondSeesTheFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	commit := dbtest.NewCommitGate(t)
	proxy := dbtest.NewProxy(t, b.url, func(p *dbtest.Proxy) { p.BeforeCommit = commit.Wait })
	first := catalog.NewService(dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 1, LockTimeout: longestWait}))
	set := func(s *catalog.Service, h timetable.Hours) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := s.SetTenantHours(t.Context(), b.tenant, h, `"1"`)
			done <- err
		}()
		return done
	}
	commit.Close()
	wins := set(first, never)
	require.Eventually(t, commit.Reached, longestWait, time.Millisecond)
	loses := set(b.catalog,
		timetable.Hours{AlwaysOpen: true, Overrides: []timetable.DateHours{{Date: future(0), Closed: true}}})
	require.Eventually(t, func() bool {
		return b.count(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
	}, longestWait, time.Millisecond)
	commit.Open()
	require.NoError(t, <-wins)
	require.True(t, problem.Is(<-loses, problem.VersionMismatch))
	h, err := b.catalog.TenantHours(t.Context(), b.tenant)
	require.NoError(t, err)
	require.Equal(t, never, h.Hours)
}
