package catalog_test

import (
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/timetable"
)

func TestBuffers_OverMidnight_TakeTimeOfTheDateBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1)
	plain := b.newService(t, "slot", object{"duration_minutes": 15}, resource)
	b.book(t, b.newService(t, "slot", object{"buffer_before_minutes": 60}, resource), at(future(3), 0, 0))
	b.refused(t, problem.SlotUnavailable, plain, at(future(2), 23, 45))
	b.book(t, plain, at(future(2), 22, 45))
}

func TestService_LongerThanAllBefore_IsSeenByTheOthersOfItsResource(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat, raft := b.newResource(t, 1), b.newResource(t, 1)
	short := b.newService(t, "slot", nil, boat, raft)
	require.Equal(t, 2, b.on(t, short, future(4)).Slots[10].Remaining) // its rules are known from here on
	week := b.newService(t, "slot", object{"duration_minutes": 7 * 24 * 60, "slot_interval_minutes": 60}, boat)
	b.book(t, week, at(future(0), 0, 0))
	require.Equal(t, 1, b.on(t, short, future(6)).Slots[20].Remaining)
	require.Equal(t, raft, b.book(t, short, at(future(6), 20, 0)).ResourceID)
	b.refused(t, problem.SlotUnavailable, short, at(future(6), 20, 0))
	b.refused(t, problem.SlotUnavailable, week, at(future(6), 23, 0))
	require.Equal(t, boat, b.book(t, short, at(future(7), 0, 0)).ResourceID)
}

func TestServiceChange_Price_LeavesBookingsAsTheyAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, "date", object{"price": 4500, "deposit": 1000}, b.newResource(t, 5))
	made := b.book(t, service, future(0))
	changed, err := b.changeService(t, service,
		object{"price": 6000, "deposit": 500, "max_per_day": 3, "metadata": object{"a": 1}})
	require.NoError(t, err)
	require.Equal(t, 3, *changed.MaxPerDay)
	require.JSONEq(t, `{"a": 1}`, string(changed.Metadata))
	kept, err := b.booking.Get(t.Context(), b.tenant, made.ID)
	require.NoError(t, err)
	require.Equal(t, []int64{4500, 1000, 1}, []int64{kept.Price, kept.Deposit, kept.Version})
	require.EqualValues(t, 6000, b.book(t, service, future(0)).Price)
	changed, err = b.changeService(t, service, object{"max_per_day": nil})
	require.NoError(t, err)
	require.Nil(t, changed.MaxPerDay)
	for reason, o := range map[string]object{"immutable": {"kind": "slot"}, "too_large": {"price": 499}} {
		_, err = b.changeService(t, service, o)
		require.Equal(t, reason, requireCode(t, problem.ValidationFailed, err))
	}
}

func TestServiceChange_Reminders_ReplaceTheTenantsAndGiveWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 5)
	reminders := func(id uuid.UUID) []settings.ReminderBody {
		got, err := b.catalog.Service(t.Context(), b.tenant, id)
		require.NoError(t, err)
		return got.Body().Reminders
	}
	plain := b.newService(t, "date", nil, resource)
	require.Nil(t, reminders(plain))
	none := b.newService(t, "date", object{"reminders": []any{}}, resource)
	require.NotNil(t, reminders(none))
	require.Empty(t, reminders(none))
	own, err := b.changeService(t, plain, object{"reminders": []any{object{"before_minutes": 60}}})
	require.NoError(t, err)
	require.Equal(t, []settings.ReminderBody{{BeforeMinutes: 60}}, own.Reminders)
	require.Equal(t, own.Reminders, reminders(plain))
	_, err = b.changeService(t, plain, object{"reminders": nil})
	require.NoError(t, err)
	require.Nil(t, reminders(plain))
	for field, list := range map[string][]any{
		"reminders[0].days_before": {object{"at": "08:00"}},
		"reminders[0].at":          {object{"days_before": 0}},
		"reminders[1]":             {object{"days_before": 0, "at": "08:00"}, object{"days_before": 0, "at": "08:00"}},
	} {
		_, err := b.changeService(t, plain, object{"reminders": list})
		requireCode(t, problem.ValidationFailed, err)
		require.Equal(t, field, problem.DocumentOf(err).Errors[0].Name)
	}
}

