package booking_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
)

// bookFor books for a customer at an hour; hold makes it a hold.
func (b *testBundle) bookFor(
	t testing.TB,
	service uuid.UUID,
	hour int,
	c customer.Customer,
	with ...func(*booking.CreateRequest),
) booking.Booking {
	t.Helper()
	n := newBooking(service, slotOn(future(0), hour, 0))
	n.Customer = &c
	for _, w := range with {
		w(&n)
	}
	made, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.NoError(t, err)
	return made
}

func hold(n *booking.CreateRequest) { minutes := 30; n.HoldMinutes = &minutes }

func updatesCustomer(n *booking.CreateRequest) { n.UpdateCustomer = true }

// stored returns a booking as it is stored.
func (b *testBundle) stored(t testing.TB, id uuid.UUID) booking.Booking {
	t.Helper()
	got, err := b.service.Get(t.Context(), b.tenant, id)
	require.NoError(t, err)
	return got
}

func TestContact_HoldWithAnotherName_ChangesNothingThatIsThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	phone, zone, birthday := "+49 30 1", "Europe/London", civil.Date{Year: 1990, Month: 12, Day: 10}
	ada := customer.Customer{Name: "Ada Lovelace", Email: "ada@example.com", Phone: &phone, TimeZone: &zone,
		Birthday: &birthday}
	confirmed := b.stored(t, b.bookFor(t, service, 8, ada).ID)
	known, written := b.customerRow(t, "ada@example.com"), b.customerVersion(t)
	const told = "SELECT count(*) FROM changes WHERE subject_type = 'customer'"

	otherPhone, otherZone, otherBirthday := "0190", "Asia/Tokyo", civil.Date{Year: 2000, Month: 1, Day: 1}
	held := b.bookFor(t, service, 9, customer.Customer{
		Name: "Mickey Mouse", Email: "ADA@example.com", Phone: &otherPhone, TimeZone: &otherZone,
		Birthday: &otherBirthday,
	}, hold)

	require.Equal(t, confirmed, b.stored(t, confirmed.ID))
	require.Equal(t, known, b.customerRow(t, "ada@example.com"))
	require.Equal(t, written, b.customerVersion(t), "no row of a customer is written")
	require.Equal(t, 1, b.count(t, told))
	want := customer.Customer{ID: known.ID, Name: "Mickey Mouse", Email: "ada@example.com", Phone: &otherPhone,
		TimeZone: &otherZone,
		Birthday: &birthday}
	require.Equal(t, want, held.Customer, "the hold has its own contact, and the customer's birthday")
	require.Equal(t, want, b.stored(t, held.ID).Customer)
	list, err := b.service.List(t.Context(), b.tenant, booking.Filter{Limit: 10, CustomerID: &known.ID})
	require.NoError(t, err)
	require.Len(t, list, 2)
	var shown string
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT data -> 'customer' ->> 'name' FROM changes WHERE type = 'booking.held'").Scan(&shown))
	require.Equal(t, "Mickey Mouse", shown)

	// Its confirmation changes nothing of the other one either.
	_, err = change(t, b.service, b.tenant, held.ID, booking.Confirm)
	require.NoError(t, err)
	require.Equal(t, confirmed, b.stored(t, confirmed.ID))
	require.Equal(t, want, b.stored(t, held.ID).Customer)
	require.Equal(t, written, b.customerVersion(t))
}

func TestContact_FamilyWithOneAddress_KeepsItsNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	const people = 24
	made := make([]booking.Booking, people)
	for i, err := range b.together(t, future(0), people, func(i int) (err error) { // in one transaction
		n := newBooking(service, slotOn(future(0), i, 0))
		phone := fmt.Sprintf("+49 30 %d", i)
		n.Customer = &customer.Customer{Name: fmt.Sprintf("Lovelace %d", i), Email: "family@example.com", Phone: &phone}
		if i%3 == 0 {
			hold(&n)
		}
		made[i], _, err = create(t, b.service, b.tenant, newKey(), n)
		return err
	}) {
		require.NoError(t, err, i)
	}
	require.LessOrEqual(t, b.transactions(t), groups+1)
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM customers"))
	require.Equal(t, 1, b.count(t, "SELECT version FROM customers"),
		"the first one made it, and left nothing to fill in")
	for i, m := range made {
		stored := b.stored(t, m.ID)
		require.Equal(t, m.Customer, stored.Customer)
		require.Equal(t, fmt.Sprintf("Lovelace %d", i), stored.Customer.Name)
		require.Equal(t, fmt.Sprintf("+49 30 %d", i), *stored.Customer.Phone)
		require.Equal(t, made[0].Customer.ID, stored.Customer.ID)
	}
}

