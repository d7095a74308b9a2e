package dbtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// InsertBookings returns the statement that inserts what a query returns as bookings for one person in EUR, each with
// the claim that its status asks for, as a writer that takes no lock. The query's columns are tenant_id, booking_id,
// service_id, resource_id, customer_id, status, starts_at, ends_at, time_zone, units, busy_from, busy_until,
// hold_expires_at, price and deposit.
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
			party_size, busy_from, busy_until, hold_expires_at, price, deposit, currency, details, code, version, created_at, updated_at)
		SELECT tenant_id, booking_id, service_id, resource_id, customer_id, status, (starts_at AT TIME ZONE time_zone)::date, starts_at,
			ends_at, time_zone, 1, busy_from, busy_until, hold_expires_at::timestamptz, price, deposit, 'EUR', '{}',
			left(md5(booking_id::text), 12), 1, now(), now()
		FROM n`
}

// MoveBookings returns the statement that moves the bookings for which a condition holds by whole days of 24 hours, as
// a writer that takes no lock. SyncClaims then moves their claims.
func MoveBookings(days int, where string) string {
	set := fmt.Sprintf("date = date + %d", days)
	for _, column := range []string{"starts_at", "ends_at", "busy_from", "busy_until"} {
		// In UTC, because Citus refuses a sum that depends on the session's time zone.
		set += fmt.Sprintf(", %s = (%[1]s AT TIME ZONE 'UTC' + interval '%d days') AT TIME ZONE 'UTC'", column, days)
	}
	return "UPDATE bookings SET " + set + " WHERE " + where
}

// SyncClaims gives all bookings the claims that their rows ask for, after a test changed a booking's status, its times
// or the end of its hold. Of a booking with several claims on a resource it changes only the end.
const SyncClaims = `
	WITH ended AS (
		DELETE FROM claims c USING bookings b
		WHERE b.tenant_id = c.tenant_id AND b.booking_id = c.owner_id AND b.status IN ('cancelled', 'expired')
	)
	UPDATE claims c
	SET resource_id = w.resource_id, busy_from = w.busy_from, busy_until = w.busy_until, expires_at = w.expires_at
	FROM (
		SELECT k.tenant_id, k.owner_id, k.number, CASE WHEN b.split THEN k.resource_id ELSE b.claimed[k.number] END AS resource_id,
			CASE WHEN b.split THEN k.busy_from ELSE b.busy_from END AS busy_from,
			CASE WHEN b.split THEN k.busy_until ELSE b.busy_until END AS busy_until,
			CASE WHEN b.status = 'held' THEN b.hold_expires_at END AS expires_at
		FROM claims k
		JOIN (
			SELECT b.*, o.claimed, cardinality(o.claimed) < (
				SELECT count(*) FROM claims n WHERE n.tenant_id = b.tenant_id AND n.owner_id = b.booking_id) AS split
			FROM bookings b, LATERAL (
				SELECT CASE WHEN b.session_id IS NOT NULL THEN ARRAY[b.session_id]
					ELSE b.resource_id || coalesce(b.other_resource_ids, '{}') END AS claimed
			) AS o
			WHERE b.status NOT IN ('cancelled', 'expired')
		) AS b ON b.tenant_id = k.tenant_id AND b.booking_id = k.owner_id
	) AS w
	WHERE w.tenant_id = c.tenant_id AND w.owner_id = c.owner_id AND w.number = c.number
		AND (c.resource_id, c.busy_from, c.busy_until, c.expires_at) IS DISTINCT FROM
			(w.resource_id, w.busy_from, w.busy_until, w.expires_at)`

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

// WrongClaims counts the owners that haven't exactly the claims that they should have. A booking has claims of each of
// its resources, in order, or of its session, and a session of its resources: one for all of its time, or several that
// follow each other, until its end. A booking that ended has none. Other owners are blocks of the resource that aren't
// archived.
const WrongClaims = `
	WITH active AS (
		SELECT b.*, b.resource_id || coalesce(b.other_resource_ids, '{}') AS resources,
			CASE WHEN b.status = 'held' THEN b.hold_expires_at END AS expires_at
		FROM bookings b WHERE b.status NOT IN ('cancelled', 'expired')
	), wanted AS (
		SELECT tenant_id, booking_id AS owner_id, CASE WHEN session_id IS NULL THEN resources ELSE ARRAY[session_id] END AS resources,
			session_id, busy_from, busy_until, expires_at
		FROM active
		UNION ALL
		SELECT tenant_id, session_id, resources, NULL, busy_from, busy_until,
			CASE WHEN count(expires_at) = count(*) THEN max(expires_at) END
		FROM active WHERE session_id IS NOT NULL
		GROUP BY tenant_id, session_id, resources, busy_from, busy_until
	), claimed AS (
		SELECT tenant_id, owner_id, array_agg(resource_id ORDER BY number) AS resources, session_id, busy_from, busy_until, expires_at
		FROM (
			SELECT c.tenant_id, c.owner_id, c.resource_id, c.session_id, min(c.number) AS number, min(c.busy_from) AS busy_from,
				max(c.busy_until) AS busy_until, c.expires_at
			FROM claims c, LATERAL (SELECT sum(upper(r) - lower(r)) AS units FROM unnest(c.units) AS r) AS u
			GROUP BY c.tenant_id, c.owner_id, c.resource_id, c.session_id, c.expires_at
			HAVING sum(c.busy_until - c.busy_from) = max(c.busy_until) - min(c.busy_from) AND min(u.units) = max(u.units)
				AND range_agg(c.during) = tstzmultirange(tstzrange(min(c.busy_from), max(c.busy_until)))
		) AS r
		GROUP BY tenant_id, owner_id, session_id, busy_from, busy_until, expires_at
	)
	SELECT (SELECT count(*) FROM wanted w WHERE NOT EXISTS (
			SELECT FROM claimed c WHERE (c.tenant_id, c.owner_id, c.resources, c.busy_from, c.busy_until)
				= (w.tenant_id, w.owner_id, w.resources, w.busy_from, w.busy_until)
				AND (c.session_id, c.expires_at) IS NOT DISTINCT FROM (w.session_id, w.expires_at)))
		+ (SELECT count(*) FROM (SELECT DISTINCT tenant_id, owner_id, resource_id, expires_at FROM claims) AS c
			WHERE NOT EXISTS (SELECT FROM wanted w WHERE w.tenant_id = c.tenant_id AND w.owner_id = c.owner_id
				AND c.resource_id = ANY (w.resources) AND c.expires_at IS NOT DISTINCT FROM w.expires_at)
			AND NOT EXISTS (SELECT FROM blocks b WHERE b.tenant_id = c.tenant_id AND b.block_id = c.owner_id
				AND b.resource_id = c.resource_id AND b.archived_at IS NULL))`

// CheckClaims requires at the end of a test that the bookings have the claims that their rows ask for: see WrongClaims.
func CheckClaims(t testing.TB, sql *pgxpool.Pool) {
	t.Helper()
	t.Cleanup(func() {
		var wrong int
		require.NoError(t, sql.QueryRow(context.Background(), WrongClaims).Scan(&wrong))
		require.Zero(t, wrong, "bookings with other claims than they should have")
	})
}
