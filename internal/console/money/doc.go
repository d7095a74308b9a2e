// Package money is the section of the console with payments, wallets, and what no provider sees.
//
//	section.go        the section
//	payments.go       its routes, and the list of payments
//	payment.go        a payment and its receipt
//	refund.go         returning a payment
//	offline.go, till.go  money that no provider sees: recording it, handing it back, and its sums by day
//	reconciliation.go comparing payments with the payment provider, in words
//	account.go        the business's own account at the payment provider
//	wallets.go, wallet.go, transfer.go  wallets and gift cards, their entries, and what changes them
package money
