package booking_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

var statuses = []booking.Status{booking.Held, booking.Confirmed, booking.Completed, booking.Cancelled, booking.Expired,
	booking.NoShow}

// TestStatuses_InTheDatabase compares the rules that SQL repeats with their owner, booking.State.
func TestStatuses_InTheDatabase_AreThoseOfBooking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var check string
	require.NoError(t, b.sql.QueryRow(t.Context(), `
		SELECT pg_get_constraintdef(oid) FROM pg_constraint
		WHERE conrelid = 'bookings'::regclass AND contype = 'c' AND pg_get_constraintdef(oid) LIKE '%no_show%'`).Scan(&check))
	require.Equal(t, len(statuses), strings.Count(check, "::text"), check)
	for _, status := range statuses {
		require.Contains(t, check, "'"+string(status)+"'")
	}
}

func TestStatuses_ThatOccupyTheirTime_AreTheSameForAvailabilityTheDailyMaximumAndTheConstraint(t *testing.T) {
	t.Parallel()
	for _, status := range statuses {
		for _, expires := range []string{"none", "to come", "past"} {
			if status == booking.Held && expires == "none" {
				continue // the table has a CHECK against it
			}
			t.Run(fmt.Sprintf("%s, expiry %s", status, expires), func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				perDay := 1
				// the first is full when its units are taken, the second when its daily maximum is reached
				services := []uuid.UUID{
					b.newDateService(t, 1),
					b.newService(t, catalog.ServiceSpec{
						Name: "Day", Spec: timetable.Spec{
							Kind: timetable.KindDate, MaxPerDay: &perDay,
							ResourceIDs: []uuid.UUID{b.newResource(t, 5, timetable.Hours{})},
						},
					}),
				}
				for _, service := range services {
					_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
					require.NoError(t, err)
				}
				s := booking.State{Status: status}
				now := testtime.Now()
				switch expires {
				case "to come":
					at := now.Add(time.Hour)
					s.HoldExpiresAt = &at
				case "past":
					at := now.Add(-time.Hour)
					s.HoldExpiresAt = &at
				}
				_, err := b.sql.Exec(t.Context(), `UPDATE bookings SET status = $1, hold_expires_at = $2`, status,
					s.HoldExpiresAt)
				require.NoError(t, err)
				b.syncClaims(t)
				for i, service := range services {
					page, err := b.service.Availability(t.Context(), b.tenant, service,
						timetable.AvailabilityQuery{From: future(0), To: future(0), PartySize: 1})
					require.NoError(t, err)
					require.Equal(t, s.Occupies(now), !daysOf(page)[0].Available, "service %d", i)
				}

				_, err = b.sql.Exec(t.Context(), dbtest.InsertBookings(`
					SELECT tenant_id, gen_random_uuid(), service_id, resource_id, customer_id, 'confirmed', starts_at, ends_at, time_zone,
						'{[1,2)}', busy_from, busy_until, NULL, price, deposit
					FROM bookings WHERE service_id = $1`), services[0])
				if s.Occupies(now) {
					require.ErrorContains(t, err, "23P01", "the constraint stands behind the rule")
					// a lapsed hold is expired, under the lock, by the booking that takes its time
				} else if !s.Lapsed(now) {
					require.NoError(t, err)
				}
			})
		}
	}
}
