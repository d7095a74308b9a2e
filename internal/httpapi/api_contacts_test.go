package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// receiptOf returns the receipt of a payment, and whom it names.
func (c client) receiptOf(t testingT, payment uuid.UUID) (body string, customer object) {
	t.Helper()
	a := c.get(t, "/v1/payments/"+payment.String()+"/receipt")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, http.StatusOK, c.get(t, "/v1/payments/"+payment.String()+"/receipt.pdf").status)
	customer, _ = a.fieldOrNil(t, "customer").(object)
	return a.body, customer
}

func (a answer) fieldOrNil(t testingT, name string) any {
	t.Helper()
	var body object
	a.read(t, &body)
	return body[name]
}

func contactOf(name, email string) object { return object{"name": name, "email": email} }

// paidFor makes a booking for a customer, and pays some of it.
func (c client) paidFor(t testingT, service uuid.UUID, day int, customer object, with ...object,
) (booking, payment uuid.UUID) {
	t.Helper()
	booking, _ = c.bookFor(t, service, day, customer, with...)
	paid := c.payWith(t, booking, "pm_ok", 1000)
	require.Equal(t, http.StatusCreated, paid.status, paid.body)
	return booking, paid.id(t)
}

func TestContacts_UnpaidHoldWithAnotherName_ChangesNoPaidBookingAndNoReceipt(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	booking, payment := c.paidFor(t, service, 3,
		object{"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+49 30 1"})
	customer := c.get(t, "/v1/bookings/"+booking.String()).field(t, "customer").(object)["id"].(string)
	read := func() (all []string) {
		for _, path := range []string{
			"/v1/bookings/" + booking.String(), "/v1/payments/" + payment.String() + "/receipt",
			"/v1/payments/" + payment.String() +
				"/receipt.pdf",
			"/v1/customers/" + customer, "/v1/bookings/" + booking.String() + "/history",
			"/v1/customers/" + customer + "/history",
		} {
			all = append(all, c.get(t, path).ok(t).body)
		}
		return all
	}
	before := read()
	held := c.book(t, service, future(3), object{
		"customer": object{"name": "Mickey Mouse", "email": "Ada@Example.com", "phone": "0190"}, "hold_minutes": 30,
	})
	require.Equal(t, http.StatusCreated, held.status, held.body)
	require.Equal(t, before, read())
	require.Equal(t, object{"id": customer, "name": "Mickey Mouse", "email": "ada@example.com", "phone": "0190"},
		held.field(t, "customer"))
}

func TestContacts_ReceiptsOfOneAddress_NameWhoPaid(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	booking, adas := c.paidFor(t, service, 3, contactOf("Ada", "family@example.com"))
	_, bobs := c.paidFor(t, service, 4, contactOf("Bob", "family@example.com"))
	before, customer := c.receiptOf(t, adas)
	require.Equal(t, contactOf("Ada", "family@example.com"), customer)
	_, customer = c.receiptOf(t, bobs)
	require.Equal(t, contactOf("Bob", "family@example.com"), customer)

	// Neither another customer of the booking, nor a change or a merge of the one who paid, changes the receipt.
	path := "/v1/bookings/" + booking.String()
	family := c.get(t, path).field(t, "customer").(object)["id"].(string)
	changed := c.patch(t, path, object{"customer": contactOf("Grace", "grace@example.com")})
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	second := c.payWith(t, booking, "pm_ok", 500).id(t)
	c.patch(t, "/v1/customers/"+family, object{"name": "Renamed", "email": "other@example.com"}).ok(t)
	c.merge(t, uuid.MustParse(family), uuid.MustParse(changed.field(t, "customer").(object)["id"].(string))).ok(t)
	after, _ := c.receiptOf(t, adas)
	require.Equal(t, before, after)
	_, customer = c.receiptOf(t, second)
	require.Equal(t, contactOf("Grace", "grace@example.com"), customer)
}

