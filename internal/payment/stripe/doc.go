// Package stripe is the adapter to Stripe: PaymentIntents, confirmed and captured at once, Checkout Sessions, and
// Refunds.
//
// Its decisions (docs/stripe.md is for operators):
//
//   - At Stripe a declined PaymentIntent can be confirmed again, so a decline isn't final. Here it must be final: the
//     adapter cancels the intent, and returns Declined only for cancelled intents.
//   - A Checkout Session is the customer's page. Its charge is declined once the session has ended, not when a card is declined there. It
//     is found by its id "cs_…"; a charge that succeeded has the intent's, "pi_…", because refunds and the journal know only that one.
//   - An intent that waits for the customer stays unchanged until CancelCharge.
//   - Stripe replays the first response to a known idempotency key, even if it is outdated. After a replay the adapter
//     requests the present state.
//   - A charge without a known id is searched in Stripe's list, from the time in its UUIDv7. Stripe's search isn't used:
//     its index is up to a minute late, in outages an hour, and would report a new charge as Absent.
//   - Tenants' accounts are connected accounts with direct charges. What acts in one has a client of its own, whose transport adds the
//     header Stripe-Account to every request: no call can forget it.
//   - The adapter doesn't retry: stripe-go's retries are off. The resolver retries.
//
// Its files:
//
//	stripe.go                Config and Provider
//	charge.go, checkout.go, refund.go  charges, charges on Stripe's page, and refunds
//	account.go               tenants' accounts
//	event.go                 webhooks
//	transactions.go          the list of transactions
//	amount.go, reference.go  amounts as Stripe writes them, and our references
//	decline.go, failure.go   what Stripe's refusals and failures mean
package stripe
