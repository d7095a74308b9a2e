package lock

import "slices"

// WalletKeys are the locks on some of one tenant's wallets. The zero value locks nothing.
type WalletKeys struct {
	Set

	wallets [][16]byte
}

// Wallets names the locks `{tenant}:wallet:{wallet}`. A transfer asks for both of its wallets in one
// call, so that two opposite transfers can't deadlock.
//
// It returns ErrNoKeys without wallets and ErrTooManyKeys above MaxKeys different ones.
func Wallets(tenant [16]byte, wallets ...[16]byte) (WalletKeys, error) {
	prefix := uuidText(tenant) + ":wallet:"
	keys := make([]Key, 0, len(wallets))
	for _, w := range wallets {
		keys = append(keys, keyOf(prefix+uuidText(w)))
	}
	set, err := newSet(tenant, "wallet", keys)
	if err != nil {
		return WalletKeys{}, err
	}
	return WalletKeys{Set: set, wallets: slices.Clone(wallets)}, nil
}

// Wallets returns the wallets that are locked. The caller must not change them.
func (w WalletKeys) Wallets() [][16]byte { return w.wallets }
