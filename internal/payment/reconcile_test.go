package payment_test

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/testtime"
)

// ledger has a tenant's payments and a sandbox's matching journal: two charges, a refund of the first, and a declined
// charge.
type ledger struct {
	sql          *pgxpool.Pool
	events       *db.DB // of the workers
	provider     *sandbox.Client
	payments     *payment.Service
	tenant       uuid.UUID
	booking      uuid.UUID
	firstCharge  uuid.UUID // 2500, of which 500 were refunded
	secondCharge uuid.UUID // 1000
	refund       uuid.UUID
}

// newLedger makes a ledger. ahead is how far the sandbox's clock is ahead.
func newLedger(t *testing.T, ahead time.Duration) *ledger {
	t.Helper()
	url := dbtest.Database(t)
	b := &ledger{sql: dbtest.SQL(t, url), tenant: uuid.New(), booking: uuid.New()}
	b.exec(t, `
		WITH t AS (INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
			VALUES ($1, 'books', 'Books', 'UTC', 'EUR', now())),
		r AS (INSERT INTO resources (tenant_id, resource_id, name, capacity, hours, created_at, updated_at)
		VALUES ($1, $1, 'Boat', 1, '{}', now(), now())),
		s AS (INSERT INTO services (tenant_id, service_id, spec, longest_minutes, created_at, updated_at)
			VALUES ($1, $1, '{"name": "Day", "kind": "date", "booking_window_days": 0, "price": 10000, "deposit": 2500}', 3000, now(),
			now())),
		l AS (INSERT INTO service_resources (tenant_id, service_id, resource_id, position) VALUES ($1, $1, $1, 0)),
		c AS (INSERT INTO customers (tenant_id, customer_id, email, name, created_at) VALUES ($1, $1, 'ada@example.com', 'Ada', now()))
		SELECT 1`, b.tenant)
	b.exec(t, dbtest.InsertBookings(`
		SELECT $1::uuid, $2::uuid, $1::uuid, $1::uuid, $1::uuid, 'confirmed', d, d + interval '1 day', 'UTC', '{[1,2)}', d,
			d + interval '1 day', NULL, 10000, 2500
		FROM (SELECT timestamptz '2030-01-01Z' AS d) AS day`), b.tenant, b.booking)
	server, err := sandbox.Start(sandbox.Config{
		File: filepath.Join(t.TempDir(), "sandbox.db"), Key: "sk", WebhookSecret: "whsec",
		Now: func() time.Time { return testtime.Now().Add(ahead) },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	b.provider = sandbox.NewClient(sandbox.ClientConfig{URL: server.URL(), Key: "sk", WebhookSecret: "whsec"})
	st := dbtest.Open(t, db.Config{URL: url, MaxConns: 2})
	b.events = st
	b.payments = payment.NewService(st, payment.Config{
		Provider: b.provider,
	})
	b.pay(t, payment.PayRequest{Kind: payment.Deposit, Method: "pm_ok"})
	b.pay(t, payment.PayRequest{Kind: payment.Amount, Amount: new(int64(1000)), Method: "pm_ok"})
	b.pay(t, payment.PayRequest{Kind: payment.Amount, Amount: new(int64(700)), Method: "pm_declined"})
	list, err := b.payments.List(t.Context(), b.tenant, b.booking, uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, list, 3)
	b.firstCharge, b.secondCharge = list[0].ID, list[1].ID
	amount := int64(500)
	_, err = b.payments.Refund(t.Context(), b.tenant, b.request(t), b.firstCharge,
		payment.RefundRequest{Amount: &amount, OwedAgain: true})
	require.NoError(t, err)
	list, err = b.payments.List(t.Context(), b.tenant, b.booking, list[2].ID, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, payment.StatusSucceeded, list[0].Status)
	b.refund = list[0].ID
	return b
}

func (b *ledger) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (b *ledger) request(t *testing.T) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
	require.NoError(t, err)
	return r
}

func (b *ledger) pay(t *testing.T, o payment.PayRequest) {
	t.Helper()
	_, err := b.payments.Pay(t.Context(), b.tenant, b.request(t), b.booking, o)
	require.NoError(t, err)
}

// chargeAtProvider makes a charge at the provider that our database doesn't have.
func (b *ledger) chargeAtProvider(t *testing.T, tenant, id uuid.UUID) {
	t.Helper()
	o, err := b.provider.Charge(t.Context(), payment.ChargeOrder{
		Reference: payment.Reference{TenantID: tenant, ID: id}, Key: uuid.NewString(), Amount: 2500, Currency: "EUR",
		Method: "pm_ok",
	})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, o.Result)
}

