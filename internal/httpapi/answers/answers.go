// Package answers says how the API answers what requests came to, beside the bodies of the answers. An answer is stored
// in the commit of the change that it tells of; so a worker that finishes a request answers as the API does.
//
//	answers.go  status, Location and ETag of an outcome
package answers

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/etag"
)

// Paths are where the API finds things, by kind. {id} is the thing's id, {tenant} that of its tenant. Things of other
// kinds have no path of their own.
var Paths = map[string]string{
	"api_key":                   "/v1/api-keys/{id}",
	"block":                     "/v1/blocks/{id}",
	"booking":                   "/v1/bookings/{id}",
	"closure":                   "/v1/closures/{id}",
	"customer":                  "/v1/customers/{id}",
	"delivery":                  "/v1/deliveries/{id}",
	"operator_api_key":          "/admin/v1/tenants/{tenant}/api-keys/{id}",
	"operator_delivery":         "/admin/v1/deliveries/{id}",
	"operator_webhook_endpoint": "/admin/v1/webhook-endpoints/{id}",
	"payment":                   "/v1/payments/{id}",
	"payment_account":           "/v1/payment-account",
	"resource":                  "/v1/resources/{id}",
	"service":                   "/v1/services/{id}",
	"tenant":                    "/admin/v1/tenants/{id}",
	"user":                      "/v1/users/{id}",
	"wallet":                    "/v1/wallets/{id}",
	"webhook_endpoint":          "/v1/webhook-endpoints/{id}",
}

// Answers implements db.Answers.
type Answers struct{}

// Answer returns 201 and the path of what was made, 200 for what was changed, 202 for what goes on, and the status of a
// refusal. The ETag is that of the thing's version.
func (Answers) Answer(o db.Outcome) (a db.Answer) {
	switch {
	case o.Refusal != nil:
		a.Status = o.Refusal.Status
	case o.Open:
		a.Status = http.StatusAccepted
	case o.Made:
		a.Status = http.StatusCreated
	default:
		a.Status = http.StatusOK
	}
	if o.Made {
		a.Location = pathOf(o.Kind, o.ID, o.Tenant)
	}
	if o.Version > 0 {
		a.ETag = etag.Of(o.Version)
	}
	return a
}

func pathOf(kind string, id, tenant uuid.UUID) string {
	return strings.NewReplacer("{id}", id.String(), "{tenant}", tenant.String()).Replace(Paths[kind])
}
