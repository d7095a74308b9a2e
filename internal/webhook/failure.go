package webhook

import (
	"context"
	"errors"
	"net"
)

// Reason says why an exchange had no usable response. Reasons are stable; tenants see them.
type Reason string

// The reasons.
const (
	// ReasonBlockedAddress: the URL leads to an address that is neither public nor allowed. Nothing was sent to it.
	ReasonBlockedAddress Reason = "blocked_address"
	// ReasonRedirect: the endpoint answered with a status from 300 to 399. Redirects are not followed.
	ReasonRedirect Reason = "redirect"
	// ReasonTimeout: the exchange took longer than the client's timeout.
	ReasonTimeout Reason = "timeout"
	// ReasonDNS: the host's name could not be resolved.
	ReasonDNS Reason = "dns"
	// ReasonConnect: no connection was made.
	ReasonConnect Reason = "connect"
	// ReasonTLS: the TLS handshake failed, the certificate is not valid for the host, or the endpoint wants one of the
	// client.
	ReasonTLS Reason = "tls"
	// ReasonProtocol: what was received is no complete HTTP response, its status is under 200, or its headers are too
	// large.
	ReasonProtocol Reason = "protocol"
)

// Failure is the error of an exchange that had no usable response. Its text is only the reason, so it may be shown to
// the tenant. Its cause may name addresses: it is for the operator's log alone, by [errors.Unwrap].
type Failure struct {
	Reason Reason
	cause  error
}

// Error returns the reason.
func (f *Failure) Error() string { return "webhook: " + string(f.Reason) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.cause }

// errNoFinalStatus is the cause of ReasonProtocol for a status under 200, such as 101.
var errNoFinalStatus = errors.New("the endpoint answered with a status under 200")

var errRedirect = errors.New("the endpoint answered with a redirect")

// reasonOf gives the reason of an error. A resolver that gives up before the client's timeout is a failure of DNS. In
// TLS 1.3 an endpoint that refuses the client says so after the handshake, with an alert: crypto/tls reports it as a
// "remote error".
func reasonOf(err error, handshakeFailed bool) Reason {
	var (
		dns     *net.DNSError
		network *net.OpError
		timeout net.Error
	)
	switch {
	case errors.Is(err, errBlocked):
		return ReasonBlockedAddress
	case errors.Is(err, errRedirect):
		return ReasonRedirect
	case errors.As(err, &dns):
		return ReasonDNS
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return ReasonTimeout
	case handshakeFailed, errors.As(err, &network) && network.Op == "remote error":
		return ReasonTLS
	case errors.As(err, &network) && network.Op == "dial":
		return ReasonConnect
	}
	return ReasonProtocol
}
