package payment

// Means is how money moved, as pages and emails name it: one of the two below, or an OfflineMethod.
type Means string

// The means of money that isn't offline.
const (
	// MeansProvider is a card or account at the payment provider.
	MeansProvider Means = "provider"
	MeansWallet   Means = "wallet"
)

// Means returns how the money of a payment or refund moves.
func (b PaymentBody) Means() Means {
	switch b.Provider {
	case walletProvider:
		return MeansWallet
	case offlineProvider:
		return Means(b.PaymentMethod)
	default: // all others are payment providers
		return MeansProvider
	}
}