func TestServiceChange_Occupies_DecidesAboutTheNextBooking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, "date", object{"occupies": "whole"}, b.newResource(t, 5))
	b.book(t, service, future(0))
	b.refused(t, problem.SlotUnavailable, service, future(0))
	changed, err := b.changeService(t, service, object{"occupies": "session"})
	require.NoError(t, err)
	require.Equal(t, timetable.OccupiesSession, changed.Occupies)
	b.book(t, service, future(1))
	b.book(t, service, future(1))
	changed, err = b.changeService(t, service, object{"occupies": nil})
	require.NoError(t, err)
	require.Equal(t, timetable.OccupiesUnits, changed.Occupies)
	b.refused(t, problem.SlotUnavailable, service, future(1))
}

func TestServiceChange_RemovedResource_TakesNoBookingsAndKeepsThoseItHas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.newResource(t, 1), b.newResource(t, 1)
	service := b.newService(t, "date", nil, first, second)
	kept := b.book(t, service, future(0), object{"resource_id": first}).ID
	sells := func(resources ...uuid.UUID) {
		changed, err := b.changeService(t, service, object{"resource_ids": resources})
		require.NoError(t, err)
		require.Equal(t, resources, changed.ResourceIDs)
	}
	sells(second)
	b.refused(t, problem.NotFound, service, future(1), object{"resource_id": first})
	require.Equal(t, second, b.book(t, service, future(1)).ResourceID)
	b.cancel(t, kept)
	sells(second, first) // it comes back in the place that is given to it
	require.Equal(t, second, b.book(t, service, future(2)).ResourceID)
	require.Equal(t, first, b.book(t, service, future(2)).ResourceID)
}

// TestServiceChange_ShorterDuration_BookingsOfTheFormerOneStillTakeTheirTime: what is occupied is read as far back as
// the longest booking that exists, and not only as the longest that can be made now.
func TestServiceChange_ShorterDuration_BookingsOfTheFormerOneStillTakeTheirTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newService(t, "slot", object{"duration_minutes": 300, "slot_interval_minutes": 30},
		b.newResource(t, 1))
	b.book(t, service, at(future(0), 9, 0))
	_, err := b.changeService(t, service, object{"duration_minutes": 30})
	require.NoError(t, err)
	b.refused(t, problem.SlotUnavailable, service, at(future(0), 13, 30))
	require.Equal(t, 48-10, b.on(t, service, future(0)).Remaining)
	b.book(t, service, at(future(0), 14, 0))
}

func TestArchive_ResourceAndService_TakeNoNewBookings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.newResource(t, 1), b.newResource(t, 1)
	service := b.newService(t, "date", nil, first, second)
	remaining := func() int {
		day := b.on(t, service, future(0))
		require.Equal(t, day.Remaining > 0, day.Available)
		return day.Remaining
	}
	require.Equal(t, 2, remaining())
	archived := shown[catalog.ResourceBody](t)(b.archive(t, "resource", first, catalog.Archiving{Archived: true}))
	require.NotNil(t, archived.ArchivedAt)
	require.Equal(t, 1, remaining())
	b.refused(t, problem.InvalidState, service, future(0), object{"resource_id": first})
	kept := b.book(t, service, future(0)).ID

	_, err := b.archive(t, "service", service, catalog.Archiving{Archived: true})
	requireInTheWay(t, err, 1, kept)
	b.archived(t, "service", service)
	require.Equal(t, 0, remaining())
	b.refused(t, problem.InvalidState, service, future(1))
	require.Equal(t, map[uuid.UUID][]booking.Conflict{kept: {"service_archived"}},
		b.conflicts(t, ofService(service), 50))
	require.Equal(t, map[uuid.UUID][]booking.Conflict{kept: {"service_archived"}},
		b.conflicts(t, ofResource(second), 50))
	b.cancel(t, kept)
	require.Empty(t, b.conflicts(t, ofService(service), 50))

	b.unarchived(t, "service", service)
	b.unarchived(t, "resource", first)
	require.Equal(t, 2, remaining())
	b.book(t, service, future(0), object{"resource_id": first})
}