func TestContact_WhatIsEmptyOfACustomer_IsFilledInAndNothingElse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	phone, other, zone, birthday := "+49 30 1", "+49 30 2", "Europe/London", civil.Date{Year: 1990, Month: 12, Day: 10}
	first := b.bookFor(t, service, 8, customer.Customer{Name: "Ada", Email: "ada@example.com"})
	want := first.Customer

	b.bookFor(t, service, 9, customer.Customer{Name: "Grace", Email: "ada@example.com", Phone: &phone}, hold)
	want.Phone = &phone
	require.Equal(t, want, b.customerRow(t, "ada@example.com"))
	b.bookFor(t, service, 10, customer.Customer{Name: "Grace", Email: "ada@example.com", Phone: &other, TimeZone: &zone,
		Birthday: &birthday})
	want.TimeZone, want.Birthday = &zone, &birthday
	require.Equal(t, want, b.customerRow(t, "ada@example.com"))
	require.Equal(t, 3, b.count(t, "SELECT version FROM customers"))
	var entry string
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT json_build_object('time_zone', data -> 'time_zone', 'birthday', data -> 'birthday') FROM changes "+
			"WHERE subject_type = 'customer' AND version = 3").Scan(&entry))
	require.JSONEq(t, `{"time_zone": "Europe/London", "birthday": "1990-12-10"}`, entry)

	// Also by a confirmation and a change.
	held := b.holdWithoutCustomer(t, service, slotOn(future(0), 11, 0))
	b.bookFor(t, service, 12, customer.Customer{Name: "Bob", Email: "bob@example.com"})
	confirmation := forCustomer("bob@example.com", "Robert")
	confirmation.Customer.Phone = &phone
	_, err := b.confirm(t, held.ID, confirmation)
	require.NoError(t, err)
	_, err = b.service.Amend(t.Context(), b.tenant, first.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{
			Customer: &customer.Customer{Name: "Roberta", Email: "bob@example.com", Phone: &other, TimeZone: &zone},
		}}, "")
	require.NoError(t, err)
	bob := b.customerRow(t, "bob@example.com")
	require.Equal(t, customer.Customer{ID: bob.ID, Name: "Bob", Email: "bob@example.com", Phone: &phone,
		TimeZone: &zone}, bob)
}

// Another transaction fills in the phone between the reading of the customer and the writing.
func TestContact_FilledInByAnotherTransactionMeanwhile_StaysAsThatOneSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		update   bool
		phone    string
		versions int
	}{
		"fill in": {update: false, phone: "theirs", versions: 1},
		"update":  {update: true, phone: "ours", versions: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			service := b.newSlotService(t, 1, 60)
			b.bookFor(t, service, 8, customer.Customer{Name: "Ada", Email: "ada@example.com"})
			other, err := b.sql.Begin(t.Context())
			require.NoError(t, err)
			defer func() { _ = other.Rollback(t.Context()) }()
			_, err = other.Exec(t.Context(), "UPDATE customers SET phone = 'theirs'")
			require.NoError(t, err)
			done := make(chan error, 1)
			go func() {
				ours := "ours"
				n := newBooking(service, slotOn(future(0), 9, 0))
				n.Customer, n.UpdateCustomer = &customer.Customer{Name: "Ada", Email: "ada@example.com", Phone: &ours},
					c.update
				_, _, err := create(t, b.service, b.tenant, newKey(), n)
				done <- err
			}()
			require.Eventually(t, func() bool {
				return b.count(t, `SELECT count(*) FROM pg_stat_activity
					WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`) == 1
			}, longestWait, 5*time.Millisecond)
			require.NoError(t, other.Commit(t.Context()))
			require.NoError(t, <-done)
			require.Equal(t, c.phone, *b.customerRow(t, "ada@example.com").Phone)
			require.Equal(t, c.versions, b.count(t, "SELECT version FROM customers"))
			require.Equal(t, c.versions, b.count(t, "SELECT count(*) FROM changes WHERE subject_type = 'customer'"))
		})
	}
}

