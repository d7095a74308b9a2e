// Package usecase names all use cases of a server in one place: the API, the pages and the consoles offer them, and
// internal/app makes each of them once.
package usecase

import (
	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/change"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/lockview"
	"holdfast/internal/message"
	"holdfast/internal/payment"
	"holdfast/internal/person"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
	"holdfast/internal/wallet"
	"holdfast/internal/webhook"
)

// All are the use cases on one database. They are safe for concurrent use.
type All struct {
	Bookings        *booking.Service
	Catalog         *catalog.Service
	Changes         *change.Service
	Customers       *customer.Service
	Locks           *lockview.Service
	Messages        *message.Service
	Payments        *payment.Service
	Persons         *person.Service
	ScheduledEvents *event.Service
	Settings        *settings.Service
	Tenants         *tenant.Service
	Users           *user.Service
	Wallets         *wallet.Service
	Webhooks        *webhook.Service

	// Guard lets one request with an idempotency key at a time through to a use case.
	Guard *idempotency.Guard
	// Links makes and reads the links to bookings.
	Links *booking.Links
}
