package wallet

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpCaptureWalletHold = operation.Operation{Name: "capture-wallet-hold", Scope: operation.ScopeMoney, Once: true}
	OpCreateWallet      = operation.Operation{Name: "create-wallet", Scope: operation.ScopeMoney, Once: true}
	OpCreditWallet      = operation.Operation{Name: "credit-wallet", Scope: operation.ScopeMoney, Once: true}
	OpDebitWallet       = operation.Operation{Name: "debit-wallet", Scope: operation.ScopeMoney, Once: true}
	OpGetWallet         = operation.Operation{Name: "get-wallet", Scope: operation.ScopeRead}
	OpHoldWallet        = operation.Operation{Name: "hold-wallet", Scope: operation.ScopeMoney, Once: true}
	OpListWalletEntries = operation.Operation{Name: "list-wallet-entries", Scope: operation.ScopeRead, List: true}
	OpListWallets       = operation.Operation{Name: "list-wallets", Scope: operation.ScopeRead, List: true}
	OpLookUpWallet      = operation.Operation{Name: "look-up-wallet", Scope: operation.ScopeMoney}
	OpReleaseWalletHold = operation.Operation{Name: "release-wallet-hold", Scope: operation.ScopeMoney, Once: true}
	OpRotateWalletCode  = operation.Operation{Name: "rotate-wallet-code", Scope: operation.ScopeMoney, Once: true}
	OpTransfer          = operation.Operation{Name: "transfer", Scope: operation.ScopeMoney, Once: true}
)
