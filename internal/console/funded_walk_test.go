package console_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

// walkMoney opens each page of customers and money in each state that people see, and calls look there.
func walkMoney(t *testing.T, d pagetest.Device, look pagetest.Look) {
	t.Helper()
	f := fund(t, "Grace Hopper")
	till := f.received(t, f.booking, 1500)
	f.exec(t, "UPDATE payments SET moved_at = '2026-07-01T12:00Z' WHERE payment_id = $1", till)
	open := f.made(t, "/v1/bookings/"+f.booking+"/payments", object{
		"kind": "amount", "amount": 2500, "checkout": object{"return_url": "https://example.com/"},
	})
	f.call(t, "POST", "/v1/wallets/"+f.wallet+"/credits", f.key,
		object{"amount": 2000, "expires_at": tourAt(t, 40, 12), "reason": "Voucher"})
	f.call(t, "POST", "/v1/wallets/"+f.wallet+"/holds", f.key, object{"amount": 700})
	f.made(t, "/v1/transfers", object{"from": f.card, "to": f.wallet, "amount": 500})
	erased := f.made(t, "/v1/customers", object{"name": "Joan Clarke", "email": "joan@example.com"})
	f.call(t, "POST", "/v1/customers/"+erased+"/erase", f.key, object{})
	_, handBack := f.toHandBack(t)
	b := f.browser(t, d, user.RoleOwner)
	home := f.url + "/console/harbour"
	wallets := "/payments/wallets/"
	for _, page := range []struct{ path, name string }{
		{"/customers", "customers"}, {"/customers?q=nobody", "customers-none"}, {"/customers/new", "customer-new"},
		{"/customers/" + f.customer, "customer"}, {"/customers/" + f.customer + "/change", "customer-change"},
		{"/customers/" + f.customer + "/merge?q=alan", "merge"},
		{"/customers/" + f.customer + "/merge/" + f.other, "merge-ask"},
		{"/customers/" + f.customer + "/erase", "erase"}, {"/customers/" + erased, "customer-erased"},
		{"/payments", "payments"}, {"/payments?status=declined", "payments-none"},
		{"/payments/" + f.payment, "payment"},
		{"/payments/" + open, "payment-open"}, {"/payments/" + f.refund, "payment-refund"},
		{"/payments/" + f.payment + "/receipt",
			"receipt"},
		{"/bookings/" + f.booking, "booking-paid"}, {"/bookings/" + f.booking + "/refund/" + f.payment, "refund"},
		{"", "today-hand-back"}, {"/payments/" + handBack, "payment-hand-back"},
		{"/payments/" + handBack + "/hand-back", "hand-back"},
		{"/payments/" + till, "payment-offline"}, {"/bookings/" + f.booking + "/refund/" + till, "refund-offline"},
		{"/bookings/" + f.booking + "/record", "record"}, {"/payments/account", "account"},
		{"/payments/till?from=2026-07-01", "till"},
		{"/payments/till?from=2020-01-01", "till-none"},
		{"/payments/wallets", "wallets"}, {wallets + "new", "wallet-new"}, {wallets + f.wallet, "wallet"},
		{wallets + f.card, "gift-card"}, {wallets + f.wallet + "/credit", "wallet-credit"},
		{wallets + f.wallet + "/debit", "wallet-debit"},
		{wallets + f.card + "/rotate", "wallet-rotate"}, {wallets + f.card + "/transfer?q=grace", "transfer"},
		{wallets + f.card + "/transfer/" + f.wallet, "transfer-amount"},
		{wallets + f.card + "/transfer/" + f.wallet + "?amount=20", "transfer-shown"},
	} {
		b.Open(t, home+page.path)
		look(b, "console-"+page.name)
	}
	b.Open(t, home+wallets+f.card+"/rotate")
	b.Run(t, chromedp.Click(chromedp.CSS("button.danger")), chromedp.WaitVisible(chromedp.CSS("dialog .secret-code")))
	look(b, "console-wallet-code")
	f.exec(t, "UPDATE payments SET amount = 900 WHERE payment_id = $1", f.payment)
	b.Open(t, home+"/payments/reconciliation")
	look(b, "console-reconciliation")
	b.Press(t, "Compare")
	look(b, "console-reconciliation-found")
	f.call(t, "PATCH", "/v1/tenant", f.key, object{
		"payment_emails": object{"succeeded": true},
		"owner_emails": []object{{"email": "office@harbour.example",
			"types": []string{"booking.confirmed", "payment.refunded"}}},
	})
	b.Open(t, home+"/settings")
	look(b, "console-settings-emails")
	b.Open(t, home+"/payments/account")
	b.Press(t, "Make the account")
	look(b, "console-account-made")
}

func TestConsole_EachPageOfCustomersAndMoney_FollowsWCAG(t *testing.T) {
	t.Parallel()
	walkMoney(t, pagetest.Desktop,
		func(b *pagetest.Browser, name string) { b.RequireAccessible(t, name, pagetest.Everywhere()...) })
}

func TestConsole_Money_Pictures(t *testing.T) {
	t.Parallel()
	pagetest.TakePictures(t, walkMoney)
}
