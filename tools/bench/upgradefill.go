package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// The database has so many tenants, and each so many services with a resource of its own.
const (
	upgradeTenants  = 20
	upgradeServices = 5
)

// upgradeService is a service that clients book, with its tenant's API key.
type upgradeService struct{ id, apiKey string }

// customers is how many customers each tenant has.
func (u *upgrade) customers() int { return max(u.bookings/upgradeTenants/10, 10) }

// fill makes tenants and their services through the older server, and all else in the database.
func (u *upgrade) fill(ctx context.Context, older *server) error {
	c := client{addr: older.addr, body: new(bytes.Buffer)}
	defer c.close()
	create := func(path, apiKey, body string) (made struct{ ID, APIKey string }, err error) {
		status, err := c.send(ctx, post(path, apiKey, anyKey(), []byte(body)))
		if err == nil && status != http.StatusCreated {
			err = fmt.Errorf("%d: %s", status, c.body)
		}
		var answer struct {
			ID     string `json:"id"`
			APIKey string `json:"api_key"`
		}
		if err == nil {
			err = json.Unmarshal(c.body.Bytes(), &answer)
		}
		if err != nil {
			return made, fmt.Errorf("POST %s: %w", path, err)
		}
		return struct{ ID, APIKey string }{answer.ID, answer.APIKey}, nil
	}
	for n := range upgradeTenants {
		t, err := create("/admin/v1/tenants", upgradeAdminKey,
			fmt.Sprintf(`{"slug":"tenant-%d","name":"Tenant %[1]d","time_zone":"UTC","currency":"EUR"}`, n))
		if err != nil {
			return err
		}
		for m := range upgradeServices {
			r, err := create("/v1/resources", t.APIKey, fmt.Sprintf(`{"name":"Resource %d","capacity":1000}`, m))
			if err != nil {
				return err
			}
			s, err := create("/v1/services", t.APIKey, fmt.Sprintf(`{"name":"Service %d","kind":"slot","resource_ids":[%q],
				"duration_minutes":60,"slot_interval_minutes":60,"price":5000}`, m, r.ID))
			if err != nil {
				return err
			}
			u.catalog = append(u.catalog, upgradeService{id: s.ID, apiKey: t.APIKey})
		}
	}
	return u.exec(ctx, u.fillStatements()...)
}

// fillStatements fill the tables that the older and newer versions have in common, with their columns of version 11. Bookings are spread
// over a year before and a year after today; where all hours have a booking, the next ones get another unit.
func (u *upgrade) fillStatements() []string {
	return []string{
		`CREATE TEMP TABLE upgrade_services AS SELECT row_number() OVER (ORDER BY tenant_id, service_id) - 1 AS n, tenant_id, service_id, resource_id
			FROM service_resources`,
		fmt.Sprintf(`INSERT INTO customers (tenant_id, customer_id, email, name, created_at)
			SELECT tenant_id, md5(tenant_id || '/' || n)::uuid, 'customer-' || n || '@example.com', 'Ada Lovelace', now()
			FROM tenants, generate_series(0, %d) AS n`, u.customers()-1),
		fmt.Sprintf(`INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
				party_size, units, busy_from, busy_until, hold_expires_at, price, deposit, currency, metadata, version, created_at, updated_at)
			SELECT tenant_id, md5('booking/' || n)::uuid, service_id, resource_id, md5(tenant_id || '/' || m %% %[3]d)::uuid, status, at::date, at,
				at + interval '1 hour', 'UTC', 1, int4multirange(int4range(unit, unit + 1)), at, at + interval '1 hour',
				CASE status WHEN 'held' THEN now() + make_interval(mins => 5 + m %% 60) END, 5000, 0, 'EUR', '{}', 1, now(), now()
			FROM (SELECT n, m, tenant_id, service_id, resource_id, at, m / (730 * 24) + 1 AS unit, CASE
					WHEN m %% 10 = 7 THEN 'cancelled' WHEN at > now() + interval '1 day' THEN CASE WHEN m %% 200 = 9 THEN 'held' ELSE 'confirmed' END
					WHEN m %% 10 = 3 THEN 'no_show' ELSE 'completed' END AS status
				FROM (SELECT b.n, m, tenant_id, service_id, resource_id,
						date_trunc('day', now()) + make_interval(days => m * 7 %% 730 - 365, hours => m / 730 %% 24) AS at
					FROM generate_series(0, %[1]d - 1) AS b (n), LATERAL (SELECT b.n / %[2]d AS m) AS place, upgrade_services s WHERE s.n = b.n %% %[2]d) AS b) AS b`,
			u.bookings, upgradeTenants*upgradeServices, u.customers()),
		`INSERT INTO payments (tenant_id, payment_id, booking_id, kind, status, amount, currency, method, provider, provider_id, fence, leased_until,
				first_sent_at, last_sent_at, created_at, updated_at)
			SELECT tenant_id, md5('payment/' || booking_id)::uuid, booking_id, 'balance', 'succeeded', price, currency, 'pm_ok', 'sandbox',
				'ch_' || booking_id, 1, now(), now(), now(), now(), now()
			FROM bookings WHERE status IN ('confirmed', 'completed') AND get_byte(uuid_send(booking_id), 15) < 51`,
		`INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider, provider_id, fence,
				leased_until, first_sent_at, last_sent_at, created_at, updated_at)
			SELECT tenant_id, md5('refund/' || payment_id)::uuid, booking_id, payment_id, 'refund', 'succeeded', 1000, currency, '', 'sandbox',
				're_' || booking_id, 1, now(), now(), now(), now(), now()
			FROM payments WHERE get_byte(uuid_send(booking_id), 15) < 5`,
		fmt.Sprintf(`INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
			SELECT tenant_id, 'filled-' || n, decode(repeat('00', 32), 'hex'), 201, '', '"1"', decode(repeat('20', 600), 'hex'), now(),
				now() + interval '30 days'
			FROM tenants, generate_series(1, %d) AS n`, u.customers()),
		"VACUUM ANALYZE", "CHECKPOINT",
	}
}