// insertCopy copies a payment's row. The provider doesn't know the copy.
func (b *ledger) insertCopy(t *testing.T, id uuid.UUID, provider string) {
	t.Helper()
	b.exec(t, `
		INSERT INTO payments (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, method, provider, provider_id,
			fence, leased_until, first_sent_at, last_sent_at, created_at, updated_at)
		SELECT tenant_id, gen_random_uuid(), booking_id, refund_of, kind, status, amount, currency, method, $2, 'ch_invented',
			fence, leased_until, first_sent_at, last_sent_at, created_at, updated_at
		FROM payments WHERE payment_id = $1`, id, provider)
}

func (b *ledger) reconcile(t *testing.T, from, until time.Duration) payment.Reconciliation {
	t.Helper()
	r, err := b.payments.Reconcile(t.Context(), testtime.Now().Add(from), testtime.Now().Add(until))
	require.NoError(t, err)
	return r
}

func TestReconcile_JournalsMatch_FindsNoDifference(t *testing.T) {
	t.Parallel()
	r := newLedger(t, 0).reconcile(t, -time.Hour, time.Hour)
	require.Equal(t, payment.Reconciliation{Transactions: 3, Payments: 3}, r)
}

func TestReconcile_TransactionsOutsideThePeriod_AreLookedUp(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 3*time.Hour)
	require.Equal(t, payment.Reconciliation{Payments: 3}, b.reconcile(t, -time.Hour, time.Hour))
	require.Equal(t, payment.Reconciliation{Transactions: 3}, b.reconcile(t, 2*time.Hour, 4*time.Hour),
		"payments must be found although they are older")
	b.exec(t, `UPDATE payments SET amount = amount + 1 WHERE payment_id IN ($1, $2)`, b.secondCharge, b.refund)
	require.Equal(t, []payment.DifferenceKind{payment.DiffAmount, payment.DiffAmount},
		differenceKinds(b.reconcile(t, -time.Hour, time.Hour)))
}

func TestReconcile_PeriodWithoutPayments_ComparesNothing(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 0)
	b.insertCopy(t, b.firstCharge, "sandbox")
	require.Equal(t, payment.Reconciliation{}, b.reconcile(t, -2*time.Hour, -time.Hour))
	require.Equal(t, payment.Reconciliation{}, b.reconcile(t, time.Hour, 2*time.Hour))
}

