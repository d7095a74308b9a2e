// Package httpapi is Holdfast's HTTP API: its resources, a file each. It decides nothing about bookings or money; it
// reads requests strictly, calls use cases and sends what they return. What every request passes is in edge, which
// requests are worked on is decided in admission, and schema describes and checks their types. What a route needs
// stands where it is registered, in a route value.
//
//	api.go             API, made of use cases
//	bookings.go, booking_links.go, quotes.go, confirm.go, reschedule.go, booking_updates.go, cancellation.go
//	                   the routes of bookings
//	holds.go, hold_payments.go  those of a website's visitors
//	services.go, resources.go, closures.go, blocks.go, availability.go, availability_services.go, conflicts.go,
//	archive.go
//	                   those of the catalog
//	payments.go, payment_list.go, payment_accounts.go, offline_days.go, receipts.go, wallets.go,
//	wallet_entries.go
//	                   those of money
//	customers.go, history.go, events.go, scheduled_events.go, webhook_endpoints.go, deliveries.go, unsubscribe.go
//	                   those of customers, and of what happened and will happen
//	tenants.go, tenant_changes.go, settings.go, logo.go, tenant_hours.go, api_keys.go, users.go, locks.go,
//	operator_events.go, operator_payments.go, reconciliation.go
//	                   those of tenants, and of the operator
//	costs.go           what requests cost at admission
//	read.go, values.go  routes that show one thing, or a list of things, and what their requests have
//	huma.go, description.go  huma's settings, and the OpenAPI document, which package document makes
//	register.go        registers a route with huma
//	handle.go          what a request passes before its handler: admission, authentication, checks
//	acting.go          the operator who acts for a tenant
//	origins.go         publishable keys: the origins of pages, preflights, and the limits of visitors
//	workers.go         the goroutines that work on requests
//	route.go           the route type: what a route is and needs
//	idempotent.go      idempotency keys and stored responses
//	versioned.go, current.go, minimal.go  ETags, the current state in a 412, and responses without a body
//	stale.go           responses that may be read from a standby
package httpapi
