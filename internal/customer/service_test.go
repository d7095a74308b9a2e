package customer_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/etag"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
)

// found returns the customers that a filter finds, on pages of one.
func (b *testBundle) found(t testing.TB, f customer.Filter) []uuid.UUID {
	t.Helper()
	ids := []uuid.UUID{}
	for f.Limit = 1; ; f.After = ids[len(ids)-1] {
		page, err := b.service.List(t.Context(), b.tenant, f)
		require.NoError(t, err)
		if len(page) == 0 {
			return ids
		}
		if ids = append(ids, page[0].ID); f.Email != "" {
			return ids // one customer has it
		}
	}
}

func (b *testBundle) change(t testing.TB, id uuid.UUID, patch string, allowed etag.Precondition,
) (customer.Details, error) {
	t.Helper()
	return b.service.Change(t.Context(), b.tenant, id, mergepatch.Of[customer.CustomerSpecBody](patch), allowed)
}

func TestList_FindsByEmailAndByBeginningOfNameEmailAndPhone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ada := b.create(t, customer.Customer{Name: "Ada Lovelace", Email: "ada@example.com", Phone: new("+49 30 1")})
	adam := b.create(t, customer.Customer{Name: "Adam Smith", Email: "smith@example.com", Phone: new("+44 20 2")})
	for _, test := range []struct {
		filter customer.Filter
		want   []uuid.UUID
	}{
		{customer.Filter{}, []uuid.UUID{ada, adam}},
		{customer.Filter{Email: "ADA@example.com"}, []uuid.UUID{ada}},
		{customer.Filter{Email: "nobody@x.org"}, []uuid.UUID{}},
		{customer.Filter{Text: "ada"}, []uuid.UUID{ada, adam}},
		{customer.Filter{Text: "ada l"}, []uuid.UUID{ada}},
		{customer.Filter{Text: "SMITH@"}, []uuid.UUID{adam}},
		{customer.Filter{Text: "+44 20"}, []uuid.UUID{adam}},
		{customer.Filter{Text: "lovelace"}, []uuid.UUID{}}, // not the beginning of the name
		{customer.Filter{Text: "%da"}, []uuid.UUID{}},
	} {
		require.Equal(t, test.want, b.found(t, test.filter), "%+v", test.filter)
	}
	for _, f := range []customer.Filter{{Text: "ada", Email: "a"}, {Text: "   "}, {Email: "a\n"}} {
		_, err := b.service.List(t.Context(), b.tenant, f)
		require.Equal(t, problem.ValidationFailed, problem.CodeOf(err), "%+v", f)
	}
}

func TestEmails_ThatUnicodeFolds_AreThoseOfTwo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	kim := b.bookFor(t, customer.Customer{Name: "Kim", Email: "kim@example.com"})
	require.Equal(t, kim, b.bookFor(t, customer.Customer{Name: "Kim", Email: " KIM@Example.com"}))

	const kelvin = "\u212Aim@example.com"
	other := b.bookFor(t, customer.Customer{Name: "Another", Email: kelvin})
	require.NotEqual(t, kim, other)
	require.Equal(t, kelvin, b.get(t, other).Email)
	require.Equal(t, []uuid.UUID{other}, b.found(t, customer.Filter{Email: kelvin}))
	require.Equal(t, []uuid.UUID{kim}, b.found(t, customer.Filter{Email: "kim@example.com"}))
	bookings, err := b.booking.List(t.Context(), b.tenant, booking.Filter{Email: new(kelvin), Limit: 10})
	require.NoError(t, err)
	require.Len(t, bookings, 1)
	third := b.create(t, customer.Customer{Name: "Third", Email: "K\u0130M@example.com"})
	changed, err := b.change(t, third, `{"email": "\u212AIM@example.org"}`, "")
	require.NoError(t, err)
	require.Equal(t, "\u212Aim@example.org", changed.Email)
}

func TestChange_RaisesTheVersionAndIsRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, err := b.book(t, 3, booking.CreateRequest{
		Customer: &customer.Customer{Name: "Ada Lovelace", Email: "ada@example.com", Phone: new("+49 30 1")},
	})
	require.NoError(t, err)
	ada := made.Customer.ID
	b.create(t, customer.Customer{Name: "Adam Smith", Email: "smith@example.com"})

	changed, err := b.change(t, ada, `{"email": " King@Example.com ", "phone": null, "birthday": "1990-12-10"}`, `"1"`)
	require.NoError(t, err)
	require.EqualValues(t, 2, changed.Version)
	require.Equal(t, "king@example.com", changed.Email)
	require.Nil(t, changed.Phone)
	kept, err := b.booking.Get(t.Context(), b.tenant, made.ID)
	require.NoError(t, err)
	require.Equal(t, "ada@example.com", kept.Customer.Email, "given for the booking")

	for _, refused := range []struct {
		id      uuid.UUID
		patch   string
		allowed etag.Precondition
		code    problem.Code
	}{
		{ada, `{"name": "Ada"}`, `"1"`, problem.VersionMismatch},
		{ada, `{"email": "SMITH@example.com"}`, "", problem.AlreadyExists},
		{ada, `{"email": "x@erased.invalid"}`, "", problem.ValidationFailed},
		{uuid.New(), `{"name": "Ada"}`, "", problem.NotFound},
	} {
		_, err := b.change(t, refused.id, refused.patch, refused.allowed)
		require.Equal(t, refused.code, problem.CodeOf(err), refused.patch)
	}
	_, err = b.service.Create(t.Context(), b.tenant, request(t),
		customer.Customer{Name: "X", Email: "x@erased.invalid"})
	require.Equal(t, problem.ValidationFailed, problem.CodeOf(err))
	same, err := b.change(t, ada, `{"phone": null}`, "")
	require.NoError(t, err)
	require.EqualValues(t, 2, same.Version, "nothing differs")

	// A booking that updates the customer is a change as well.
	_, err = b.book(t, 4, booking.CreateRequest{
		Customer:       &customer.Customer{Name: "Ada King", Email: "king@example.com", Phone: new("+44 1")},
		UpdateCustomer: true,
	})
	require.NoError(t, err)
	entries := b.history(t, ada)
	require.Len(t, entries, 3)
	require.Equal(t, "customer.created", entries[0].Action)
	require.Equal(t, "customer.updated", entries[1].Action)
	require.JSONEq(t, `{"email": "ada@example.com", "phone": "+49 30 1"}`, string(entries[1].Before))
	require.JSONEq(t, `{"email": "king@example.com", "birthday": "1990-12-10"}`, string(entries[1].After))
	require.JSONEq(t, `{"name": "Ada Lovelace"}`, string(entries[2].Before))
	require.JSONEq(t, `{"name": "Ada King", "phone": "+44 1"}`, string(entries[2].After))
}

