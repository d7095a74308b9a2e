package schema

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/operation"
	"holdfast/internal/payment"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
	"holdfast/internal/user"
	"holdfast/internal/webhook"
)

// NewRegistry returns the registry of the schemas of the API's types.
func NewRegistry() huma.Registry {
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	registry.RegisterTypeAlias(reflect.TypeFor[catalog.Metadata](), reflect.TypeFor[metadataSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[webhook.EventType](), reflect.TypeFor[eventTypeSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[tenant.Origin](), reflect.TypeFor[originSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[customer.Customer](), reflect.TypeFor[customer.NewCustomerBody]())
	registry.RegisterTypeAlias(reflect.TypeFor[timetable.Clock](), reflect.TypeFor[clockSchema]())
	aliasEnum[booking.PriceRule](registry)
	aliasEnum[booking.Status](registry)
	aliasEnum[email.Language](registry)
	aliasEnum[event.Status](registry)
	aliasEnum[payment.Kind](registry)
	aliasEnum[payment.OfflineMethod](registry)
	aliasEnum[payment.Status](registry)
	aliasEnum[settings.TemplateKind](registry)
	aliasEnum[operation.Scope](registry)
	aliasEnum[tenant.Status](registry)
	aliasEnum[timetable.Weekday](registry)
	aliasEnum[user.Role](registry)
	return registry
}
