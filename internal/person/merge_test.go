package person_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/wallet"
)

const lockBooking = "SELECT FROM bookings WHERE booking_id = $1 FOR NO KEY UPDATE"

func TestMerge_BookingsWalletsAndWhatIsMissing_GoToTheOtherCustomer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, ada := b.bookFor(t, customer.Customer{Name: "Ada", Email: "ada@example.com"}, "")
	birthday, err := customer.CustomerSpecBody{Birthday: new("1990-12-10")}.Customer("")
	require.NoError(t, err)
	moved, twin := b.bookFor(t, customer.Customer{
		Name: "A. Lovelace", Email: "twin@example.com", Phone: new("+49 30 1"), TimeZone: new("Asia/Kathmandu"),
		Birthday: birthday.Birthday,
	}, "")
	var wallets []uuid.UUID
	for _, w := range []wallet.CreateRequest{{CustomerID: &ada, Currency: "EUR"}, {CustomerID: &twin, Currency: "EUR"},
		{CustomerID: &twin, Currency: "USD"}} {
		o, err := b.wallet.Create(t.Context(), b.tenant, request(t), w)
		require.NoError(t, err)
		_, err = b.wallet.Credit(t.Context(), b.tenant, request(t), o.ID, wallet.CreditRequest{Amount: 500})
		require.NoError(t, err)
		wallets = append(wallets, o.ID)
	}

	r := request(t)
	done, err := b.service.Merge(t.Context(), b.tenant, r, twin, ada, `"1"`)
	require.NoError(t, err)
	merged := b.get(t, ada)
	require.Equal(t, []any{ada, int64(2)}, []any{done.ID, merged.Version})
	require.Equal(t, []string{"Ada", "ada@example.com", "+49 30 1", "Asia/Kathmandu", "1990-12-10"},
		[]string{merged.Name, merged.Email, *merged.Phone, *merged.TimeZone, merged.Birthday.String()})
	again, err := b.service.Merge(t.Context(), b.tenant, r, twin, ada, `"1"`)
	require.NoError(t, err)
	require.Equal(t, string(done.Body), string(again.Body), "a repeated request")

	gone := b.get(t, twin)
	require.Equal(t, &ada, gone.MergedInto)
	require.NotContains(t, gone.Name, "Lovelace")
	require.Nil(t, gone.Body().ErasedAt)
	require.Empty(t, b.listed(t, customer.Filter{Email: "twin@example.com"}))
	require.Equal(t, []uuid.UUID{ada}, b.listed(t, customer.Filter{}))

	of := func(id uuid.UUID) booking.Booking {
		got, err := b.booking.Get(t.Context(), b.tenant, id)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, []any{ada, int64(2)}, []any{of(moved).Customer.ID, of(moved).Version})
	require.EqualValues(t, 1, of(made).Version)
	entries := b.history(t, moved)
	require.JSONEq(t, `{"customer_id": "`+twin.String()+`"}`, string(entries[1].Before))
	require.JSONEq(t, `{"customer_id": "`+ada.String()+`"}`, string(entries[1].After))
	require.Equal(t, "booking.updated", entries[1].Action)
	for _, id := range []uuid.UUID{ada, twin} {
		require.Equal(t, "customer.updated", b.history(t, id)[1].Action)
	}
	for _, id := range wallets {
		w, err := b.wallet.Get(t.Context(), b.tenant, id)
		require.NoError(t, err)
		require.Equal(t, []any{&ada, int64(500)}, []any{w.CustomerID, w.Balance})
	}
	_, err = b.wallet.Create(t.Context(), b.tenant, request(t), wallet.CreateRequest{CustomerID: &ada, Currency: "USD"})
	requireCode(t, problem.AlreadyExists, err)
}

func TestMerge_ErasedMergedUnknownOrTheSameCustomer_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, ada := b.bookFor(t, named("Ada"), "")
	_, twin := b.bookFor(t, named("Twin"), "")
	_, grace := b.bookFor(t, named("Grace"), "")

	requireCode(t, problem.ValidationFailed, b.merge(t, ada, ada))
	requireCode(t, problem.NotFound, b.merge(t, ada, uuid.New()))
	requireCode(t, problem.NotFound, b.merge(t, uuid.New(), ada))
	_, err := b.service.Merge(t.Context(), b.tenant, request(t), twin, ada, `"7"`)
	requireCode(t, problem.VersionMismatch, err)
	require.NoError(t, b.merge(t, twin, ada))

	requireCode(t, problem.InvalidState, b.merge(t, twin, ada))
	requireCode(t, problem.InvalidState, b.merge(t, grace, twin))
	_, err = b.customer.Change(t.Context(), b.tenant, twin, mergepatch.Of[customer.CustomerSpecBody](`{"name": "X"}`),
		"")
	requireCode(t, problem.InvalidState, err)
	requireCode(t, problem.InvalidState, b.erase(t, twin))
	_, err = b.book(t, 5, booking.CreateRequest{CustomerID: &twin})
	requireCode(t, problem.NotFound, err)
	require.NoError(t, b.customer.Unsubscribe(t.Context(), b.tenant.ID, twin))
	require.NotNil(t, b.get(t, ada).UnsubscribedAt, "a link of an email may be older than the merge")

	require.NoError(t, b.merge(t, ada, grace))
	require.Equal(t, &grace, b.get(t, twin).MergedInto, "who was merged before follows")
	require.NoError(t, b.erase(t, grace))
	require.Empty(t, b.listed(t, customer.Filter{}))
	requireCode(t, problem.InvalidState, b.merge(t, grace, ada))
	_, err = b.customer.Archive(t.Context(), b.tenant, request(t), grace, true, "")
	requireCode(t, problem.InvalidState, err)
}