func TestCreate_AtOnceWithOneEmail_IsDoneOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	errs := make([]error, 6)
	var all sync.WaitGroup
	for i := range errs {
		r := request(t)
		all.Go(func() {
			_, errs[i] = b.service.Create(t.Context(), b.tenant, r,
				customer.Customer{Name: "Ada", Email: " Ada@Example.com "})
		})
	}
	all.Wait()
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
			continue
		}
		require.Equal(t, problem.AlreadyExists, problem.CodeOf(err))
	}
	require.Equal(t, 1, made)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM customers WHERE email = 'ada@example.com'"))
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM changes WHERE type = 'customer.created'"))
}

func TestCreate_AtOnceWithABooking_MakesOneCustomer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const rounds = 8
	for i := range rounds {
		person := customer.Customer{Name: "Ada", Email: uuid.NewString() + "@example.com"}
		var booked booking.BookingBody
		var bookErr error
		var both sync.WaitGroup
		both.Go(func() { booked, bookErr = b.book(t, 3+i, booking.CreateRequest{Customer: &person}) })
		made, err := b.service.Create(t.Context(), b.tenant, request(t), person)
		both.Wait()
		require.NoError(t, bookErr)
		if err != nil {
			require.Equal(t, problem.AlreadyExists, problem.CodeOf(err))
			continue
		}
		require.Equal(t, made.ID, booked.Customer.ID)
	}
	require.Equal(t, rounds, b.count(t, "SELECT count(*) FROM customers"))
	require.Equal(t, rounds, b.count(t, "SELECT count(*) FROM changes WHERE type = 'customer.created'"))
}

func TestArchive_Customer_IsListedApartAndBooksAsBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ada := customer.Customer{Name: "Ada Lovelace", Email: "ada@example.com"}
	id, bob := b.create(t, ada), b.create(t, customer.Customer{Name: "Bob", Email: "bob@example.com"})
	archive := func(archived bool, allowed etag.Precondition) error {
		_, err := b.service.Archive(t.Context(), b.tenant, request(t), id, archived, allowed)
		return err
	}
	require.Equal(t, problem.VersionMismatch, problem.CodeOf(archive(true, `"9"`)))
	for range 2 { // then it is archived already
		require.NoError(t, archive(true, ""))
		require.NotNil(t, b.get(t, id).ArchivedAt)
	}
	for _, f := range []customer.Filter{{}, {Email: ada.Email}, {Text: "Ada"}} {
		require.NotContains(t, b.found(t, f), id, "%+v", f)
		f.Archived = true
		require.Equal(t, []uuid.UUID{id}, b.found(t, f), "%+v", f)
	}
	require.Equal(t, []uuid.UUID{bob}, b.found(t, customer.Filter{}))
	require.Equal(t, id, b.bookFor(t, ada))
	require.NotNil(t, b.get(t, id).ArchivedAt, "a booking doesn't put the customer back")

	require.NoError(t, archive(false, ""))
	require.Equal(t, []uuid.UUID{id, bob}, b.found(t, customer.Filter{}))
	require.Empty(t, b.found(t, customer.Filter{Archived: true}))
	entries := b.history(t, id)
	require.Len(t, entries, 3)
	for _, e := range entries[1:] {
		require.Equal(t, "customer.updated", e.Action)
	}
	require.Contains(t, string(entries[1].After), "archived_at")
	require.Contains(t, string(entries[2].Before), "archived_at")
}

func TestUnsubscribe_IsAChange_KeepsTheFirstTimeAndReachesNoOtherTenant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ada := b.create(t, customer.Customer{Name: "Ada", Email: "ada@example.com"})
	require.NoError(t, b.service.Unsubscribe(t.Context(), b.newTenant(t).ID, ada))
	require.Nil(t, b.get(t, ada).UnsubscribedAt, "a tenant's link reaches no customer of another tenant")
	require.NoError(t, b.service.Unsubscribe(t.Context(), b.tenant.ID, ada))
	first := b.get(t, ada)
	require.NotNil(t, first.UnsubscribedAt)
	require.NoError(t, b.service.Unsubscribe(t.Context(), b.tenant.ID, ada))
	require.Equal(t, first, b.get(t, ada))
	entries := b.history(t, ada)
	require.Equal(t, "customer.updated", entries[1].Action)
	require.JSONEq(t, "{}", string(entries[1].Before))
	require.Contains(t, string(entries[1].After), "unsubscribed_at")
}