func TestReconcile_InjectedDifference_IsFound(t *testing.T) {
	t.Parallel()
	type kinds = []payment.DifferenceKind
	for name, test := range map[string]struct {
		plant func(*testing.T, *ledger)
		want  kinds
	}{
		"charge without a payment": {
			func(t *testing.T, b *ledger) { t.Helper(); b.chargeAtProvider(t, b.tenant, uuid.New()) },
			kinds{payment.DiffUnknownHere},
		},
		"charge for another tenant": {
			func(t *testing.T, b *ledger) { t.Helper(); b.chargeAtProvider(t, uuid.New(), b.secondCharge) },
			kinds{payment.DiffOtherTenant},
		},
		"charged twice": {
			func(t *testing.T, b *ledger) { t.Helper(); b.chargeAtProvider(t, b.tenant, b.firstCharge) },
			kinds{payment.DiffOtherTransaction},
		},
		"other transaction id": {
			func(t *testing.T, b *ledger) {
				t.Helper()
				b.exec(t, `UPDATE payments SET provider_id = 'ch_invented' WHERE payment_id = $1`, b.secondCharge)
			}, kinds{payment.DiffOtherTransaction, payment.DiffNotAtProvider},
		},
		"open payment charged twice": {
			func(t *testing.T, b *ledger) {
				t.Helper()
				b.exec(t, `UPDATE payments SET status = 'unknown', resolve_at = now(), provider_id = NULL WHERE payment_id = $1`,
					b.firstCharge)
				b.chargeAtProvider(t, b.tenant, b.firstCharge)
			}, kinds{payment.DiffStillOpen, payment.DiffStillOpen, payment.DiffOtherTransaction},
		},
		"declined payment was captured": {
			func(t *testing.T, b *ledger) {
				t.Helper()
				b.exec(t, `UPDATE payments SET status = 'declined' WHERE payment_id = $1`, b.secondCharge)
			}, kinds{payment.DiffDeclinedHere},
		},
		"open payment was captured": {
			func(t *testing.T, b *ledger) {
				t.Helper()
				b.exec(t, `UPDATE payments SET status = 'unknown', resolve_at = now() WHERE payment_id = $1`,
					b.secondCharge)
			}, kinds{payment.DiffStillOpen},
		},
		"payment open too long": {
			func(t *testing.T, b *ledger) {
				t.Helper()
				b.payWithAction(t)
				b.exec(t, `UPDATE payments SET created_at = now() - interval '76 minutes', cancel_at = now() - interval '16 minutes'
					WHERE resolve_at IS NOT NULL`)
			}, kinds{payment.DiffStuck},
		},
		"payment open too long was captured": {
			func(t *testing.T, b *ledger) {
				t.Helper()
				b.exec(t, `UPDATE payments SET status = 'unknown', resolve_at = now(), cancel_at = now() - interval '1 day',
					created_at = now() - interval '1 day' WHERE payment_id = $1`, b.secondCharge)
			}, kinds{payment.DiffStillOpen},
		},
		"other amounts": {
			func(t *testing.T, b *ledger) {
				t.Helper()
				b.exec(t, `UPDATE payments SET amount = amount - 1 WHERE payment_id IN ($1, $2)`, b.secondCharge,
					b.refund)
			}, kinds{payment.DiffAmount, payment.DiffAmount},
		},
		"another currency": {
			func(t *testing.T, b *ledger) {
				t.Helper()
				b.exec(t, `UPDATE payments SET currency = 'USD' WHERE payment_id = $1`, b.secondCharge)
			}, kinds{payment.DiffCurrency},
		},
		"another provider": {
			func(t *testing.T, b *ledger) {
				t.Helper()
				b.exec(t, `UPDATE payments SET provider = 'stripe' WHERE payment_id = $1`, b.secondCharge)
			}, kinds{payment.DiffOtherProvider},
		},
		"payment is a refund here": {
			func(t *testing.T, b *ledger) {
				t.Helper()
				b.exec(t, `UPDATE payments SET kind = 'refund', refund_of = $2 WHERE payment_id = $1`, b.secondCharge,
					b.firstCharge)
			}, kinds{payment.DiffOtherKind},
		},
		"payment unknown to the provider": {
			func(t *testing.T, b *ledger) { t.Helper(); b.insertCopy(t, b.firstCharge, "sandbox") },
			kinds{payment.DiffNotAtProvider},
		},
		"refund unknown to the provider": {
			func(t *testing.T, b *ledger) { t.Helper(); b.insertCopy(t, b.refund, "sandbox") },
			kinds{payment.DiffNotAtProvider},
		},
		"payment of a provider that isn't configured": {
			func(t *testing.T, b *ledger) { t.Helper(); b.insertCopy(t, b.firstCharge, "stripe") },
			kinds{payment.DiffProviderUnset},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newLedger(t, 0)
			test.plant(t, b)
			whole := b.reconcile(t, -time.Hour, time.Hour)
			require.ElementsMatch(t, test.want, differenceKinds(whole))
			require.Equal(t, whole, b.reconcileTenant(t, b.tenant), "it is the only tenant")
		})
	}
}

// payWithAction makes a payment that waits for its customer.
func (b *ledger) payWithAction(t *testing.T) {
	t.Helper()
	b.pay(t, payment.PayRequest{Kind: payment.Balance, Method: "pm_requires_action"})
}

