// Package payment charges and refunds bookings. Each charge and refund happens once, whatever fails. The rules are
// functions over plain values. Service has the use cases. Provider is the port to payment service providers.
package payment
