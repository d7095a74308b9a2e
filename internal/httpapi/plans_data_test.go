package httpapi_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/testtime"
)

// crowd is how many tenants a database has, and how many bookings each of them.
type crowd struct{ tenants, bookings int }

// The kinds of ids that loaded makes.
const (
	aTenant = iota
	aResource
	aService
	aCustomer
	aBooking
	aPayment
	aClosure
	anEvent
	anEndpoint
	aDelivery
	aWallet = iota + 1
	aBlock  = iota + 2
)

// planID is the id of the nth thing of a kind that loaded makes for a tenant, as plan_id makes it in SQL.
func planID(kind, n, tenant int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("%08x-%04x-7%03x-8000-%012x", n, kind, tenant%4096, tenant))
}

// loaded returns a database with a crowd. Of each tenant, ten bookings lie on each of the last days up to the fifth
// from now, so that a day looks alike however many there are; the rows of a tenant lie between those of the others, as
// they come in. Five bookings share a customer, and every fifth has a payment, an answer under a key and an event.
func loaded(t *testing.T, of crowd) string {
	t.Helper()
	database := dbtest.Database(t)
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	exec := func(sql string) {
		start := testtime.Now()
		_, err := conn.Exec(t.Context(),
			strings.NewReplacer("{tenants}", strconv.Itoa(of.tenants), "{bookings}",
				strconv.Itoa(of.bookings)).Replace(sql))
		require.NoError(t, err, sql)
		if took := testtime.Now().Sub(start); took > 5*time.Second {
			t.Logf("%s: %.70s…", took.Round(time.Second), strings.Join(strings.Fields(sql), " "))
		}
	}
	exec(`SET maintenance_work_mem = '512MB'; SET max_parallel_maintenance_workers = 0`)
	exec(`CREATE FUNCTION plan_id(kind text, n int, tenant text) RETURNS uuid LANGUAGE sql IMMUTABLE
		RETURN (lpad(to_hex(n), 8, '0') || kind || tenant)::uuid`)
	exec(`CREATE TABLE crowd_tenants AS SELECT t, '-7' || lpad(to_hex(t % 4096), 3, '0') || '-8000-' || lpad(to_hex(t), 12, '0') AS id
		FROM generate_series(1, {tenants}) t`)
	exec(`CREATE VIEW crowd AS SELECT n, t, id FROM generate_series(1, {bookings}) n
		CROSS JOIN LATERAL (SELECT t, id FROM crowd_tenants OFFSET 0 * n) AS c`)
	var indexes []string
	for _, load := range crowdLoads {
		indexes = append(indexes, withoutIndexes(t, conn, strings.Fields(load)[2])...)
		exec(load)
	}
	for _, again := range indexes {
		exec(again)
	}
	exec(`VACUUM (ANALYZE)`)
	return database
}

