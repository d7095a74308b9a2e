package move_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/move"
	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/tenant/tenanttest"
)

// cell is a database with a store on it.
type cell struct {
	store *db.DB
	url   string
	sql   *pgxpool.Pool // sees all tenants
}

// newCell returns a new database whose login owns it and is no superuser, so that row-level security binds it.
func newCell(t testing.TB) cell {
	t.Helper()
	database := dbtest.Database(t)
	url := dbtest.Owned(t, database)
	return cell{sql: dbtest.SQL(t, database), url: url, store: dbtest.Open(t, db.Config{URL: url})}
}

// fill gives a tenant rows in every table: bookings of two sessions' worth of claims, payments that name each other,
// and so on.
func (c cell) fill(t testing.TB, tenant uuid.UUID) {
	t.Helper()
	_, err := c.sql.Exec(t.Context(), strings.ReplaceAll(`
		UPDATE tenants SET settings = '{"a" :  1}', hours = '{"weekly": []}', catalog_version = 7 WHERE tenant_id = 'T';
		INSERT INTO api_keys VALUES ('T', I(1), 'prefix', sha256('x'), now(), NULL, 'n "x" \ {', '{read,admin}');
		INSERT INTO users (tenant_id, user_id, email, name, role, version, created_at)
			VALUES ('T', I(1), 'ada@example.com', 'Ada "A" \', 'owner', 3, now());
		INSERT INTO sign_in_links VALUES ('T', sha256('l'), I(1), now(), now());
		INSERT INTO sign_ins VALUES ('T', sha256('s'), I(1), now(), now());
		INSERT INTO logos VALUES ('T', 'abc', 'image/png', '\x0089ff', now());
		INSERT INTO resources (tenant_id, resource_id, name, capacity, hours, created_at, updated_at)
			SELECT 'T', I(n), E'Größe\n' || n, 5, '{}', now(), now() FROM generate_series(1, 3) n;
		INSERT INTO services (tenant_id, service_id, spec, created_at, updated_at, longest_minutes)
			VALUES ('T', I(1), '{"name": "Sauna",  "kind":"slot"}', now(), now(), 60);
		INSERT INTO service_resources VALUES ('T', I(1), I(1), 1), ('T', I(1), I(2), 2);
		INSERT INTO closures (tenant_id, closure_id, resource_id, from_date, to_date, reason, created_at)
			VALUES ('T', I(1), I(2), '2027-01-01', '2027-01-02', '', now());
		INSERT INTO blocks (tenant_id, block_id, resource_id, from_date, to_date, reason, first_date, last_date, longest_minutes,
			created_at,
			updated_at) VALUES ('T', I(9), I(3), '2027-02-01', '2027-02-02', 'r', '2027-02-01', '2027-02-02', 1440, now(), now());
		INSERT INTO customers (tenant_id, customer_id, email, name, birthday, created_at, event_transaction_id)
			SELECT 'T', I(n), n || '@example.com', 'N', '1990-02-28', now(), 99999999999 FROM generate_series(1, 3) n;
		INSERT INTO former_customers VALUES ('T', I(1), 2, I(2));
		INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
			party_size, busy_from, busy_until, hold_expires_at, price, deposit, currency, details, version, created_at, updated_at, code,
			session_id, other_resource_ids)
			SELECT 'T', I(n), I(1), I(1), I(1), CASE WHEN n % 2 = 0 THEN 'held' ELSE 'confirmed' END, '2027-03-01', at,
				at + interval '1 hour',
				'Europe/Berlin', 1, at, at + interval '1 hour', now(), 100, 10, 'EUR', '{"b" : 1,"a":2}', 1, now(), now(), 'code' || n,
				CASE WHEN n = 1 THEN I(50) END, CASE WHEN n = 2 THEN ARRAY[I(2)] END
			FROM (SELECT n, '2027-03-01 10:00+00'::timestamptz + n * interval '2 hours' AS at FROM generate_series(1, 4) n) s;
		-- The session that a seat names sorts after it.
		INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
			VALUES ('T', I(50), 1, I(1), '{[1,)}', '2027-03-01 12:00+00', '2027-03-01 13:00+00');
		INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, session_id)
			VALUES ('T', I(1), 1, I(50), '{[1,3),[5,6)}', '2027-03-01 12:00+00', '2027-03-01 13:00+00', I(50));
		INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at)
			VALUES ('T', I(2), 1, I(1), '{[1,2)}', '2027-03-01 14:00+00', '2027-03-01 15:00+00', now());
		INSERT INTO ended_bookings VALUES ('T', I(3), true, now());
		INSERT INTO wallets (tenant_id, wallet_id, customer_id, currency, balance, held, state, version, created_at, updated_at)
			VALUES ('T', I(1), I(1), 'EUR', 100, 10, '{}', 2, now(), now());
		INSERT INTO wallet_entries (tenant_id, wallet_id, version, movement_id, type, amount, balance, held, occurred_at)
			VALUES ('T', I(1), 1, I(1), 'opened', 0, 0, 0, now()), ('T', I(1), 2, I(2), 'credited', 100, 100, 0, now());
		INSERT INTO wallet_postings VALUES ('T', I(2), 1, 'issued', NULL, 'available', I(1), 'EUR', 100, now());
		INSERT INTO wallet_snapshots VALUES ('T', I(1), 2, 100, 0, '{}', now());
		-- Each names one whose id is greater.
		INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider, fence,
			leased_until, first_sent_at, last_sent_at, created_at, updated_at, wallet_id, card_payment_id) VALUES
			('T', I(3), I(1), NULL, 'amount', 'succeeded', 100, 'EUR', 'm', 'sandbox', 1, now(), now(), now(), now(), now(), NULL, NULL),
			('T', I(2), I(1), NULL, 'amount', 'succeeded', 100, 'EUR', 'm', 'wallet', 1, now(), now(), now(), now(), now(), I(1), I(3)),
			('T', I(1), I(1), I(2), 'refund', 'succeeded', 10, 'EUR', '', 'wallet', 1, now(), now(), now(), now(), now(), I(1), NULL);
		INSERT INTO payment_accounts VALUES ('T', 'stripe', 'acct_1', 150, true, false, '{external_account}', now(), 3, now());
		INSERT INTO provider_events VALUES ('T', 'sandbox', 'e', I(1), now());
		INSERT INTO idempotency_keys VALUES ('T', 'key', sha256('y'), 201, '/v1/bookings/1', '"1"', '\x00ff7b', NULL, NULL, now(),
			now() + interval '1 day');
		INSERT INTO webhook_endpoints (tenant_id, endpoint_id, url, types, description, status, secret, failures, version, created_at,
			updated_at)
			VALUES ('T', I(1), 'https://example.com', '{*}', '', 'enabled', 's', 0, 1, now() - interval '1 hour', now());
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, data, created_at, updated_at)
			SELECT 'T', I(n), 'test', 'booking', I(n), '', CASE n WHEN 1 THEN 'dead' ELSE 'pending' END, now(), 'UTC', 1, 1, '{"x" : 1}',
				now(),
				now()
			FROM generate_series(1, 3) n;
		INSERT INTO event_attempts VALUES ('T', I(1), I(1), 1, 'dead', 'e', '{}', now(), now())`,
		"'T'", "'"+tenant.String()+"'::uuid"))
	require.NoError(t, err)
	for range 3 {
		c.change(t, tenant)
	}
}

