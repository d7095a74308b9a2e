package booking_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/timetable"
)

// limitVisitors sets the tenant's limits for visitors, on another server.
func (b *testBundle) limitVisitors(t testing.TB, limits string) {
	t.Helper()
	patch := mergepatch.Of[settings.Spec](`{"website": {"limits": ` + limits + `}}`)
	other := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 1})
	_, err := settings.NewService(other).Change(t.Context(), b.tenant.ID, patch, "")
	require.NoError(t, err)
}

// visits makes a hold as a visitor does.
func (b *testBundle) visits(t testing.TB, service uuid.UUID, when timetable.When, with ...func(*booking.CreateRequest),
) (booking.Booking, error) {
	t.Helper()
	n := newBooking(service, when)
	n.HoldMinutes, n.ByVisitor, n.Limited = new(15), true, true
	for _, w := range with {
		w(&n)
	}
	made, _, err := create(t, b.service, b.tenant, newKey(), n)
	return made, err
}

func withEmail(email string) func(*booking.CreateRequest) {
	return func(n *booking.CreateRequest) { n.Customer = &customer.Customer{Name: "Ada", Email: email} }
}

// visitorsEmail is the change by which a visitor says who a hold is for.
func visitorsEmail(email string) booking.AmendRequest {
	return booking.AmendRequest{CustomerChoice: booking.CustomerChoice{
		Customer: &customer.Customer{Name: "Ada", Email: email}, ByVisitor: true, Limited: true,
	}}
}

func withoutCustomer(n *booking.CreateRequest) { n.Customer = nil }

// requireField requires the refusal of a field.
func requireField(t testing.TB, err error, fieldAndCode string) {
	t.Helper()
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	require.ErrorContains(t, err, fieldAndCode)
}

func TestVisitorLimits_NightsAndDays_BoundWhatAVisitorTakes_AndNothingElse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	room := b.newStayService(t, 9)
	rental := b.newRental(t, func(s *catalog.ServiceSpec) {
		s.Durations = timetable.Durations{Durations: []timetable.Duration{
			{Length: timetable.Length{Minutes: 90}},
			{Length: timetable.Length{Minutes: 2 * 1440}},
			{Length: timetable.Length{Minutes: 2*1440 + 1}},
			{Length: timetable.Length{Days: 2}},
			{Length: timetable.Length{Days: 3}},
		}}
		s.ResourceIDs = []uuid.UUID{b.newResource(t, 9, timetable.Hours{})}
	})
	week := b.newService(t, catalog.ServiceSpec{
		Name: "Week", Spec: timetable.Spec{
			Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{b.newResource(t, 9, timetable.Hours{})}, DurationDays: 7,
			SlotIntervalMinutes: 1440,
		},
	})
	day, start := b.newDateService(t, 9), slotOn(future(0), 10, 0)
	_, err := b.visits(t, room, stay(0, 40))
	require.NoError(t, err, "no limit is set")

	b.limitVisitors(t, `{"nights": 2}`)
	for _, test := range []struct {
		service uuid.UUID
		when    timetable.When
		refused string
	}{
		{room, stay(0, 2), ""}, {room, stay(0, 3), "check_out: too_large"}, {room, stay(0, 40), "check_out: too_large"},
		{rental, lasting(start, 90), ""}, {rental, lasting(start, 2*1440), ""},
		{rental, lasting(start, 2*1440+1), "duration_minutes: too_large"},
		{rental, timetable.When{StartsAt: start.StartsAt, DurationDays: new(2)}, ""},
		{rental, timetable.When{StartsAt: start.StartsAt, DurationDays: new(3)}, "duration_days: too_large"},
		{week, slotOn(future(0), 0, 0), "service_id: too_large"},
		{day, onDate(future(0)), ""},
	} {
		_, err := b.visits(t, test.service, test.when)
		n := newBooking(test.service, test.when)
		n.Limited = true
		quote, failed := b.service.Quote(t.Context(), b.tenant, n)
		require.NoError(t, failed)
		if test.refused == "" {
			require.NoError(t, err, test)
			require.Nil(t, quote.Refusal)
			continue
		}
		requireField(t, err, test.refused)
		requireField(t, quote.Refusal, test.refused)
		b.booked(t, test.service, test.when) // by the tenant
	}
	b.limitVisitors(t, `{"nights": null}`)
	_, err = b.visits(t, room, stay(0, 40))
	require.NoError(t, err)
}

