package payment_test

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
	"holdfast/internal/timezone"
)

func (b *ledger) reconcileTenant(t *testing.T, tenant uuid.UUID) payment.Reconciliation {
	t.Helper()
	r, err := b.payments.ReconcileTenant(t.Context(), tenant, testtime.Now().Add(-time.Hour),
		testtime.Now().Add(time.Hour))
	require.NoError(t, err)
	return r
}

func TestReconcileTenant_JournalOfSeveralTenants_ComparesItsOwnAlone(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 0)
	other := uuid.New()
	b.chargeAtProvider(t, other, uuid.New())
	require.Equal(t, payment.Reconciliation{Transactions: 3, Payments: 3}, b.reconcileTenant(t, b.tenant))

	found := b.reconcileTenant(t, other)
	require.Equal(t, []payment.DifferenceKind{payment.DiffUnknownHere}, differenceKinds(found))
	require.Equal(t, []int{1, 0}, []int{found.Transactions, found.Payments})
	require.Equal(t, payment.Reconciliation{}, b.reconcileTenant(t, uuid.New()))
}

func TestReconcileTenant_TransactionNamesAnotherTenantsPayment_BothTenantsSeeIt(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 0)
	other := uuid.New()
	b.chargeAtProvider(t, other, b.secondCharge)
	whole := b.reconcile(t, -time.Hour, time.Hour)
	require.Equal(t, []payment.DifferenceKind{payment.DiffOtherTenant}, differenceKinds(whole))
	require.Equal(t, whole.Differences, b.reconcileTenant(t, b.tenant).Differences)
	require.Equal(t, whole.Differences, b.reconcileTenant(t, other).Differences)
}

// What is shown to a tenant has nothing of another one.
func TestReconcileOwnDays_TransactionNamesAnotherTenantsPayment_IsUnknownHere(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 0)
	other := tenant.Tenant{ID: uuid.New(), Location: time.UTC}
	b.chargeAtProvider(t, other.ID, b.secondCharge)
	today := civil.DateOf(testtime.Now().UTC())
	days := payment.Days{From: today.AddDays(-1), To: today.AddDays(1)}
	found, err := b.payments.ReconcileOwnDays(t.Context(), other, days)
	require.NoError(t, err)
	require.Len(t, found.Differences, 1)
	d := found.Differences[0]
	require.Equal(t, []any{payment.DiffUnknownHere, other.ID, b.secondCharge}, []any{d.Kind, d.TenantID, d.PaymentID})
	require.Nil(t, d.Here)
	require.NotNil(t, d.There)
	own, err := b.payments.ReconcileOwnDays(t.Context(), tenant.Tenant{ID: b.tenant, Location: time.UTC}, days)
	require.NoError(t, err)
	all, err := b.payments.ReconcileDays(t.Context(), b.tenant, time.UTC, days)
	require.NoError(t, err)
	require.Equal(t, all, own, "what belongs to the tenant is as the operator sees it")
	require.Equal(t, payment.DiffOtherTenant, own.Differences[0].Kind)
}

func TestDaysPeriod_ClocksChange_HasTheHoursOfTheDates(t *testing.T) {
	t.Parallel()
	day := func(text string) civil.Date {
		d, err := civil.ParseDate(text)
		require.NoError(t, err)
		return d
	}
	for name, test := range map[string]struct {
		zone, from, to string
		begins, ends   string
	}{
		"an ordinary day": {"Europe/Berlin", "2026-07-01", "2026-07-01", "2026-07-01T00:00:00+02:00",
			"2026-07-02T00:00:00+02:00"},
		"a day of 23 hours": {"Europe/Berlin", "2026-03-29", "2026-03-29", "2026-03-29T00:00:00+01:00",
			"2026-03-30T00:00:00+02:00"},
		"a day of 25 hours": {"Europe/Berlin", "2026-10-25", "2026-10-25", "2026-10-25T00:00:00+02:00",
			"2026-10-26T00:00:00+01:00"},
		"a day without midnight": {"America/Sao_Paulo", "2018-11-04", "2018-11-04", "2018-11-04T01:00:00-02:00",
			"2018-11-05T00:00:00-02:00"},
		"a month with a change of it": {"Europe/Berlin", "2026-10-01", "2026-10-31", "2026-10-01T00:00:00+02:00",
			"2026-11-01T00:00:00+01:00"},
		"a date that the clocks skip": {"Pacific/Apia", "2011-12-30", "2011-12-30", "2011-12-31T00:00:00+14:00",
			"2011-12-31T00:00:00+14:00"},
		"a zone that is ahead of UTC": {"Pacific/Kiritimati", "2026-07-01", "2026-07-02", "2026-07-01T00:00:00+14:00",
			"2026-07-03T00:00:00+14:00"},
		"a zone that is behind of UTC": {"America/New_York", "2026-07-01", "2026-07-01", "2026-07-01T00:00:00-04:00",
			"2026-07-02T00:00:00-04:00"},
	} {
		loc, err := timezone.Load(test.zone)
		require.NoError(t, err)
		from, until := payment.Days{From: day(test.from), To: day(test.to)}.Period(loc)
		require.Equal(t, []string{test.begins, test.ends},
			[]string{from.Format(time.RFC3339), until.Format(time.RFC3339)}, name)
	}
}

func TestReconcileDays_WithoutAProvider_SaysThatNoneIsConfigured(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 0)
	today := civil.DateOf(testtime.Now().UTC())
	_, err := payment.NewService(b.events, payment.Config{}).ReconcileDays(t.Context(), b.tenant, time.UTC,
		payment.Days{From: today, To: today})
	require.True(t, problem.Is(err, problem.PaymentsNotConfigured), err)
}

func TestReconcileDays_TimeIsUp_RefusesAsUnavailable(t *testing.T) {
	t.Parallel()
	b := newLedger(t, 0)
	ctx, cancel := context.WithDeadline(t.Context(), testtime.Now().Add(-time.Second))
	defer cancel()
	today := civil.DateOf(testtime.Now().UTC())
	_, err := b.payments.ReconcileDays(ctx, b.tenant, time.UTC, payment.Days{From: today, To: today})
	require.True(t, problem.Is(err, problem.ProviderUnavailable), err)
	require.ErrorContains(t, err, "Compare fewer days")
}
