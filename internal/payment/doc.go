// Package payment takes and returns the money of bookings, each movement once, whatever fails in between. The rules are
// functions over plain values; Service has the use cases; Provider is the port to payment service providers.
package payment