func TestVisitorLimits_Units_AreThoseThatCountTowardsTheCapacity(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.limitVisitors(t, `{"units": 4}`)
	plain := b.newDateService(t, 100)
	typed := b.newService(t, catalog.ServiceSpec{
		Name: "Tour", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{b.newResource(t, 100, timetable.Hours{})},
			Pricing: timetable.Pricing{UnitTypes: []timetable.UnitType{
				{Key: "adult", Name: "Adult", Counts: true}, {Key: "child", Name: "Child", Counts: true},
				{Key: "dog", Name: "Dog"},
			}},
		},
	})
	_, err := b.visits(t, plain, onDate(future(0)), ofParty(4))
	require.NoError(t, err)
	_, err = b.visits(t, plain, onDate(future(0)), ofParty(5))
	requireField(t, err, "party_size: too_large")
	ofTypes := func(adults, children, dogs int) func(*booking.CreateRequest) {
		return func(n *booking.CreateRequest) {
			n.Party = map[string]int{"adult": adults, "child": children, "dog": dogs}
		}
	}
	_, err = b.visits(t, typed, onDate(future(0)), ofTypes(2, 2, 9))
	require.NoError(t, err)
	_, err = b.visits(t, typed, onDate(future(0)), ofTypes(3, 2, 0))
	requireField(t, err, "party: too_large")
	b.booked(t, plain, onDate(future(0)), ofParty(50))
}

func TestVisitorLimits_Availability_OffersAVisitorNoMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	room, tour := b.newStayService(t, 9), b.newSlotService(t, 12, 60)
	week := b.newService(t, catalog.ServiceSpec{
		Name: "Week", Spec: timetable.Spec{
			Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{b.newResource(t, 9, timetable.Hours{})}, DurationDays: 7,
			SlotIntervalMinutes: 1440,
		},
	})
	ask := func(party, nights int, limited bool) timetable.AvailabilityQuery {
		q := timetable.AvailabilityQuery{From: future(0), To: future(0), PartySize: party, Limited: limited}
		if nights > 0 {
			q.Nights = &nights
		}
		return q
	}
	fingerprint := func(limited bool) string {
		page, err := b.service.Availability(t.Context(), b.tenant, tour, ask(1, 0, limited))
		require.NoError(t, err)
		return page.Fingerprint()
	}
	for _, limits := range []string{`{}`, `{"nights": 3, "units": 4}`} {
		b.limitVisitors(t, limits)
		is := b.daysOfService(t, room, ask(9, 20, false))[0]
		require.Equal(t, fmt.Sprint(9, 40, true), fmt.Sprint(is.LargestParty, *is.MaxNights, is.Available),
			"the tenant has no limits")
		require.Empty(t, b.daysOfService(t, tour, ask(12, 0, false))[0].Slots[0].Reason)
		require.True(t, b.daysOfService(t, week, ask(1, 0, false))[0].Available)
	}
	is := b.daysOfService(t, room, ask(4, 3, true))[0]
	require.Equal(t, fmt.Sprint(4, 3, true), fmt.Sprint(is.LargestParty, *is.MaxNights, is.Available))
	require.Equal(t, timetable.NoArrival, b.daysOfService(t, room, ask(4, 4, true))[0].Reason)
	is = b.daysOfService(t, room, ask(5, 3, true))[0]
	require.Equal(t, fmt.Sprint(4, 0, timetable.InTheWay), fmt.Sprint(is.LargestParty, *is.MaxNights, is.Reason))
	slot := b.daysOfService(t, tour, ask(4, 0, true))[0].Slots[0]
	require.Equal(t, fmt.Sprint(4, 12, "", 1),
		fmt.Sprint(slot.LargestParty, slot.Remaining, slot.Reason, len(slot.ResourceIDs)))
	slot = b.daysOfService(t, tour, ask(5, 0, true))[0].Slots[0]
	require.Equal(t, fmt.Sprint(4, timetable.InTheWay, 0),
		fmt.Sprint(slot.LargestParty, slot.Reason, len(slot.ResourceIDs)))
	none := b.daysOfService(t, week, ask(1, 0, true))[0]
	require.Equal(t, fmt.Sprint(timetable.NoHours, 0), fmt.Sprint(none.Reason, len(none.Slots)))
	require.NotEqual(t, fingerprint(false), fingerprint(true), "a visitor's page isn't the tenant's")
}