func TestArchive_AllResourcesOfAService_IsAnInvalidState(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1)
	service := b.newService(t, "slot", nil, resource)
	b.archived(t, "resource", resource)
	b.refused(t, problem.InvalidState, service, at(future(0), 10, 0))
	b.refused(t, problem.InvalidState, service, at(future(0), 10, 0), object{"resource_id": resource})
	b.availability(t, service, future(0), future(3), 1)
}

func TestCapacity_LoweredBelowWhatIsBooked_NeedsForceAndSellsNoMoreThanItsUnits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 4)
	service := b.newService(t, "slot", nil, resource)
	hour := func(h int) any { return at(future(0), h, 0) }
	lone := b.book(t, service, hour(8)).ID
	var three []uuid.UUID
	for range 3 {
		three = append(three, b.book(t, service, hour(10)).ID)
	}
	over := b.book(t, service, hour(12), object{"party_size": 4}).ID
	cancelled := b.book(t, service, hour(14), object{"party_size": 4}).ID
	b.cancel(t, cancelled)

	_, err := b.changeResource(t, resource, object{"capacity": 3})
	requireInTheWay(t, err, 1, over)
	_, err = b.changeResource(t, resource, object{"capacity": 2})
	requireInTheWay(t, err, 4, append(three, over)...)
	changed, err := b.changeResource(t, resource, object{"capacity": 2, "force": true})
	require.NoError(t, err)
	require.Equal(t, 2, changed.Capacity)
	want := make(map[uuid.UUID][]booking.Conflict)
	for _, id := range append(three, over) {
		want[id] = []booking.Conflict{booking.OverCapacity}
	}
	require.Equal(t, want, b.conflicts(t, ofResource(resource), 1))
	require.Equal(t, want, b.conflicts(t, ofService(service), 3))

	// Two of the three are cancelled, also those with the low numbers: one unit is in use, and one can be sold.
	b.cancel(t, three[0])
	b.refused(t, problem.SlotUnavailable, service, hour(10))
	b.cancel(t, three[1])
	require.Equal(t, map[uuid.UUID][]booking.Conflict{over: {"over_capacity"}},
		b.conflicts(t, ofResource(resource), 50))
	b.refused(t, problem.SlotUnavailable, service, hour(10), object{"party_size": 2})
	b.book(t, service, hour(10))
	b.refused(t, problem.SlotUnavailable, service, hour(10))
	b.book(t, service, hour(8))
	require.NotContains(t, b.conflicts(t, ofResource(resource), 50), lone)

	_, err = b.changeResource(t, resource, object{"capacity": 4})
	require.NoError(t, err)
	require.Empty(t, b.conflicts(t, ofResource(resource), 50))
}

func TestConflicts_HoursAndClosures_ListWhatIsOutsideThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource, other := b.newResource(t, 3), b.newResource(t, 3)
	slots, dates := b.newService(t, "slot", nil, resource), b.newService(t, "date", nil, resource)
	early := b.book(t, slots, at(future(0), 7, 0)).ID
	b.book(t, slots, at(future(0), 10, 0))
	monday := b.book(t, dates, future(7)).ID
	tuesday := b.book(t, dates, future(8)).ID
	closed := b.book(t, slots, at(future(14), 10, 0)).ID
	both := b.book(t, slots, at(future(15), 7, 0), object{"hold_minutes": 60}).ID
	expired := b.book(t, slots, at(future(14), 8, 0), object{"hold_minutes": 60}).ID
	require.Empty(t, b.conflicts(t, ofResource(resource), 50))

	b.setHours(t, resource, object{"weekly": []any{
		object{"weekday": "monday", "opens": "09:00", "closes": "18:00"},
		object{"weekday": "tuesday", "opens": "09:00", "closes": "18:00"},
	}, "overrides": []any{object{"date": future(8).String(), "closed": true}}})
	b.newClosure(t, &resource, future(14), future(15))
	b.newClosure(t, &other, future(0), future(0))
	_, err := b.sql.Exec(t.Context(),
		"UPDATE bookings SET hold_expires_at = now() - interval '1 minute' WHERE booking_id = $1", expired)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), dbtest.SyncClaims)
	require.NoError(t, err)
	want := map[uuid.UUID][]booking.Conflict{
		early: {"outside_hours"}, tuesday: {"outside_hours"}, closed: {"closed"}, both: {"outside_hours", "closed"},
	}
	require.NotContains(t, want, monday)
	require.Equal(t, want, b.conflicts(t, ofResource(resource), 1))
	require.Equal(t, map[uuid.UUID][]booking.Conflict{tuesday: {"outside_hours"}}, b.conflicts(t, ofService(dates), 50))
}

