package webhook

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"holdfast/internal/problem"
)

const maxURLBytes = 2000

// hostPattern is the form of a host name. Its last label begins with a letter, so 127.1, 0x7f000001 and other spellings
// of IPv4 addresses, which some resolvers accept, are no names.
var hostPattern = regexp.MustCompile(`^(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*` +
	`[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.?$`)

const maxHostBytes = 254 // 253 and a final full stop

// CheckURL checks an endpoint's URL before it is stored: absolute, https, at most 2000 bytes, only characters that RFC
// 3986 allows in a URL, no user name, no fragment, a host, a port from 1 to 65535. An address in the URL must be public
// or in an allowed network.
//
// A name is not looked up. [Client.Post] checks the addresses of a name each time it connects. http is refused if no
// network is allowed; otherwise it is accepted for names and allowed addresses, and Post speaks it to allowed addresses
// only.
//
// Errors: validation_failed about the field "url".
func CheckURL(text string, allowed Networks) error {
	if len(text) > maxURLBytes {
		return problem.Invalid("url", "too_long", "A URL has at most 2000 bytes.")
	}
	// net/http sends a query as it is, so a space in it would make an invalid request line.
	if strings.ContainsFunc(text, notInURL) || brokenEscape.MatchString(text) {
		return problem.Invalid("url", "invalid_format",
			"A URL has only ASCII letters, digits and -._~:/?#[]@!$&'()*+,;=%. "+
				"Write every other character, such as a space, as % and two hexadecimal digits, "+
				"and a host with other letters in its form with xn--.")
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return problem.Invalid("url", "invalid_format",
			"This must be an absolute URL, such as https://example.com/webhooks.")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || len(allowed) == 0) {
		return problem.Invalid("url", "not_https", "The URL must begin with https://.")
	}
	if u.User != nil {
		return problem.Invalid("url", "invalid_format", "The URL must not have a user name or password.")
	}
	if strings.Contains(text, "#") {
		return problem.Invalid("url", "invalid_format", "The URL must not have a fragment.")
	}
	if !validPort(u) {
		return problem.Invalid("url", "invalid_format", "The URL's port must be a number from 1 to 65535.")
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil {
		if !newAddressGuard(allowed).permits(u.Scheme, addr) {
			return problem.Invalid("url", "blocked_address",
				"Webhooks can't be sent to this address: it must be public.")
		}
		return nil
	}
	if len(u.Hostname()) > maxHostBytes || !hostPattern.MatchString(u.Hostname()) {
		return problem.Invalid("url", "invalid_format",
			"The URL's host must be a name of letters, digits and hyphens, or an IP address.")
	}
	return nil
}

// notInURL reports whether RFC 3986 doesn't allow a character in a URL.
func notInURL(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"<>\^`+"`{|}", r) }

// brokenEscape finds a percent sign without two hexadecimal digits. url.Parse doesn't check those of the query.
var brokenEscape = regexp.MustCompile(`%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`)

func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0
}
