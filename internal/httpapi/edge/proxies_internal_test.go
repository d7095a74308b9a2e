package edge

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"
)

func TestTrustProxies_TheLastAddressThatIsNoProxysIsTheClients(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		connection string
		forwarded  []string
		want       string
	}{
		"no proxy":                        {"192.0.2.1:1", nil, "192.0.2.1"},
		"a header of a client":            {"192.0.2.1:1", []string{"198.51.100.7"}, "192.0.2.1"},
		"a proxy's header":                {"10.0.0.1:1", []string{"198.51.100.7"}, "198.51.100.7"},
		"a proxy without the header":      {"10.0.0.1:1", nil, "10.0.0.1"},
		"a forged address before":         {"10.0.0.1:1", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7"},
		"a forged header before":          {"10.0.0.1:1", []string{"203.0.113.9", "198.51.100.7"}, "198.51.100.7"},
		"a forged proxy before":           {"10.0.0.1:1", []string{"10.0.0.9, 198.51.100.7"}, "198.51.100.7"},
		"two proxies":                     {"10.0.0.1:1", []string{"198.51.100.7, 10.0.0.2"}, "198.51.100.7"},
		"a proxy of IPv6":                 {"[fd00::1]:1", []string{"2001:db8::7"}, "2001:db8::7"},
		"rubbish":                         {"10.0.0.1:1", []string{"unknown"}, "10.0.0.1"},
		"rubbish after the address":       {"10.0.0.1:1", []string{"198.51.100.7, unknown"}, "10.0.0.1"},
		"rubbish before the address":      {"10.0.0.1:1", []string{"unknown, 198.51.100.7"}, "198.51.100.7"},
		"nothing in the header":           {"10.0.0.1:1", []string{""}, "10.0.0.1"},
		"only commas":                     {"10.0.0.1:1", []string{",,,"}, "10.0.0.1"},
		"an address with a port":          {"10.0.0.1:1", []string{"198.51.100.7:443"}, "10.0.0.1"},
		"a connection without an address": {"a pipe", []string{"198.51.100.7"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := New(slog.New(slog.DiscardHandler), nil, nil)
			e.TrustProxies([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")})
			got := "nothing"
			e.Routes("/", NoTenant).GET("", func(c *gin.Context) { got = c.ClientIP() })
			r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
			r.RemoteAddr = c.connection
			r.Header["X-Forwarded-For"] = c.forwarded
			r.Header.Set("X-Real-Ip", "203.0.113.9")
			e.Engine().ServeHTTP(httptest.NewRecorder(), r)
			require.Equal(t, c.want, got)
		})
	}
}

func TestTrustProxies_NoneIsTrustedUnlessSaid(t *testing.T) {
	t.Parallel()
	e := New(slog.New(slog.DiscardHandler), nil, nil)
	got := ""
	e.Routes("/", NoTenant).GET("", func(c *gin.Context) { got = c.ClientIP() })
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("X-Forwarded-For", "198.51.100.7")
	e.Engine().ServeHTTP(httptest.NewRecorder(), r)
	require.Equal(t, "127.0.0.1", got)
}
