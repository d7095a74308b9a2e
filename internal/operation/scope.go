package operation

// Scope is what an API key may do. Each route of a tenant needs exactly one scope, and no scope includes another one.
type Scope string

// The scopes.
const (
	// ScopeCatalog: read what can be booked, without anything of customers.
	ScopeCatalog Scope = "catalog"
	// ScopeHold: make holds as a visitor of the tenant's website does, pay for them and confirm them. It shows no other
	// booking.
	ScopeHold Scope = "hold"
	// ScopeRead: read everything else but API keys.
	ScopeRead Scope = "read"
	// ScopeBook: make and change bookings and holds, and make customers.
	ScopeBook Scope = "book"
	// ScopeCustomers: change what is known of customers.
	ScopeCustomers Scope = "customers"
	// ScopeMoney: payments, refunds and wallets.
	ScopeMoney Scope = "money"
	// ScopeAdmin: change the catalog, settings, webhooks and scheduled events; read and change API keys.
	ScopeAdmin Scope = "admin"
)

// Scopes returns every scope there is, in the order in which they are shown.
func Scopes() []Scope {
	return []Scope{ScopeCatalog, ScopeHold, ScopeRead, ScopeBook, ScopeCustomers, ScopeMoney, ScopeAdmin}
}

// Values returns the texts of Scopes.
func (Scope) Values() []string {
	var list []string
	for _, s := range Scopes() {
		list = append(list, string(s))
	}
	return list
}
