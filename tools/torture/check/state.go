package check

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/payment"
)

// State is what is there at the end of a run. Ids are UUIDs as text, times instants, amounts minor units of their
// currency.
type State struct {
	// Now is the database's clock when the state was read.
	Now time.Time
	// TimeZones are the tenants' time zones, by tenant.
	TimeZones map[string]string
	Resources []Resource
	Services  []Service
	Bookings  []Booking
	Keys      []Key
	Payments  []Payment
	Customers []Customer
	// Wallets are their rows; Entries are in the order of each wallet's versions.
	Wallets  []Wallet
	Entries  []WalletEntry
	Postings []WalletPosting
	// Stays are where bookings were, in the order in which each was there.
	Stays []Stay
	// Changes are the records of what changed, in the order in which readers see them.
	Changes []Change
	// Scheduled are the events that workers handle, EventChanges what became of them, in the order of each event's
	// versions.
	Scheduled    []ScheduledEvent
	EventChanges []EventChange
	// Deliveries are the webhooks that the tenants' receiver got; nil if they have none.
	Deliveries []Delivery
	// Movements are the provider's journal.
	Movements []payment.ProviderTransaction
	// Overlaps are pairs of active bookings with a unit in common at one time, found by SQL without the exclusion
	// constraint.
	Overlaps [][2]string
	// WrongClaims says which bookings have other claims than they should have, and which claims belong to no booking.
	WrongClaims []string
	// WrongCells says which tenants have rows in another cell than the directory says, or none in theirs.
	WrongCells []string
	// Left are sessions that hold an advisory lock, or a transaction in which they do nothing, for all of the time that
	// they were observed.
	Left []string
}

// Resource is what can be booked. Hours says that it isn't open always.
type Resource struct {
	Tenant, ID string
	Capacity   int
	Hours      bool
}

// Service is what is sold.
type Service struct {
	Tenant, ID, Kind                    string
	Duration, BufferBefore, BufferAfter time.Duration
	// Lead and WindowDays say how soon and how far ahead it can be booked.
	Lead       time.Duration
	WindowDays int
	MaxPerDay  *int
	// Price is minor units.
	Price     int64
	Resources []string
	// Closed says that its tenant has closures.
	Closed bool
	// Shaped says that a booking takes something else than units of one resource. What is free of its resources isn't
	// judged.
	Shaped bool
}

// Booking is a row of the bookings.
type Booking struct {
	Tenant, ID, Service, Resource, Status, Date, Currency string
	Customer                                              string // the id, empty for a hold without one
	StartsAt, BusyFrom, BusyUntil, CreatedAt, UpdatedAt   time.Time
	HoldExpiresAt                                         *time.Time
	PartySize                                             int
	// Others are the resources that it has beside Resource.
	Others []string
	// Units are its claims of Resource, or of its session, in the order of their time.
	Units          []UnitsTaken
	Price, Version int64
	// Metadata is a JSON object; nil if it wasn't read.
	Metadata []byte
}

// Key is a stored answer. Status is nil for a request that isn't finished.
type Key struct {
	Tenant, Key string
	Fingerprint []byte
	Status      *int
	Body        []byte
	CreatedAt   time.Time
	// WrittenBy is the transaction that wrote the row, by its id without the epoch, as PostgreSQL keeps it in xmin. Of
	// another cell than the first one it has a number of its own. It is arrivedWith for a row that was copied from
	// another cell and not changed since.
	WrittenBy int64
}

// Customer is a row of the customers. WrittenBy is as in Key.
type Customer struct {
	Tenant, ID, Email, Name, Phone string
	Version, WrittenBy             int64
}

// Change is a row of the changes. Notice says that it changes nothing. Transaction is the transaction that it says
// wrote it, WrittenBy the one that did, as in Key; of a change that was copied from another cell both are the one that
// wrote it there.
type Change struct {
	Tenant, ID, Type, SubjectType, Subject string
	Sequence, Transaction, WrittenBy       int64
	Notice                                 bool
	OccurredAt                             time.Time
	Data                                   []byte
}

// Payment is a movement of money, wanted or done.
type Payment struct {
	Tenant, ID, Booking, Kind, Status, Currency, Method string
	RefundOf, Provider, ProviderID, Key                 string // empty for none
	// Wallet is the one that pays, or is refunded. CardPayment is the payment by card beside which it pays.
	Wallet, CardPayment string
	// WalletAmount is what a wallet pays beside this payment by card. WrittenBy is as in Key.
	// LowersOwed is by how much a refund lowers what the booking owes.
	Amount, LowersOwed, WalletAmount, WrittenBy int64
	Automatic                                   bool
	// PayerChanged says that who paid may have been written after the payment: its booking was a hold without a
	// customer. WrittenBy tells nothing then.
	PayerChanged         bool
	CreatedAt, UpdatedAt time.Time
}

