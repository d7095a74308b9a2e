package payment

// Means is how money moved, as people are told: one of the two below, or an OfflineMethod.
type Means string

// The means of money that isn't offline.
const (
	// MeansProvider is a card or account at the payment provider.
	MeansProvider Means = "provider"
	MeansWallet   Means = "wallet"
)

// Means returns how the money of a payment or refund moves.
func (p PaymentBody) Means() Means {
	switch p.Provider {
	case walletProvider:
		return MeansWallet
	case offlineProvider:
		return Means(p.PaymentMethod)
	default: // all others are payment providers
		return MeansProvider
	}
}
