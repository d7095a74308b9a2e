package booking_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
)

// customerRow is a customer as it is stored.
func (b *testBundle) customerRow(t *testing.T, email string) customer.Customer {
	t.Helper()
	c := customer.Customer{Email: email}
	var birthday *string
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT customer_id, name, phone, time_zone, birthday::text FROM customers WHERE tenant_id = $1 AND email = $2",
		b.tenant.ID, email).
		Scan(&c.ID, &c.Name, &c.Phone, &c.TimeZone, &birthday))
	if birthday != nil {
		d, err := civil.ParseDate(*birthday)
		require.NoError(t, err)
		c.Birthday = &d
	}
	return c
}

func TestCustomer_UpdatedByBookings_IsAsTheLastOneSays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	hour := -1
	book := func(c customer.Customer) (booking.Booking, string, booking.CreateRequest) {
		hour++
		n := newBooking(service, slotOn(future(0), hour, 0))
		c.Email = "Ada@Example.com"
		n.Customer, n.UpdateCustomer = &c, true
		key := newKey()
		made, _, err := create(t, b.service, b.tenant, key, n)
		require.NoError(t, err)
		return made, key, n
	}
	phone, other, zone, birthday := "+49 30 1", "+49 30 2", "Europe/London", civil.Date{Year: 1990, Month: 12, Day: 10}
	first, key, n := book(customer.Customer{Name: "Ada", Phone: &phone})
	require.Equal(t, first.Customer, b.customerRow(t, "ada@example.com"))

	second, _, _ := book(customer.Customer{Name: "Ada Lovelace"})
	want := customer.Customer{ID: first.Customer.ID, Email: "ada@example.com", Name: "Ada Lovelace", Phone: &phone}
	require.Equal(t, want.ID, second.Customer.ID)
	require.Equal(t, want, b.customerRow(t, want.Email), "what isn't given stays")

	third, _, _ := book(customer.Customer{Name: "Ada Lovelace", Phone: &other, TimeZone: &zone, Birthday: &birthday})
	want.Phone, want.TimeZone, want.Birthday = &other, &zone, &birthday
	require.Equal(t, want, third.Customer)
	require.Equal(t, want, b.customerRow(t, want.Email))
	read, err := b.service.Get(t.Context(), b.tenant, first.ID)
	require.NoError(t, err)
	first.Customer.Birthday = &birthday
	require.Equal(t, first.Customer, read.Customer, "the booking keeps what was given for it")

	// A replay changes nothing, and neither do a refusal and a booking that gives nothing new.
	_, resp, err := create(t, b.service, b.tenant, key, n)
	require.NoError(t, err)
	require.True(t, resp.Replayed)
	n.Customer.Name = "Somebody Else"
	_, _, err = create(t, b.service, b.tenant, newKey(), n)
	require.Error(t, err, "the time is taken")
	written := b.customerVersion(t)
	book(customer.Customer{Name: "Ada Lovelace", Phone: &other})
	require.Equal(t, want, b.customerRow(t, want.Email))
	require.Equal(t, written, b.customerVersion(t), "nothing differs, so nothing is written")

	// By id it is named, not changed.
	byID := newBooking(service, slotOn(future(0), 20, 0))
	byID.Customer, byID.CustomerID, byID.UpdateCustomer = nil, &want.ID, false
	made, _, err := create(t, b.service, b.tenant, newKey(), byID)
	require.NoError(t, err)
	require.Equal(t, want, made.Customer)
}

// customerVersion tells the stored form of the tenant's customers apart from what an UPDATE makes of it.
func (b *testBundle) customerVersion(t *testing.T) (version string) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT string_agg(xmin::text, ',' ORDER BY email) FROM customers").Scan(&version))
	return version
}

