package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// Networks are networks that webhooks may reach although they aren't public, also over plain http. The zero value
// allows none.
type Networks []netip.Prefix

// ParseNetworks reads networks and addresses with commas between them, such as "127.0.0.0/8, fd00::/8, 10.1.2.3". It
// refuses a network whose address has bits outside the network, and IPv4 networks in IPv6 form. Empty text allows none.
func ParseNetworks(text string) (Networks, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var networks Networks
	for part := range strings.SplitSeq(text, ",") {
		network, err := parseNetwork(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		networks = append(networks, network)
	}
	return networks, nil
}

func parseNetwork(text string) (netip.Prefix, error) {
	network, err := netip.ParsePrefix(text)
	if addr, addrErr := netip.ParseAddr(text); addrErr == nil && addr.Zone() == "" {
		network, err = netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	switch {
	case err != nil:
		return netip.Prefix{},
			fmt.Errorf("%q is neither a network such as 127.0.0.0/8 nor an address without a zone", text)
	case network.Addr().Is4In6():
		return netip.Prefix{}, fmt.Errorf("%q is an IPv4 network: write it as one", text)
	case network != network.Masked():
		return netip.Prefix{}, fmt.Errorf("%q has bits outside the network: write %s", text, network.Masked())
	}
	return network, nil
}

func (n Networks) contains(addr netip.Addr) bool {
	for _, network := range n {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// errBlocked is the cause when an address may not be reached.
var errBlocked = errors.New("the address is not public and not allowed")

// addressGuard decides which addresses may be reached. ssrf's lists are generated from IANA's special-purpose address
// registries (https://www.iana.org/assignments/iana-ipv4-special-registry,
// https://www.iana.org/assignments/iana-ipv6-special-registry). Of IPv6 it permits only 2000::/3 without the
// special-purpose networks in it. So the forms that carry an IPv4 address in an IPv6 one (IPv4-compatible, NAT64, 6to4,
// Teredo) are refused whole; the IPv4-mapped form is judged as the IPv4 address.
type addressGuard struct {
	public  *ssrf.Guardian
	allowed Networks
}

// azureHost is where Azure's virtual machines reach their host, which hands out certificates and settings of the
// machine (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16). It is in no registry:
// the number is a public one. The hosts of other platforms are in special-purpose networks.
var azureHost = netip.MustParsePrefix("168.63.129.16/32")

func newAddressGuard(allowed Networks) addressGuard {
	return addressGuard{public: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azureHost)), allowed: allowed}
}

// permits reports whether an address may be reached. Plain http is only for allowed networks.
func (g addressGuard) permits(scheme string, addr netip.Addr) bool {
	addr = addr.Unmap()
	switch {
	case addr.Zone() != "":
		return false
	case g.allowed.contains(addr):
		return true
	case scheme != "https":
		return false
	}
	return g.public.SafeAddr(addr) == nil
}

// control returns a [net.Dialer]'s Control. The dialer calls it with each address just before it connects, after every
// name was resolved, so a name can't resolve to another address in between.
func (g addressGuard) control(scheme string) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		target, err := netip.ParseAddrPort(address)
		if err != nil || !g.permits(scheme, target.Addr()) {
			return errBlocked
		}
		return nil
	}
}