func TestContact_UpdateCustomer_ReplacesWhatIsKnownAndNoOtherContact(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	phone, other := "+49 30 1", "+49 30 2"
	first := b.stored(t,
		b.bookFor(t, service, 8, customer.Customer{Name: "Ada", Email: "ada@example.com", Phone: &phone}).ID)
	second := b.bookFor(t, service, 9, customer.Customer{Name: "Ada Lovelace", Email: "ada@example.com", Phone: &other},
		updatesCustomer)
	require.Equal(t, second.Customer, b.customerRow(t, "ada@example.com"))
	require.Equal(t, first.Body(), b.stored(t, first.ID).Body())

	held := b.holdWithoutCustomer(t, service, slotOn(future(0), 10, 0))
	confirmation := forCustomer("ada@example.com", "Countess")
	confirmation.UpdateCustomer = true
	_, err := b.confirm(t, held.ID, confirmation)
	require.NoError(t, err)
	require.Equal(t, "Countess", b.customerRow(t, "ada@example.com").Name)

	// What the booking has already changes the customer alone.
	version := b.stored(t, second.ID).Version
	updated, err := b.service.Amend(t.Context(), b.tenant, second.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{
			Customer:       &customer.Customer{Name: "Ada Lovelace", Email: "ada@example.com", Phone: &other},
			UpdateCustomer: true,
		}}, "")
	require.NoError(t, err)
	require.Equal(t, version, updated.Version)
	require.Equal(t, "Ada Lovelace", b.customerRow(t, "ada@example.com").Name)

	n := newBooking(service, slotOn(future(0), 11, 0))
	n.Customer, n.CustomerID, n.UpdateCustomer = nil, &second.Customer.ID, true
	_, _, err = create(t, b.service, b.tenant, newKey(), n)
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
}

// Of requests in one transaction some update the customer and others fill in.
func TestContact_UpdatesAndFillsInOneGroup_EachHasItsContact(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	b.bookFor(t, service, 23, customer.Customer{Name: "Ada", Email: "ada@example.com"})
	for i, err := range b.together(t, future(0), 20, func(i int) error {
		n := newBooking(service, slotOn(future(0), i, 0))
		phone := fmt.Sprintf("+49 30 %d", i)
		n.Customer, n.UpdateCustomer = &customer.Customer{Name: fmt.Sprintf("Ada %d", i), Email: "ada@example.com",
			Phone: &phone}, i%2 == 0
		made, _, err := create(t, b.service, b.tenant, newKey(), n)
		if err == nil {
			require.Equal(t, *n.Customer.Phone, *made.Customer.Phone)
			require.Equal(t, n.Customer.Name, b.stored(t, made.ID).Customer.Name)
		}
		return err
	}) {
		require.NoError(t, err, i)
	}
	var last int
	row := b.customerRow(t, "ada@example.com")
	_, err := fmt.Sscanf(row.Name, "Ada %d", &last)
	require.NoError(t, err, "a booking that only fills in renames nobody")
	require.Zero(t, last%2)
	require.Equal(t, fmt.Sprintf("+49 30 %d", last), *row.Phone)
}

func TestContact_ByID_IsWhatIsKnownThen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	ada := b.bookFor(t, service, 8, customer.Customer{Name: "Ada", Email: "ada@example.com"}).Customer
	n := newBooking(service, slotOn(future(0), 9, 0))
	n.Customer, n.CustomerID = nil, &ada.ID
	made, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.NoError(t, err)
	require.Equal(t, ada, made.Customer)
	b.bookFor(t, service, 10, customer.Customer{Name: "Ada Lovelace", Email: "ada@example.com"}, updatesCustomer)
	require.Equal(t, "Ada", b.stored(t, made.ID).Customer.Name)

	updated, err := b.service.Amend(t.Context(), b.tenant, made.ID,
		booking.AmendRequest{CustomerChoice: booking.CustomerChoice{CustomerID: &ada.ID}}, "")
	require.NoError(t, err)
	require.Equal(t, "Ada Lovelace", updated.Customer.Name)
	require.Equal(t, made.Version+1, updated.Version)
	require.Equal(t, "Ada Lovelace", b.stored(t, made.ID).Customer.Name)
}

// What a booking writes of a known customer is nothing, and costs no statement.
func TestContact_KnownCustomer_CostsNoWriteAndNoRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	proxy := dbtest.NewProxy(t, b.url)
	s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 1})
	bookings := booking.NewService(s)
	written := ""
	for day := range 3 {
		before := proxy.Trips()
		n := newBooking(service, onDate(future(day)))
		n.Customer = &customer.Customer{Email: "ada@example.com", Name: uuid.NewString()}
		made, _, err := create(t, bookings, b.tenant, newKey(), n)
		require.NoError(t, err)
		s.WaitForBackground()
		if day == 2 { // statements are prepared by then
			require.Equal(t, 2, proxy.Trips()-before)
		}
		if day > 0 {
			require.Equal(t, written, b.customerVersion(t))
		}
		written = b.customerVersion(t)
		require.Equal(t, n.Customer.Name, b.stored(t, made.ID).Customer.Name)
	}
}