// sessionLimit is how long sessions may take to end their transactions.
const sessionLimit = 5 * time.Second

// Read reads the state that a run ended in, as an owner of the database who isn't bound by row-level security, and from
// the provider. A nil provider has no journal. It fails when either can't be read.
func Read(ctx context.Context, databaseURL string, provider payment.Provider) (State, error) {
	s := State{TimeZones: map[string]string{}}
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return s, fmt.Errorf("read the state: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if s.Left, err = left(ctx, conn); err != nil {
		return s, fmt.Errorf("read what sessions hold: %w", err)
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return s, fmt.Errorf("read the state: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if err := s.readRows(ctx, tx); err != nil {
		return s, fmt.Errorf("read the state: %w", err)
	}
	if provider == nil {
		return s, nil
	}
	for m, err := range provider.Transactions(ctx, time.Time{}, s.Now.AddDate(1, 0, 0)) {
		if err != nil {
			return s, fmt.Errorf("read the provider's journal: %w", err)
		}
		s.Movements = append(s.Movements, m)
	}
	return s, nil
}

func (s *State) readRows(ctx context.Context, tx pgx.Tx) error {
	if err := tx.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&s.Now); err != nil {
		return err
	}
	var tenant, zone string
	rows, err := tx.Query(ctx, `SELECT tenant_id::text, time_zone FROM tenants`)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&tenant, &zone}, func() error {
			s.TimeZones[tenant] = zone
			return nil
		})
	}
	if err != nil {
		return err
	}
	if s.Resources, err = collect[Resource](ctx, tx, `
		SELECT tenant_id::text AS tenant, resource_id::text AS id, capacity,
			coalesce(jsonb_array_length(hours -> 'weekly'), 0) + coalesce(jsonb_array_length(hours -> 'overrides'), 0) > 0 AS hours
		FROM resources`); err != nil {
		return err
	}
	if s.Services, err = collect[Service](ctx, tx, `
		SELECT tenant_id::text AS tenant, service_id::text AS id, kind,
		make_interval(mins => (spec ->> 'duration_minutes')::int) AS duration,
			make_interval(mins => (spec ->> 'buffer_before_minutes')::int) AS buffer_before,
			make_interval(mins => (spec ->> 'buffer_after_minutes')::int) AS buffer_after,
			make_interval(mins => (spec ->> 'min_lead_minutes')::int) AS lead, (spec ->> 'booking_window_days')::int AS window_days,
			(spec ->> 'max_per_day')::int AS max_per_day, (spec ->> 'price')::bigint AS price,
			(SELECT array_agg(r.resource_id::text ORDER BY r.position) FROM service_resources r
				WHERE r.tenant_id = s.tenant_id AND r.service_id = s.service_id) AS resources,
			EXISTS (SELECT FROM closures c WHERE c.tenant_id = s.tenant_id) AS closed,
			coalesce(spec ->> 'occupies', 'units') <> 'units' OR spec -> 'needs' IS NOT NULL OR kind = 'stay' AS shaped
		FROM services s`); err != nil {
		return err
	}
	if s.Bookings, err = collect[Booking](ctx, tx, `
		SELECT tenant_id::text AS tenant, booking_id::text AS id, service_id::text AS service, resource_id::text AS resource, status,
			date::text AS date, currency, coalesce(customer_id::text, '') AS customer, starts_at, busy_from, busy_until, created_at,
			updated_at, hold_expires_at, party_size, other_resource_ids::text[] AS others,
			(SELECT jsonb_agg(`+unitsTaken+` ORDER BY c.busy_from)
				FROM claims f JOIN claims c ON c.tenant_id = f.tenant_id AND c.owner_id = f.owner_id AND c.resource_id = f.resource_id
				WHERE f.tenant_id = b.tenant_id AND f.owner_id = b.booking_id AND f.number = 1) AS units, price, version,
			coalesce(details -> 'metadata', '{}') AS metadata
		FROM bookings b`); err != nil {
		return err
	}
	// Administrators' requests are kept under the nil uuid.
	if s.Keys, err = collect[Key](ctx, tx, `
		SELECT k.tenant_id::text AS tenant, k.key, k.fingerprint, k.status, coalesce(k.body, convert_to(c.data::text, 'UTF8')) AS body,
		k.created_at,
			k.xmin::text::bigint AS written_by
		FROM idempotency_keys k
		LEFT JOIN changes c ON c.tenant_id = k.tenant_id AND c.subject_id = k.change_subject_id AND c.version = k.change_version
			AND NOT c.notice
		WHERE k.tenant_id <> '00000000-0000-0000-0000-000000000000'`); err != nil {
		return err
	}
	if s.Payments, err = collect[Payment](ctx, tx, `
		SELECT tenant_id::text AS tenant, payment_id::text AS id, booking_id::text AS booking, kind, status, currency, method,
			coalesce(refund_of::text, '') AS refund_of, provider, coalesce(provider_id, '') AS provider_id,
			coalesce(idempotency_key, '') AS key, coalesce(wallet_id::text, '') AS wallet,
			coalesce(card_payment_id::text, '') AS card_payment,
			coalesce(wallet_amount, 0) AS wallet_amount, amount, lowers_owed, automatic, created_at, updated_at,
			p.xmin::text::bigint AS written_by, refund_of IS NULL AND EXISTS (
				SELECT FROM changes o
				WHERE o.tenant_id = p.tenant_id AND o.subject_id = p.booking_id AND o.subject_type = 'booking'
					AND o.data->'customer' IS NULL
			) AS payer_changed
		FROM payments p`); err != nil {
		return err
	}
	if s.Customers, err = collect[Customer](ctx, tx, `
		SELECT tenant_id::text AS tenant, customer_id::text AS id, email, name, coalesce(phone, '') AS phone, version,
			xmin::text::bigint AS written_by
		FROM customers`); err != nil {
		return err
	}
	if s.Changes, err = collect[Change](ctx, tx, `
		SELECT tenant_id::text AS tenant, change_id::text AS id, type, subject_type, subject_id::text AS subject, version AS sequence,
			notice, transaction_id AS transaction, xmin::text::bigint AS written_by, occurred_at, data
		FROM changes ORDER BY tenant_id, transaction_id, change_id`); err != nil {
		return err
	}
	for i := range s.Changes {
		s.Changes[i].Transaction %= epoch
	}
	if err := s.readStays(ctx, tx); err != nil {
		return err
	}
	if err := s.readWallets(ctx, tx); err != nil {
		return err
	}
	if err := s.readScheduled(ctx, tx); err != nil {
		return err
	}
	if err := s.readWrongClaims(ctx, tx); err != nil {
		return err
	}
	overlaps, err := tx.Query(ctx, `
		WITH active AS (
			SELECT tenant_id, owner_id, resource_id, units, busy_from, busy_until
			FROM claims
			WHERE expires_at IS NULL OR expires_at > now()
		)
		SELECT ARRAY [a.owner_id::text, b.owner_id::text]
		FROM active a
		JOIN active b ON a.tenant_id = b.tenant_id AND a.resource_id = b.resource_id AND a.owner_id < b.owner_id
			AND a.units && b.units AND a.busy_from < b.busy_until AND b.busy_from < a.busy_until`)
	if err != nil {
		return err
	}
	s.Overlaps, err = pgx.CollectRows(overlaps, func(row pgx.CollectableRow) (pair [2]string, err error) {
		var ids []string
		if err = row.Scan(&ids); err == nil {
			pair = [2]string(ids)
		}
		return pair, err
	})
	return err
}

func collect[T any](ctx context.Context, tx pgx.Tx, sql string) ([]T, error) {
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

// left lists what sessions hold. Servers that are still up take locks for moments, and the first to clean up has its
// own: what is listed was held each time.
func left(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	end := time.Now().Add(sessionLimit)
	var held map[string]bool
	for first := true; ; first = false {
		rows, err := conn.Query(ctx, `
			SELECT format('session %s (%s) holds the advisory lock %s', l.pid, a.application_name,
				(l.classid::bigint << 32) | l.objid::bigint)
			FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
				AND (l.classid::bigint << 32) | l.objid::bigint <> 42424242
			UNION ALL
			SELECT format('session %s (%s) is idle in the transaction that began at %s', pid, application_name, xact_start)
			FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'`)
		if err != nil {
			return nil, err
		}
		now, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, err
		}
		still := map[string]bool{}
		var list []string
		for _, what := range now {
			if first || held[what] {
				still[what] = true
				list = append(list, what)
			}
		}
		held = still
		if len(held) == 0 || time.Now().After(end) {
			return list, nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