// change records a change of the tenant, and returns its id.
func (c cell) change(t testing.TB, tenant uuid.UUID) uuid.UUID {
	t.Helper()
	id := uuid.New() // in no order
	require.NoError(t, c.write(t.Context(), tenant, nil, func(tx *db.WriteTx) {
		tx.AddChange(db.Change{ID: id, Type: "booking.created", SubjectType: "booking", SubjectID: uuid.New(),
			Version: 1,
			Data:    []byte(`{}`)})
	}))
	return id
}

// write runs a transaction of the tenant.
func (c cell) write(ctx context.Context, tenant uuid.UUID, request *db.Request, queue func(tx *db.WriteTx)) error {
	return c.store.Write(ctx, "write", tenant, request, func(tx *db.WriteTx) func() error {
		return func() error {
			queue(tx)
			return nil
		}
	})
}

// newTenants returns the ids of new tenants that have rows in every table.
func (c cell) newTenants(t testing.TB, n int) (tenants []uuid.UUID) {
	t.Helper()
	_, err := c.sql.Exec(t.Context(), `CREATE OR REPLACE FUNCTION i(n int) RETURNS uuid LANGUAGE sql AS
		$$ SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid $$`)
	require.NoError(t, err)
	for range n {
		tenant := uuid.New()
		require.NoError(t, tenanttest.Insert(t.Context(), c.store, tenant))
		c.fill(t, tenant)
		tenants = append(tenants, tenant)
	}
	return tenants
}

