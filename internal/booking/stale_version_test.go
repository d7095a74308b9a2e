package booking_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// Each statement is given another version on its way than the one that was read: what a second writer without the locks
// would cause.
func TestChange_VersionOfTheRowIsAnother_WritesNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		statement string
		act       func(t *testing.T, s *booking.Service, b *testBundle, held, confirmed uuid.UUID) error
	}{
		"cancel": {"BookingEnd", func(t *testing.T, s *booking.Service, b *testBundle, _, confirmed uuid.UUID) error {
			t.Helper()
			_, err := change(t, s, b.tenant, confirmed, booking.Cancel)
			return err
		}},
		"complete": {"BookingSetStatus", func(t *testing.T, s *booking.Service, b *testBundle, _,
			confirmed uuid.UUID) error {
			t.Helper()
			_, err := b.sql.Exec(t.Context(), dbtest.MoveBookings(-400, "booking_id = $1"), confirmed)
			require.NoError(t, err)
			b.syncClaims(t)
			_, err = change(t, s, b.tenant, confirmed, booking.Complete)
			return err
		}},
		"confirm": {"BookingUpdate", func(t *testing.T, s *booking.Service, b *testBundle, held, _ uuid.UUID) error {
			t.Helper()
			_, err := change(t, s, b.tenant, held, booking.Confirm)
			return err
		}},
		"extend": {"BookingUpdate", func(t *testing.T, s *booking.Service, b *testBundle, held, _ uuid.UUID) error {
			t.Helper()
			_, err := s.Extend(t.Context(), b.tenant, request(t, newKey()), held,
				booking.ExtendRequest{HoldMinutes: 60}, "")
			return err
		}},
		"move": {"BookingMove", func(t *testing.T, s *booking.Service, b *testBundle, _, confirmed uuid.UUID) error {
			t.Helper()
			_, err := s.Reschedule(t.Context(), b.tenant, request(t, newKey()), confirmed,
				booking.RescheduleRequest{Move: booking.Move{When: onDate(testtime.Date(9))}}, "")
			return err
		}},
		"update": {"BookingUpdate", func(t *testing.T, s *booking.Service, b *testBundle, _,
			confirmed uuid.UUID) error {
			t.Helper()
			_, err := s.Amend(t.Context(), b.tenant, confirmed,
				booking.AmendRequest{Details: details(`{"metadata": {"a": 1}}`)}, "")
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			service, holdMinutes := b.newDateService(t, 1), 30
			n := newBooking(service, onDate(testtime.Date(0)))
			n.HoldMinutes = &holdMinutes
			held, _, err := create(t, b.service, b.tenant, newKey(), n)
			require.NoError(t, err)
			confirmed, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(testtime.Date(1))))
			require.NoError(t, err)

			changed := false
			proxy := dbtest.NewProxy(t, b.url, func(p *dbtest.Proxy) {
				p.Rewrite = func(sql string) string {
					if !strings.Contains(sql, "-- name: "+test.statement+" ") {
						return sql
					}
					changed = true
					return strings.NewReplacer("CASE WHEN version = ", "CASE WHEN version + 1 = ",
						"CASE WHEN b.version = ",
						"CASE WHEN b.version + 1 = ").Replace(sql)
				}
			})
			s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 2, LockTimeout: longestWait})
			rows := b.count(t, "SELECT (SELECT count(*) FROM changes) + (SELECT count(*) FROM idempotency_keys)")
			versions := "SELECT sum(version) FROM bookings"
			before := b.count(t, versions)
			err = test.act(t, booking.NewService(s), b, held.ID, confirmed.ID)
			require.True(t, changed, "the statement was sent")
			require.Equal(t, problem.Internal, problem.CodeOf(err), "%v", err)
			require.Equal(t, before, b.count(t, versions))
			require.Equal(t, rows,
				b.count(t, "SELECT (SELECT count(*) FROM changes) + (SELECT count(*) FROM idempotency_keys)"))
		})
	}
}
