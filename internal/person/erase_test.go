package person_test

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/wallet"
)

// Bookings for an email come while its customer is erased. Each either precedes the erasure, and is erased with it, or
// makes a new customer.
func TestErase_WhileTheCustomerBooks_NoBookingKeepsThePersonAtTheErasedCustomer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range testtime.Rounds(2) {
		word := "Qzx" + strings.ReplaceAll(uuid.NewString(), "-", "")
		person := customer.Customer{Name: word, Email: word + "@example.com"}
		_, id := b.bookFor(t, person, "")
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			renamed := person
			renamed.Name += strconv.Itoa(i)
			n := booking.CreateRequest{Customer: &renamed}
			n.Metadata = catalog.Metadata(`{"note": "` + word + `"}`)
			all.Go(func() { _, errs[i] = b.book(t, 3+i, n) })
		}
		err := b.erase(t, id)
		all.Wait()
		require.NoError(t, err)
		require.NoError(t, errors.Join(errs...))
		require.Zero(t, b.count(t, "SELECT count(*) FROM bookings WHERE customer_id = $1 AND details::text <> '{}'",
			id))
		require.Zero(t, b.count(t,
			`SELECT count(*) FROM changes
				WHERE data::text LIKE '%' || $1::text || '%' AND data::text LIKE '%' || $2 || '%'`, id, word))
		require.Equal(t, 9, b.count(t, `SELECT count(*) FROM bookings b JOIN customers c USING (tenant_id, customer_id)
			WHERE c.customer_id = $1 OR c.email = lower($2)`, id, person.Email), "no booking is lost")
	}
}

// The erasure has locked the customer and goes on; the request for a wallet waits for it and gets no wallet.
func TestErase_WalletForTheErasedCustomer_IsNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, ada := b.bookFor(t, named("Ada"), "")
	unlock := b.held(t, "SELECT FROM changes WHERE subject_id = $1 FOR UPDATE", made)
	erased := later(func() error { return b.erase(t, ada) })
	b.blocked(t, 1)
	r := request(t)
	create := func() error {
		_, err := b.wallet.Create(t.Context(), b.tenant, r, wallet.CreateRequest{CustomerID: &ada, Currency: "EUR"})
		return err
	}
	wanted := later(create)
	b.blocked(t, 2)
	unlock()
	require.NoError(t, <-erased)
	requireCode(t, problem.NotFound, <-wanted)
	requireCode(t, problem.NotFound, create())
	require.Zero(t, b.count(t, "SELECT count(*) FROM wallets"))
}