func TestContacts_PaidByWalletOrBeforeTheCustomerIsKnown_ReceiptNamesThePayer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	booking, ada := c.bookFor(t, service, 3, contactOf("Ada", "ada@example.com"))
	wallet := c.created(t, c.post(t, "/v1/wallets", object{"customer_id": ada.String(), "currency": "EUR"}))
	c.post(t, walletPath(wallet)+"/credits", object{"amount": 500})
	paid := c.pay(t, booking,
		object{"kind": "amount", "amount": 1500, "payment_method": "pm_ok", "wallet_id": wallet.String()})
	require.Equal(t, http.StatusCreated, paid.status, paid.body)
	var payments []uuid.UUID
	rows, err := c.sql.Query(t.Context(), "SELECT payment_id FROM payments WHERE booking_id = $1", booking)
	require.NoError(t, err)
	for rows.Next() {
		var id uuid.UUID
		require.NoError(t, rows.Scan(&id))
		payments = append(payments, id)
	}
	require.NoError(t, rows.Err())
	require.Len(t, payments, 2, "by card and from the wallet")

	hold := c.holdWithoutCustomer(t, service, future(4))
	early := c.payWith(t, hold, "pm_ok", 1000).id(t)
	_, nobody := c.receiptOf(t, early)
	require.Nil(t, nobody)
	c.post(t, "/v1/bookings/"+hold.String()+"/confirm", object{"customer": contactOf("Ada", "ada@example.com")}).ok(t)
	updated := c.holdWithoutCustomer(t, service, future(5))
	also := c.payWith(t, updated, "pm_ok", 1000).id(t)
	c.patch(t, "/v1/bookings/"+updated.String(), object{"customer": contactOf("Ada", "ada@example.com")}).ok(t)
	for _, id := range []uuid.UUID{booking, hold, updated} {
		c.patch(t, "/v1/bookings/"+id.String(), object{"customer": contactOf("Grace", "grace@example.com")}).ok(t)
	}
	for _, payment := range append(payments, early, also) {
		_, customer := c.receiptOf(t, payment)
		require.Equal(t, contactOf("Ada", "ada@example.com"), customer)
	}
}

func TestContacts_ErasureOfWhoPaid_LeavesNothingOfThePersonAndAllOfOthers(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	word := "Qzx" + uuid.NewString()[:8]
	kept, first := c.paidFor(t, service, 3,
		object{"name": word, "email": word + "@example.com", "phone": word, "time_zone": "Europe/London"})
	c.bookFor(t, service, 4, contactOf(word+" held", word+"@example.com"), object{"hold_minutes": 30})
	given, second := c.paidFor(t, service, 5, contactOf(word+" also", word+"@example.com"))
	ada := uuid.MustParse(c.get(t, "/v1/bookings/"+kept.String()).field(t, "customer").(object)["id"].(string))
	path := "/v1/bookings/" + given.String()
	c.patch(t, path, object{"customer": contactOf("Grace", "grace@example.com")}).ok(t)
	graces := c.payWith(t, given, "pm_ok", 500).id(t)
	before := c.holding(t, word)
	require.Contains(t, before, "bookings.contact", "the search must be able to fail")
	require.Contains(t, before, "payments.contact")

	export := c.get(t, customerPath(ada)+"/export").ok(t)
	payers := map[string]any{}
	for _, p := range export.field(t, "payments").([]any) {
		payers[p.(object)["id"].(string)] = p.(object)["payer"]
	}
	require.Equal(t, map[string]any{
		first.String(): object{"name": word, "email": strings.ToLower(word) + "@example.com", "phone": word,
			"time_zone": "Europe/London"},
		second.String(): contactOf(word+" also", strings.ToLower(word)+"@example.com"),
	}, payers, "also of the booking that somebody else has now, and none of this one's")
	require.Contains(t, export.body, word+" held")
	require.NotContains(t, export.body, "Grace")
	theirs := c.get(t, customerPath(uuid.MustParse(c.get(t, path).field(t, "customer").(object)["id"].(string)))+
		"/export").ok(t)
	require.NotContains(t, theirs.body, word)

	c.erased(t, ada)
	require.Empty(t, c.holding(t, word))
	for _, payment := range []uuid.UUID{first, second} {
		_, customer := c.receiptOf(t, payment)
		require.Equal(t, "Erased", customer["name"])
	}
	_, customer := c.receiptOf(t, graces)
	require.Equal(t, contactOf("Grace", "grace@example.com"), customer)
	require.Equal(t, "Grace", c.get(t, path).field(t, "customer").(object)["name"])
	require.Equal(t, "Erased", c.get(t, "/v1/bookings/"+kept.String()).field(t, "customer").(object)["name"])
}