// rows returns a digest of what a tenant has, by table. What a move computes anew isn't part of it.
func (c cell) rows(t testing.TB, tenant uuid.UUID) map[string]string {
	t.Helper()
	digests := make(map[string]string)
	for _, name := range move.MovedTables() {
		row := "x::text"
		switch name {
		case "changes":
			row = "(x.change_id, x.type, x.subject_id, x.version, x.occurred_at, x.data::text, dense_rank() OVER (ORDER BY " +
				"x.transaction_id))::text"
		case "customers":
			row = "(x.customer_id, x.email, x.name, x.birthday, x.version, x.birth_month_day)::text"
		}
		var n int
		var digest string
		require.NoError(t, c.sql.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(*), coalesce(md5(string_agg(r, '|' ORDER BY r)), '')
			FROM (SELECT %s AS r FROM %s x WHERE x.tenant_id = $1) s`, row, pgx.Identifier{name}.Sanitize()), tenant).Scan(&n, &digest))
		digests[name] = fmt.Sprintf("%d rows %s", n, digest)
	}
	return digests
}

// requireNothing requires that a database has no row of a tenant.
func (c cell) requireNothing(t testing.TB, tenant uuid.UUID) {
	t.Helper()
	for name, digest := range c.rows(t, tenant) {
		require.Equal(t, "0 rows ", digest, name)
	}
}

// relay relays the next changes of all tenants.
func (c cell) relay(ctx context.Context) error {
	_, err := event.RelayFeed(ctx, c.store, 10_000)
	return err
}

// moving is a move whose steps a test takes.
type moving struct {
	move.Move

	from, to cell
}

func newMove(from, to cell, tenant uuid.UUID) moving {
	return moving{move.Move{
		ID: uuid.New(), Tenant: tenant, FromCell: "the cell before", ToCell: "the other cell",
	}, from, to}
}

// steps are the steps of a move before its end.
func (m moving) steps() []func(context.Context) error {
	return []func(context.Context) error{
		func(ctx context.Context) error {
			_, err := move.CopyAhead(ctx, m.from.store, m.to.store, m.Move)
			return err
		},
		func(ctx context.Context) error { return move.Begin(ctx, m.from.store, m.Move) },
		func(ctx context.Context) error { return move.Freeze(ctx, m.from.store, m.Move, m.from.relay) },
		func(ctx context.Context) error {
			_, err := move.HandOver(ctx, m.from.store, m.to.store, m.Move)
			return err
		},
		func(ctx context.Context) error { return move.Finish(ctx, m.from.store, m.to.store, m.Move) },
		func(ctx context.Context) error {
			for {
				if n, err := move.DeleteLeft(ctx, m.from.store, m.Tenant, 50); n == 0 || err != nil {
					return err
				}
			}
		},
	}
}

const (
	stepAhead = iota
	stepBegin
	stepFreeze
	stepHandOver
	stepFinish
	stepDelete
)

// run takes the steps from first to last.
func (m moving) run(t testing.TB, first, last int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // machines are busy
	defer cancel()
	for i := first; i <= last; i++ {
		require.NoError(t, m.steps()[i](ctx), "step %d", i)
	}
}

func (m moving) abort(t testing.TB) error {
	t.Helper()
	return move.Abort(t.Context(), m.from.store, m.to.store, m.Move)
}

// read reads a tenant as itself.
func (c cell) read(ctx context.Context, id uuid.UUID) error {
	_, err := tenant.NewService(c.store).Get(ctx, id)
	return err
}

// requireServed requires that a database serves a tenant.
func (c cell) requireServed(t testing.TB, tenant uuid.UUID) {
	t.Helper()
	require.NoError(t, c.read(t.Context(), tenant))
	c.change(t, tenant)
}

// requireAway requires that a database takes the tenant to be in the cell before, and shows nobody what was copied.
func (c cell) requireAway(t testing.TB, tenant uuid.UUID) {
	t.Helper()
	err := c.read(t.Context(), tenant)
	require.True(t, problem.Is(err, problem.TenantMoved), "%v", err)
	var moved *core.MovedError
	require.ErrorAs(t, err, &moved)
	require.Equal(t, "the cell before", moved.Cell)
}

// claimed returns whose events a worker gets.
func (c cell) claimed(t *testing.T, kind string) map[uuid.UUID]int {
	t.Helper()
	tenants := make(map[uuid.UUID]int)
	for _, claim := range []event.LeaseQuery{
		{Kind: kind, Limit: 100, LeaseTime: time.Minute},
		{Kind: kind, Limit: 100, LeaseTime: time.Minute, Fairly: true, PerTenant: 100},
		{Kind: "webhook.delivery", Limit: 100, LeaseTime: time.Minute,
			Deliveries: &event.DeliveryLeaseQuery{Everywhere: true,
				PerEndpoint: 100}},
	} {
		got, err := event.LeaseDue(t.Context(), c.store, uuid.New(), claim)
		require.NoError(t, err)
		for _, e := range got[0].Events {
			tenants[e.TenantID]++
		}
	}
	return tenants
}
