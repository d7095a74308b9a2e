package httpapi_test

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// plannedAdministration are about tenants, people and keys, for their owners and for the operator.
func plannedAdministration() []planned {
	return []planned{
		reads("get-tenant", "get-tenant", func(crowdTenant) string { return "/v1/tenant" }),
		{name: "set-logo", op: "set-logo", send: func(t testingT, c crowdTenant) answer {
			c.delete(t, logoPath)
			c.plans.take(t)
			return c.put(t, logoPath, object{"data": onePixel})
		}},
		{name: "remove-logo", op: "remove-logo", send: func(t testingT, c crowdTenant) answer {
			c.put(t, logoPath, object{"data": onePixel})
			c.plans.take(t)
			return c.delete(t, logoPath)
		}},
		{name: "change-tenant", op: "change-tenant", send: func(t testingT, c crowdTenant) answer {
			return c.patch(t, "/v1/tenant", object{"follow_up_minutes": 60})
		}},
		posts("preview-email", "preview-email", "/v1/tenant/email-preview", func(t testingT, c crowdTenant) object {
			return object{"template": "booking.confirmed", "booking_id": c.held(t)}
		}),
		{name: "create-tenant", op: "create-tenant", send: func(t testingT, c crowdTenant) answer {
			return c.admin().post(t, "/admin/v1/tenants",
				object{"slug": "t-" + uuid.NewString(), "name": "T", "time_zone": "UTC", "currency": "EUR"})
		}},
		{name: "create-api-key", op: "create-api-key", send: func(t testingT, c crowdTenant) answer {
			return c.admin().post(t, "/admin/v1/tenants/"+c.tenant.String()+"/api-keys", nil)
		}},
		{name: "list-tenants", op: "list-tenants",
			send: func(t testingT, c crowdTenant) answer { return c.admin().get(t, "/admin/v1/tenants") }},
		{name: "list-tenants with a slug", op: "list-tenants", send: func(t testingT, c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/tenants?slug=nobody")
		}},
		{name: "read-tenant", op: "read-tenant", send: func(t testingT, c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/tenants/"+c.tenant.String())
		}},
		{name: "correct-tenant", op: "correct-tenant", send: func(t testingT, c crowdTenant) answer {
			return c.admin().send(t, http.MethodPatch, c.path(), object{"name": uuid.NewString()})
		}},
		{name: "suspend-tenant", op: "suspend-tenant", send: func(t testingT, c crowdTenant) answer {
			require.Equal(t, http.StatusOK, c.admin().post(t, c.path()+"/resume", nil).status)
			c.plans.take(t)
			return c.admin().post(t, c.path()+"/suspend", nil)
		}},
		{name: "resume-tenant", op: "resume-tenant", send: func(t testingT, c crowdTenant) answer {
			require.Equal(t, http.StatusOK, c.admin().post(t, c.path()+"/suspend", nil).status)
			c.plans.take(t)
			return c.admin().post(t, c.path()+"/resume", nil)
		}},
		{name: "list-events-of-all-tenants", op: "list-events-of-all-tenants", send: func(t testingT,
			c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/events")
		}},
		{name: "list-payments-of-all-tenants", op: "list-payments-of-all-tenants", send: func(t testingT,
			c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/payments")
		}},
		{name: "list-payments-of-all-tenants with a tenant", op: "list-payments-of-all-tenants", send: func(t testingT,
			c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/payments?limit=10&tenant_id="+c.tenant.String())
		}},
		{name: "list-payments-of-all-tenants with a status", op: "list-payments-of-all-tenants", send: func(t testingT,
			c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/payments?status=unknown")
		}},
		{name: "list-payments-of-all-tenants with the provider's id", op: "list-payments-of-all-tenants",
			send: func(t testingT, c crowdTenant) answer {
				return c.admin().get(t, "/admin/v1/payments?provider_id=nobody")
			}},
		planned{name: "reconcile-tenant", op: "reconcile-tenant", send: func(t testingT, c crowdTenant) answer {
			return c.reconcile(t, c.today(0), c.today(0))
		}}.reading("the tenant's payments of the dates"),
		operator(http.MethodGet, "list-operator-webhook-endpoints", "{endpoints}", nil),
		operator(http.MethodGet, "get-operator-webhook-endpoint", "{endpoint}", nil),
		operator(http.MethodGet, "list-operator-deliveries", "{endpoint}/deliveries", nil),
		operator(http.MethodGet, "get-operator-delivery", "{delivery}", nil),
		operator(http.MethodPost, "create-operator-webhook-endpoint", "{endpoints}",
			object{"url": "https://example.com/", "types": []any{"*"}}),
		operator(http.MethodPatch, "change-operator-webhook-endpoint", "{endpoint}", object{"description": "Changed"}),
		operator(http.MethodDelete, "delete-operator-webhook-endpoint", "{endpoint}", nil),
		operator(http.MethodPost, "rotate-operator-webhook-secret", "{endpoint}/rotate-secret", nil),
		operator(http.MethodPost, "ping-operator-webhook-endpoint", "{endpoint}/ping", nil),
		operator(http.MethodPost, "replay-operator-webhook-events", "{endpoint}/replay", fiveMinutes()),
		operator(http.MethodPost, "replay-operator-delivery", "{delivery}/replay", nil),
		{name: "list-api-keys", op: "list-api-keys", send: func(t testingT, c crowdTenant) answer {
			return c.admin().get(t, "/admin/v1/tenants/"+c.tenant.String()+"/api-keys")
		}},
		reads("list-users", "list-users", func(crowdTenant) string { return "/v1/users" }),
		posts("invite-user", "invite-user", "/v1/users", func(testingT, crowdTenant) object {
			return object{"email": uuid.NewString() + "@example.com", "name": "Grace", "role": "staff"}
		}),
		{name: "get-user", op: "get-user", send: func(t testingT, c crowdTenant) answer {
			id := c.newUser(t)
			c.plans.take(t)
			return c.get(t, "/v1/users/"+id)
		}},
		{name: "change-user", op: "change-user", send: func(t testingT, c crowdTenant) answer {
			id := c.newUser(t)
			c.plans.take(t)
			return c.patch(t, "/v1/users/"+id, object{"role": "read"})
		}},
		{name: "remove-user", op: "remove-user", send: func(t testingT, c crowdTenant) answer {
			id := c.newUser(t)
			c.plans.take(t)
			return c.delete(t, "/v1/users/"+id)
		}},
		reads("list-own-api-keys", "list-own-api-keys", func(crowdTenant) string { return "/v1/api-keys" }),
		{name: "get-own-api-key", op: "get-own-api-key", send: func(t testingT, c crowdTenant) answer {
			id := c.ownKey(t)
			c.plans.take(t)
			return c.get(t, "/v1/api-keys/"+id)
		}},
		posts("create-own-api-key", "create-own-api-key", "/v1/api-keys", func(testingT, crowdTenant) object {
			return object{"name": "Till", "scopes": []any{"read"}}
		}),
		{name: "change-own-api-key", op: "change-own-api-key", send: func(t testingT, c crowdTenant) answer {
			id := c.ownKey(t)
			c.plans.take(t)
			return c.patch(t, "/v1/api-keys/"+id, object{"name": "Other"})
		}},
		changes("rotate-own-api-key", "/v1/api-keys/{id}/rotate", nil, crowdTenant.ownKey),
		{name: "revoke-own-api-key", op: "revoke-own-api-key", send: func(t testingT, c crowdTenant) answer {
			id := c.ownKey(t)
			c.plans.take(t)
			return c.delete(t, "/v1/api-keys/"+id)
		}},
		{name: "revoke-api-key", op: "revoke-api-key", send: func(t testingT, c crowdTenant) answer {
			keys := "/admin/v1/tenants/" + c.tenant.String() + "/api-keys"
			id := c.admin().post(t, keys, nil).id(t)
			c.plans.take(t)
			return c.admin().delete(t, keys+"/"+id.String())
		}},
	}
}
