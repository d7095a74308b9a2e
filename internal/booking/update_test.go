package booking_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func (b *testBundle) update(t testing.TB, id uuid.UUID, u booking.AmendRequest) (booking.BookingBody, error) {
	t.Helper()
	got, err := b.service.Amend(t.Context(), b.tenant, id, u, "")
	return got.Body(), err
}

func TestUpdate_MetadataAndCustomer_AreWrittenWithTheirStory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.booked(t, b.newDateService(t, 1), onDate(future(0)))
	got, err := b.update(t, made.ID, booking.AmendRequest{Details: details(`{"metadata": {"table": 7}}`)})
	require.NoError(t, err)
	require.JSONEq(t, `{"table": 7}`, string(got.Metadata))
	require.Equal(t, made.Customer.ID, got.Customer.ID)

	got, err = b.update(t, made.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{
			Customer: &customer.Customer{Name: "Grace", Email: " Grace@Example.com "},
		}})
	require.NoError(t, err)
	require.NotEqual(t, made.Customer.ID, got.Customer.ID)
	require.Equal(t, "grace@example.com", got.Customer.Email)
	require.JSONEq(t, `{"table": 7}`, string(got.Metadata), "what isn't given stays")
	grace := got.Customer.ID
	b.requireToldOf(t, grace, "customer.created")

	got, err = b.update(t, made.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{CustomerID: &made.Customer.ID}})
	require.NoError(t, err)
	require.Equal(t, made.Customer.Email, got.Customer.Email)

	phone := "+49 30 901820"
	got, err = b.update(t, made.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: "Grace Hopper",
			Email: "grace@example.com",
			Phone: &phone}}})
	require.NoError(t, err)
	require.Equal(t, grace, got.Customer.ID, "a customer is known by email")
	b.requireToldOf(t, grace, "customer.created", "customer.updated")
	read, err := b.service.Get(t.Context(), b.tenant, made.ID)
	require.NoError(t, err)
	require.Equal(t, got, read.Body(), "what is read later looks like what was answered")
	b.requireStory(t, made.ID, "booking.created", "booking.updated", "booking.updated", "booking.updated",
		"booking.updated")
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings WHERE date = $1 AND starts_at = $2",
		future(0).String(), made.StartsAt),
		"nothing moves")
}

// requireToldOf requires that the outbox tells of a customer in this order.
func (b *testBundle) requireToldOf(t testing.TB, customer uuid.UUID, types ...string) {
	t.Helper()
	var told []string
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT array_agg(type ORDER BY version) FROM changes WHERE subject_id = $1",
		customer).Scan(&told))
	require.Equal(t, types, told)
}

func TestUpdate_WhatIsAlreadySo_KeepsTheVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.booked(t, b.newDateService(t, 1), onDate(future(0)))
	for _, u := range []booking.AmendRequest{
		{},
		{Details: details(`{"metadata": {}}`)},
		{CustomerChoice: booking.CustomerChoice{CustomerID: &made.Customer.ID}},
		{CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: "Ada", Email: made.Customer.Email}}},
	} {
		got, err := b.update(t, made.ID, u)
		require.NoError(t, err)
		require.EqualValues(t, 1, got.Version)
	}
	b.requireStory(t, made.ID, "booking.created")
	b.requireToldOf(t, made.Customer.ID, "customer.created")
}

func TestUpdate_BookingThatIsOver_TakesMetadataAndNoCustomer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 10)
	known := b.booked(t, service, onDate(future(1))).Customer
	for status, code := range map[booking.Status]problem.Code{
		booking.Held: problem.HoldExpired, booking.Expired: problem.HoldExpired,
		booking.Cancelled: problem.InvalidState,
		booking.Completed: problem.InvalidState, booking.NoShow: problem.InvalidState,
	} {
		made := b.hold(t, service, onDate(future(0)))
		_, err := b.sql.Exec(t.Context(),
			`UPDATE bookings SET status = $1, hold_expires_at = now() WHERE booking_id = $2`, status, made.ID)
		require.NoError(t, err)
		for _, u := range []booking.AmendRequest{
			{CustomerChoice: booking.CustomerChoice{CustomerID: &known.ID}},
			{CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: "Grace",
				Email: "grace@example.com"}}},
		} {
			u.Details = details(`{"metadata": {"a": 1}}`)
			_, err = b.update(t, made.ID, u)
			require.True(t, problem.Is(err, code), "%s: %v", status, err)
		}
		got, err := b.update(t, made.ID, booking.AmendRequest{Details: details(`{"metadata": {"a": 1}}`)})
		require.NoError(t, err)
		require.EqualValues(t, 2, got.Version)
		require.Equal(t, status, got.Status)
	}
	require.Zero(t, b.count(t, "SELECT count(*) FROM customers WHERE email = 'grace@example.com'"),
		"a refusal leaves no customer behind")
}