func TestContacts_UpdateCustomer_IsForKeysThatMayChangeCustomers(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 9))
	booking, ada := c.bookFor(t, service, 3, contactOf("Ada", "ada@example.com"))
	name := func() string { return c.get(t, customerPath(ada)).text(t, "name") }
	limited, _ := c.withScopes(t, "book")
	may, _ := c.withScopes(t, "book", "customers")

	renamed := object{"customer": contactOf("Ada Lovelace", "ada@example.com")}
	updating := object{"customer": renamed["customer"], "update_customer": true}
	hold := c.holdWithoutCustomer(t, service, future(4))
	requests := []struct {
		path string
		send func(c client, body object) answer
	}{
		{"create", func(c client, body object) answer {
			return c.post(t, "/v1/bookings", bookingOf(service, future(5), body))
		}},
		{"confirm", func(c client,
			body object) answer {
			return c.post(t, "/v1/bookings/"+hold.String()+"/confirm", body)
		}},
		{"update", func(c client, body object) answer { return c.patch(t, "/v1/bookings/"+booking.String(), body) }},
	}
	for _, r := range requests {
		tables := c.tables(t)
		refused := requireProblem(t, r.send(limited, updating), http.StatusForbidden, problem.Forbidden)
		require.Contains(t, refused.Detail, "update_customer")
		require.Contains(t, refused.Detail, "scope customers")
		require.Equal(t, tables, c.tables(t), r.path)
		require.Equal(t, "Ada", name())
	}
	requireProblem(t, limited.patch(t, customerPath(ada), object{"name": "X"}), http.StatusForbidden, problem.Forbidden)

	for _, r := range requests {
		a := r.send(may, updating)
		require.Less(t, a.status, 300, a.body)
		require.Equal(t, "Ada Lovelace", name(), r.path)
		c.patch(t, customerPath(ada), object{"name": "Ada"}).ok(t)
	}
	a := limited.book(t, service, future(6), renamed)
	require.Equal(t, "Ada Lovelace", a.field(t, "customer").(object)["name"])
	require.Equal(t, "Ada", name(), "without update_customer nothing is renamed")
	byID := without(bookingOf(service, future(6), object{"customer_id": ada.String(), "update_customer": true}),
		[]any{"customer"})
	requireProblem(t, may.post(t, "/v1/bookings", byID), http.StatusUnprocessableEntity, problem.ValidationFailed)
}

func TestContact_Language_StaysWithTheBooking(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 5))
	booking, ada := c.bookFor(t, service, 3, object{"name": "Ada", "email": "ada@example.com", "language": "de"})
	path := "/v1/bookings/" + booking.String()
	language := func(a answer) any { return a.field(t, "customer").(object)["language"] }
	require.Equal(t, "de", language(c.get(t, path)))
	require.NotContains(t, c.get(t, customerPath(ada)).body, "language")
	require.Equal(t, "de",
		language(c.patch(t, path, object{"customer": object{"name": "Ada King", "email": "Ada@example.com"}})))
	spanish := object{"name": "Ada", "email": "ada@example.com", "language": "es"}
	require.Equal(t, "es", language(c.patch(t, path, object{"customer": spanish})))
	require.Contains(t, c.get(t, customerPath(ada)+"/export").body, `"language":"es"`)
	require.Nil(t, language(c.patch(t, path, object{"customer": object{"name": "Bo", "email": "bo@example.com"}})))
	requireProblem(t, c.patch(t, path,
		object{"customer": object{"name": "Bo", "email": "bo@example.com", "language": "fr"}}),
		http.StatusUnprocessableEntity, problem.ValidationFailed)
	requireProblem(t, c.patch(t, customerPath(ada), object{"language": "de"}), http.StatusUnprocessableEntity,
		problem.ValidationFailed)

	_, eve := c.bookFor(t, service, 4, object{"name": "Eve", "email": "eve@example.com", "language": "de"})
	require.Equal(t, http.StatusOK, c.post(t, customerPath(eve)+"/erase", nil).status)
	require.NotContains(t, c.get(t, "/v1/bookings?customer_id="+eve.String()).body, "language")
	require.Equal(t, 0, c.count(t, `SELECT count(*) FROM changes WHERE data::text LIKE '%language%'
		AND data -> 'customer' ->> 'id' = $1::text`, eve.String()))
}
