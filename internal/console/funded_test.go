package console_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

// funded is a business that has something of each page of customers and money.
type funded struct {
	*business

	customer, other, booking, payment, refund string
	wallet, card, code                        string // card is a gift card
}

// fund returns a business with customers and money. text stands wherever people write a text.
func fund(t testing.TB, text string) funded {
	t.Helper()
	f := funded{business: newBusiness(t)}
	made := f.book(t, f.tour(t, object{"deposit": 1000}), tourAt(t, 0, 10))
	f.booking, f.customer = made["id"].(string), made["customer"].(object)["id"].(string)
	f.call(t, "PATCH", "/v1/customers/"+f.customer, f.key, object{"name": text})
	f.call(t, "PATCH", "/v1/bookings/"+f.booking, f.key, object{"reference": text})
	f.other = f.made(t, "/v1/customers", object{"name": "Alan Turing", "email": "alan@example.com"})
	f.payment = f.made(t, "/v1/bookings/"+f.booking+"/payments", object{"kind": "deposit", "payment_method": "pm_ok"})
	f.refund = f.made(t, "/v1/payments/"+f.payment+"/refunds", object{"amount": 300})
	f.wallet = f.made(t, "/v1/wallets", object{"customer_id": f.customer, "currency": "EUR"})
	card := f.call(t, "POST", "/v1/wallets", f.key, object{"currency": "EUR"})
	f.card, f.code = card["id"].(string), card["code"].(string)
	for _, id := range []string{f.wallet, f.card} {
		f.made(t, "/v1/wallets/"+id+"/credits", object{"amount": 5000, "reason": text, "reference": text})
	}
	f.made(t, "/v1/wallets/"+f.wallet+"/debits", object{"amount": 100, "reason": text})
	return f
}

// made makes something through the API and returns its id.
func (s *business) made(t testing.TB, path string, body object) string {
	t.Helper()
	id, _ := s.call(t, "POST", path, s.key, body)["id"].(string)
	return id
}

// balance returns what a wallet has.
func (s *business) balance(t testing.TB, wallet string) int {
	t.Helper()
	return int(s.call(t, "GET", "/v1/wallets/"+wallet, s.key, nil)["balance"].(float64))
}

// foreigner returns the first page of the owner of another tenant, whose console is island.
func (s *business) foreigner(t testing.TB) *pagetest.Page {
	t.Helper()
	key, id := s.addTenant(t, "island")
	eve := s.call(t, "POST", user.Path, key,
		object{"email": "eve@island.example", "name": "eve", "role": "owner"})["id"].(string)
	link, err := s.users.NewLink(t.Context(), tenantOf(id, "island"), uuid.MustParse(eve), user.LinkTime)
	require.NoError(t, err)
	p := pagetest.NewVisitor(t).Open(t, link).Press(t, "Sign in")
	require.Equal(t, "/console/island", p.URL.Path)
	return p
}

// things are the paths of f's things, each with the roles that may open it.
func (f funded) things() map[string][]user.Role {
	owner, staff := []user.Role{user.RoleOwner}, []user.Role{user.RoleOwner, user.RoleStaff}
	paths := map[string][]user.Role{}
	for path, below := range map[string]map[string][]user.Role{
		"/customers/" + f.customer: {
			"": user.Roles(), "/change": staff, "/merge": owner, "/merge/" + f.other: owner, "/erase": owner,
			"/export": owner,
		},
		"/payments/" + f.payment:      {"": user.Roles(), "/receipt": user.Roles()},
		"/payments/" + f.refund:       {"": user.Roles()},
		"/bookings/" + f.booking:      {"/refund/" + f.payment: staff},
		"/payments/wallets/" + f.card: {"": user.Roles(), "/rotate": staff},
		"/payments/wallets/" + f.wallet: {"": user.Roles(), "/credit": staff, "/debit": staff, "/transfer": staff,
			"/transfer/" + f.card: staff},
		"/payments/wallets/new?customer=":   {f.customer: staff},
		"/payments/wallets/" + f.card + "/": {"transfer/" + f.wallet + "?amount=1": staff},
	} {
		for b, may := range below {
			paths[path+b] = may
		}
	}
	return paths
}

// sent are the paths to which forms are sent that change f's things, each with the roles that may send it.
func (f funded) sent() map[string][]user.Role {
	owner, staff := []user.Role{user.RoleOwner}, []user.Role{user.RoleOwner, user.RoleStaff}
	paths := map[string][]user.Role{}
	for path, below := range map[string]map[string][]user.Role{
		"/customers/" + f.customer: {
			"/change": staff, "/archive": staff, "/unarchive": staff, "/merge/" + f.other: owner, "/erase": owner,
		},
		"/payments/" + f.payment:      {"/cancel": staff},
		"/bookings/" + f.booking:      {"/refund/" + f.payment: staff, "/refund-overpaid": staff},
		"/payments/wallets/" + f.card: {"/rotate": staff},
		"/payments/wallets/" + f.wallet: {"/credit": staff, "/debit": staff, "/transfer": staff,
			"/transfer/" + f.card: staff},
	} {
		for b, may := range below {
			paths[path+b] = may
		}
	}
	return paths
}

// facts counts what forms could have changed.
func (f funded) facts(t testing.TB) int {
	t.Helper()
	return f.count(t, `SELECT (SELECT count(*) FROM changes) + (SELECT count(*) FROM payments) + (SELECT sum(version) FROM customers) +
		(SELECT count(*) FROM wallets) + (SELECT sum(version) FROM wallets) + (SELECT sum(version) FROM bookings)`)
}
