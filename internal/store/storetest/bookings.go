package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// InsertBookings returns the statement that inserts what a query returns as bookings for one person in EUR, each with the claim that its
// status asks for, as a writer that takes no lock. The query's columns are tenant_id, booking_id, service_id, resource_id, customer_id,
// status, starts_at, ends_at, time_zone, units, busy_from, busy_until, hold_expires_at, price and deposit.
func InsertBookings(query string) string {
	return `
		WITH n (tenant_id, booking_id, service_id, resource_id, customer_id, status, starts_at, ends_at, time_zone, units, busy_from,
			busy_until, hold_expires_at, price, deposit) AS MATERIALIZED (` + query + `), c AS (
			INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at)
			SELECT tenant_id, booking_id, 1, resource_id, units::int4multirange, busy_from, busy_until,
				CASE WHEN status = 'held' THEN hold_expires_at::timestamptz END
			FROM n WHERE status NOT IN ('cancelled', 'expired')
		)
		INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
			party_size, busy_from, busy_until, hold_expires_at, price, deposit, currency, metadata, code, version, created_at, updated_at)
		SELECT tenant_id, booking_id, service_id, resource_id, customer_id, status, (starts_at AT TIME ZONE time_zone)::date, starts_at,
			ends_at, time_zone, 1, busy_from, busy_until, hold_expires_at::timestamptz, price, deposit, 'EUR', '{}',
			left(md5(booking_id::text), 12), 1, now(), now()
		FROM n`
}

// MoveBookings returns the statement that moves the bookings for which a condition holds by whole days of 24 hours, as a writer that takes
// no lock. SyncClaims then moves their claims.
func MoveBookings(days int, where string) string {
	set := fmt.Sprintf("date = date + %d", days)
	for _, column := range []string{"starts_at", "ends_at", "busy_from", "busy_until"} {
		// In UTC, because Citus refuses a sum that depends on the session's time zone.
		set += fmt.Sprintf(", %s = (%[1]s AT TIME ZONE 'UTC' + interval '%d days') AT TIME ZONE 'UTC'", column, days)
	}
	return "UPDATE bookings SET " + set + " WHERE " + where
}

// SyncClaims gives all bookings the claims that their rows ask for, after a test changed a booking's status, its times or the end of its
// hold.
const SyncClaims = `
	WITH ended AS (
		DELETE FROM claims c USING bookings b
		WHERE b.tenant_id = c.tenant_id AND b.booking_id = c.owner_id AND b.status IN ('cancelled', 'expired')
	)
	UPDATE claims c
	SET resource_id = coalesce(b.session_id, (b.resource_id || coalesce(b.other_resource_ids, '{}'))[c.number]), busy_from = b.busy_from,
		busy_until = b.busy_until,
		expires_at = CASE WHEN b.status = 'held' THEN b.hold_expires_at END
	FROM bookings b
	WHERE b.tenant_id = c.tenant_id AND b.booking_id = c.owner_id AND b.status NOT IN ('cancelled', 'expired')
		AND (c.resource_id, c.busy_from, c.busy_until, c.expires_at) IS DISTINCT FROM
			(coalesce(b.session_id, (b.resource_id || coalesce(b.other_resource_ids, '{}'))[c.number]), b.busy_from, b.busy_until,
				CASE WHEN b.status = 'held' THEN b.hold_expires_at END)`

// SyncSessions has each session last as long as its bookings, after SyncClaims.
const SyncSessions = `
	UPDATE claims c
	SET expires_at = s.expires_at
	FROM (
		SELECT tenant_id, session_id, CASE WHEN count(expires_at) = count(*) THEN max(expires_at) END AS expires_at
		FROM claims WHERE session_id IS NOT NULL GROUP BY tenant_id, session_id
	) AS s
	WHERE c.tenant_id = s.tenant_id AND c.owner_id = s.session_id AND c.expires_at IS DISTINCT FROM s.expires_at`

// Overlaps counts the pairs of claims that have a unit in common at one time.
const Overlaps = `
	SELECT count(*) FROM claims a JOIN claims b ON a.tenant_id = b.tenant_id AND a.resource_id = b.resource_id AND a.owner_id < b.owner_id
		AND a.units && b.units AND a.busy_from < b.busy_until AND b.busy_from < a.busy_until`

// WrongClaims counts the bookings that haven't exactly the claims that their status asks for: one of each of their resources, or of their
// session, at their time, or none once they ended; and the claims of nobody: neither of a booking, nor of a block of the resource that
// isn't archived, nor of a session with seats, at their time and for as long as they last.
const WrongClaims = `
	SELECT (SELECT count(*) FROM (
		SELECT FROM bookings b LEFT JOIN claims c ON c.tenant_id = b.tenant_id AND c.owner_id = b.booking_id
		GROUP BY b.tenant_id, b.booking_id
		HAVING CASE WHEN b.status IN ('cancelled', 'expired') THEN count(c.owner_id) > 0
			ELSE array_agg(c.resource_id ORDER BY c.number) IS DISTINCT FROM CASE WHEN b.session_id IS NOT NULL THEN ARRAY[b.session_id]
					ELSE b.resource_id || coalesce(b.other_resource_ids, '{}') END
				OR bool_or((c.session_id, c.busy_from, c.busy_until, c.expires_at) IS DISTINCT FROM (b.session_id, b.busy_from,
					b.busy_until,
					CASE WHEN b.status = 'held' THEN b.hold_expires_at END)) END
		) AS b)
		+ (SELECT count(*) FROM claims c WHERE NOT EXISTS (
			SELECT FROM bookings b WHERE b.tenant_id = c.tenant_id AND b.booking_id = c.owner_id)
			AND NOT EXISTS (
				SELECT FROM blocks b WHERE b.tenant_id = c.tenant_id AND b.block_id = c.owner_id AND b.resource_id = c.resource_id
					AND b.archived_at IS NULL)
			AND NOT EXISTS (
				SELECT FROM claims s JOIN bookings b ON b.tenant_id = s.tenant_id AND b.booking_id = s.owner_id
				WHERE s.tenant_id = c.tenant_id AND s.session_id = c.owner_id
				HAVING count(*) > 0 AND bool_and((s.busy_from, s.busy_until) = (c.busy_from, c.busy_until)
					AND (b.resource_id || coalesce(b.other_resource_ids, '{}'))[c.number] = c.resource_id)
					AND c.expires_at IS NOT DISTINCT FROM CASE WHEN count(s.expires_at) = count(*) THEN max(s.expires_at) END))`

// CheckClaims requires at the end of a test that the bookings have the claims that their rows ask for: see WrongClaims.
func CheckClaims(t testing.TB, sql *pgxpool.Pool) {
	t.Helper()
	t.Cleanup(func() {
		var wrong int
		require.NoError(t, sql.QueryRow(context.Background(), WrongClaims).Scan(&wrong))
		require.Zero(t, wrong, "bookings with other claims than they should have")
	})
}
