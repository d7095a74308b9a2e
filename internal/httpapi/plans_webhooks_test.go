package httpapi_test

import (
	"net/http"
	"time"

	"holdfast/internal/testtime"
)

// plannedWebhooks are about endpoints and deliveries to them.
func plannedWebhooks() []planned {
	return []planned{
		reads("list-webhook-endpoints", "list-webhook-endpoints",
			func(crowdTenant) string { return "/v1/webhook-endpoints" }),
		reads("get-webhook-endpoint", "get-webhook-endpoint",
			func(c crowdTenant) string { return "/v1/webhook-endpoints/" + c.id(anEndpoint, 1) }),
		reads("list-deliveries", "list-deliveries",
			func(c crowdTenant) string { return "/v1/webhook-endpoints/" + c.id(anEndpoint, 1) + "/deliveries" }),
		reads("list-booking-deliveries", "list-booking-deliveries",
			func(c crowdTenant) string { return "/v1/bookings/" + c.id(aBooking, 7) + "/deliveries" }),
		reads("get-delivery", "get-delivery",
			func(c crowdTenant) string { return "/v1/deliveries/" + c.id(aDelivery, 7) }),
		posts("create-webhook-endpoint", "create-webhook-endpoint", "/v1/webhook-endpoints", func(testingT,
			crowdTenant) object {
			return object{"url": "https://example.com/", "types": []any{"*"}}
		}),
		{name: "change-webhook-endpoint", op: "change-webhook-endpoint", send: func(t testingT, c crowdTenant) answer {
			return c.send(t, http.MethodPatch, "/v1/webhook-endpoints/"+c.id(anEndpoint, 1),
				object{"description": "Changed"})
		}},
		{name: "delete-webhook-endpoint", op: "delete-webhook-endpoint", send: func(t testingT, c crowdTenant) answer {
			id := c.created(t, c.post(t, "/v1/webhook-endpoints",
				object{"url": "https://example.com/", "types": []any{"*"}}))
			c.plans.take(t)
			return c.delete(t, "/v1/webhook-endpoints/"+id.String())
		}},
		changes("rotate-webhook-secret", "/v1/webhook-endpoints/{id}/rotate-secret", nil, theEndpoint),
		changes("ping-webhook-endpoint", "/v1/webhook-endpoints/{id}/ping", nil, theEndpoint),
		{name: "replay-webhook-events of five minutes", op: "replay-webhook-events", send: func(t testingT,
			c crowdTenant) answer {
			return c.post(t, "/v1/webhook-endpoints/"+c.id(anEndpoint, 1)+"/replay", fiveMinutes())
		}},
		changes("replay-delivery", "/v1/deliveries/{id}/replay", nil,
			func(c crowdTenant, _ testingT) string { return c.id(aDelivery, 9) }),
	}
}

// plannedWallets move credit.
func plannedWallets() []planned {
	return []planned{
		reads("list-wallets", "list-wallets", func(crowdTenant) string { return "/v1/wallets?limit=5" }),
		reads("list-wallets of a customer", "list-wallets",
			func(c crowdTenant) string { return "/v1/wallets?customer_id=" + c.id(aCustomer, 7) }),
		reads("get-wallet", "get-wallet", func(c crowdTenant) string { return "/v1/wallets/" + c.id(aWallet, 1) }),
		reads("get-wallet as of a time", "get-wallet", func(c crowdTenant) string {
			// As many entries after the last snapshot, however many there are.
			at := testtime.Now().Add(-time.Duration(c.bookings-c.bookings/256*256-min(c.bookings%256,
				50)) * time.Minute).UTC()
			return "/v1/wallets/" + c.id(aWallet, 1) + "?as_of=" + at.Format(time.RFC3339)
		}),
		reads("list-wallet-entries", "list-wallet-entries",
			func(c crowdTenant) string { return "/v1/wallets/" + c.id(aWallet, 1) + "/entries?limit=5" }),
		reads("list-wallet-entries-csv", "list-wallet-entries-csv",
			func(c crowdTenant) string { return "/v1/wallets/" + c.id(aWallet, 1) + "/entries.csv?limit=5" }),
		posts("create-wallet", "create-wallet", "/v1/wallets",
			func(testingT, crowdTenant) object { return object{"currency": "EUR"} }),
		changes("rotate-wallet-code", "/v1/wallets/{id}/rotate-code", nil, crowdTenant.card),
		posts("look-up-wallet", "look-up-wallet", "/v1/wallets/lookup", func(t testingT, c crowdTenant) object {
			return object{"code": c.post(t, "/v1/wallets", object{"currency": "EUR"}).text(t, "code")}
		}),
		changes("credit-wallet", "/v1/wallets/{id}/credits", object{"amount": 10, "expires_at": "2100-01-01T00:00:00Z"},
			theWallet),
		changes("debit-wallet", "/v1/wallets/{id}/debits", object{"amount": 1}, theWallet),
		changes("hold-wallet", "/v1/wallets/{id}/holds", object{"amount": 1}, theWallet),
		changes("capture-wallet-hold", "/v1/wallets/{id}/capture", object{}, crowdTenant.walletHold),
		changes("release-wallet-hold", "/v1/wallets/{id}/release", object{}, crowdTenant.walletHold),
		posts("transfer", "transfer", "/v1/transfers", func(_ testingT, c crowdTenant) object {
			return object{"from": c.id(aWallet, 1), "to": c.id(aWallet, 2), "amount": 1}
		}),
	}
}