// crowdLoads fill the tables.
var crowdLoads = []string{
	`INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
	SELECT plan_id('-0000', 0, id), 'crowd-' || t, 'Crowd', 'UTC', 'EUR', now() FROM crowd_tenants`,

	`INSERT INTO api_keys (tenant_id, api_key_id, prefix, hash, name, scopes, created_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0007', n, id), 'CROWD' || n, sha256((t || '-' || n)::bytea), '', '{read}', now()
	FROM crowd_tenants, generate_series(1, 10) n`,

	`INSERT INTO resources (tenant_id, resource_id, name, capacity, hours, created_at, updated_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0001', n, id), 'Boat ' || n, 10, '{}', now(), now()
		FROM crowd_tenants, generate_series(1, 6) n`,

	`INSERT INTO services (tenant_id, service_id, spec, longest_minutes, created_at, updated_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0002', n, id), json_strip_nulls(json_build_object('name', 'Tour ' || n,
			'kind', CASE n WHEN 2 THEN 'date' ELSE 'slot' END, 'duration_minutes', CASE n WHEN 2 THEN 0 ELSE 60 END,
			'slot_interval_minutes', CASE n WHEN 2 THEN 0 ELSE 60 END, 'booking_window_days', 365, 'max_per_day',
			CASE n WHEN 3 THEN 100 END,
			'price', 5000, 'deposit', 1000, 'price_per', 'booking')), CASE n WHEN 2 THEN 3000 ELSE 60 END, now(), now()
	FROM crowd_tenants, generate_series(1, 4) n`,

	`INSERT INTO services (tenant_id, service_id, spec, longest_minutes, created_at, updated_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0002', 5, id), '{"name": "Cabin", "kind": "stay", "check_in": "15:00", "check_out": "10:00",
		"min_nights": 1, "max_nights": 14, "booking_window_days": 365, "price": 5000, "price_per": "booking"}', 22000, now(), now()
	FROM crowd_tenants`,

	`INSERT INTO service_resources (tenant_id, service_id, resource_id, position)
	SELECT plan_id('-0000', 0, id), plan_id('-0002', 5, id), plan_id('-0001', 6, id), 1 FROM crowd_tenants`,

	`INSERT INTO service_resources (tenant_id, service_id, resource_id, position)
	SELECT plan_id('-0000', 0, id), plan_id('-0002', s, id), plan_id('-0001', r, id), r
		FROM crowd_tenants, generate_series(1, 4) s, generate_series(1, 5) r`,

	`INSERT INTO closures (tenant_id, closure_id, resource_id, from_date, to_date, reason, created_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0006', n / 5, id), plan_id('-0001', 1, id), current_date - n, current_date - n, '', now()
		FROM crowd WHERE n % 5 = 0`,

	`INSERT INTO blocks (tenant_id, block_id, resource_id, from_date, to_date, reason, first_date, last_date, longest_minutes, created_at,
		updated_at)
	SELECT plan_id('-0000', 0, id), plan_id('-000d', n / 5, id), plan_id('-0001', 1 + n / 5 % 5, id), current_date - n, current_date - n,
		'', current_date - n, current_date - n, 1440, now(), now()
		FROM crowd WHERE n % 5 = 0`,

	`INSERT INTO customers (tenant_id, customer_id, email, name, created_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0003', n, id), 'c' || n || '@example.com', 'Ada Lovelace', now() FROM crowd
		WHERE n <= {bookings} / 5`,

	`INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
		party_size, busy_from, busy_until, hold_expires_at, price, deposit, currency, details, version, created_at, updated_at,
		code)
	SELECT plan_id('-0000', 0, id), plan_id('-0004', n, id), plan_id('-0002', 1 + n % 2 * 2, id), plan_id('-0001', 1 + n % 5, id),
		plan_id('-0003', 1 + n % ({bookings} / 5), id), CASE WHEN at > now() THEN CASE n % 10 WHEN 9 THEN 'held' ELSE 'confirmed' END
			ELSE CASE n % 10 WHEN 6 THEN CASE WHEN at > now() - interval '5 days' THEN 'confirmed' ELSE 'completed' END
				WHEN 7 THEN 'cancelled' WHEN 8 THEN 'no_show' ELSE 'completed' END END,
		at::date, at, at + '1 hour', 'UTC', 1, at, at + '1 hour', at, 5000, 1000, 'EUR',
		json_build_object('reference', CASE n % 2 WHEN 0 THEN 'common' ELSE 'r' || n END, 'external_reference', 'x' || n),
		1, now(), now(),
		CASE n WHEN 9 THEN 'BBBBBBBB'
			ELSE translate(to_char(n, 'FM00000000'), '01', 'ZX') END
	FROM (SELECT n, t, id, (current_date + 5 - ({bookings} - n) / 10 + make_time(8 + n / 5 % 2 * 2, 0, 0)) AT TIME ZONE 'UTC' AS at
		FROM crowd) AS c`,

	// Stays of two nights, one after the other, on as many days as the other bookings.
	`INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
		party_size, busy_from, busy_until, price, deposit, currency, details, version, created_at, updated_at, code)
	SELECT plan_id('-0000', 0, id), plan_id('-0004', {bookings} + n, id), plan_id('-0002', 5, id), plan_id('-0001', 6, id),
		plan_id('-0003', 1, id), 'completed', at::date, at, at + '43 hours', 'UTC', 1, at, at + '43 hours', 10000, 0, 'EUR', '{}', 1, now(),
		now(), 'S' || translate(to_char(n, 'FM0000000'), '01', 'ZX')
	FROM (SELECT n, id, (current_date - 2 * n + time '15:00') AT TIME ZONE 'UTC' AS at FROM crowd WHERE n <= {bookings} / 20) AS c`,

	`INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
	SELECT tenant_id, block_id, 1, resource_id, '{[1001,2001)}', first_date::timestamp AT TIME ZONE 'UTC',
		(last_date + 1)::timestamp AT TIME ZONE 'UTC'
	FROM blocks`,

	`INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at)
	SELECT tenant_id, booking_id, 1, resource_id, '{[0,1)}', busy_from, busy_until, CASE WHEN status = 'held' THEN hold_expires_at END
	FROM bookings WHERE status <> 'cancelled'`,

	`INSERT INTO payments (tenant_id, payment_id, booking_id, kind, status, amount, currency, method, provider, provider_id,
		idempotency_key, fence, leased_until, first_sent_at, last_sent_at, created_at, updated_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0005', n, id), plan_id('-0004', n, id), 'deposit', 'succeeded', 1000, 'EUR', 'pm_ok',
		'sandbox', 'ch_' || n, 'pay-' || n, 1, now(), now(), now(), now(), now() - ({bookings} - n) * interval '2 hours'
	FROM crowd WHERE n % 5 = 0`,

	// Every booking had a reminder, and every fifth has a payment to be looked up. One event in a hundred is dead.
	`INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
		version, data, created_at, updated_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0007', n, id), CASE n % 5 WHEN 0 THEN 'payment.resolution'
		ELSE 'booking.reminder' END, 'booking', plan_id('-0004', n, id), '',
		CASE n % 100 WHEN 99 THEN 'dead' ELSE 'completed' END, now() - ({bookings} - n) * interval '1 hour', 'UTC', 1, 3, '{}', now(), now()
	FROM crowd`,

	`INSERT INTO event_attempts (tenant_id, event_id, attempt_id, attempt, status, error, details, started_at, finished_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0007', n, id), plan_id('-0008', n, id), 1, 'dead', 'No answer.', '{}', now(), now() FROM crowd
		WHERE n % 100 = 99`,
	`INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
	SELECT plan_id('-0000', 0, id), plan_id('-0009', n, id), 'booking.created', 'booking', plan_id('-0004', n, id), 1, false, now(),
		'{"id": "x"}' FROM crowd`,

	`INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
	SELECT plan_id('-0000', 0, id), 'book-' || n, sha256(''), 201, '', '"1"', '{}', now(), now() + '15 days' FROM crowd WHERE n % 5 = 1`,

	`INSERT INTO provider_events (tenant_id, provider, event_id, payment_id, received_at)
	SELECT plan_id('-0000', 0, id), 'sandbox', 'evt_' || n, plan_id('-0005', n, id), now() FROM crowd WHERE n % 5 = 0`,

	`INSERT INTO webhook_endpoints (tenant_id, endpoint_id, url, types, description, status, secret, failures, version, created_at,
		updated_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0008', 1, id), 'https://example.com/', '{*}', '', 'enabled',
		'whsec_' || encode(sha256(t::text::bytea), 'base64'), 0, 1, now(), now()
	FROM crowd_tenants`,

	`INSERT INTO changes (tenant_id, transaction_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
	SELECT plan_id('-0000', 0, id), n, plan_id('-000a', n, id), 'booking.created', 'booking', plan_id('-0004', n, id), 1, true,
		now() - ({bookings} - n) * interval '1 minute', '{}'
	FROM crowd`,

	`INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
		version, data, created_at, updated_at)
	SELECT plan_id('-0000', 0, id), plan_id('-0009', n, id), 'webhook.delivery', 'webhook_endpoint', plan_id('-0008', 1, id),
		plan_id('-000a', n, id)::text, 'completed', now(), 'UTC',
		1, 1, json_build_object('event_id', plan_id('-000a', n, id), 'subject_id', plan_id('-0004', n, id), 'type', 'booking.created'),
		now(), now()
	FROM crowd`,

	// Every customer has a wallet. The first one has an entry for each booking, and the others have one.
	`INSERT INTO wallets (tenant_id, wallet_id, customer_id, currency, balance, held, state, version, created_at, updated_at)
	SELECT plan_id('-0000', 0, id), plan_id('-000b', n, id), plan_id('-0003', n, id), 'EUR', CASE n WHEN 1 THEN {bookings} - 1
		ELSE 0 END, 0, '{}', CASE n WHEN 1 THEN {bookings} ELSE 1 END, now(), now() FROM crowd WHERE n <= {bookings} / 5`,
	`INSERT INTO wallet_entries (tenant_id, wallet_id, version, movement_id, type, amount, balance, held, occurred_at)
	SELECT plan_id('-0000', 0, id), plan_id('-000b', w, id), v, plan_id('-000c', n, id), CASE v WHEN 1 THEN 'opened'
		ELSE 'credited' END, (v > 1)::int, v - 1, 0, now() - ({bookings} - n) * interval '1 minute'
	FROM (SELECT n, id, 1 AS w, n AS v FROM crowd UNION ALL SELECT n, id, n, 1 FROM crowd WHERE n BETWEEN 2 AND {bookings} / 5) AS e`,
	`INSERT INTO wallet_postings (tenant_id, movement_id, position, from_account, to_account, to_wallet, currency, amount, occurred_at)
	SELECT plan_id('-0000', 0, id), plan_id('-000c', n, id), 0, 'issued', 'available', plan_id('-000b', 1, id), 'EUR', 1, now() FROM crowd
		WHERE n > 1`,
	`INSERT INTO wallet_snapshots (tenant_id, wallet_id, version, balance, held, state, occurred_at)
	SELECT tenant_id, wallet_id, version, balance, held, '{}', occurred_at FROM wallet_entries WHERE version % 256 = 0`,
}

// withoutIndexes drops what slows loading a table down, but for keys, and returns the statements that make it again.
func withoutIndexes(t *testing.T, conn *pgx.Conn, table string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
		SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', $1::text, conname),
			format('ALTER TABLE %I ADD CONSTRAINT %I %s', $1::text, conname,
			pg_get_constraintdef(oid) || CASE contype WHEN 'f' THEN ' NOT VALID' ELSE '' END)
		FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('f', 'x')
		UNION ALL
		SELECT format('DROP INDEX %I', c.relname), pg_get_indexdef(c.oid)
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid)`, table)
	require.NoError(t, err)
	var again, drops []string
	var drop, add string
	_, err = pgx.ForEachRow(rows, []any{&drop, &add}, func() error {
		drops, again = append(drops, drop), append(again, add)
		return nil
	})
	require.NoError(t, err)
	for _, sql := range drops {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err, sql)
	}
	return again
}