func TestVisitorLimits_OpenHoldsOfAnEmail_CountUntilTheyAreBookedGivenBackOrOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.limitVisitors(t, `{"open_holds_per_email": 2}`)
	service, adas := b.newDateService(t, 9), withEmail("ada@example.com")
	var open []booking.Booking
	for day := range 2 {
		held, err := b.visits(t, service, onDate(future(day)), adas)
		require.NoError(t, err)
		open = append(open, held)
	}
	full := func() {
		t.Helper()
		for _, email := range []string{"ada@example.com", " ADA@Example.com "} {
			_, err := b.visits(t, service, onDate(future(5)), withEmail(email))
			requireField(t, err, "customer.email: too_many")
		}
	}
	full()
	for _, email := range []string{"bob@example.com", "\u212Aim@example.com", "kim@example.com"} {
		_, err := b.visits(t, service, onDate(future(5)), withEmail(email))
		require.NoError(t, err, "another address, also where only Unicode makes them one")
	}
	tenants := newBooking(service, onDate(future(6)))
	adas(&tenants)
	tenants.HoldMinutes = new(15)
	_, _, err := create(t, b.service, b.tenant, newKey(), tenants)
	require.NoError(t, err, "the tenant's own hold has no limit")
	again := func() {
		t.Helper()
		held, err := b.visits(t, service, onDate(future(7)), adas)
		require.NoError(t, err, "nor does it count")
		open = append(open, held)
		full()
	}
	for _, c := range []booking.Transition{booking.Confirm, booking.Release} {
		_, err := change(t, b.service, b.tenant, open[0].ID, c)
		require.NoError(t, err)
		open = open[1:]
		again()
	}
	b.expireIn(t, open[0].ID, 0) // and isn't marked as expired
	again()
}

func TestVisitorLimits_EmailThatAHoldGetsLater_CountsAsOfANewOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.limitVisitors(t, `{"open_holds_per_email": 1}`)
	service := b.newDateService(t, 9)
	hold := func(day int) booking.Booking {
		held, err := b.visits(t, service, onDate(future(day)), withoutCustomer)
		require.NoError(t, err, "without an email there is nothing to count by")
		return held
	}
	gets := func(held booking.Booking, email string) error {
		_, err := b.service.Amend(t.Context(), b.tenant, held.ID, visitorsEmail(email), "")
		return err
	}
	first, second := hold(0), hold(1)
	require.NoError(t, gets(first, "ada@example.com"))
	require.NoError(t, gets(first, "ADA@example.com"), "a hold isn't in its own way")
	requireField(t, gets(second, "ada@example.com"), "customer.email: too_many")
	require.NoError(t, gets(second, "bob@example.com"))
	requireField(t, gets(second, "ada@example.com"), "customer.email: too_many")

	third := hold(2)
	ada := visitorsEmail("ada@example.com")
	_, err := b.service.Confirm(t.Context(), b.tenant, request(t, newKey()), third.ID, ada, "")
	require.NoError(t, err, "what is booked at once is open no more")
}

// TestVisitorLimits_HoldsOfOneCommit_CountEachOther has holds share commits. Each knows those before it.
func TestVisitorLimits_HoldsOfOneCommit_CountEachOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.limitVisitors(t, `{"open_holds_per_email": 3}`)
	service, made := b.newDateService(t, 99), 0
	for _, err := range b.together(t, future(0), 24, func(int) error {
		_, err := b.visits(t, service, onDate(future(0)), withEmail("ada@example.com"))
		return err
	}) {
		if err == nil {
			made++
			continue
		}
		requireField(t, err, "customer.email: too_many")
	}
	require.Equal(t, 3, made)
	require.LessOrEqual(t, b.transactions(t), groups)
}
