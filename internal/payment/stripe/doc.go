// Package stripe is the adapter to Stripe: PaymentIntents that are confirmed and captured at once, and Refunds.
//
// What it decides, and why (docs/stripe.md has the operator's side):
//
//   - A PaymentIntent whose payment was declined could be confirmed again, so a decline isn't final at Stripe. Here it
//     must be: the adapter cancels the intent, and says Declined only of intents that are cancelled.
//   - An intent that waits for the customer is left alone until CancelCharge ends it.
//   - Stripe replays the first answer to a known idempotency key, however old it is by now. After a replay the adapter
//     asks for the present state.
//   - A charge without a known id is looked for in Stripe's list, from the time that is in its UUIDv7 on, and not by
//     Stripe's search: the index behind that is up to a minute late, an hour in bad times, and would say Absent of
//     a charge that was made.
//   - Nothing is retried here: stripe-go's retries are off, the resolver's are on.
package stripe