func TestReconcile_OpenPaymentBeforeItsTimeout_IsCountedAsOpen(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"young": `UPDATE payments SET updated_at = now() WHERE resolve_at IS NOT NULL`,
		"its time is just over": `UPDATE payments SET created_at = now() - interval '74 minutes',
			cancel_at = now() - interval '14 minutes' WHERE resolve_at IS NOT NULL`,
		"begun with a longer timeout": `UPDATE payments SET created_at = now() - interval '20 hours',
			cancel_at = now() + interval '4 hours' WHERE resolve_at IS NOT NULL`,
		"cancelled a moment ago": `UPDATE payments SET created_at = now() - interval '20 hours', cancel_at = now()
			WHERE resolve_at IS NOT NULL`,
		"young, and should be over by now": `UPDATE payments SET created_at = now() - interval '50 minutes',
			cancel_at = now() - interval '49 minutes' WHERE resolve_at IS NOT NULL`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newLedger(t, 0)
			b.payWithAction(t)
			b.exec(t, change)
			require.Equal(t, payment.Reconciliation{Transactions: 3, Payments: 4, Open: 1},
				b.reconcile(t, -time.Hour, time.Hour))
		})
	}
}

func TestReconcile_Difference_HasBothSides(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 0)
	b.exec(t, `UPDATE payments SET amount = 999 WHERE payment_id = $1`, b.secondCharge)
	p, err := b.payments.Get(t.Context(), b.tenant, b.secondCharge)
	require.NoError(t, err)
	side := func(amount int64) *payment.Transfer {
		return &payment.Transfer{Provider: "sandbox", ProviderID: *p.ProviderID, Status: "succeeded", Amount: amount,
			Currency: "EUR"}
	}
	require.Equal(t, []payment.Difference{{
		Kind: payment.DiffAmount, Reference: payment.Reference{TenantID: b.tenant, ID: b.secondCharge}, Ours: side(999),
		Theirs: side(1000),
	}}, b.reconcile(t, -time.Hour, time.Hour).Differences)
}

func TestReconcile_ProviderUnreachable_ReturnsAnError(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.payments.Reconcile(ctx, testtime.Now().Add(-time.Hour), testtime.Now())
	require.Error(t, err)
}

func differenceKinds(r payment.Reconciliation) []payment.DifferenceKind {
	var kinds []payment.DifferenceKind
	for _, d := range r.Differences {
		kinds = append(kinds, d.Kind)
	}
	return kinds
}

func TestReconcile_ExpiredHoldWithCapture_IsReportedUntilRefunded(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 0)
	b.exec(t, `UPDATE bookings SET status = 'expired' WHERE booking_id = $1`, b.booking)
	kinds := func() (kinds []payment.DifferenceKind) {
		found, err := b.payments.Reconcile(t.Context(), testtime.Now().Add(-time.Hour), testtime.Now().Add(time.Hour))
		require.NoError(t, err)
		for _, d := range found.Differences {
			kinds = append(kinds, d.Kind)
		}
		return kinds
	}
	require.Equal(t, []payment.DifferenceKind{payment.DiffKept, payment.DiffKept}, kinds())
	b.exec(t, `INSERT INTO ended_bookings (tenant_id, booking_id, refund, created_at) VALUES ($1, $2, true, now())`,
		b.tenant, b.booking)
	require.Empty(t, kinds(), "the worker has time left")
	b.exec(t, `UPDATE ended_bookings SET created_at = now() - interval '1 hour'`)
	require.Len(t, kinds(), 2, "no worker refunds it")
	b.exec(t, `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone,
			attempts, version, data, created_at, updated_at)
		VALUES ($1, gen_random_uuid(), 'payment.ended_booking', 'booking', $2, '', 'pending', now(), 'UTC', 0, 1, '{}', now(), now())`,
		b.tenant, b.booking)
	event.NewWorker(b.events, event.Config{}, b.payments.EndedBooking()).RunUntilIdle(t.Context())
	require.Empty(t, kinds(), "the refunds are open")
	worker(b.payments, b.events).RunUntilIdle(t.Context())
	require.Empty(t, kinds(), "the refunds succeeded")
}

// Before it has succeeded, a payment on the provider's page may have the page's id. Only its state differs from a
// capture.
func TestReconcile_PaidOnThePageAndStillOpen_DiffersInItsStateOnly(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 0)
	b.pay(t, checkout())
	list, err := b.payments.List(t.Context(), b.tenant, b.booking, b.refund, 10)
	require.NoError(t, err)
	choose(t, *list[0].ActionURL, "pay")
	b.exec(t, `UPDATE payments SET provider_id = 'cs_1' WHERE payment_id = $1`, list[0].ID)
	require.Equal(t, []payment.DifferenceKind{payment.DiffStillOpen},
		differenceKinds(b.reconcile(t, -time.Hour, time.Hour)))
}