func TestMerge_IntoAnArchivedCustomer_PutsItBackIntoLists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, ada := b.bookFor(t, named("Ada"), "")
	_, twin := b.bookFor(t, named("Twin"), "")
	_, old := b.bookFor(t, named("Old"), "")
	for _, id := range []uuid.UUID{ada, old} {
		_, err := b.customer.Archive(t.Context(), b.tenant, request(t), id, true, "")
		require.NoError(t, err)
	}
	require.NoError(t, b.merge(t, old, ada))
	require.NotNil(t, b.get(t, ada).ArchivedAt, "both were archived")
	require.NoError(t, b.merge(t, twin, ada))
	require.Nil(t, b.get(t, ada).ArchivedAt)
	require.Equal(t, []uuid.UUID{ada}, b.listed(t, customer.Filter{}))
}

// Of two merges that cross, one is done and the other one is refused.
func TestMerge_OfTwoCustomersIntoEachOther_IsDoneOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 5 {
		_, ada := b.bookFor(t, named("Ada"), "")
		_, twin := b.bookFor(t, named("Twin"), "")
		var there, back error
		var both sync.WaitGroup
		both.Go(func() { there = b.merge(t, ada, twin) })
		both.Go(func() { back = b.merge(t, twin, ada) })
		both.Wait()
		kept, refused := ada, there
		if there == nil {
			kept, refused = twin, back
		} else {
			require.NoError(t, back)
		}
		requireCode(t, problem.InvalidState, refused)
		require.Equal(t, 2, b.count(t, "SELECT count(*) FROM bookings WHERE customer_id = $1", kept))
		require.Equal(t, 1, b.count(t,
			"SELECT count(*) FROM customers WHERE customer_id IN ($1, $2) AND merged_into = $3",
			ada, twin, kept))
	}
}

func TestMerge_WaitsForABooking_OtherCustomersAndTheSettingsDoNotWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, ada := b.bookFor(t, named("Ada"), "")
	_, grace := b.bookFor(t, named("Grace"), "")
	_, mary := b.bookFor(t, named("Mary"), "")
	unlock := b.held(t, lockBooking, made)
	merged := later(func() error { return b.merge(t, ada, grace) })
	b.blocked(t, 1)
	_, err := b.customer.Change(t.Context(), b.tenant, mary,
		mergepatch.Of[customer.CustomerSpecBody](`{"name": "Mary Somerville"}`), "")
	require.NoError(t, err)
	_, err = settings.NewService(b.store).Change(t.Context(), b.tenant.ID,
		mergepatch.Of[settings.Spec](`{"name": "Lakeside"}`), "")
	require.NoError(t, err)
	b.blocked(t, 1) // the merge still waits
	unlock()
	require.NoError(t, <-merged)
}

// A merge has begun to lock the customer's bookings, and waits for the second one. Meanwhile the customer books again:
// the feed must tell that before it tells that the new booking went to the other customer.
func TestMerge_CustomerBooksWhileItWaits_TheNewBookingGoesTooAndIsToldInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	person := named("Ada")
	_, ada := b.bookFor(t, person, "")
	second, _ := b.bookFor(t, person, "")
	_, grace := b.bookFor(t, named("Grace"), "")
	unlock := b.held(t, lockBooking, second)
	merged := later(func() error { return b.merge(t, ada, grace) })
	b.blocked(t, 1)
	_, err := b.book(t, 4, booking.CreateRequest{CustomerID: &ada})
	require.NoError(t, err)
	unlock()
	require.NoError(t, <-merged)
	require.Zero(t, b.count(t, "SELECT count(*) FROM bookings WHERE customer_id = $1", ada))
	require.Equal(t, 4, b.count(t, "SELECT count(*) FROM bookings WHERE customer_id = $1", grace))
	b.requireToldInOrder(t)
}