func TestUpdate_WhatIsNotValid_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.booked(t, b.newDateService(t, 1), onDate(future(0)))
	unknown, grace := uuid.New(), &customer.Customer{Name: "Grace", Email: "grace@example.com"}
	for name, refused := range map[string]struct {
		u    booking.AmendRequest
		code problem.Code
	}{
		"a customer and an id": {booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: grace,
			CustomerID: &made.Customer.ID}}, problem.ValidationFailed},
		"a customer that doesn't exist": {booking.AmendRequest{CustomerChoice: booking.CustomerChoice{CustomerID: &unknown}},
			problem.NotFound},
		"no address": {booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: "Grace",
			Email: "grace"}}}, problem.ValidationFailed},
	} {
		_, err := b.update(t, made.ID, refused.u)
		require.True(t, problem.Is(err, refused.code), "%s: %v", name, err)
	}
	_, err := b.update(t, unknown, booking.AmendRequest{})
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
	_, err = b.service.Amend(t.Context(), b.tenant, made.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: grace}},
		`"2"`)
	require.True(t, problem.Is(err, problem.VersionMismatch), "%v", err)
	b.requireStory(t, made.ID, "booking.created")
}

func TestUpdate_ManyNameOneNewCustomer_ItIsMadeOnce(t *testing.T) {
	t.Parallel()
	const bookings = 20
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	ids := make([]uuid.UUID, bookings)
	for i := range ids {
		ids[i] = b.booked(t, service, onDate(future(i))).ID
	}
	codes := race(bookings, func(i int) error {
		_, err := []*booking.Service{b.service, other}[i%2].Amend(t.Context(), b.tenant, ids[i],
			booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: "Grace",
				Email: "grace@example.com"}}}, "")
		return err
	})
	require.Equal(t, map[problem.Code]int{"": bookings}, codes)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM customers WHERE email = 'grace@example.com'"))
	require.Equal(t, bookings,
		b.count(t, "SELECT count(*) FROM bookings b JOIN customers c USING (customer_id) WHERE c.email = 'grace@example.com' AND "+
			"b.version = 2"))
	b.requireNoDeadlock(t)
}

// TestUpdate_CustomerThatAnotherTransactionJustMakes_IsFoundByTheNextAttempt has a transaction make the customer
// between the read and the write.
func TestUpdate_CustomerThatAnotherTransactionJustMakes_IsFoundByTheNextAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.booked(t, b.newDateService(t, 1), onDate(future(0)))
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	var rival uuid.UUID
	require.NoError(t, tx.QueryRow(t.Context(), `
		INSERT INTO customers (tenant_id, customer_id, email, name, created_at, version, event_transaction_id)
		VALUES ($1, gen_random_uuid(), 'grace@example.com', 'Grace', now(), 1, 0) RETURNING customer_id`, b.tenant.ID).Scan(&rival))
	done := make(chan error, 1)
	go func() {
		_, err := b.service.Amend(t.Context(), b.tenant, made.ID,
			booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: &customer.Customer{Name: "Grace",
				Email: "grace@example.com"}}}, "")
		done <- err
	}()
	require.Eventually(t, func() bool {
		return b.count(t, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'transactionid' AND datname = current_database()") == 1
	}, longestWait, time.Millisecond)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-done)
	got, err := b.service.Get(t.Context(), b.tenant, made.ID)
	require.NoError(t, err)
	require.Equal(t, rival, got.Customer.ID)
	b.requireStory(t, made.ID, "booking.created", "booking.updated")
}

// TestUpdate_RacesAMove_BothAreKept changes metadata and time of one booking at once: each has a version of its own,
// and neither undoes the other.
func TestUpdate_RacesAMove_BothAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	other, _ := b.process(t)
	for round := range testtime.Rounds(8) {
		made := b.booked(t, service, onDate(future(2*round)))
		codes := race(2, func(i int) error {
			if i == 0 {
				_, err := reschedule(t, b.service, b.tenant, made.ID, to(onDate(future(2*round+1))))
				return err
			}
			_, err := other.Amend(t.Context(), b.tenant, made.ID,
				booking.AmendRequest{Details: details(`{"metadata": {"a":1}}`)}, "")
			return err
		})
		require.Equal(t, map[problem.Code]int{"": 2}, codes)
		got, err := b.service.Get(t.Context(), b.tenant, made.ID)
		require.NoError(t, err)
		require.Equal(t, future(2*round+1), got.Date)
		require.JSONEq(t, `{"a":1}`, string(got.Metadata))
		require.EqualValues(t, 3, got.Version)
		require.Equal(t, 3, b.count(t, "SELECT count(DISTINCT version) FROM changes WHERE subject_id = $1", made.ID))
	}
}
