package payment

// Means is how money moved, as pages and emails name it: one of the two below, or an OfflineMethod.
type Means string

// The means of money that isn't offline.
const (
	// MeansProvider is a card or account at the payment provider.
	MeansProvider Means = "provider"
	MeansWallet   Means = "wallet"
)

// offlineProvider is the provider of payments that no provider sees, and of their refunds. A person records them: they
// succeed in one commit. A refund that Holdfast makes by itself stays open until a person has handed the money back.
const offlineProvider = "offline"

// OfflineMethod is how money moved that no provider saw.
type OfflineMethod string

// The methods.
const (
	Cash         OfflineMethod = "cash"
	BankTransfer OfflineMethod = "transfer"
	CardTerminal OfflineMethod = "terminal"
)

// Values returns every method there is.
func (OfflineMethod) Values() []string {
	return []string{string(Cash), string(BankTransfer), string(CardTerminal)}
}

// completesAtOnce reports whether a payment or refund succeeds in the commit of its request, and no provider is called.
func completesAtOnce(p newPayment) bool {
	return p.Provider == walletProvider || p.Provider == offlineProvider
}

// walletProvider is the provider of payments from wallets and of their refunds. No call is made for them: they succeed
// in the commit of the wallet's entry.
const walletProvider = "wallet"
