package usecase

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/change"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/tenant"
)

// Subject is a kind of things of which changes are recorded.
type Subject struct {
	change.Subject

	// Find returns problem.NotFound for a thing that doesn't exist; nil for what has no history of its own.
	Find func(All, context.Context, tenant.Tenant, uuid.UUID) error
}

// Subjects are all kinds of things of which changes are recorded: the feed, webhooks, histories and their descriptions
// follow from it.
var Subjects = []Subject{
	{
		change.Subject{
			Name: event.SubjectBooking, Path: "/v1/bookings", Tag: "Bookings", Schema: "Booking",
			About: "the booking after the change",
			Events: []string{
				"anniversary", "cancelled", "completed", "confirmed", "created", "expired", "follow_up", "held",
				"no_show",
				"overpaid", "reminder", "rescheduled", "updated",
			},
		},
		found(func(all All) find[booking.Booking] { return all.Bookings.Get }),
	},
	{
		Subject: change.Subject{
			Name: event.SubjectPayment, Schema: "BookingWithPayment",
			About:  "the booking after the change, with the payment or refund as payment",
			Events: []string{"balance_due", "declined", "refund_started", "refunded", "succeeded"},
		},
	},
	{
		change.Subject{
			Name: event.SubjectCustomer, Path: "/v1/customers", Tag: "Customers", Schema: "Customer",
			About:  "the customer after the change",
			Events: []string{"birthday", "created", "erased", "updated"},
		},
		found(func(all All) find[customer.Details] { return all.Customers.Get }),
	},
	{
		Subject: change.Subject{
			Name: event.SubjectWallet, Schema: "LedgerTransaction",
			About: "the wallet after the entry, with the entry as entry",
			Events: []string{
				"captured", "credited", "debited", "expired", "held", "opened", "paid", "refunded", "released",
				"transferred_in",
				"transferred_out",
			},
		},
	},
	{
		change.Subject{
			Name: event.SubjectService, Path: "/v1/services", Tag: "Services", Schema: "Service",
			About:  "the service after the change",
			Events: []string{"archived", "created", "unarchived", "updated"},
		},
		found(func(all All) find[catalog.BookableService] { return all.Catalog.Service }),
	},
	{
		change.Subject{
			Name: event.SubjectResource, Path: "/v1/resources", Tag: "Resources", Schema: "Resource",
			About:  "the resource after the change",
			Events: []string{"archived", "created", "hours_set", "unarchived", "updated"},
		},
		found(func(all All) find[catalog.Resource] { return all.Catalog.Resource }),
	},
	{
		change.Subject{
			Name: event.SubjectClosure, Path: "/v1/closures", Tag: "Closures", Schema: "Closure",
			About:  "the closure after the change",
			Events: []string{"archived", "created", "unarchived", "updated"},
		},
		found(func(all All) find[catalog.Closure] { return all.Catalog.Closure }),
	},
	{
		change.Subject{
			Name: event.SubjectBlock, Path: "/v1/blocks", Tag: "Blocks", Schema: "Block",
			About:  "the block after the change",
			Events: []string{"archived", "created", "unarchived", "updated"},
		},
		found(func(all All) find[catalog.Block] { return all.Catalog.Block }),
	},
	{Subject: change.Subject{
		Name: event.SubjectEndpoint, Schema: "WebhookEndpoint", About: "the endpoint", Events: []string{"disabled"},
	}},
}

type find[T any] func(context.Context, tenant.Tenant, uuid.UUID) (T, error)

// found returns a use case that reads a thing, for callers that only ask whether it exists.
func found[T any](get func(All) find[T]) func(All, context.Context, tenant.Tenant, uuid.UUID) error {
	return func(all All, ctx context.Context, t tenant.Tenant, id uuid.UUID) error {
		_, err := get(all)(ctx, t, id)
		return err
	}
}

// TypesOfChanges returns all types of changes and notices.
func TypesOfChanges() (types []string) {
	for _, s := range Subjects {
		types = append(types, s.Types()...)
	}
	slices.Sort(types)
	return types
}
