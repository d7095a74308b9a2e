package lock

import "slices"

// WalletKeys are the locks on some of one tenant's wallets. The zero value locks nothing.
type WalletKeys struct {
	tenant [16]byte
	keys   []Key
}

// Wallets names the locks `{tenant}:wallet:{wallet}`. A transfer asks for both of its wallets in one
// call, which is what keeps two opposite transfers from deadlocking.
//
// It returns ErrNoKeys without wallets and ErrTooManyKeys above MaxKeys different ones.
func Wallets(tenant [16]byte, wallets ...[16]byte) (WalletKeys, error) {
	prefix := uuidText(tenant) + ":wallet:"
	keys := make([]Key, 0, len(wallets))
	for _, w := range wallets {
		keys = append(keys, keyOf(prefix+uuidText(w)))
	}
	keys, err := ordered(keys)
	if err != nil {
		return WalletKeys{}, err
	}
	return WalletKeys{tenant: tenant, keys: keys}, nil
}

// Tenant returns the tenant whose wallets are locked.
func (w WalletKeys) Tenant() [16]byte { return w.tenant }

// Kind returns "wallet".
func (WalletKeys) Kind() string { return "wallet" }

// Keys returns the locks in the order in which they must be taken, each once.
func (w WalletKeys) Keys() []Key { return slices.Clone(w.keys) }