func TestConflicts_MoreBookingsThanAPageLooksAt_AreListedOverSeveralPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1000)
	service := b.newService(t, "date", nil, resource)
	first := b.book(t, service, future(0)).ID
	last := b.book(t, service, future(20)).ID
	// Bookings that fit, between these two.
	_, err := b.sql.Exec(t.Context(), dbtest.InsertBookings(`
		SELECT tenant_id, gen_random_uuid(), service_id, resource_id, customer_id, status,
			starts_at + interval '1 day' * (1 + i / 100),
			ends_at + interval '1 day' * (1 + i / 100), time_zone, '{[' || i % 100 + 1 || ',' || i % 100 + 2 || ')}',
			busy_from + interval '1 day' * (1 + i / 100), busy_until + interval '1 day' * (1 + i / 100), NULL, 0, 0
		FROM bookings, generate_series(0, 1299) AS i WHERE booking_id = $1`), first)
	require.NoError(t, err)
	for _, d := range []civil.Date{future(0), future(20)} {
		b.newClosure(t, &resource, d, d)
	}
	q := ofResource(resource)
	q.Limit = 50
	page, next, err := b.booking.Conflicts(t.Context(), b.tenant, q)
	require.NoError(t, err)
	require.Len(t, page, 1)
	require.NotNil(t, next)
	require.Equal(t, map[uuid.UUID][]booking.Conflict{first: {"closed"}, last: {"closed"}},
		b.conflicts(t, ofResource(resource), 50))
}

// TestArchive_WhileBookingsRace_ListsThoseThatWereMadeAndRefusesLaterOnes: a booking that reads the catalog's version
// after the commit of the archiving is refused, in every process; one that read it before stands in the list.
func TestArchive_WhileBookingsRace_ListsThoseThatWereMadeAndRefusesLaterOnes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1000)
	service := b.newService(t, "date", nil, resource)
	another := booking.NewService(dbtest.Open(t, db.Config{URL: b.url, MaxConns: 4, LockTimeout: time.Minute}))
	var mu sync.Mutex
	made := make(map[uuid.UUID][]booking.Conflict)
	var refused []error
	var clients sync.WaitGroup
	enough := make(chan struct{}, 4)
	for i := range 4 {
		from := *b
		if i%2 == 1 {
			from.booking = another
		}
		clients.Go(func() {
			for n := 1; ; n++ {
				o, err := from.tryBook(t, service, future(i))
				mu.Lock()
				if err != nil {
					refused = append(refused, err)
					mu.Unlock()
					return
				}
				made[o.ID] = []booking.Conflict{booking.ResourceArchived}
				mu.Unlock()
				if n == 3 {
					enough <- struct{}{}
				}
			}
		})
	}
	for range 4 {
		<-enough
	}
	_, err := b.archive(t, "resource", resource, catalog.Archiving{Archived: true})
	requireCode(t, problem.BookingsInTheWay, err)
	b.archived(t, "resource", resource)
	clients.Wait()
	require.Len(t, refused, 4)
	for _, err := range refused {
		requireCode(t, problem.InvalidState, err)
	}
	require.Equal(t, made, b.conflicts(t, ofResource(resource), 7))
	require.Len(t, made, b.count(t, "SELECT count(*) FROM bookings"))
}

