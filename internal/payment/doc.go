// Package payment charges and refunds bookings: each charge and each refund happens once, whatever fails.
//
// Rules are functions over plain values:
//
//	provider.go       Provider, the port to payment service providers, and what it returns
//	payment.go, pay_request.go, balance.go  a payment, what a request asks for, and what is due
//	metadata.go       the tenant's own texts in a payment
//	account.go        a tenant's account at a provider, and the platform's fee
//	checkout.go       payments on the provider's page: where the customer comes back to, and when the page ends
//	operations.go     what can be asked of payments
//	representation.go, receipt.go, receipt_body.go  what the API shows, for HTTP and for stored responses
//	result.go, backoff.go  what a provider's result makes of a payment: the state machine
//
// Statements:
//
//	sql.go, sql_balance.go  what is written under the balance lock, and what is read there
//	sql_read.go       payments as they stand, and the lease of a resolver
//	sql_accounts.go   tenants' accounts
//	sql_reconcile.go  what the comparison with a provider's journal reads
//
// Service has the use cases, in the order of a payment's three phases:
//
//	service.go, metrics.go  Service, its settings, its reads and its figures
//	deadline.go       when an open payment is cancelled
//	provider_call.go, lease.go  an attempt, the calls of a provider, and the lease on the payment meanwhile
//	record.go         the third phase: recording a result
//	attempt.go        the first phase, and all three in order
//	wallet.go         what a wallet pays or gets back, and what it holds beside a payment by card
//	offline.go        payments and refunds that no provider sees, and completing such a refund
//	means.go          how money moved, in one word: methods, and providers that are none
//	refundable.go     what a refund may be
//	read.go, days.go  a payment and a balance as they are; days of a tenant
//	pay.go, refund.go, cancel.go, webhook.go  the use cases of requests and webhooks
//	refusals.go       which refusals came before the provider was asked
//	confirm.go        recording a payment that confirms its hold, under the locks of the hold's dates
//	accounts.go       making, changing and looking up tenants' accounts
//	visitors.go       the payments of a website's visitors
//	list.go, cancellation_quote.go  lists of payments, and what a cancellation would cost
//	schedule.go, outcome_change.go  the events that a change of a payment plans, and the record of its outcome
//	resend.go, ended.go, resolver.go  the kinds of events: open payments, and payments of ended bookings
//	across.go         the operator's list of payments of all tenants
//	reconcile.go      comparing our payments with a provider's journal
//	offline_days.go   the sums of offline money by day
//	reconcile_days.go  the comparison of a tenant's dates, and its representation
package payment
