package strategies_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/postgres/pgtest"
	"holdfast/tools/bench/strategies"
)

func TestStrategies_AllOfThem_WriteTheSameRowsAndRefuseASlotThatIsSold(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, nil)
	f, err := strategies.New(t.Context(),
		strategies.Config{URL: url, Conns: 4, Uncontended: 1, Contended: 1, Bookings: 5})
	require.NoError(t, err)
	t.Cleanup(f.Close)
	sql := dbtest.SQL(t, url)

	// row is all that a booking and its answer consist of, but for ids and times of the clock.
	type row struct {
		ServiceID, ResourceID, CustomerID, Units, Date, Start, Busy, Rest string
		Keys, Changes                                                     int
	}
	var first row
	for i, strategy := range []strategies.Strategy{
		f.Holdfast(), f.SixTrips(), f.NineTrips(), f.RowLock(), f.Serializable(), f.Constraint(), f.Baseline(),
	} {
		seller := &f.Contended[0]
		order := strategies.Order{Seller: seller, Start: f.Day(i).Add(10 * time.Hour)}
		var before, after int
		require.NoError(t, sql.QueryRow(t.Context(), "SELECT count(*) FROM idempotency_keys").Scan(&before))
		require.NoError(t, strategy.Book(t.Context(), order), strategy.Name)
		require.ErrorIs(t, strategy.Book(t.Context(), order), strategies.ErrTaken, strategy.Name)

		rows, err := sql.Query(t.Context(), `SELECT service_id::text, resource_id::text, customer_id::text,
			(SELECT concat_ws(' of ', c.units, c.resource_id, c.busy_until - c.busy_from, c.busy_from - bookings.busy_from, c.expires_at)
				FROM claims c WHERE c.tenant_id = bookings.tenant_id AND c.owner_id = booking_id) AS units,
			(date - $2::date)::text AS date, (starts_at - $3::timestamptz)::text AS start, (busy_until - busy_from)::text AS busy,
			concat_ws(',', status, ends_at - starts_at, time_zone, party_size, hold_expires_at, price, deposit, currency, details,
				version) AS rest,
			(SELECT count(*) FROM idempotency_keys WHERE status = 201 AND octet_length(fingerprint) = 32
				AND expires_at > now() + interval '29 days' AND change_subject_id = booking_id AND change_version = 1) AS keys,
			(SELECT count(*) FROM changes e WHERE e.tenant_id = bookings.tenant_id AND subject_id = booking_id AND type = 'booking.created'
				AND subject_type = 'booking' AND version = bookings.version AND octet_length(data::text) BETWEEN 300 AND 900) AS changes
			FROM bookings WHERE tenant_id = $1 AND date = $2::date`, seller.ID(), order.Start.Format(time.DateOnly), order.Start)
		require.NoError(t, err)
		got, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[row])
		require.NoError(t, err, strategy.Name)
		require.Equal(t, 1, got.Keys, "%s writes an answer that points at the change", strategy.Name)
		require.NoError(t, sql.QueryRow(t.Context(), "SELECT count(*) FROM idempotency_keys").Scan(&after))
		require.Equal(t, before+1, after, "%s writes one answer for the booking and none for the refusal",
			strategy.Name)
		require.Equal(t, 1, got.Changes, "%s records the booking", strategy.Name)
		if i == 0 {
			first = got
		}
		require.Equal(t, first, got, strategy.Name)
	}
}

func TestLoad_OnlyWhatEndsInTheWindow_IsCounted(t *testing.T) {
	t.Parallel()
	// The first client's first operation, its only success, is over before the window begins. The second client is
	// refused for now, always.
	ended := 0
	warm := make(chan struct{})
	r, err := strategies.Load{
		Clients: 2, Window: time.Nanosecond, Pause: time.Millisecond, OnBegin: func() { <-warm },
	}.Drive(t.Context(), func(_ context.Context, client int) error {
		if client == 1 {
			return strategies.ErrGaveUp
		}
		switch ended++; ended {
		case 1:
			return nil
		case 2:
			close(warm)
		}
		return strategies.ErrTaken
	})
	require.NoError(t, err)
	require.NotEmpty(t, r.Latencies, "the window lasts until something has ended in it")
	require.Len(t, r.Latencies, r.Refused, "what was done to warm up is left out")
	require.Positive(t, r.Elapsed)
}

func TestLoad_AnError_EndsIt(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := strategies.Load{Clients: 4, Window: time.Minute}.Drive(t.Context(),
		func(context.Context, int) error { return broken })
	require.ErrorIs(t, err, broken)
}

func TestQuantile_OfSomeLatencies_IsWhatThatShareKeptTo(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for i := range 100 {
		all = append(all, time.Duration(100-i))
	}
	r := strategies.NewResult(all)
	require.Equal(t, time.Duration(51), r.Quantile(0.50))
	require.Equal(t, time.Duration(100), r.Quantile(0.99))
	require.Zero(t, strategies.Result{}.Quantile(0.99))
}