func TestClosure_EachChange_LocksItsDatesBeforeAndAfter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 1)
	service := b.newService(t, "date", nil, resource)
	closure := b.newClosure(t, &resource, future(0), future(1))
	move := func(from, to int) error {
		_, err := b.changeClosure(t, closure, object{"from": future(from).String(), "to": future(to).String()})
		return err
	}
	for _, days := range []int{0, 1, 5} {
		b.requireWaits(t, future(days), func() error { return move(1, 5) })
		require.NoError(t, move(0, 1))
	}
	for _, archived := range []bool{true, false} {
		for _, days := range []int{0, 1} {
			b.requireWaits(t, future(days), func() error {
				_, err := b.archive(t, "closure", closure, catalog.Archiving{Archived: archived})
				return err
			})
		}
	}
	b.refused(t, problem.OutsideOpeningHours, service, future(0))
	_, err := b.changeClosure(t, closure,
		object{"from": future(2).String(), "to": future(2).String(), "resource_id": nil})
	require.NoError(t, err)
	b.book(t, service, future(0))
	b.refused(t, problem.OutsideOpeningHours, service, future(2))
	b.archived(t, "closure", closure)
	b.book(t, service, future(2))
}

func TestClosureChange_MoreThan62DatesTogether_AreTooMany(t *testing.T) {
	t.Parallel()
	b := setup(t)
	closure := b.newClosure(t, nil, future(0), future(30))
	far := object{"from": future(100).String(), "to": future(131).String()}
	_, err := b.changeClosure(t, closure, far)
	requireCode(t, problem.TooManyDates, err)
	far["to"] = future(130).String()
	_, err = b.changeClosure(t, closure, far)
	require.NoError(t, err)
	_, err = b.changeClosure(t, closure, object{"to": future(99).String()})
	require.Equal(t, "before_from", requireCode(t, problem.ValidationFailed, err))
}

func TestInTheWay_ManyBookings_NamesAHundredAndCountsAll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 150)
	service := b.newService(t, "date", nil, resource)
	for range 103 {
		b.book(t, service, future(0))
	}
	_, err := b.archive(t, "resource", resource, catalog.Archiving{Archived: true})
	d := problem.DocumentOf(err)
	require.Len(t, d.BookingIDs, 100)
	require.Equal(t, 103, d.BookingCount)
}

// requireInTheWay requires that some bookings, and no others, stand in the way of a change. The last one begins last.
func requireInTheWay(t *testing.T, err error, count int, ids ...uuid.UUID) {
	t.Helper()
	requireCode(t, problem.BookingsInTheWay, err)
	d := problem.DocumentOf(err)
	want := make([]string, len(ids))
	for i, id := range ids {
		want[i] = id.String()
	}
	require.ElementsMatch(t, want, d.BookingIDs)
	require.Equal(t, want[len(ids)-1], d.BookingIDs[len(ids)-1], "by their beginning")
	require.Equal(t, count, d.BookingCount)
}

func TestHistory_ResourceAndService_TellEachChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resource := b.newResource(t, 3)
	service := b.newService(t, "date", nil, resource)
	for range 2 { // the second one changes nothing
		_, err := b.changeResource(t, resource, object{"capacity": 2, "name": "Raft"})
		require.NoError(t, err)
	}
	b.setHours(t, resource, object{"weekly": []any{}})
	_, err := b.changeService(t, service, object{"price": 100})
	require.NoError(t, err)
	for kind, id := range map[string]uuid.UUID{"resource": resource, "service": service} {
		b.archived(t, kind, id)
		b.unarchived(t, kind, id)
	}
	require.Equal(t, []string{"resource.created", "resource.updated", "resource.hours_set", "resource.archived",
		"resource.unarchived"},
		b.actions(t, resource))
	require.Equal(t, []string{"service.created", "service.updated", "service.archived", "service.unarchived"},
		b.actions(t, service))
	changed := b.history(t, resource)[1]
	require.JSONEq(t, `{"capacity": 3, "name": "Boat"}`, string(changed.Before))
	require.JSONEq(t, `{"capacity": 2, "name": "Raft"}`, string(changed.After))
}
