package check_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/tools/torture/check"
)

func TestRead_UnitsThatAreSoldTwice_AreFoundWithoutTheConstraint(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	require.NoError(t, check.Watch(t.Context(), check.Database{URL: url}))
	sql := dbtest.SQL(t, url)
	_, err := sql.Exec(t.Context(), `
		DO $$ BEGIN EXECUTE 'ALTER TABLE claims DROP CONSTRAINT ' ||
			(SELECT quote_ident(conname) FROM pg_constraint WHERE conrelid = 'claims'::regclass AND contype = 'x'); END $$;
		INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
			VALUES ('00000000-0000-0000-0000-000000000001', 'a', 'A', 'UTC', 'EUR', now());
		INSERT INTO resources (tenant_id, resource_id, name, capacity, hours, created_at, updated_at)
			VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002', 'R', 3, '{}', now(), now());
		INSERT INTO services (tenant_id, service_id, spec, longest_minutes, created_at, updated_at)
			VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000003',
			'{"name": "S", "kind": "slot", "duration_minutes": 60,
				"slot_interval_minutes": 60, "buffer_before_minutes": 0, "buffer_after_minutes": 15, "min_lead_minutes": 0,
				"booking_window_days": 30,
				"price": 100}', 75, now(), now());
		INSERT INTO service_resources (tenant_id, service_id, resource_id, position)
			VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-000000000002',
				1);
		INSERT INTO customers (tenant_id, customer_id, email, name, created_at)
			VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000004', 'a@example.com', 'A', now());`)
	require.NoError(t, err)
	book := func(status, units, from, until, expires string) string {
		id := uuid.NewString()
		_, err := sql.Exec(t.Context(), dbtest.InsertBookings(`
			SELECT '00000000-0000-0000-0000-000000000001'::uuid, $1::uuid, '00000000-0000-0000-0000-000000000003'::uuid,
				'00000000-0000-0000-0000-000000000002'::uuid, '00000000-0000-0000-0000-000000000004'::uuid, $2::text,
				$4::timestamptz, $5::timestamptz, 'UTC', $3::text, $4::timestamptz, $5::timestamptz, now() + $6::interval, 100, 0`),
			id, status, units, "2027-01-01 "+from+"Z", "2027-01-01 "+until+"Z", expires)
		require.NoError(t, err)
		return id
	}
	first := book("confirmed", "{[1,3)}", "10:00", "11:00", "-1 hour")
	book("confirmed", "{[1,3)}", "11:00", "12:00", "-1 hour")
	book("cancelled", "{[1,3)}", "10:00", "11:00", "-1 hour")
	book("held", "{[2,3)}", "10:00", "11:00", "-1 hour")
	book("confirmed", "{[3,4)}", "10:00", "11:00", "-1 hour")
	state, err := check.Read(t.Context(), url, nil)
	require.NoError(t, err)
	require.Empty(t, state.Overlaps)
	require.Empty(t, state.WrongClaims)
	require.Len(t, state.Bookings, 5)
	for _, b := range state.Bookings {
		if b.ID == first {
			require.Len(t, b.Units, 1)
			require.Equal(t, []int{1, 2}, b.Units[0].Units)
		}
	}

	second := book("held", "{[2,3)}", "10:30", "11:00", "1 hour")
	state, err = check.Read(t.Context(), url, nil)
	require.NoError(t, err)
	require.Len(t, state.Overlaps, 1)
	require.ElementsMatch(t, []string{first, second}, state.Overlaps[0][:])
}

func TestRead_WhatSessionsHold_IsListed(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	require.NoError(t, check.Watch(t.Context(), check.Database{URL: url}))
	state, err := check.Read(t.Context(), url, nil)
	require.NoError(t, err)
	require.Empty(t, state.Left)

	tx, err := dbtest.SQL(t, url).Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock(42)`)
	require.NoError(t, err)
	state, err = check.Read(t.Context(), url, nil)
	require.NoError(t, err)
	require.Len(t, state.Left, 2)
	require.Contains(t, state.Left[0]+state.Left[1], "holds the advisory lock 42")
	require.Contains(t, state.Left[0]+state.Left[1], "idle in the transaction")
	require.NoError(t, tx.Rollback(t.Context()))
}
