package webhook_test

import (
	"net/netip"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/webhook"
)

// specialNetworks are the networks that IANA's special-purpose registries list as not globally reachable, the multicast
// networks, and the forms of IPv6 addresses that carry an IPv4 address.
var specialNetworks = []string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
	"240.0.0.0/4",
	"::/128", "::1/128", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/32",
	"2001:2::/48",
	"2001:10::/28", "2001:20::/28", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
	"fec0::/10",
	"ff00::/8",
}

func checkAddress(scheme string, addr netip.Addr, allowed webhook.Networks) error {
	return webhook.CheckURL((&url.URL{Scheme: scheme, Host: netip.AddrPortFrom(addr, 443).String()}).String(), allowed)
}

func requireField(t *testing.T, code string, err error, about string) {
	t.Helper()
	var refusal *problem.Error
	require.ErrorAs(t, err, &refusal, about)
	require.Equal(t, problem.ValidationFailed, refusal.Code, about)
	require.Len(t, refusal.Fields, 1, about)
	require.Equal(t, "url", refusal.Fields[0].Name, about)
	require.Equal(t, code, refusal.Fields[0].Code, about)
}

func lastOf(network netip.Prefix) netip.Addr {
	last := network.Addr().AsSlice()
	for bit := network.Bits(); bit < len(last)*8; bit++ {
		last[bit/8] |= 1 << (7 - bit%8)
	}
	addr, _ := netip.AddrFromSlice(last)
	return addr
}

func TestCheckURL_SpecialNetwork_IsBlockedFromFirstToLastAddress(t *testing.T) {
	t.Parallel()
	for _, text := range specialNetworks {
		network := netip.MustParsePrefix(text)
		for _, addr := range []netip.Addr{network.Addr(), lastOf(network)} {
			requireField(t, "blocked_address", checkAddress("https", addr, nil), addr.String())
			if addr.Is4() {
				requireField(t, "blocked_address", checkAddress("https", netip.AddrFrom16(addr.As16()), nil),
					"IPv4-mapped "+addr.String())
			}
		}
	}
}

func TestCheckURL_HostOfACloudPlatform_IsBlocked(t *testing.T) {
	t.Parallel()
	for platform, text := range map[string]string{
		"Azure": "168.63.129.16", "Azure, IPv4-mapped": "::ffff:168.63.129.16", "Azure, by NAT64": "64:ff9b::a83f:8110",
		"Azure, by 6to4": "2002:a83f:8110::1",
		"AWS and Google": "169.254.169.254", "AWS by IPv6": "fd00:ec2::254", "Google by IPv6": "fd20:ce::254",
		"Alibaba": "100.100.100.200",
		"Oracle":  "192.0.0.192", "a link": "fe80::a9fe:a9fe%eth0",
	} {
		requireField(t, "blocked_address", checkAddress("https", netip.MustParseAddr(text), nil), platform)
	}
}

func TestCheckURL_PublicAddressBesideSpecialNetworks_Passes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"169.253.255.255",
		"169.255.0.0",
		"168.63.129.15", "168.63.129.17", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0",
		"198.17.255.255",
		"198.20.0.0", "223.255.255.255",
		"2001:200::", "2001:db7:ffff::1", "2001:db9::", "2001:ffff::1", "2003::", "2606:4700::1", "::ffff:8.8.8.8",
	} {
		require.NoError(t, checkAddress("https", netip.MustParseAddr(text), nil), text)
	}
}

func TestCheckURL_AllowedNetwork_OpensItAloneAlsoOverHTTP(t *testing.T) {
	t.Parallel()
	allowed, err := webhook.ParseNetworks("127.0.0.0/8, fd00::/8,10.1.2.3")
	require.NoError(t, err)
	for _, scheme := range []string{"http", "https"} {
		for _, text := range []string{"127.0.0.1", "127.255.255.255", "::ffff:127.0.0.1", "fd12::1", "10.1.2.3"} {
			require.NoError(t, checkAddress(scheme, netip.MustParseAddr(text), allowed), text)
		}
		for _, text := range []string{"10.1.2.4", "::1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fc00::1",
			"fd12::1%eth0"} {
			requireField(t, "blocked_address", checkAddress(scheme, netip.MustParseAddr(text), allowed), text)
		}
	}
	requireField(t, "blocked_address", checkAddress("http", netip.MustParseAddr("8.8.8.8"), allowed),
		"a public address over http")
}

func TestParseNetworks_Text_IsReadOrRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "  "} {
		networks, err := webhook.ParseNetworks(text)
		require.NoError(t, err)
		require.Empty(t, networks)
	}
	for _, text := range []string{"127.0.0.1/8", "::ffff:127.0.0.0/104", "::ffff:127.0.0.1", "localhost",
		"127.0.0.0/33", "127.0.0.0/8,",
		"fe80::1%eth0", "10.0.0.0-10.0.0.9"} {
		_, err := webhook.ParseNetworks(text)
		require.Error(t, err, text)
	}
}

// FuzzAddress compares with what netip knows of addresses: fewer networks than CheckURL blocks, but found
// independently.
func FuzzAddress(f *testing.F) {
	for _, text := range append(specialNetworks, "127.1", "0x7f.0.0.1", "2130706433", "::ffff:169.254.169.254",
		"fe80::1%25eth0", "[::1]",
		"8.8.8.8", "127.0.0.1.", "１２７.0.0.1") {
		if network, err := netip.ParsePrefix(text); err == nil {
			text = network.Addr().String()
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, raw := range []string{"https://" + text, "https://[" + text + "]", "https://[" + text + "]:8443/path"} {
			if webhook.CheckURL(raw, nil) != nil {
				continue
			}
			u, err := url.Parse(raw)
			require.NoError(t, err)
			addr, err := netip.ParseAddr(u.Hostname())
			if err != nil {
				continue // a name
			}
			addr = addr.Unmap()
			require.True(t, addr.IsGlobalUnicast(), raw)
			require.False(t, addr.IsPrivate(), raw)
			require.Empty(t, addr.Zone(), raw)
		}
	})
}
