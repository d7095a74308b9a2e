package lock

// BalanceKey is the lock on one booking's money. The zero value locks nothing.
type BalanceKey struct {
	Set

	booking [16]byte
}

// Balance names the lock `{tenant}:balance:{booking}`, held while a payment or refund of that booking
// is recorded.
func Balance(tenant, booking [16]byte) BalanceKey {
	keys := []Key{keyOf(uuidText(tenant) + ":balance:" + uuidText(booking))}
	return BalanceKey{Set: Set{tenant: tenant, kind: "balance", keys: keys}, booking: booking}
}

// Booking returns the booking whose money is locked.
func (b BalanceKey) Booking() [16]byte { return b.booking }
