package booking_test

import (
	"fmt"
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

func (b *testBundle) confirm(t testing.TB, id uuid.UUID, c booking.AmendRequest) (booking.Booking, error) {
	t.Helper()
	return confirmWith(t, b.service, b.tenant, id, c)
}

func confirmWith(t testing.TB, s *booking.Service, tn tenant.Tenant, id uuid.UUID,
	c booking.AmendRequest,
) (booking.Booking, error) {
	t.Helper()
	resp, err := s.Confirm(t.Context(), tn, request(t, newKey()), id, c, "")
	if err != nil {
		return booking.Booking{}, err
	}
	return bookingIn(t, resp), nil
}

func forCustomer(email, name string) booking.AmendRequest {
	return booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Email: email,
		Name: name}}}
}

var ifStillFree = booking.AmendRequest{IfStillFree: true}

func TestConfirm_HoldWithoutCustomer_NeedsOneThatIsMatchedByEmail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	held := b.holdWithoutCustomer(t, service, slotOn(future(0), 10, 0))
	_, err := change(t, b.service, b.tenant, held.ID, booking.Confirm)
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	_, err = b.confirm(t, held.ID, booking.AmendRequest{})
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	both := forCustomer("ada@example.com", "Ada")
	both.CustomerID = &held.ID
	_, err = b.confirm(t, held.ID, both)
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	_, err = b.confirm(t, held.ID, forCustomer("no address", "Ada"))
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	_, err = b.confirm(t, held.ID, booking.AmendRequest{CustomerChoice: booking.CustomerChoice{CustomerID: &held.ID}})
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
	require.Zero(t, b.count(t, "SELECT count(*) FROM customers"), "a refusal writes nothing")
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'held' AND version = 1"))

	confirmed, err := b.confirm(t, held.ID, forCustomer("Ada@Example.com", "Ada"))
	require.NoError(t, err)
	require.Equal(t, booking.Confirmed, confirmed.Status)
	require.EqualValues(t, 2, confirmed.Version)
	ada := b.customerRow(t, "ada@example.com")
	require.Equal(t, ada, confirmed.Customer)
	read, err := b.service.Get(t.Context(), b.tenant, held.ID)
	require.NoError(t, err)
	require.Equal(t, ada, read.Customer)
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM changes WHERE type = 'booking.confirmed' AND version = 2
		AND data -> 'customer' ->> 'email' = 'ada@example.com'`))

	second := b.holdWithoutCustomer(t, service, slotOn(future(0), 12, 0))
	confirmed, err = b.confirm(t, second.ID, forCustomer("ada@example.com", "Ada Lovelace"))
	require.NoError(t, err)
	require.Equal(t, ada.ID, confirmed.Customer.ID)
	require.Equal(t, "Ada Lovelace", confirmed.Customer.Name)
	require.Equal(t, "Ada", b.customerRow(t, "ada@example.com").Name)
	third := b.holdWithoutCustomer(t, service, slotOn(future(0), 14, 0))
	confirmed, err = b.confirm(t, third.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{CustomerID: &ada.ID}})
	require.NoError(t, err)
	require.Equal(t, ada.ID, confirmed.Customer.ID)
}

func TestConfirm_HoldWithAnotherCustomer_ReplacesTheCustomer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.hold(t, b.newSlotService(t, 1, 60), slotOn(future(0), 10, 0))
	confirmed, err := b.confirm(t, held.ID, forCustomer("grace@example.com", "Grace"))
	require.NoError(t, err)
	require.Equal(t, b.customerRow(t, "grace@example.com"), confirmed.Customer)
	require.NotEqual(t, held.Customer.ID, confirmed.Customer.ID)
	require.Equal(t, held.Customer, b.customerRow(t, held.Customer.Email), "the former customer stays as it was")
}

// Each booking has the one customer, whichever transaction made it.
func TestConfirm_OneNewCustomerFromSeveralHoldsAtOnce_IsMadeOnce(t *testing.T) {
	t.Parallel()
	const holds = 8
	b := setup(t)
	other, _ := b.process(t)
	services := []*booking.Service{b.service, other}
	service := b.newDateService(t, 1)
	ids := make([]uuid.UUID, holds)
	for i := range ids {
		ids[i] = b.holdWithoutCustomer(t, service, onDate(future(i))).ID
	}
	codes := race(holds, func(i int) error {
		_, err := confirmWith(t, services[i%2], b.tenant, ids[i], forCustomer("ada@example.com", "Ada"))
		return err
	})
	require.Equal(t, map[problem.Code]int{"": holds}, codes)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM customers"))
	require.Equal(t, holds, b.count(t,
		"SELECT count(*) FROM bookings b JOIN customers c USING (tenant_id, customer_id) WHERE b.status = 'confirmed'"))
}

func TestConfirm_IfStillFree_LapsedOrMarkedAsExpired_IsConfirmed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	for day, marked := range []bool{false, true} {
		held := b.hold(t, service, onDate(future(day)))
		b.expireIn(t, held.ID, 0)
		version := int64(2)
		if marked {
			_, failed := b.expiry(t, 0).run(t.Context())
			require.Empty(t, failed)
			version = 3
		}
		_, err := b.confirm(t, held.ID, booking.AmendRequest{})
		require.True(t, problem.Is(err, problem.HoldExpired), "%v", err)
		confirmed, err := b.confirm(t, held.ID, ifStillFree)
		require.NoError(t, err)
		require.Equal(t, booking.Confirmed, confirmed.Status)
		require.Equal(t, version, confirmed.Version)
		require.Equal(t, int(version), b.count(t, "SELECT count(*) FROM changes WHERE subject_id = $1", held.ID))
		_, err = b.confirm(t, held.ID, ifStillFree)
		require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
		_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(day))))
		require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
		n, failed := b.expiry(t, 0).run(t.Context())
		require.Empty(t, failed)
		require.Zero(t, n, "nothing is left to expire")
	}
	live := b.hold(t, service, onDate(future(2)))
	_, err := b.confirm(t, live.ID, ifStillFree)
	require.NoError(t, err, "a hold that lasts is confirmed as ever")
}

func TestConfirm_IfStillFree_UnitsTakenMeanwhile_GetsOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 2)
	held := b.hold(t, service, onDate(future(0)))
	other := b.hold(t, service, onDate(future(0)))
	b.expireIn(t, held.ID, 0)
	b.expireIn(t, other.ID, 0)
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.NoError(t, err, "it takes the first unit, and marks both holds")
	confirmed, err := b.confirm(t, held.ID, ifStillFree)
	require.NoError(t, err)
	require.Equal(t, booking.Confirmed, confirmed.Status)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM claims WHERE owner_id = $1 AND units = '{[2,3)}'", held.ID))
	_, err = b.confirm(t, other.ID, ifStillFree)
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	b.requireNoOverlap(t)
}

// Another hold past its expiry has the unit that the hold gets. It is marked as expired first.
func TestConfirm_IfStillFree_AnotherLapsedHoldInTheWay_IsMarkedAsExpired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	first := b.hold(t, service, onDate(future(0)))
	b.expireIn(t, first.ID, 0)
	_, failed := b.expiry(t, 0).run(t.Context())
	require.Empty(t, failed)
	second := b.hold(t, service, onDate(future(0)))
	_, err := b.confirm(t, first.ID, ifStillFree)
	require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
	b.expireIn(t, second.ID, 0)
	_, err = b.confirm(t, first.ID, ifStillFree)
	require.NoError(t, err)
	got, err := b.service.Get(t.Context(), b.tenant, second.ID)
	require.NoError(t, err)
	require.Equal(t, booking.Expired, got.Status)
}

func TestConfirm_IfStillFree_IsJudgedByTheRulesOfNow(t *testing.T) {
	t.Parallel()
	most, lead := 1, 366*24*60
	for name, c := range map[string]struct {
		change func(t *testing.T, b *testBundle, service, resource uuid.UUID, day civil.Date)
		free   bool
	}{
		"a closure": {change: func(t *testing.T, b *testBundle, _, resource uuid.UUID, day civil.Date) {
			t.Helper()
			_, err := b.catalog.CreateClosure(t.Context(), b.tenant, request(t, newKey()),
				catalog.Closure{Closure: timetable.Closure{ResourceID: &resource, From: day, To: day}})
			require.NoError(t, err)
		}},
		"hours": {change: func(t *testing.T, b *testBundle, _, resource uuid.UUID, _ civil.Date) {
			t.Helper()
			_, err := b.catalog.SetHours(t.Context(), b.tenant, resource,
				timetable.Hours{Weekly: []timetable.WeeklyHours{}}, "")
			require.NoError(t, err)
		}},
		"an archived resource": {change: func(t *testing.T, b *testBundle, _, resource uuid.UUID, _ civil.Date) {
			t.Helper()
			_, err := b.catalog.ArchiveResource(t.Context(), b.tenant, request(t, newKey()), resource,
				catalog.Archiving{Archived: true, Force: true}, "")
			require.NoError(t, err)
		}},
		"the maximum per day": {change: func(t *testing.T, b *testBundle, service, _ uuid.UUID, day civil.Date) {
			t.Helper()
			change := mergepatch.Of[catalog.ServiceSpec](fmt.Sprintf(`{"max_per_day": %d}`, most))
			_, err := b.catalog.ChangeService(t.Context(), b.tenant, service, change, "")
			require.NoError(t, err)
			_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, slotOn(day, 12, 0)))
			require.NoError(t, err)
		}},
		"the lead time": {free: true, change: func(t *testing.T, b *testBundle, service, _ uuid.UUID, _ civil.Date) {
			t.Helper()
			change := mergepatch.Of[catalog.ServiceSpec](fmt.Sprintf(`{"min_lead_minutes": %d}`, lead))
			_, err := b.catalog.ChangeService(t.Context(), b.tenant, service, change, "")
			require.NoError(t, err)
		}},
		"its time is over": {change: func(t *testing.T, b *testBundle, _, _ uuid.UUID, _ civil.Date) {
			t.Helper()
			_, err := b.sql.Exec(t.Context(), dbtest.MoveBookings(-400, "true"))
			require.NoError(t, err)
			b.syncClaims(t)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			resource, day := b.newResource(t, 2, timetable.Hours{}), future(0)
			service := b.newService(t, catalog.ServiceSpec{
				Name: "Tour", Spec: timetable.Spec{
					Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{resource}, DurationMinutes: 60,
					SlotIntervalMinutes: 60,
				},
			})
			held := b.hold(t, service, slotOn(day, 10, 0))
			b.expireIn(t, held.ID, 0)
			c.change(t, b, service, resource, day)
			confirmed, err := b.confirm(t, held.ID, ifStillFree)
			if c.free {
				require.NoError(t, err)
				require.Equal(t, booking.Confirmed, confirmed.Status)
				return
			}
			require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
			require.Equal(t, 1,
				b.count(t, "SELECT count(*) FROM bookings WHERE booking_id = $1 AND status = 'held' AND version = 1",
					held.ID))
		})
	}
}