func TestCustomer_TwoUpdatesInOneGroup_LastWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	known := newBooking(service, slotOn(future(1), 0, 0))
	known.Customer.Email = "known@example.com"
	before, _, err := create(t, b.service, b.tenant, newKey(), known)
	require.NoError(t, err)
	emails := []string{"known@example.com", "new@example.com"}
	made := make([]booking.Booking, 24)
	for i, err := range b.together(t, future(0), len(made), func(i int) (err error) {
		n := newBooking(service, slotOn(future(0), i, 0))
		phone := fmt.Sprintf("+49 30 %d", i)
		n.Customer = &customer.Customer{Email: emails[i%2], Name: fmt.Sprintf("Ada %d", i), Phone: &phone}
		n.UpdateCustomer = true
		if i%4 == 0 {
			n.Customer, n.CustomerID, n.UpdateCustomer = nil, &before.Customer.ID, false
		}
		made[i], _, err = create(t, b.service, b.tenant, newKey(), n)
		return err
	}) {
		require.NoError(t, err, i)
		if i%4 != 0 {
			require.Equal(t, fmt.Sprintf("Ada %d", i), made[i].Customer.Name, "each response says what was true for it")
		}
	}
	require.LessOrEqual(t, b.transactions(t), groups+1)
	require.Equal(t, 2, b.count(t, "SELECT count(*) FROM customers"))
	for i, email := range emails {
		row := b.customerRow(t, email)
		var last int
		_, err := fmt.Sscanf(row.Name, "Ada %d", &last)
		require.NoError(t, err)
		require.Equal(t, i, last%2)
		require.Equal(t, made[last].Customer, row, "name and phone are of one request")
	}
}

func TestCustomer_NewWithBookings_IsToldOfBeforeThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, slotOn(future(1), 0, 0)))
	require.NoError(t, err)
	const inOneGroup = 20
	for i, err := range b.together(t, future(0), inOneGroup, func(i int) error {
		n := newBooking(service, slotOn(future(0), i, 0))
		n.Customer = &customer.Customer{Email: fmt.Sprintf("c%d@example.com", i%3), Name: fmt.Sprintf("Ada %d", i)}
		_, _, err := create(t, b.service, b.tenant, newKey(), n)
		return err
	}) {
		require.NoError(t, err, i)
	}
	const pairs = `SELECT count(*) FROM changes AS c
		JOIN changes AS b ON b.type = 'booking.created' AND b.data -> 'customer' ->> 'id' = c.subject_id::text
		WHERE c.type = 'customer.created'`
	require.Equal(t, 1+inOneGroup, b.count(t, pairs))
	require.Zero(t, b.count(t, pairs+" AND (b.transaction_id, b.change_id) < (c.transaction_id, c.change_id)"))
}

// TestCustomer_ChangedByManyAtOnce_IsAsOneOfThemSays has servers change the same customers, each on dates of its own,
// in any order.
func TestCustomer_ChangedByManyAtOnce_IsAsOneOfThemSays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	other, _ := b.process(t)
	servers := []*booking.Service{b.service, other}
	const requests, customers = 60, 3
	made := make([]booking.Booking, requests)
	errs := make([]error, requests)
	var wg sync.WaitGroup
	for i := range requests {
		wg.Go(func() {
			n := newBooking(service, slotOn(future(i%20), i/20, 0))
			phone := strconv.Itoa(i)
			n.Customer = &customer.Customer{Email: fmt.Sprintf("c%d@example.com", i%customers),
				Name:  fmt.Sprintf("Ada %d", i),
				Phone: &phone}
			n.UpdateCustomer = true
			made[i], _, errs[i] = create(t, servers[i%2], b.tenant, newKey(), n)
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	for c := range customers {
		row := b.customerRow(t, fmt.Sprintf("c%d@example.com", c))
		var last int
		_, err := fmt.Sscanf(row.Name, "Ada %d", &last)
		require.NoError(t, err)
		require.Equal(t, made[last].Customer, row)
	}
	require.Equal(t, customers, b.count(t, "SELECT count(*) FROM customers"))
}

func TestRoundTrips_CreateThatUpdatesItsCustomer_Two(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	proxy := dbtest.NewProxy(t, b.url)
	s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 1})
	bookings := booking.NewService(s)
	for day := range 3 {
		before := proxy.Trips()
		n := newBooking(service, onDate(future(day)))
		n.Customer, n.UpdateCustomer = &customer.Customer{Email: "ada@example.com", Name: uuid.NewString()}, true
		_, _, err := create(t, bookings, b.tenant, newKey(), n)
		require.NoError(t, err)
		s.WaitForBackground()
		if day == 2 { // statements are prepared by then
			require.Equal(t, 2, proxy.Trips()-before)
		}
		require.Equal(t, n.Customer.Name, b.customerRow(t, "ada@example.com").Name)
	}
}
