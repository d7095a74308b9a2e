package tenant

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// Origin is the scheme, the host and, unless it is the scheme's own, the port of web pages, as browsers send them.
type Origin string

// MaxOrigins is how many origins a tenant's website may have.
const MaxOrigins = 20

// maxOrigin bounds an origin, in bytes: a host name has at most 253.
const maxOrigin = 300

// originHost is a host name, or an IPv4 address, as browsers write it.
var originHost = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// CheckOrigins returns problem.ValidationFailed about the named field for too many origins, for one that is listed
// twice, and for one that no browser sends as it is. The scheme is https, on the developer's machine also http.
func CheckOrigins(field string, origins []Origin) error {
	if len(origins) > MaxOrigins {
		return problem.Invalid(field, "too_long", fmt.Sprintf("Expected at most %d.", MaxOrigins))
	}
	for i, text := range origins {
		name := fmt.Sprintf("%s[%d]", field, i)
		if !isOrigin(string(text)) {
			return problem.Invalid(name, "invalid", "Expected scheme, host and port as browsers send them, such as "+
				"https://www.harbour.example: small letters, no path, no wildcard, no port 443. http is for localhost and 127.0.0.1 only.")
		}
		if slices.Contains(origins[:i], text) {
			return problem.Invalid(name, "duplicate", "The origin is listed already.")
		}
	}
	return nil
}

func isOrigin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxOrigin || text != u.Scheme+"://"+u.Host {
		return false
	}
	host, ownPort := u.Host, "443"
	switch u.Scheme {
	case "https":
	case "http":
		ownPort = "80"
	default:
		return false
	}
	if u.Port() != "" || u.Hostname() != u.Host {
		var port string
		if host, port, err = net.SplitHostPort(u.Host); err != nil {
			return false
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || port == ownPort || strconv.FormatUint(n, 10) != port {
			return false
		}
	}
	return originHost.MatchString(host) && (u.Scheme == "https" || host == "localhost" || host == "127.0.0.1")
}

// AllowsOrigin reports whether the tenant's website has an origin.
func (t Tenant) AllowsOrigin(origin string) bool { return slices.Contains(t.origins, Origin(origin)) }

// Forget has the API keys of a tenant looked up again: what is remembered with them has changed.
func (s *Service) Forget(tenant uuid.UUID) {
	s.forgetIf(func(t Tenant) bool { return t.ID == tenant })
}

func originsOf(stored json.RawMessage) (origins []Origin, err error) {
	if err := json.Unmarshal(stored, &origins); err != nil {
		return nil, fmt.Errorf("read a tenant's origins: %w", err)
	}
	return origins, nil
}
