package payment

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
)

// LongestCheckout is how long the provider's page of a payment is open at most. The page of a hold ends with the hold,
// if that is sooner.
const LongestCheckout = 24 * time.Hour

// PaymentParameter is the query parameter of a return URL that has the payment's id. CancelledParameter is "true" in
// the URL to which a customer goes back without paying.
const (
	PaymentParameter   = "payment_id"
	CancelledParameter = "payment_cancelled"
)

// CheckoutRequest asks for a payment on the provider's page.
type CheckoutRequest struct {
	// ReturnURL is where the customer goes from the page, after paying or without. PaymentParameter is added to its
	// query, and CancelledParameter for a customer who goes back without paying.
	ReturnURL string `json:"return_url" minLength:"1" maxLength:"2000" pattern:"^https?://[!-~]+$" doc:"Where the customer goes from the page, after paying or without; payment_id is added to its query. https, or http on localhost." example:"https://example.com/paid"`
	// HoldUntil is until when the caller has the hold last once the payment has begun: the page may be open as long. If
	// it is zero or before the hold's end, the hold's end counts.
	HoldUntil time.Time `json:"-"`
}

// Origin returns the origin of the page of ReturnURL, as browsers send it: scheme, host, and the port unless it is the
// scheme's own. It is empty for what isn't an address.
func (c CheckoutRequest) Origin() string {
	u, err := url.Parse(c.ReturnURL)
	if err != nil || u.Host == "" {
		return ""
	}
	host := strings.ToLower(u.Host)
	if own := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]; own != "" {
		host = strings.TrimSuffix(host, own)
	}
	return u.Scheme + "://" + host
}

// MaxReturnURL is the greatest length of CheckoutRequest.ReturnURL.
const MaxReturnURL = 2000

// returnURLPattern has the characters that RFC 3986 allows.
var returnURLPattern = regexp.MustCompile(`^https?://(?:[-\w.~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$`)

// check returns problem.ValidationFailed for a return URL that isn't valid.
func (c CheckoutRequest) check() error {
	return checkPage("checkout.return_url", c.ReturnURL)
}

// checkPage returns problem.ValidationFailed about a field for an address that isn't a page to which people can be
// sent.
func checkPage(field, address string) error {
	refuse := func(code, detail string) error { return problem.Invalid(field, code, detail) }
	if len(address) > MaxReturnURL {
		return refuse("too_long", "Expected at most 2000 characters.")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || !returnURLPattern.MatchString(address) || u.Hostname() == "" || !validPort(u.Port()):
		return refuse("invalid_format",
			"Expected an absolute URL, such as https://example.com/paid. Write every character that isn't "+
				"one of a URL as % and two hexadecimal digits.")
	case u.User != nil:
		return refuse("invalid_format", "Expected no user name or password.")
	case u.Scheme != "https" && !isLoopback(u.Hostname()):
		return refuse("not_https", "Expected https://. Only a page on localhost may have http://.")
	}
	return nil
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// returnURLs returns where the customer of a payment goes after paying, and without: a valid return URL with what says
// so in its query, in place of what it says of an earlier payment.
func returnURLs(text string, payment uuid.UUID) (paid, cancelled string) {
	text, fragment, hasFragment := strings.Cut(text, "#")
	address, query, _ := strings.Cut(text, "?")
	parameters := slices.DeleteFunc(strings.Split(query, "&"), func(p string) bool {
		name, _, _ := strings.Cut(p, "=")
		return p == "" || name == PaymentParameter || name == CancelledParameter
	})
	paid = address + "?" + strings.Join(append(parameters, PaymentParameter+"="+payment.String()), "&")
	cancelled = paid + "&" + CancelledParameter + "=true"
	if hasFragment {
		paid, cancelled = paid+"#"+fragment, cancelled+"#"+fragment
	}
	return paid, cancelled
}

// checkoutEnd returns when the provider's page of a payment that is begun at now ends. holdUntil is that of the order.
func checkoutEnd(b bookingRow, holdUntil, now time.Time) time.Time {
	end := now.Add(LongestCheckout)
	if b.Status != string(booking.Held) || b.HoldExpiresAt == nil {
		return end
	}
	if b.HoldExpiresAt.After(holdUntil) {
		holdUntil = *b.HoldExpiresAt
	}
	if holdUntil.Before(end) {
		return holdUntil
	}
	return end
}
