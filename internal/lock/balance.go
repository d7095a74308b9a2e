package lock

import "slices"

// BalanceKey is the lock on one booking's money. The zero value locks nothing.
type BalanceKey struct {
	tenant, booking [16]byte
	keys            []Key
}

// Balance names the lock `{tenant}:balance:{booking}`, held while a payment or refund of that booking
// is recorded.
func Balance(tenant, booking [16]byte) BalanceKey {
	return BalanceKey{
		tenant:  tenant,
		booking: booking,
		keys:    []Key{keyOf(uuidText(tenant) + ":balance:" + uuidText(booking))},
	}
}

// Tenant returns the tenant that the booking belongs to.
func (b BalanceKey) Tenant() [16]byte { return b.tenant }

// Booking returns the booking whose money is locked.
func (b BalanceKey) Booking() [16]byte { return b.booking }

// Kind returns "balance".
func (BalanceKey) Kind() string { return "balance" }

// Keys returns the one lock, and none for the zero value.
func (b BalanceKey) Keys() []Key { return slices.Clone(b.keys) }
