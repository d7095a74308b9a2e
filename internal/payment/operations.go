package payment

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpCancelPayment = operation.Operation{Name: "cancel-payment", Scope: operation.ScopeMoney,
		CallsProvider: true, Once: true}
	OpChangeTenantPaymentAccount = operation.Operation{Name: "change-tenant-payment-account"}
	OpCompleteRefund             = operation.Operation{Name: "complete-refund", Scope: operation.ScopeMoney, Once: true}
	OpCreateOnboardingLink       = operation.Operation{Name: "create-onboarding-link", Scope: operation.ScopeAdmin,
		CallsProvider: true}
	OpCreatePayment = operation.Operation{Name: "create-payment", Scope: operation.ScopeMoney,
		CallsProvider: true, Once: true}
	OpCreatePaymentAccount = operation.Operation{
		Name:          "create-payment-account",
		Scope:         operation.ScopeAdmin,
		CallsProvider: true,
		Once:          true,
	}
	OpCreateRefund = operation.Operation{Name: "create-refund", Scope: operation.ScopeMoney, CallsProvider: true,
		Once: true}
	OpGetBalance        = operation.Operation{Name: "get-balance", Scope: operation.ScopeRead}
	OpGetHoldPayment    = operation.Operation{Name: "get-hold-payment", Scope: operation.ScopeHold}
	OpGetPayment        = operation.Operation{Name: "get-payment", Scope: operation.ScopeRead}
	OpGetPaymentAccount = operation.Operation{Name: "get-payment-account", Scope: operation.ScopeRead,
		CallsProvider: true}
	OpGetPaymentOptions = operation.Operation{Name: "get-payment-options", Scope: operation.ScopeHold,
		CallsProvider: true}
	// A PDF takes the processor for as long as some bookings.
	OpGetReceiptPDF            = operation.Operation{Name: "get-receipt-pdf", Scope: operation.ScopeRead, Permits: 4}
	OpGetReceipt               = operation.Operation{Name: "get-receipt", Scope: operation.ScopeRead}
	OpListAllPayments          = operation.Operation{Name: "list-all-payments", Scope: operation.ScopeMoney, List: true}
	OpListPayments             = operation.Operation{Name: "list-payments", Scope: operation.ScopeRead}
	OpListPaymentsOfAllTenants = operation.Operation{Name: "list-payments-of-all-tenants"}
	OpPayHold                  = operation.Operation{Name: "pay-hold", Scope: operation.ScopeHold, CallsProvider: true,
		Once: true}
	OpReadTenantPaymentAccount = operation.Operation{Name: "read-tenant-payment-account"}
	OpReconcile                = operation.Operation{Name: "reconcile", Scope: operation.ScopeMoney, Permits: 8,
		CallsProvider: true}
	OpReconcileTenant = operation.Operation{Name: "reconcile-tenant"}
	OpRefundOverpaid  = operation.Operation{Name: "refund-overpaid", Scope: operation.ScopeMoney,
		CallsProvider: true, Once: true}
	OpSumOfflinePayments = operation.Operation{Name: "sum-offline-payments", Scope: operation.ScopeMoney, List: true}
)
