// Package webhook delivers signed HTTP requests to URLs that tenants choose, by the Standard Webhooks specification
// 1.0.0 (https://www.standardwebhooks.com).
//
// The operator's endpoints get the events of all tenants. They and their deliveries are those of a tenant without an
// id, uuid.Nil, and work as any tenant's do; operator.go has what differs.
//
// What is delivered, and when:
//
//   - endpoint.go: an endpoint's settings and what changes them; circuit.go: its health.
//   - delivery.go: the kind of scheduled event that makes a delivery; schedule.go: the pauses between attempts.
//   - loads.go: what deliveries need of the database, many at a time.
//   - sql.go, sql_loads.go: the statements of endpoints and deliveries, and of these loads.
//   - operator.go: what differs for the operator.
//   - payload.go: the body that is sent; log.go: what is logged of an attempt.
//   - service.go, endpoints.go, deliveries.go: use cases; representation.go: what the API shows.
//   - requests.go, operations.go: what requests ask for, and what they need.
//
// What goes over the wire, which knows no database:
//
//   - secret.go: an endpoint's signing secret.
//   - signature.go: the signed headers.
//   - networks.go: networks that the operator allows, and which addresses may be reached.
//   - url.go: the checks of a URL when an endpoint is registered.
//   - client.go: one HTTP exchange with an endpoint, bounded in time and bytes.
//   - connections.go: the connections that are kept between exchanges.
//   - response.go: what is kept of a response, and Retry-After.
//   - failure.go: why an exchange had no usable response.
package webhook
